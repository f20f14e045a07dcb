"""How a visit ended is told in words: each outcome, each reason to leave links unread, each way to be found."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import weft
from tests.pipeline.live_site import html, links, redirect, served
from tests.ports import closed_port
from weft.explain.found import KINDS
from weft.explain.found import linked as links_to
from weft.explain.result import State, UrlExplanation
from weft.explain.visit import OUTCOMES, TRUNCATED, UNREAD
from weft.folder.reading import CrawlReader
from weft.frontier import Clearance
from weft.types import Kind, Link, Original, Outcome, PageRow, Unread, Visit
from weft.url import url_id

from .crawls import HOME, HOST, Written, written

PAGE = f"{HOME}page"
_encode = msgspec.msgpack.Encoder().encode


def visit(crawl: Written, link: Link, outcome: Outcome) -> None:
    """Queue a link, take it, and end its visit."""
    crawl.schedule(link)
    crawl.frontier.next()
    crawl.frontier.clear(HOST, f"http://{HOST}", Clearance(("192.0.2.1",), holds_s=1e6))
    turn = crawl.frontier.next()
    assert isinstance(turn, Visit)
    crawl.frontier.release(turn, answered=False)
    batch = crawl.ledger.batch()
    crawl.ledger.finish(batch, turn, outcome)
    crawl.ledger.write(batch)


def test_of_a_page_that_was_made_again_from_the_archive_it_may_be_unknown_where_it_was_found(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        put_page(crawl, PageRow(PAGE, 200, 1.8e9, 1))
        found = crawl.explain(PAGE).found
    assert found is not None
    assert found.words == "the page that it was found on is not known"


def put_page(crawl: Written, page: PageRow) -> None:
    batch = crawl.state.batch()
    batch.put("page", url_id(page.url), _encode(page))
    crawl.state.write(batch)


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_is_told_in_words(outcome: Outcome, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        visit(crawl, Link(PAGE, 1, via=HOME, attempts=2), outcome)
        found = crawl.explain(PAGE)
    assert (found.state, found.visited and found.visited.outcome) == (State.VISITED, outcome)
    if outcome is Outcome.RESPONSE:
        assert found.words.startswith("visited at 2027-01-15 08:00:00 UTC in 3 tries: its server answered with status ")
    else:
        said = f"asked for at 2027-01-15 08:00:00 UTC in 3 tries, and failed: {OUTCOMES[outcome]} ({outcome})"
        assert found.words == said


@pytest.mark.parametrize("unread", Unread)
def test_each_reason_to_leave_links_unread_is_told_in_words(unread: Unread, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        put_page(crawl, PageRow(PAGE, 200, 1.8e9, 1, unread=unread, links_read_bytes=5_000))
        found = crawl.explain(PAGE)
    assert found.visited is not None
    assert found.visited.unread is unread
    assert found.visited.remarks == [
        f"not all of its links may be known ({unread}): {UNREAD[unread]}, about 5,000 bytes"
    ]


@pytest.mark.parametrize("kind", Kind)
def test_each_way_to_be_found_is_told_in_words(kind: Kind, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        put_page(crawl, PageRow(HOME, 200, 1.8e9, 0))
        crawl.schedule(Link(PAGE, 3, kind, HOME, hops="LLL", seed=0))
        crawl.schedule(Link(PAGE, 2, kind, f"{HOME}nearer"))
        found = crawl.explain(PAGE).found
    assert found is not None
    assert found.words == KINDS[kind].format(via=HOME)
    assert (found.at, found.depth, found.kind, found.hops, found.seed) == ("2027-01-15T08:00:00Z", 2, kind, "LLL", HOME)


@pytest.mark.parametrize("truncated", [*TRUNCATED, "unspecified"])
def test_a_body_that_was_cut_off_is_told_with_the_reason(truncated: str, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        put_page(crawl, PageRow(PAGE, 200, 1.8e9, 1, truncated=truncated))
        found = crawl.explain(PAGE)
    assert found.visited is not None
    assert found.visited.remarks == [TRUNCATED.get(truncated, "its body was cut off (unspecified)")]


def test_what_a_page_is_like_is_told(tmp_path: Path) -> None:
    original = Original(f"{HOME}first", 1.0, "sha1:x", 1, 0, 1)
    with written(tmp_path / "crawl") as crawl:
        put_page(
            crawl,
            PageRow(PAGE, 302, 1.8e9, 1, near=f"{HOME}near", original=original, leads_back=True, noindex=True),
        )
        found = crawl.explain(PAGE).visited
    assert found is not None
    assert found.remarks == [
        f"its text is almost that of {HOME}near",
        f"its content is that of {HOME}first, and is archived there",
        "its redirect leads back to itself: nothing came of it, as often where cookies are not kept",
        "it asks not to be shown in search results (noindex)",
    ]


# ── real crawls ──


def explained(url: str, folder: Path) -> UrlExplanation:
    found = weft.explain(url, folder)
    assert isinstance(found, UrlExplanation)
    return found


def test_a_page_is_told_with_its_place_in_the_archive_and_the_pages_that_link_to_it(tmp_path: Path) -> None:
    pages = {"/": html(links("/old", "/page")), "/old": redirect("/page"), "/page": html(links("/"), "The Page")}
    with served(lambda path, _: pages[path]) as site:
        files = site.crawl(tmp_path / "crawl", graph=True)
    page = explained(f"{site.origin}/page", tmp_path / "crawl")
    row = files.row(page.url)
    assert page.visited is not None
    seen = page.visited
    assert (seen.status, seen.title, seen.bytes, seen.file) == (200, "The Page", row.body_bytes, row.file)
    assert (seen.offset, seen.length, seen.attempts, seen.address) == (row.offset, row.length, 1, "127.0.0.1")
    assert page.linked is not None
    assert (page.linked.count, page.linked.is_cut, page.linked.nearest) == (2, False, 0)
    assert sorted(page.linked.pages) == [f"{site.origin}/", f"{site.origin}/old"]
    old = explained(f"{site.origin}/old", tmp_path / "crawl")
    assert old.visited is not None
    assert old.visited.redirects_to == page.url
    assert old.words.endswith(f"with status 302, which redirects to {page.url}")
    home = explained(f"{site.origin}/", tmp_path / "crawl")
    assert home.is_seed
    assert home.found is not None
    assert home.found.words == "it is a seed of the crawl"
    assert home.linked is not None
    assert home.linked.pages == [page.url]


def test_of_many_pages_that_link_to_a_url_some_are_named_and_all_counted(tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(25)]
    with served(lambda path, _: html(links(*paths) if path == "/" else links("/end"))) as site:
        site.crawl(tmp_path / "crawl", graph=True)
    linked = explained(f"{site.origin}/end", tmp_path / "crawl").linked
    assert linked is not None
    assert (linked.count, len(linked.pages)) == (25, 20)
    with CrawlReader(tmp_path / "crawl") as reader:
        some = links_to(reader, f"{site.origin}/end", most_rows=10)
    assert some is not None
    assert some.is_cut
    assert 8 <= some.count <= 10  # the home page and the page itself may be among them


def test_a_port_where_nobody_listens_is_told(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/"
    with served(lambda path, _: html("")) as site:
        site.crawl(tmp_path / "crawl", ignore_robots=True, seeds=(f"{site.origin}/", url))
    found = explained(url, tmp_path / "crawl")
    assert found.words.endswith("in 3 tries, and failed: nobody listens at its server's port (connect-refused)")
    assert found.found is not None
    assert found.found.kind is Kind.SEED
