"""The findings as JSON, CSV and on a terminal: all of them, and nothing that a server wrote does harm."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import weft
from tests.cli.running import Finished, assert_is_one_sentence
from tests.site.made import full, make_site, missing, page
from weft.api.site_report import open_findings
from weft.cli.exits import Exit
from weft.cli.site_report import FINDINGS_SHOWN, REFERRERS_SHOWN, print_site
from weft.site.findings import FindingKind, SiteReport
from weft.site.write_csv import COLUMNS, defused, write_csv
from weft.site.write_json import write_json

# A title that moves the cursor and clears the screen, one that a spreadsheet runs, and one that begins a script.
HOSTILE = ["\x1b[2J\x1b]0;owned\x07\u202e", '=HYPERLINK("http://evil.test/","x")', "</script><script>alert(1)</script>"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site with twelve pages that link to what is not there, by anchors that others wrote."""
    pages = {
        f"/{number}": page("/gone", title=HOSTILE[number % 3], anchors={full("/gone"): HOSTILE[number % 3]})
        for number in range(12)
    }
    return make_site(tmp_path / "crawl", {"/": page(*pages), **pages, "/gone": missing()})


def test_the_json_is_the_whole_report(folder: Path) -> None:
    out = io.BytesIO()
    with open_findings(folder) as findings:
        write_json(findings, out)
    assert msgspec.json.decode(out.getvalue(), type=SiteReport) == weft.site_report(folder)


def test_the_json_of_a_comparison_has_all_that_was_fixed(folder: Path, tmp_path: Path) -> None:
    sound = make_site(tmp_path / "sound", {"/": page()})
    out = io.BytesIO()
    with open_findings(sound, since=folder) as findings:
        write_json(findings, out)
    report = msgspec.json.decode(out.getvalue(), type=SiteReport)
    assert {section.kind: (section.count, len(section.fixed_urls)) for section in report.sections} == {
        FindingKind.BROKEN_LINK: (0, 1),
        FindingKind.TITLE_DUPLICATE: (0, 12),
    }


def test_the_tables_have_a_line_for_each_page_that_refers(folder: Path, tmp_path: Path) -> None:
    with open_findings(folder) as findings:
        written = write_csv(findings, tmp_path / "csv")
    assert [path.name for path in written] == ["broken-link.csv", "title-duplicate.csv"]
    with written[0].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert {row["referrer"] for row in rows} == {full(f"/{number}") for number in range(12)}
    assert {(row["url"], row["status"], row["referrers"], row["place"]) for row in rows} == {
        (full("/gone"), "404", "12", "link")
    }


def test_no_cell_of_a_table_is_a_formula(folder: Path, tmp_path: Path) -> None:
    with open_findings(folder) as findings:
        written = write_csv(findings, tmp_path / "csv")
    cells = [cell for path in written for row in csv.reader(io.StringIO(path.read_text())) for cell in row]
    assert f"'{HOSTILE[1]}" in cells
    assert [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")] == []


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_that_a_spreadsheet_would_run_is_defused(first: str) -> None:
    assert defused(f"{first}1") == f"'{first}1"
    assert defused(f"1{first}") == f"1{first}"


def test_a_table_of_what_is_found_no_more_does_not_stay(folder: Path, tmp_path: Path) -> None:
    sound = make_site(tmp_path / "sound", {"/": page()})
    for each in (folder, sound):
        with open_findings(each) as findings:
            write_csv(findings, tmp_path / "csv")
    assert list((tmp_path / "csv").iterdir()) == []


def test_nothing_on_the_terminal_moves_the_cursor(folder: Path) -> None:
    out = io.StringIO()
    print_site(Console(file=out, width=200, color_system=None), weft.site_report(folder))
    assert [char for char in out.getvalue() if not char.isprintable() and char != "\n"] == []
    assert "\N{REPLACEMENT CHARACTER}[2J" in out.getvalue()


def test_a_terminal_shows_the_first_findings_and_how_many_more_there_are(folder: Path) -> None:
    done = Finished("report", str(folder), "--site", cwd=folder.parent)
    assert (done.code, done.errors) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("13 pages and 24 links looked at; 13 findings: broken links × 1, ")
    assert f"  {full('/gone')}  404" in lines
    assert f"    and from {12 - REFERRERS_SHOWN} more" in lines
    assert f"  and {12 - FINDINGS_SHOWN} more" in lines
    assert f"all of it: weft report {folder} --site --csv FOLDER, or --html FILE" in lines


def test_the_command_writes_all_forms_at_once(folder: Path, tmp_path: Path) -> None:
    flags = ["--json", "--csv", "tables", "--html", "report.html", "--since", str(folder)]
    done = Finished("report", str(folder), *flags, cwd=tmp_path)
    assert done.code == 0
    report = msgspec.json.decode(done.out, type=SiteReport)
    assert [(section.new, section.fixed) for section in report.sections] == [(0, 0), (0, 0)]
    assert len(list((tmp_path / "tables").iterdir())) == 2
    assert "<script>alert(1)" not in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("kinds", "code"),
    [("broken,mixed", Exit.FOUND), ("mixed", Exit.DONE), ("errors", Exit.FOUND), ("any", Exit.FOUND)],
)
def test_the_exit_code_says_whether_something_that_must_not_be_was_found(folder: Path, kinds: str, code: Exit) -> None:
    done = Finished("report", str(folder), "--fail-on", kinds, cwd=folder.parent)
    assert done.code == code
    assert ("found what --fail-on names: broken-link" in done.errors) is (code is Exit.FOUND)
    assert "Broken links: 1" in done.out


def test_a_crawl_that_visited_nothing_is_no_sound_site(tmp_path: Path) -> None:
    done = Finished("report", str(make_site(tmp_path / "crawl", {})), "--fail-on", "broken", cwd=tmp_path)
    assert done.code == Exit.FOUND
    assert "nothing was visited" in done.errors
    assert "Nothing was visited, so nothing can be said of the site." in done.out


def test_what_cannot_be_asked_is_told_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    for flags in (["--fail-on", "broke"], ["--csv", "/dev/null/x"], ["--since", "nowhere"]):
        done = Finished("report", str(folder), *flags, cwd=tmp_path)
        assert done.code in (Exit.BAD_INPUT, Exit.FOLDER)
        assert_is_one_sentence(done)
