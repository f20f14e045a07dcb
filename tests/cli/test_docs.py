"""docs/commands.md and docs/configuration.md say what the commands do: every flag, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import settings_tables as tables
from weft.cli.exits import Exit
from weft.cli.sources import effective
from weft.export import FORMATS

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS_PAGE = (DOCS / "commands.md").read_text()
CONFIGURATION_PAGE = (DOCS / "configuration.md").read_text()
COMMANDS = tables.COMMANDS


def test_every_command_has_a_section_and_the_reverse() -> None:
    assert set(re.findall(r"^## weft (.+)$", COMMANDS_PAGE, re.MULTILINE)) == set(COMMANDS)


def test_every_command_is_in_the_list_at_the_top() -> None:
    assert set(re.findall(r"^\| \[(.+?)\]\(#weft-", COMMANDS_PAGE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_has_exactly_the_flags_of_a_command(name: str) -> None:
    rows = re.findall(r"^\| `-.*\|$", tables.section_of(name, COMMANDS_PAGE), re.MULTILINE)
    expected = {tables.flag_row(option) for option in tables.options_of(COMMANDS[name])}
    if name == "config":  # its section refers to those of crawl and mirror
        for other in ("crawl", "mirror"):
            expected -= {tables.flag_row(option) for option in tables.options_of(COMMANDS[other])}
        expected = {row for row in expected if "--other-host" not in row}  # which has no short name here
    assert sorted(rows) == sorted(expected)


def test_every_form_of_an_export_is_named() -> None:
    words, _, _ = tables.section_of("export", COMMANDS_PAGE).partition("| flag | |")
    assert [form for form in FORMATS if f"`{form}`" not in words] == []


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


@pytest.mark.parametrize(
    ("path", "written"), tables.written().items(), ids=lambda value: value.name if isinstance(value, Path) else ""
)
def test_what_is_made_from_the_table_of_settings_is_up_to_date(path: Path, written: str) -> None:
    assert path.read_text() == written, "`make settings` writes it"
