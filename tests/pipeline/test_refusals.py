"""What is refused is written down once, with the page it was found on and the rule; so much of it and no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.faults.repairs import lose_database
from tests.torture.points import At, PointCrawl
from weft.folder.reading import CrawlReader
from weft.folder.refused_list import EXAMPLE_CHARS, left_out_in, lines_of
from weft.folder.refused_rows import LINES_PER_RULE, forbid
from weft.folder.repair import repair
from weft.pipeline.engine import Ending
from weft.pipeline.refusals import Refusals
from weft.seen import Seen
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour
from weft.state import State
from weft.stats.figures import LeftOut
from weft.types import Kind, Link, Refusal, RefusedLink
from weft.url import host_of, url_id

from .crawling import crawl_all, quick_config, resume
from .small_web import Sites, SmallWeb, page, redirect, text

SITE, OTHER = "site.test", "other.test"


def refused_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "refused.jsonl").read_bytes().splitlines()]


# ── a crawl ────────────────────────────────────────────────────────────────────────────────────────────

FETCH_FILTER = f"{__name__}:NotAtTheLastMoment"
FOUND_FILTER = f"{__name__}:not_this_one"


class NotAtTheLastMoment:
    """A filter that is asked right before the request."""

    stage = "fetch"

    def refuses(self, link: Link) -> bool:
        return link.url.endswith("/at-last")


def not_this_one(link: Link) -> bool:
    """A filter that is asked when a link is found."""
    return link.url.endswith("/found")


def every_reason(web: SimWeb) -> Sites:
    long, trap = "/" + "x" * 200, "/yy/yy/yy/yy"
    paths = ("/private/a", "/out.zip", "/secret", "/found", "/at-last", long, trap, "/hop1", web.url(OTHER, "/"), "/ok")
    return {
        (SITE, "/robots.txt"): text("User-agent: *\nDisallow: /private/\n"),
        (SITE, "/"): page(*paths),
        (SITE, "/ok"): page("/", "/secret", "/private/b", "/deep/er"),
        (SITE, "/deep/er"): page("/too/deep"),
        (SITE, "/hop1"): redirect("/hop2"),
        (SITE, "/hop2"): redirect("/hop3"),
        (SITE, "/at-last"): page(),
    }


def test_every_url_in_scope_that_is_refused_is_listed_with_its_page_and_rule_and_no_other(tmp_path: Path) -> None:
    small = SmallWeb((SITE, OTHER), every_reason)
    ending, files = small.crawl(
        tmp_path / "crawl", SITE, scope="host", depth=2, exclude=("*secret*",), refuse_suffixes=("zip",),
        max_url_chars=150, max_redirects=1, filters=(FETCH_FILTER, FOUND_FILTER),
    )  # fmt: skip
    assert ending is Ending.DONE
    lines = refused_lines(tmp_path / "crawl")
    site = small.url(SITE, "")
    told = {line["url"].removeprefix(site): (line["reason"], line["rule"]) for line in lines}
    assert told == {
        "/private/a": ("robots", "Disallow: /private/"),
        "/private/b": ("robots", "Disallow: /private/"),
        "/out.zip": ("suffix", ".zip"),
        "/secret": ("pattern", "*secret*"),
        "/found": ("user", FOUND_FILTER),
        "/at-last": ("user", FETCH_FILTER),
        "/" + "x" * 200: ("length", "over 150 characters"),
        "/yy/yy/yy/yy": ("trap", "repeated-segment"),
        "/hop3": ("too-many-redirects", "over 1 in a row"),
    }
    assert len(lines) == len(told)
    via = {line["url"].removeprefix(site): line["via"].removeprefix(site) for line in lines}
    assert (via["/secret"], via["/private/b"], via["/hop3"]) == ("/", "/ok", "/hop2")
    assert not told.keys() & {url.removeprefix(site) for url in files.responses()}
    with CrawlReader(tmp_path / "crawl") as reader:
        assert list(map(json.loads, reader.refused())) == lines
        assert sum(row.count for row in reader.left_out()) == len(lines)


def test_what_a_hosts_budget_refused_is_listed_until_the_budget_is_raised(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {(SITE, f"/{number}"): page() for number in range(5)}
    pages[SITE, "/"] = page(*(f"/{number}" for number in range(5)))
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        home = sim.web.url(SITE, "/")
        crawl_all(tmp_path / "crawl", quick_config(sim, seeds=(home,), max_pages_per_host=4))
        lines = refused_lines(tmp_path / "crawl")
        assert [(line["reason"], line["rule"], line["via"]) for line in lines] == [
            ("host-budget", "over 4 pages", home)
        ] * 2
        resume(tmp_path / "crawl", max_pages_per_host=None)
    assert refused_lines(tmp_path / "crawl") == []


def test_an_ordinary_crawl_writes_no_row_of_refusals(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=4, pages=60)) as sim:
        ending, _ = crawl_all(tmp_path / "crawl", quick_config(sim, ignore_robots=True))
    assert ending is Ending.DONE
    state = State(tmp_path / "crawl" / "state" / "db", is_read_only=True)
    try:
        assert [list(state.scan(family)) for family in ("refused", "forbidden", "rule")] == [[], [], []]
    finally:
        state.close()
    assert refused_lines(tmp_path / "crawl") == []


# ── kills ──────────────────────────────────────────────────────────────────────────────────────────────

EXCLUDE = ("/*p1*", "/*p3*", "/*7*")


def without_via(lines: list[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    """Which page comes first is a matter of time."""
    return Counter((line["url"], line["reason"], line["rule"]) for line in lines)


def excluding_crawl(sim: SimProcess, folder: Path) -> PointCrawl:
    crawl = PointCrawl(sim, folder, exclude=EXCLUDE)
    crawl.change(seeds=tuple(sim.seeds))  # without the large files
    return crawl


@pytest.fixture(scope="module")
def excluding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SimProcess, Counter[tuple[str, ...]]]]:
    """A web, and what a crawl of it that nobody kills refuses."""
    folder = tmp_path_factory.mktemp("whole") / "crawl"
    with SimProcess(WebSpec(hosts=6, pages=60, seed=3, robots_share=1.0)) as sim:
        excluding_crawl(sim, folder)
        resume(folder)
        expected = without_via(refused_lines(folder))
        assert len(expected) > 10
        assert {reason for _, reason, _ in expected} >= {"pattern", "robots"}
        yield sim, expected


@pytest.mark.parametrize(
    "point",
    [
        "commit",
        "commit-written",
        pytest.param("answered", marks=pytest.mark.large),
        pytest.param("record-written", marks=pytest.mark.large),
    ],
)
def test_after_kills_each_refused_url_is_there_exactly_once(
    point: str, excluding: tuple[SimProcess, Counter[tuple[str, ...]]], tmp_path: Path
) -> None:
    sim, expected = excluding
    crawl = excluding_crawl(sim, tmp_path / "crawl")
    for number in (4, 2, 5):
        crawl.crash(At(point, number))
    ending, _ = resume(tmp_path / "crawl")
    assert ending is Ending.DONE
    assert without_via(refused_lines(tmp_path / "crawl")) == expected


def test_a_repaired_crawl_lists_them_again(
    excluding: tuple[SimProcess, Counter[tuple[str, ...]]], tmp_path: Path
) -> None:
    sim, expected = excluding
    excluding_crawl(sim, tmp_path / "crawl")
    resume(tmp_path / "crawl")
    lose_database(tmp_path / "crawl")
    repair(tmp_path / "crawl")
    resume(tmp_path / "crawl")
    assert without_via(refused_lines(tmp_path / "crawl")) == expected


def test_a_killed_crawl_can_be_asked_what_it_refused_so_far(
    excluding: tuple[SimProcess, Counter[tuple[str, ...]]], tmp_path: Path
) -> None:
    sim, expected = excluding
    crawl = excluding_crawl(sim, tmp_path / "crawl")
    crawl.crash(At("index"))
    assert not (tmp_path / "crawl" / "refused.jsonl").exists()
    with CrawlReader(tmp_path / "crawl") as reader:
        assert without_via([json.loads(line) for line in reader.refused()]) == expected


# ── bounds ─────────────────────────────────────────────────────────────────────────────────────────────


class Book:
    """Rows of refusals in a database of their own."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.seen = Seen(state, is_new_crawl=True)
        self.refusals = Refusals(state, self.seen)

    def refuse(
        self, urls: list[str], rule: str, reason: Refusal = Refusal.TRAP, *, via: str = "", was_queued: bool = False
    ) -> None:
        batch = self.state.batch()
        links = [Link(url, 3, Kind.LINK, via) for url in urls]
        refused = [RefusedLink(url_id(one.url), host_of(one.url), one, reason, rule) for one in links]
        self.refusals.add(batch, refused, was_queued=was_queued)
        self.write(batch)

    def let_pass(self, url: str) -> None:
        batch = self.state.batch()
        self.seen.add(batch, url_id(url), 1)
        self.write(batch)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines_of(self.state, None)]

    def write(self, batch: Any) -> None:
        self.refusals.seal(batch)
        self.state.write(batch)
        self.refusals.settle()
        self.seen.settle()


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    state = State(tmp_path / "state")
    yield Book(state)
    state.close()


def test_a_trap_gets_ten_thousand_lines_and_then_a_count(book: Book, tmp_path: Path) -> None:
    trap = [f"http://a.test/{number}" for number in range(LINES_PER_RULE + 5)]
    for start in range(0, len(trap), 500):
        book.refuse(trap[start : start + 500], "calendar")
    book.refuse(trap[:100], "calendar")  # known ones count as nothing
    book.refuse(["http://a.test/other"], "tangle")
    book.refuse(["http://b.test/"], "calendar")
    lines = book.lines()
    listed = Counter((host_of(line["url"]), line["rule"]) for line in lines if "url" in line)
    assert listed == {("a.test", "calendar"): 10_000, ("a.test", "tangle"): 1, ("b.test", "calendar"): 1}
    assert [line for line in lines if "url" not in line] == [
        {"host": "a.test", "reason": "trap", "rule": "calendar", "more": 5}
    ]
    assert left_out_in(book.state, None) == [
        LeftOut("trap", "calendar", 10_006, lines[0]["url"]),
        LeftOut("trap", "tangle", 1, "http://a.test/other"),
    ]
    rows = [row for family in ("refused", "rule") for row in book.state.scan(family)]
    assert len(rows) == 10_002 + 3


def test_the_example_of_a_summary_is_short_and_the_list_has_all_of_the_url(book: Book) -> None:
    url = f"http://a.test/{'x' * 100_000}"
    book.refuse([url], "calendar")
    assert book.lines()[0]["url"] == url
    (row,) = left_out_in(book.state, None)
    assert row.example == f"{url[:EXAMPLE_CHARS]}…"


def test_the_bound_holds_across_runs(book: Book) -> None:
    book.refuse([f"http://a.test/{number}" for number in range(LINES_PER_RULE)], "calendar")
    book.refusals = Refusals(book.state, book.seen)
    book.refuse(["http://a.test/more"], "calendar")
    assert (len(book.lines()), book.lines()[-1]["more"]) == (10_001, 1)


def test_of_what_robots_txt_forbids_all_is_kept_and_ten_thousand_are_listed(book: Book) -> None:
    batch = book.state.batch()
    for number in range(LINES_PER_RULE + 5):
        url = f"http{'s' * (number % 2)}://a.test/{number}"
        forbid(batch, url_id(url), Link(url, 1), "Disallow: /")
    book.state.write(batch)
    assert len(list(book.state.scan("forbidden"))) == 10_005
    *listed, more = book.lines()
    assert len(listed) == 10_000
    assert more == {"host": "a.test", "reason": "robots", "rule": "Disallow: /", "more": 5}
    assert [row.count for row in left_out_in(book.state, None)] == [10_005]


def test_the_first_page_and_rule_are_those_that_are_listed(book: Book) -> None:
    link = Link("http://a.test/x", 3, Kind.LINK, "http://a.test/1")
    other = msgspec.structs.replace(link, via="http://a.test/2")
    batch = book.state.batch()
    for one in (link, other):  # of two pages that are committed together
        book.refusals.add(batch, [RefusedLink(url_id(one.url), "a.test", one, Refusal.TRAP, "tangle")])
    book.write(batch)
    book.refuse(["http://a.test/x"], "calendar", via="http://a.test/3")
    assert [(line["rule"], line["via"]) for line in book.lines()] == [("tangle", "http://a.test/1")]


def test_a_url_that_is_let_pass_elsewhere_is_not_left_out(book: Book) -> None:
    book.refuse(["http://a.test/x"], "session-ids")
    book.let_pass("http://a.test/x")
    book.let_pass("http://a.test/y")
    book.refuse(["http://a.test/y"], "session-ids")
    assert (book.lines(), left_out_in(book.state, None)) == ([], [])


def test_a_url_that_a_filter_refuses_right_before_the_request_is_left_out_although_it_is_known(book: Book) -> None:
    book.refuse(["http://a.test/x"], "session-ids")
    book.let_pass("http://a.test/x")
    for _ in range(2):
        book.refuse(["http://a.test/x"], "mine:filter", Refusal.USER, was_queued=True)
    assert [line["rule"] for line in book.lines()] == ["mine:filter"]


def test_a_refused_row_can_be_judged_again(book: Book) -> None:
    link = Link("http://a.test/x", 3, Kind.EMBED, "http://a.test/", 2, hops="LE", seed=1)
    batch = book.state.batch()
    book.refusals.add(batch, [RefusedLink(url_id(link.url), "a.test", link, Refusal.PATTERN, "*x")])
    book.state.write(batch)
    ((_, row),) = book.state.scan("refused")
    assert msgspec.msgpack.decode(row)[0] == msgspec.msgpack.decode(msgspec.msgpack.encode(link))
