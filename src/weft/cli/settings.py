"""All that a command can be told: the crawl's settings (`weft.config`), and those that concern the command alone."""

from __future__ import annotations

from typing import Final

from weft.cli.log import EVERY_S, LEVEL, Form
from weft.settings.setting import Group, Kind, Setting
from weft.settings.table import CRAWL_SETTINGS

DASHBOARD_PLACE: Final = "127.0.0.1:8765"
_COMMAND_SETTINGS: Final = (
    Setting(Group.VISIT, "FILE|-", "A file of seed URLs, one a line; - reads standard input.", name="seeds"),
    Setting(Group.OUTPUT, "DIR", "The crawl folder.", name="output", short="-o", on_resume=False,
            default_text="crawl-HOST"),
    Setting(Group.OUTPUT, "[ADDRESS:PORT]", "Show the crawl to a browser while it runs. [default: 127.0.0.1:8765]",
            name="dashboard", alone=DASHBOARD_PLACE),
    Setting(Group.OUTPUT, "", "Print the summary as one JSON object.", name="json", kind=Kind.SWITCH, default=False),
    Setting(Group.OUTPUT, "FORM", "Write a log to standard error, as text or json.", name="log",
            choices=tuple(map(str, Form)), default_text="text if that is no terminal"),
    Setting(Group.OUTPUT, "TIME", "How often the log says how it goes; 0 or none: never.", name="log-every",
            kind=Kind.NUMBER, default_text=f"{EVERY_S:g}s", at_least=0.0),
    Setting(Group.OUTPUT, "LEVEL", "What the log has: debug, info, warning or error, and all that is worse.",
            name="log-level", choices=("debug", "info", "warning", "error"), default=LEVEL),
    Setting(Group.OUTPUT, "", "Print nothing but errors.", name="quiet", short="-q", kind=Kind.SWITCH, default=False),
)  # fmt: skip

_GROUPS: Final = [str(group) for group in Group]
SETTINGS: Final = tuple(sorted((*_COMMAND_SETTINGS, *CRAWL_SETTINGS), key=lambda one: _GROUPS.index(one.group)))
BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
CRAWL_FLAGS: Final = tuple(setting for setting in SETTINGS if setting.group != Group.FILES)
# A mirror always has the others, or has no use for them.
MIRROR_FLAGS: Final = tuple(
    setting
    for setting in SETTINGS
    if setting.name not in ("dashboard", "requisites", "near-duplicates", "clean", "clean-preset")
)
