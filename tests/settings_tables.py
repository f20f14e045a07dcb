"""What is written from the table of settings: keywords for mypy, and tables of the docs. `make settings` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from typer.main import get_group

from weft.cli.app import app
from weft.cli.options import default_of
from weft.cli.settings import SETTINGS
from weft.settings.one_page import ONE_PAGE_SETTINGS
from weft.settings.setting import Group, Kind, Setting
from weft.settings.table import CRAWL_SETTINGS, HOST_SETTINGS

ROOT = Path(__file__).parent.parent
KEYWORDS = ROOT / "src" / "weft" / "settings" / "keywords.py"
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
CONFIGURATION_PAGE = ROOT / "docs" / "configuration.md"
PYTHON_PAGE = ROOT / "docs" / "python.md"

_GROUP: Any = get_group(app)


def commands_in(group: Any, above: str = "") -> dict[str, Any]:
    """Every command by all its words, as `cluster up`."""
    found: dict[str, Any] = {}
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        found |= (
            commands_in(command, f"{above}{name} ") if hasattr(command, "list_commands") else {above + name: command}
        )
    return found


COMMANDS: dict[str, Any] = commands_in(_GROUP)

KEYWORDS_HEAD = '''\
"""The settings of a crawl as keyword arguments: `weft.crawl(url, depth=2, delay=0.5)`. Made by `make settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict


class HostSettings(TypedDict, total=False):
    """What may be said of some hosts: `hosts={"*.example.org": {"delay": 5}}`."""

{by_host}

class CrawlSettings(TypedDict, total=False):
    """Each setting of `weft.config.CrawlConfig`, which says what it means."""

'''
ONE_PAGE_HEAD = '''

class GetSettings(TypedDict, total=False):
    """Those of them that mean something for a single page: `weft.get(url, user_agent="mybot/1.0")`."""

'''


def keywords() -> str:
    """The module weft.settings.keywords."""
    by_host = "".join(f"    {one.keyword}: {'str' if one.name == 'auth' else type_of(one)}\n" for one in HOST_SETTINGS)
    head = KEYWORDS_HEAD.replace("{by_host}", by_host)
    return head + _typed(CRAWL_SETTINGS) + ONE_PAGE_HEAD + _typed(ONE_PAGE_SETTINGS)


def _typed(settings: Iterable[Setting]) -> str:
    return "".join(f"    {setting.keyword}: {type_of(setting)}\n" for setting in settings)


def type_of(setting: Setting) -> str:
    """What a program may give."""
    usual = {Kind.WHOLE: "int", Kind.NUMBER: "float", Kind.SWITCH: "bool", Kind.TEXT: "str", Kind.LIST: "Sequence[str]"}
    usual[Kind.TABLES] = "Mapping[str, HostSettings] | str"
    type_ = usual[setting.kind]
    if setting.choices:
        choice = "Literal[" + ", ".join(f'"{choice}"' for choice in setting.choices) + "]"
        type_ = f"{choice} | Sequence[{choice}]" if setting.kind is Kind.LIST else choice
    if setting.names_code:
        type_ = type_.replace("str", "str | Callable[..., object]")
    if setting.pair is not None:
        type_ = "Mapping[str, str] | Sequence[str | tuple[str, str]]"
    return type_ + " | str" * (setting.unit is not None) + " | None" * (setting.default is None)


def configuration_table() -> list[str]:
    """Where each setting can be given, besides as a flag."""
    return [f"| `{setting.name}` | `{setting.variable}` | {kind_of(setting)} |" for setting in SETTINGS]


def kind_of(setting: Setting) -> str:
    """What a value is, in a word or two."""
    if setting.unit is not None:
        return setting.unit.name.lower()
    if setting.kind is Kind.LIST:
        return "list, also with commas" if setting.commas else "list"
    if setting.kind is Kind.TABLES:
        return "a file; or [tables](#settings-by-host)"
    return {Kind.WHOLE: "whole number", Kind.NUMBER: "number", Kind.TEXT: "text", Kind.SWITCH: "switch"}[setting.kind]


def python_table() -> list[str]:
    """What each keyword means."""
    return [
        f"| `{setting.keyword}` | {in_python(setting.help)} | {in_python(default_of(setting))} |"
        for setting in CRAWL_SETTINGS
    ]


def in_python(words: str) -> str:
    """A sentence of the help, with keywords in the place of flags; commands in it stay as they are."""
    keywords = {setting.name: setting.keyword for setting in CRAWL_SETTINGS}
    return re.sub(r"`[^`]*`|--([a-z-]+)", lambda one: f"`{keywords[one[1]]}`" if one[1] else one[0], words)


def with_rows(page: str, head: str, rows: list[str]) -> str:
    """The page with these rows in the table with this head."""
    head += "\n" + re.sub(r"[^|]+", "---", head) + "\n"
    begin = page.index(head) + len(head)
    end = re.compile(r"\n(?!\|)").search(page, begin)
    assert end
    return page[:begin] + "\n".join(rows) + page[end.start() :]


def section_of(command: str, page: str) -> str:
    """The part of docs/commands.md that is about a command."""
    found = re.search(rf"^## weft {command}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"docs/commands.md has no section for weft {command}"
    return found.group(1)


def options_of(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option" and not one.hidden]


def flag_row(option: Any) -> str:
    """The line that docs/commands.md has for a flag."""
    long, *short = sorted(option.opts, key=len, reverse=True)
    name = long.replace("--", "--[no-]") if option.secondary_opts else long
    words = f"{', '.join([*short, name])} {option.metavar or ''}".strip()
    return f"| `{words}` | {option.help} |".replace("FILE|-", "FILE\\|-").replace("1|3", "1\\|3")


def with_flags(command: str, page: str) -> str:
    """docs/commands.md with a table for each subject in the section of a command that takes settings."""
    tables = ""
    options = sorted(options_of(COMMANDS[command]), key=lambda one: one.rich_help_panel is None)
    for subject, members in groupby(options, key=lambda one: one.rich_help_panel or "Other"):
        rows = "\n".join(map(flag_row, members))
        tables += f"**{subject}**\n\n| flag | |\n|---|---|\n{rows}\n\n"
    old = section_of(command, page)
    begin = old.index(f"**{next(iter(Group))}**")
    last = re.compile(r"\n\n|\n\Z").search(old, old.rindex("\n| `--"))
    assert last
    return page.replace(old, old[:begin] + tables.rstrip("\n") + old[last.start() :])


def written() -> dict[Path, str]:
    """All files that are made from the table of settings, as they should be."""
    commands = COMMANDS_PAGE.read_text()
    for command in ("get", "crawl", "resume", "mirror", "shell", "cluster start"):
        commands = with_flags(command, commands)
    return {
        KEYWORDS: keywords(),
        COMMANDS_PAGE: commands,
        CONFIGURATION_PAGE: with_rows(
            CONFIGURATION_PAGE.read_text(), "| key | variable | value |", configuration_table()
        ),
        PYTHON_PAGE: with_rows(PYTHON_PAGE.read_text(), "| setting | | default |", python_table()),
    }


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
