"""Other engines hear of a link once, and again where that is news."""

from __future__ import annotations

import pytest

from weft.engines.told import GUESSED, Told
from weft.url.ids import ID_BYTES

URL = bytes(ID_BYTES)
ANOTHER = b"\1" * ID_BYTES


@pytest.mark.parametrize(
    ("before", "now", "is_news"),
    [
        ((3, False), (3, False), False),
        ((3, False), (4, False), False),
        ((3, False), (2, False), True),
        ((3, False), (3, True), False),
        ((3, False), (2, True), True),
        ((3, True), (3, True), False),
        ((3, True), (2, True), True),
        ((3, True), (9, False), True),
    ],
)
def test_a_link_is_told_again_if_it_is_nearer_or_was_a_guess(
    before: tuple[int, bool], now: tuple[int, bool], is_news: bool
) -> None:
    told = Told()
    assert told.is_news(URL, before[0], is_guess=before[1])
    assert told.is_news(ANOTHER, 1, is_guess=False)
    assert told.is_news(URL, now[0], is_guess=now[1]) is is_news
    assert not told.is_news(URL, now[0], is_guess=now[1])


def test_a_link_to_what_was_a_guess_nearer_by_keeps_that_depth() -> None:
    told = Told()
    assert told.is_news(URL, 2, is_guess=True)
    assert told.is_news(URL, 5, is_guess=False)
    assert not told.is_news(URL, 3, is_guess=False)
    assert told.is_news(URL, 1, is_guess=False)


def test_what_is_forgotten_or_too_deep_to_be_kept_is_told_again() -> None:
    told = Told(memory_bytes=1)
    ids = [number.to_bytes(ID_BYTES, "big") for number in range(100)]
    assert all(told.is_news(url_id, 1, is_guess=False) for url_id in ids)
    assert told.is_news(ids[0], 1, is_guess=False)
    assert [told.is_news(ANOTHER, GUESSED, is_guess=is_guess) for is_guess in (False, True)] == [True, True]
