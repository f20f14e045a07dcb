"""Sites without end, with the settings that everybody has: a crawl of them ends, and loses nothing beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.filter.same_pages import IDS_TO_TELL, REMEMBERED_PAGES, SamePages
from weft.simweb.behaviour import Behaviour, Fixed, Trap, TrapKind

from .beside import GOOD_WEB, meet

TRAP = "trap.test"
# The same few pages under new ids: eight of each tell, and each of those has put ten more into the queue.
MOST_PAGES = 1_000


def test_a_trap_of_lone_session_ids_ends_without_any_budget(tmp_path: Path) -> None:
    sites: dict[tuple[str, str], Behaviour] = {(TRAP, "/robots.txt"): Fixed(b""), (TRAP, "*"): Trap(TrapKind.SESSION)}
    met = meet(tmp_path / "crawl", sites, seeds=[(TRAP, "/")], good=GOOD_WEB, connections_per_host=4, workers=1)
    assert met.exit_code == 0
    asked = sum(request.host == TRAP for request in met.log)
    assert 10 * IDS_TO_TELL < asked <= MOST_PAGES
    met.assert_neighbours_are_unharmed()


# ── what tells a session from a page ──


def url(number: int, path: str = "/page", argument: str = "sid") -> str:
    return f"http://a.test{path}?{argument}={number:016x}"


def is_refused_after(visits: int, pages: SamePages, **parts: str) -> bool:
    for number in range(visits):
        pages.learn(url(number, **parts), "title", [url(number, "/other"), "http://a.test/"], 5_000 + number)
    return pages.is_told(url(99, **parts))


@pytest.mark.parametrize("argument", ["sid", "session_id", "SESSION", "PHPSESSID", "a=1&sid"])
def test_a_page_that_is_the_same_under_eight_ids_is_known_under_all(argument: str) -> None:
    assert not is_refused_after(IDS_TO_TELL - 1, SamePages(), argument=argument)
    assert is_refused_after(IDS_TO_TELL, SamePages(), argument=argument)


def test_the_same_id_again_and_again_tells_nothing() -> None:
    pages = SamePages()
    for _ in range(100):
        pages.learn(url(1), "title", [], 5_000)
    assert not pages.is_told(url(2))


def test_other_pages_are_not_refused_with_it() -> None:
    pages = SamePages()
    assert is_refused_after(IDS_TO_TELL, pages)
    assert not pages.is_told(url(99, "/other"))
    assert not pages.is_told("http://a.test/page")
    assert not pages.is_told(url(99) + "&page=2")


@pytest.mark.parametrize(
    ("title", "links", "size_bytes"),
    [
        ("another", ["http://a.test/"], 5_000),
        ("title", ["http://a.test/x"], 5_000),
        ("title", ["http://a.test/"], 6_000),
    ],
)
def test_one_page_that_differs_shows_that_the_id_names_pages(title: str, links: list[str], size_bytes: int) -> None:
    pages = SamePages()
    for number in range(3 * IDS_TO_TELL):
        pages.learn(url(number), "title", ["http://a.test/"], 5_000)
    assert pages.is_told(url(99))
    pages.learn(url(50), title, links, size_bytes)
    assert not pages.is_told(url(99))
    for number in range(3 * IDS_TO_TELL):
        pages.learn(url(number), "title", ["http://a.test/"], 5_000)
    assert not pages.is_told(url(99))


@pytest.mark.parametrize("argument", ["id", "token", "article", "s", "xsid"])
def test_other_arguments_name_pages(argument: str) -> None:
    assert not is_refused_after(100, SamePages(), argument=argument)


def test_only_the_last_pages_are_remembered() -> None:
    pages = SamePages()
    assert is_refused_after(IDS_TO_TELL, pages)
    for number in range(2 * REMEMBERED_PAGES):
        pages.learn(url(1, f"/{number}"), "title", [], 5_000)
    assert not pages.is_told(url(99))
