"""Scripts may name a million files that nobody has: the guesses of a host end when they lead to nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import cast

import msgspec
import pytest

from weft.filter import FilterChain
from weft.filter.traps import GUESSES
from weft.pipeline.guesses import MAY_FAIL, MAY_FAIL_PER_RIGHT, Guesses
from weft.pipeline.permission import Permission
from weft.pipeline.prepare import Preparer
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Fixed
from weft.types import Fetched, FoundLink, Kind, Link, Outcome, PageRow, Refusal, Timing, Visit
from weft.url import host_of, url_id

from .crawling import crawl_all, quick_config
from .ledgers import Book, open_ledger
from .test_near_duplicates import visits_of
from .test_permission import Rules

URL = "http://a.example/x.png"


def row(status: int = 404, kind: Kind = Kind.GUESS, url: str = URL, mime: str = "image/png") -> PageRow:
    return PageRow(url, status, 0.0, 1, mime=mime, kind=kind)


def after(*pages: PageRow) -> Guesses:
    guesses = Guesses()
    for page in pages:
        guesses.answered(page)
    return guesses


@pytest.mark.parametrize(
    "page", [row(), row(302), row(500), row(200, mime="text/html")], ids=["404", "302", "500", "a page for all"]
)
def test_guesses_of_a_host_are_over_when_enough_of_them_led_to_nothing(page: PageRow) -> None:
    assert not after(*[page] * (MAY_FAIL - 1)).are_over("a.example")
    assert after(*[page] * MAY_FAIL).are_over("a.example")
    assert not after(*[page] * MAY_FAIL).are_over("b.example")


@pytest.mark.parametrize(
    "right", [row(200), row(304), row(200, url="http://a.example/p.html", mime="text/html")], ids=["200", "304", "page"]
)
def test_a_guess_that_was_right_lets_more_of_them_fail(right: PageRow) -> None:
    assert not after(right, *[row()] * (MAY_FAIL + MAY_FAIL_PER_RIGHT - 1)).are_over("a.example")
    assert after(right, *[row()] * (MAY_FAIL + MAY_FAIL_PER_RIGHT)).are_over("a.example")


def test_what_is_no_guess_does_not_count() -> None:
    assert not after(*[row(kind=Kind.EMBED)] * (2 * MAY_FAIL)).are_over("a.example")


@pytest.mark.parametrize(("traps", "refusal"), [("on", Refusal.TRAP), ("-guesses", None)])
def test_only_guesses_are_refused_then_and_by_name(tmp_path: Path, traps: str, refusal: Refusal | None) -> None:
    with open_ledger(tmp_path, traps=traps) as book:
        permission = Permission(book.context.config, cast("Preparer", Rules()), book.ledger, FilterChain([]))
        for _ in range(MAY_FAIL):
            book.ledger.tally.guesses.answered(row())
        guess, link = (
            Visit(b"key", url_id(URL), host_of(URL), Link(URL, 1, kind), ()) for kind in (Kind.GUESS, Kind.LINK)
        )
        assert permission.refuses(link) is None
        assert permission.refuses(guess) is refusal
        if refusal is not None:
            assert permission.rule_of(guess, refusal) == "guesses"


def find(book: Book, kind: Kind, url: str = URL) -> None:
    batch = book.ledger.batch()
    book.ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), Link(url, 1, kind))])
    book.ledger.write(batch)


def permission_where_guesses_are_over(book: Book) -> Permission:
    for _ in range(MAY_FAIL):
        book.ledger.tally.guesses.answered(row())
    return Permission(book.context.config, cast("Preparer", Rules()), book.ledger, FilterChain([]))


def test_a_guess_that_a_page_links_to_before_its_turn_is_visited(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as book:
        permission = permission_where_guesses_are_over(book)
        find(book, Kind.GUESS)
        find(book, Kind.LINK)
        find(book, Kind.GUESS)
        assert permission.refuses(visits_of(book.frontier, 1)[0]) is None
        assert book.context.counters.queued == 1


def test_a_guess_that_was_refused_is_visited_once_a_page_links_to_it(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as book:
        permission = permission_where_guesses_are_over(book)
        find(book, Kind.GUESS)
        (guess,) = visits_of(book.frontier, 1)
        assert permission.refuses(guess) is Refusal.TRAP
        batch = book.ledger.batch()
        book.ledger.refuse(batch, guess, Refusal.TRAP, GUESSES)
        book.ledger.write(batch)
        book.frontier.release(guess, answered=True, waited_s=0.0)
        assert (book.context.counters.queued, book.context.counters.seen) == (0, 0)
        find(book, Kind.LINK)
        assert permission.refuses(visits_of(book.frontier, 1)[0]) is None


RIGHT = [row(200, url=f"http://a.example/{number}.png") for number in range(MAY_FAIL)]
WRONG = [row(url=f"http://a.example/{number}.png") for number in range(MAY_FAIL)]


def begin_update_of(book: Book, pages: list[PageRow]) -> None:
    batch = book.ledger.batch()
    for page in pages:
        batch.put("page", url_id(page.url), msgspec.msgpack.encode(page))
    book.ledger.write(batch)
    book.ledger.begin_update(wanted=True)


@pytest.mark.parametrize("pages", [RIGHT, WRONG], ids=["right", "wrong"])
def test_an_update_begins_with_all_guesses_that_may_fail_whatever_they_were_before(
    tmp_path: Path, pages: list[PageRow]
) -> None:
    with open_ledger(tmp_path, mirror=True) as book:
        begin_update_of(book, pages)
        guesses = book.ledger.tally.guesses
        assert not guesses.are_over("a.example")
        for _ in range(MAY_FAIL):
            guesses.answered(row())
        assert guesses.are_over("a.example")


def test_a_guess_that_an_update_does_not_ask_for_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    with open_ledger(tmp_path, mirror=True) as book:
        begin_update_of(book, RIGHT[:1])
        guesses = book.ledger.tally.guesses
        for _ in range(MAY_FAIL):
            guesses.answered(row())
        batch = book.ledger.batch()
        book.ledger.refuse(batch, visits_of(book.frontier, 1)[0], Refusal.TRAP, GUESSES)
        book.ledger.write(batch)
        assert guesses.are_over("a.example")


def test_of_a_guess_in_an_update_the_answer_counts_that_came_now(tmp_path: Path) -> None:
    with open_ledger(tmp_path, mirror=True) as book:
        begin_update_of(book, RIGHT[:1])
        guesses = book.ledger.tally.guesses
        for _ in range(MAY_FAIL - 1):
            guesses.answered(row())
        batch = book.ledger.batch()
        answer = Fetched(RIGHT[0].url, "", 0.0, b"", 500, b"", (), b"", None, 0, False, None, Timing())
        book.ledger.finish(batch, visits_of(book.frontier, 1)[0], Outcome.RESPONSE, answer)
        book.ledger.write(batch)
        assert guesses.are_over("a.example")


@pytest.mark.parametrize("pages_between", [0, 3])
def test_a_page_that_a_script_names_first_and_another_page_links_to_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages_between: int
) -> None:
    monkeypatch.setattr("weft.pipeline.guesses.MAY_FAIL", 2)
    site = "site.test"
    missing = [f"/missing{number}.png" for number in range(20)]  # some of them end before the next one begins
    script = f"<script>load({[*missing, '/real.html']})</script>"
    way = ["/", *(f"/{number}.html" for number in range(pages_between + 1)), "/real.html"]
    pages = {(site, here): Fixed(f'<!DOCTYPE html><a href="{there}">x</a>'.encode()) for here, there in pairwise(way)}
    pages[site, "/"] = Fixed(f'<!DOCTYPE html><a href="{way[1]}">x</a>{script}'.encode())
    pages[site, "/real.html"] = Fixed(b"<!DOCTYPE html>")
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(site, "/"),), scope="host", requisites=True, connections=1)
        _, files = crawl_all(tmp_path / "crawl", config)
        assert set(files.responses()) >= {sim.web.url(site, path) for path in (*way, missing[0])}
