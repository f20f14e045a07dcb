"""All that a command can be told: the crawl's settings (`weft.config`), and those that concern the command alone."""

from __future__ import annotations

from typing import Final

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
    Setting(Group.OUTPUT, "", "Print nothing but errors.", name="quiet", short="-q", kind=Kind.SWITCH, default=False),
)  # fmt: skip

_GROUPS: Final = [str(group) for group in Group]
SETTINGS: Final = tuple(sorted((*_COMMAND_SETTINGS, *CRAWL_SETTINGS), key=lambda one: _GROUPS.index(one.group)))
BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
