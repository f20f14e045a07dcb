"""Lines of a live view: they fit the terminal, and no name from a server does more than be read."""

from __future__ import annotations

import pytest
from rich.text import Text

from tests.live.statuses import a_status
from weft.cli.live_tables import Section, fitted, section_lines, sections_of
from weft.cli.live_view import head_lines, limit_words
from weft.cli.shown import plain_for, said, sparkline
from weft.live.status import Done, HostFigures, Limit, Limiter, State, Status, Visited
from weft.pipeline.progress import HostWait

HOSTILE = [
    "http://a.test/\x1b[2J\x1b]0;owned\x07",
    "http://a.test/\r\nweft: all is well\x9b31m",
    "http://a.test/[bold red]markup[/] [link=http://b.test/]",
    "http://a.test/\u202egpj.exe\u2066\u200f",
    "http://例え.テスト/" + "漢字" * 100,
    "http://a.test/" + "e\u0301" * 300,
    "http://" + "a" * 5_000,
    "",
]


def hostile(name: str) -> Status:
    figures = HostFigures(name, 1, 1, 1, 1, 0.1)
    return a_status(
        newest=[Visited("now", name, 200, name, 1, 0.1)],
        waiting=[HostWait(name, 1.0, name)],
        left=[HostWait(name, 0.0, name)],
        by_pages=[figures],
        slowest=[figures],
        commands=[Done(name, name)],
        warnings=[name],
        limiter=Limiter(name, name, name),
        exit=name,
        state=State.ENDED,
    )


def all_lines(status: Status, width: int, encoding: str = "utf-8") -> list[Text]:
    lines = head_lines(status, [1.0] * 100, width, encoding)
    return lines + [line for section in sections_of(status) for line in section_lines(section, width, encoding)]


@pytest.mark.parametrize("width", [12, 40, 80, 200])
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_no_line_is_longer_than_the_terminal_is_wide(name: str, width: int) -> None:
    assert [line.plain for line in all_lines(hostile(name), width) if line.cell_len > width] == []


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_what_would_move_the_cursor_or_colour_the_line_is_not_written(name: str) -> None:
    shown = [line.plain for line in all_lines(hostile(name), 200)]
    assert [line for line in shown if not line.isprintable()] == []
    assert {span.style for line in all_lines(hostile(name), 200) for span in line.spans} <= {
        "bold",
        "bold yellow",
        "cyan",
    }


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_every_character_is_one_that_the_terminal_can_show(name: str, encoding: str) -> None:
    for line in all_lines(hostile(name), 80, encoding):
        line.plain.encode(encoding)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_figures_take_as_many_lines_whatever_limits_the_crawl(width: int) -> None:
    heights = {
        len(head_lines(a_status(limiter=Limiter("servers", "word " * words, "advice")), [], width))
        for words in (1, 10, 50, 500)
    }
    assert len(heights) == 1


@pytest.mark.parametrize("state", State)
def test_each_state_has_words(state: State) -> None:
    (line, *_) = head_lines(a_status(state=state, seconds=100.0, run_s=200.0), [], 200)
    assert state == State.FINISHING or state in line.plain
    assert "(3 min 20 s in all)" in line.plain


def test_the_figures_are_those_of_the_status() -> None:
    shown = "\n".join(line.plain for line in head_lines(a_status(), [0.0, 60.0, 120.0], 200))
    assert shown.splitlines() == [
        "crawl      running for 1 min 40 s (3 min 20 s in all)",
        "pages      12,345  120/s  ▁▅█",
        "received   987.7 MB  9.9 MB/s",
        "limit      24.7 % of 50,000 pages, about 5 min 12 s left",
        "queue      6,789 URLs, 20,000 known",
        "hosts      1 ready, 1 busy, 12 waiting, 2 preparing, 3 left for later",
        "under way  9 requests (at most 64), 4 pages in 2 parse workers",
        "newest     http://a.test/new",
        "limited by politeness: politeness: 12 of 14 hosts rest; "
        "`--connections-per-host` or `--delay` would change that",
        " " * 11,
        " " * 11,
    ]


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (Limit("pages", 250, 1000, 25.0, 30.0), "25.0 % of 1,000 pages, about 30.0 s left"),
        (Limit("bytes", 5e6, 1e7, 50.0, None), "50.0 % of 10.0 MB"),
        (Limit("time", 60.0, 600.0, 10.0, 540.0), "10.0 % of 10 min 0 s, about 9 min 0 s left"),
    ],
)
def test_the_share_of_the_limit_is_told_with_the_time_left(limit: Limit, words: str) -> None:
    assert limit_words(limit) == words


@pytest.mark.parametrize(
    ("values", "chars", "line"),
    [
        ([], 10, ""),
        ([0.0, 0.0], 10, "▁▁"),
        ([0.0, 1.0, 2.0, 4.0], 10, "▁▃▅█"),
        ([0.0, 0.0, 8.0, 8.0], 2, "▁█"),
        ([1.0] * 1_200, 3, "███"),
        ([5.0], 0, ""),
        ([-1.0, 1.0], 5, "▁█"),
    ],
)
def test_a_curve_goes_from_nothing_to_its_highest_value(values: list[float], chars: int, line: str) -> None:
    assert sparkline(values, chars) == line


def test_a_terminal_without_unicode_has_a_curve_of_its_own() -> None:
    assert plain_for("▁▃█ …×", "ascii") == "_:# ~x"
    assert plain_for("▁▃█ …×", "utf-8") == "▁▃█ …×"


def test_a_long_name_is_cut_before_it_is_looked_at() -> None:
    assert len(said("a" * 10_000_000)) == 253


def test_tables_fit_the_height_and_share_it() -> None:
    sections = [Section(name, ("n",), [("x", "1")] * rows) for name, rows in (("a", 20), ("b", 1), ("c", 10_000))]
    for lines in range(40):
        shown = fitted(sections, lines)
        assert sum(1 + len(section.rows) for section in shown) <= lines
    assert [len(section.rows) for section in fitted(sections, 24)] == [10, 1, 10]
    assert [section.title for section in fitted(sections, 5)] == ["a", "b"]
    assert fitted(sections, 1) == []
    assert [len(section.rows) for section in fitted(sections, 100_000)] == [20, 1, 10_000]


def test_columns_at_the_right_give_way_to_names() -> None:
    section = Section("hosts", ("pages", "received", "why"), [("long-name-of-a-host.test", "1", "2.0 MB", "because")])
    widest = section_lines(section, 80)[1].plain
    assert widest == "long-name-of-a-host.test      1    2.0 MB  because"
    assert section_lines(section, 24)[1].plain == "long-name-of-a-h…      1"
