"""docs/commands.md and docs/configuration.md say what the commands do: every flag, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from weft.cli.app import app
from weft.cli.exits import Exit
from weft.cli.settings import SETTINGS, Kind, Setting
from weft.cli.sources import effective

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS_PAGE = (DOCS / "commands.md").read_text()
CONFIGURATION_PAGE = (DOCS / "configuration.md").read_text()
GROUP: Any = get_group(app)
COMMANDS: dict[str, Any] = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}


def section_of(command: str) -> str:
    """The part of the page that is about a command."""
    match = re.search(rf"^## weft {command}\n(.*?)(?=^## |\Z)", COMMANDS_PAGE, re.MULTILINE | re.DOTALL)
    assert match, f"docs/commands.md has no section for weft {command}"
    return match.group(1)


def row_of(option: Any) -> str:
    """The line that the page should have for a flag."""
    long, *short = sorted(option.opts, key=len, reverse=True)
    name = long.replace("--", "--[no-]") if option.secondary_opts else long
    words = f"{', '.join([*short, name])} {option.metavar or ''}".strip()
    return f"| `{words}` | {option.help} |".replace("FILE|-", "FILE\\|-")


def options_of(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def test_every_command_has_a_section_and_the_reverse() -> None:
    assert set(re.findall(r"^## weft (\S+)$", COMMANDS_PAGE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_has_exactly_the_flags_of_a_command(name: str) -> None:
    rows = re.findall(r"^\| `-.*\|$", section_of(name), re.MULTILINE)
    expected = {row_of(option) for option in options_of(COMMANDS[name])}
    if name == "config":  # its section refers to that of crawl
        expected -= {row_of(option) for option in options_of(COMMANDS["crawl"])}
    assert sorted(rows) == sorted(expected)


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_is_explained(code: Exit) -> None:
    assert re.search(rf"^\| {code.value} \| \S", COMMANDS_PAGE, re.MULTILINE)


def test_the_example_of_a_settings_file_is_accepted(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", CONFIGURATION_PAGE, re.DOTALL)
    assert example
    file = tmp_path / "weft.toml"
    file.write_text(example.group(1))
    found = effective({}, file, {})
    assert found["user-agent"].startswith("mybot/")


def kind_of(setting: Setting) -> str:
    """What the table says that a setting is."""
    if setting.unit is not None:
        return setting.unit.name.lower()
    if setting.kind is Kind.LIST:
        return "list, also with commas" if setting.commas else "list"
    return {Kind.WHOLE: "whole number", Kind.NUMBER: "number", Kind.TEXT: "text", Kind.SWITCH: "switch"}[setting.kind]


def test_every_setting_is_in_the_table_with_its_names_and_its_kind() -> None:
    rows = re.findall(r"^\| `.*\|$", CONFIGURATION_PAGE, re.MULTILINE)
    assert rows == [f"| `{setting.name}` | `{setting.variable}` | {kind_of(setting)} |" for setting in SETTINGS]
