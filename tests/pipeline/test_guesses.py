"""Scripts may name a million files that nobody has: the guesses of a host end when they lead to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from weft.filter import FilterChain
from weft.pipeline.guesses import MAY_FAIL, MAY_FAIL_PER_RIGHT, Guesses
from weft.pipeline.permission import Permission
from weft.pipeline.prepare import Preparer
from weft.types import Kind, Link, PageRow, Refusal, Visit
from weft.url import host_of, url_id

from .ledgers import open_ledger
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


def test_what_is_taken_back_does_not_count() -> None:
    guesses = after(*[row()] * MAY_FAIL)
    guesses.answered(row(), -1)
    assert not guesses.are_over("a.example")


@pytest.mark.parametrize(("traps", "refusal"), [("on", Refusal.TRAP), ("-guesses", None)])
def test_only_guesses_are_refused_then_and_by_name(tmp_path: Path, traps: str, refusal: Refusal | None) -> None:
    with open_ledger(tmp_path, traps=traps) as book:
        permission = Permission(book.context.config, cast("Preparer", Rules()), book.ledger, FilterChain([]))
        for _ in range(MAY_FAIL):
            book.ledger.tally.answer(row())
        guess, link = (
            Visit(b"key", url_id(URL), host_of(URL), Link(URL, 1, kind), ()) for kind in (Kind.GUESS, Kind.LINK)
        )
        assert permission.refuses(link) is None
        assert permission.refuses(guess) is refusal
        if refusal is not None:
            assert permission.rule_of(guess, refusal) == "guesses"
