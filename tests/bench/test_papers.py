"""The papers' experiments: what is pure in them. The experiments themselves run by `make papers`."""

from __future__ import annotations

import socket
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from bench.clean.experiment import Run as CleanRun
from bench.clean.stopwatch import Stopwatch
from bench.group_samples import Sample
from bench.mirror_runs import Run as MirrorRun
from bench.papers.__main__ import PAPERS
from bench.papers.charts import COLOURS, Bars, Lines, draw, ticks
from bench.papers.claims import Claim, Exhibit, cannot, claim, verdict
from bench.papers.page import index, markdown, with_paper
from bench.papers.paper1 import designs, portals
from bench.papers.paper1.crawler import Crawled, LockedQueue, by_time, look_up_s
from bench.papers.paper1.names import PaperTable, PlainDict
from bench.papers.paper1.queueing import measure
from bench.papers.paper1.readers import Manners, Reader, read_blocking, read_event, read_polling, read_select
from bench.papers.paper1.server import END, HOSTS, moments, page_of
from bench.papers.paper2.exchange import less
from bench.papers.paper2.matrices import Stretch, off_percent
from bench.papers.paper2.responses import CHAIN_SHARE, HOPS, PAPER_PERCENT, Answers, chains_of, spec_of
from bench.papers.paper2.responses import shown as shown_answers
from bench.papers.paper3.seasons import season
from bench.papers.paper3.swing import Period, as_printed, corrected, course, damped, swing
from bench.papers.paper4.designs import by_round, level_claims, thread_parts, time_over_pages
from bench.papers.paper5.sizes import memory_claims, speed_claims
from bench.papers.part import PaperPart
from weft.config import CrawlConfig

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
READERS = [read_blocking, read_polling, read_event, read_select]


# ── claims and the page ────────────────────────────────────────────────────────────────────────────────


def test_an_exhibit_holds_only_when_each_ordering_held_in_each_run() -> None:
    always, once = claim("a", [True, True, True]), claim("b", [True, False, False])
    assert verdict([always]).startswith("holds")
    assert verdict([always, once]) == "does not hold: b: 1 of 3"


def test_a_claim_without_runs_does_not_hold() -> None:
    assert not Claim("nobody looked", 0, 0).always


def part(paper: int, verdict: str, **blocks: str) -> PaperPart:
    return PaperPart(blocks, [], [Exhibit(paper, "table 1", "speed", verdict)], {}, {})


def test_a_paper_s_rows_of_the_index_are_replaced_and_those_of_others_stay() -> None:
    page = "<!-- index -->\n<!-- end of index -->\n<!-- x -->\n<!-- end of x -->\n"
    page = with_paper(page, part(2, "holds"))
    page = with_paper(page, part(1, cannot("why"), x="a block"))
    page = with_paper(page, part(2, "does not hold"))
    assert "a block" in page
    rows = [line for line in index(page, [Exhibit(3, "figure", "f", "holds")]).splitlines() if line[2].isdigit()]
    assert [row[2] for row in rows] == ["1", "2", "3"]
    assert "does not hold" in rows[1]
    assert "because why" in rows[0]


def test_the_page_has_a_row_of_each_paper_and_a_picture_for_each_that_it_shows() -> None:
    text = PAGE.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ") and line[2].isdigit() and line[3:5] == " |"]
    assert {int(row[2]) for row in rows} == set(PAPERS)
    shown = {line.partition("](")[2].rstrip(")") for line in text.splitlines() if line.startswith("![")}
    assert shown
    for name in shown:
        ElementTree.parse(PAGE.parent / name)


def test_a_table_has_a_line_that_says_how_to_read_it() -> None:
    assert markdown([["a", "b"], ["1", "2"]], "key") == "| a | b |\n|---|---:|\n| 1 | 2 |\n\nKey."


# ── plots ──────────────────────────────────────────────────────────────────────────────────────────────


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


def test_a_plot_has_its_title_axes_with_units_and_a_legend() -> None:
    lines = Lines("a title", "seconds", "MB", {"one": [(0, 1), (10, 3)], "two <&": [(0, 2), (10, 2)]})
    bars = Bars("bars", "pages/s", {"g": {"x": 1.0, "y": 2.0}})
    said = texts(draw([lines, bars]))
    for words in ("a title", "seconds", "MB", "one", "two <&", "pages/s", "g", "x", "y"):
        assert words in said


def test_lines_of_a_plot_differ_by_colour_and_dash() -> None:
    svg = draw([Lines("t", "x", "y", {"one": [(0, 1), (1, 2)], "two": [(0, 2), (1, 1)]})])
    curves = [
        e.attrib for e in ElementTree.fromstring(svg).iter() if e.get("stroke-width") == "2" and "points" in e.attrib
    ]
    assert len({curve["stroke"] for curve in curves}) == len({curve["stroke-dasharray"] for curve in curves}) == 2
    assert {curve["stroke"] for curve in curves} <= set(COLOURS)


def test_parts_of_a_stacked_bar_stand_on_each_other() -> None:
    svg = draw([Bars("t", "s", {"g": {"low": 1.0, "high": 3.0}}, is_stacked=True)])
    boxes = [e.attrib for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("rect") and "x" in e.attrib]
    low, high = boxes[:2]
    assert float(high["y"]) + float(high["height"]) == pytest.approx(float(low["y"]), abs=0.2)


def test_ticks_are_round() -> None:
    assert ticks(0, 59) == [0, 10, 20, 30, 40, 50]


# ── paper 1 ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_has_its_size_and_ends_as_a_document_does() -> None:
    page = page_of(7, 3_000)
    assert len(page) == 3_000
    assert page.endswith(END)
    assert page.count(b"href=") == 10
    assert all(f"h{n % HOSTS}/p{n}".encode() in page for n in range(71, 81))


def test_pieces_come_unevenly_and_the_last_one_in_time() -> None:
    times = moments(3, 5, 2.0)
    assert times == sorted(times)
    assert times[-1] == pytest.approx(2.0)
    assert len({round(after - before, 6) for before, after in pairwise(times)}) > 1


def read_from(reader: Reader, manners: Manners, pieces: list[bytes], *, closes: bool) -> tuple[bytes, int]:
    """All is sent when it begins to read: a short time-out begins when nothing more is to come."""
    own, other = socket.socketpair()
    with own, other:
        for piece in pieces:
            other.sendall(piece)
        if closes:
            other.close()
        body, _, empty = reader(own, manners)
    return body, empty


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_that_looks_for_the_end_needs_no_time_out(reader: Reader) -> None:
    patient = Manners(timeout_s=60.0, poll_s=0.001, ends=True)
    assert read_from(reader, patient, [b"<html>", b"text</html>"], closes=False)[0] == b"<html>text</html>"


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_that_does_not_ends_by_its_time_out_or_by_the_connection(reader: Reader) -> None:
    page = [b"<html>", b"text</html>"]
    hasty = Manners(timeout_s=0.05, poll_s=0.01, ends=False)
    body, empty = read_from(reader, hasty, page, closes=False)
    assert (body, empty > 0) == (b"".join(page), True)
    patient = Manners(timeout_s=60.0, poll_s=0.001, ends=False)
    assert read_from(reader, patient, page, closes=True)[0] == b"".join(page)


def cells(**seconds: float) -> list[portals.Cell]:
    return [
        portals.Cell(portal.name, keep, reader, seconds.get(reader.partition(" ")[0], 1.0), 0.0, 0.0, 0.0, 0)
        for portal in portals.PORTALS
        for keep in (True, False)
        for reader in portals.READERS
    ]


def test_table_1_shows_ours_beside_the_paper_s_and_says_what_held() -> None:
    found = portals.shown([cells(ordinary=3.0, polling=2.5, combined=1.0)] * 3, loads=50)
    assert "| Sina, 308.5 | yes | 3.00 | 2.50 | 1.00 |" in found.blocks["1-table-1"]
    assert "3.20 | 2.85 | 2.25" in found.blocks["1-table-1"]
    assert found.exhibits[0].verdict.startswith("holds")
    other = portals.shown([cells(ordinary=3.0, polling=3.5, combined=1.0)] * 3, loads=50)
    assert "polling < ordinary, each page: 0 of 3" in other.exhibits[0].verdict


def test_table_2_takes_a_tenth_for_noise() -> None:
    def run(shared: int) -> designs.Run:
        pages = {row.name: 100 for row in designs.ROWS} | {"shared queue": shared}
        return {name: Crawled(1.0, count, 1, [(0.0, 0)], 0.0, 0, 0.0) for name, count in pages.items()}

    held = designs.table_claims([run(95), run(80)])[0]
    assert (held.held, held.runs) == (1, 2)


def test_look_ups_take_327_ms_on_average_and_the_same_for_one_name() -> None:
    times = [look_up_s(f"h{number}") for number in range(4_000)]
    assert sum(times) / len(times) == pytest.approx(0.327, abs=0.03)
    assert look_up_s("h1") == look_up_s("h1")


def test_a_locked_queue_counts_its_puts_and_is_first_in_first_out() -> None:
    queue = LockedQueue(hold_s=0.0)
    queue.put(("a", 1))
    queue.put(("b", 2))
    assert (queue.take(), queue.take(), queue.take(), queue.puts) == (("a", 1), ("b", 2), None, 2)


def test_volume_is_what_had_come_by_each_moment() -> None:
    assert by_time([(0.4, 10), (0.9, 5)], 1.0, steps=2) == [(0.0, 0), (0.5, 10), (1.0, 15)]


def test_threads_that_wait_for_one_lock_wait_longer_than_one_that_is_alone() -> None:
    assert measure(8, 8.0, 3).waited_s > measure(1, 1.0, 3).waited_s


def test_the_paper_s_table_replaces_the_lightest_of_a_full_pool() -> None:
    table = PaperTable(room=3, pools=1)
    for name in ("a1.org", "a2.org", "a3.org"):
        table.add(name)
    assert table.knows("a1.org")
    assert table.knows("a3.org")
    table.add("a4.org")  # the same pool, which is full
    assert not table.knows("a2.org")
    assert all(table.knows(name) for name in ("a1.org", "a3.org", "a4.org"))


def test_sorting_shortens_the_walk_to_a_heavy_name() -> None:
    names = [f"a{number:03}.org" for number in range(100)]

    def compared(*, is_sorted: bool) -> int:
        table = PaperTable(room=200, pools=1, is_sorted=is_sorted)
        for name in names:
            table.add(name)
        for _ in range(3_000):
            table.knows(names[-1])
        return table.compared

    assert compared(is_sorted=True) < compared(is_sorted=False) / 2


def test_a_plain_dict_forgets_nothing() -> None:
    table = PlainDict()
    table.add("a.org")
    assert table.knows("a.org")
    assert not table.knows("b.org")


# ── paper 2 ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_phase_is_what_was_sent_between_two_moments() -> None:
    assert less({"A": {"B": 7}, "E": {"A": 2}}, {"A": {"B": 5, "C": 9}}) == {"A": {"B": 2}, "E": {"A": 2}}


def test_a_node_is_off_by_what_it_has_beyond_its_part() -> None:
    stretch = Stretch(
        {"A": 2, "B": 1, "C": 1}, {"A": {"B": 60, "C": 40}, "B": {"A": 0, "C": 0}, "C": {"A": 0, "B": 0}}, {}
    )
    assert off_percent(stretch, "B") == pytest.approx(20)
    assert off_percent(stretch, "C") == pytest.approx(-20)


def test_a_web_has_the_paper_s_shares() -> None:
    spec = spec_of(1_000, 1)
    answers = 1 + spec.dead_share + CHAIN_SHARE
    assert 100 * spec.dead_share / answers == pytest.approx(PAPER_PERCENT["404"], abs=0.1)
    assert 100 * spec.stall_share / answers == pytest.approx(PAPER_PERCENT["time-out"], abs=0.1)
    assert 100 * (1 - spec.stall_share - spec.garbled_share) / answers == pytest.approx(PAPER_PERCENT["OK"], abs=0.1)


def test_a_chain_of_redirects_is_one_longer_than_weft_follows() -> None:
    chains = chains_of(spec_of(4_000, 1))
    assert len(chains) == 7 * (HOPS + 1)
    assert CrawlConfig().max_redirects < HOPS


def test_answers_that_differ_from_what_was_planted_are_told() -> None:
    def answers(ok: float) -> Answers:
        return Answers(100, PAPER_PERCENT | {"OK": ok}, 6.8, 117, 10.0, 500.0, [20] * 10)

    assert shown_answers([answers(90.3)] * 3, 100).exhibits[0].verdict.startswith("holds")
    assert shown_answers([answers(60.0)] * 3, 100).exhibits[0].verdict.startswith("does not hold")


# ── paper 3 ────────────────────────────────────────────────────────────────────────────────────────────


def test_equation_10_as_printed_divides_by_the_speed_of_the_module_before() -> None:
    period = Period(workers=20, arrived=60, done=54, idle=0.0, buffer=6, buffer_before=0)
    assert as_printed(period) == 32  # 2 · 6 ÷ 60 · 60 = 12 more
    assert corrected(period) == 24  # 2 · 6 ÷ 54 · 20 = 4 more


def test_workers_that_slept_all_the_time_go() -> None:
    assert as_printed(Period(20, 60, 60, idle=3.7, buffer=0, buffer_before=0)) == 17


def test_the_damped_count_swings_less_than_the_printed_one() -> None:
    for seed in range(3):
        assert swing(course(damped(), seed)) < swing(course(as_printed, seed)) / 2


def test_a_season_s_speed_is_that_of_its_second_half() -> None:
    samples = [
        Sample(at, round(10 * at) if at < 5 else 50, 0, 0, 8 if at < 5 else 16, 2, 0, 0) for at in map(float, range(10))
    ]
    found = season("balanced", samples, 5.0)
    assert (found.slots, found.slow_slots) == (8, 16)
    assert (found.quick_pages_per_s, found.slow_pages_per_s) == (10, 0)


# ── papers 4 and 5 ─────────────────────────────────────────────────────────────────────────────────────


def cleaned(design: str, seconds: float) -> CleanRun:
    watch = Stopwatch(opening_s=1.0, statements_s=2.0, waiting_s=3.0, whole_s=10.0)
    return CleanRun("SQLite", design, 1_000, seconds, 0.0, 0.0, 0, maintaining=watch, deleting=watch)


def test_runs_of_a_design_belong_to_rounds_in_their_order() -> None:
    rounds = by_round([cleaned("A", 1.0), cleaned("B", 2.0), cleaned("B", 3.0), cleaned("A", 4.0)])
    assert [(found["A"].seconds, found["B"].seconds) for found in rounds] == [(1.0, 2.0), (4.0, 3.0)]


def test_a_design_s_line_is_straight_when_half_of_its_pages_take_half_of_its_time() -> None:
    even = msgspec.structs.replace(cleaned("A", 4.0), stored_s=[1.0, 2.0, 3.0, 4.0])
    late = msgspec.structs.replace(cleaned("B", 4.0), stored_s=[0.1, 0.2, 2.0, 4.0])
    assert time_over_pages(even) == [(0, 0), (25, 25), (50, 50), (75, 75), (100, 100)]
    assert [claim.held for claim in level_claims([{"A": even}, {"A": even, "B": late}, {"A": even}], "SQLite")] == [2]


def test_parts_of_a_thread_s_time_sum_up_to_it() -> None:
    parts = thread_parts(cleaned("A", 1.0), "S")
    assert sum(parts.values()) == pytest.approx(10.0)
    assert parts["cleans and other"] == pytest.approx(4.0)


def test_mirrors_are_compared_run_by_run() -> None:
    def run(tool: str, seconds: float, megabytes: int) -> MirrorRun:
        return MirrorRun(tool, "", pages=100, seconds=seconds, peak_memory_bytes=megabytes * 1_000_000)

    found = {
        (network, tool, size): [run(tool, seconds, megabytes)] * 3
        for network in ("fast", "slow")
        for size in (10, 100)
        for tool, seconds, megabytes in (("weft", 1.0, 5), ("wget", 5.0, size), ("httrack", 2.0, 100))
    }
    assert all(each.always for each in (*speed_claims(found), *memory_claims(found)))
    found["fast", "weft", 100] = [run("weft", 6.0, 50)] * 3
    assert [each.held for each in speed_claims(found)] == [3, 0, 3, 0]
    assert memory_claims(found)[0].held == 0
