"""What pages prove of an argument: the engine's side, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weft.filter.session_ids import session_id_in
from weft.pipeline.sessions import MAX_IDS, MAX_SAME_IDS, Sessions, is_same
from weft.state import State
from weft.types import FoundLink, Likeness, Link, PageRow, Refusal, TrailNote, Visit
from weft.url import url_id

HOST = "a.example"
A, B, C = ("a1" * 16, "b2" * 16, "c3" * 16)


def topic(number: int, session: str = "", path: str = "/topic") -> str:
    return f"http://{HOST}{path}?t={number}" + (f"&sid={session}" if session else "")


class Crawled:
    """Pages that come one after the other, each with its batch."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.sessions = Sessions(state)

    def come(self, url: str, looks: int, *, status: int = 200, **note: object) -> list[str]:
        """A page that looks so. Returns what is asked for as proof."""
        found = session_id_in(url)
        bare = FoundLink(url_id(found.bare), HOST, Link(found.bare, 2)) if found is not None else None
        trail = TrailNote(Likeness(looks) if status == 200 else None, bare, **note)  # type: ignore[arg-type]
        batch = self._state.batch()
        wanted = self.sessions.learn(batch, url_id(url), PageRow(url, status, 0.0, 2), trail)
        self._state.write(batch)
        self.sessions.settle()
        return [each.link.url for each in wanted]

    def begin_again(self) -> None:
        """As after a stop: all that is known is on disk."""
        self.sessions = Sessions(self._state)

    def settled(self, url: str) -> str:
        return self.sessions.settled(url_id(url), HOST, Link(url, 3))[1].url

    def awaits(self, url: str) -> bool:
        return self.sessions.awaits(Visit(b"", url_id(url), HOST, Link(url, 3), ()))

    def refuses(self, url: str) -> Refusal | None:
        return self.sessions.refuses(Visit(b"", url_id(url), HOST, Link(url, 3), ()))


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Crawled]:
    state = State(tmp_path / "db")
    yield Crawled(state)
    state.close()


def prove(crawled: Crawled, *, stops: bool = False) -> None:
    """Three topics, each the same under two ids and without one."""
    for number in (1, 2, 3):
        crawled.come(topic(number, A), looks=number)
        (probe,) = crawled.come(topic(number, B), looks=number)
        if stops:
            crawled.begin_again()
        assert crawled.sessions.is_probe(url_id(probe))
        crawled.come(probe, looks=number)


@pytest.mark.parametrize("stops", [False, True])
def test_three_pages_that_are_the_same_without_an_id_prove_it(crawled: Crawled, stops: bool) -> None:
    prove(crawled, stops=stops)
    assert [rule.argument for rule in crawled.sessions.rules.all()] == ["sid"]
    assert crawled.settled(topic(4, C)) == topic(4)
    assert crawled.refuses(topic(4, C)) is Refusal.SESSION_ID


def test_a_page_that_was_visited_under_an_id_is_known_under_all(crawled: Crawled) -> None:
    crawled.come(topic(7, A), looks=7)
    prove(crawled)
    known, _ = crawled.sessions.settled(url_id(topic(7, C)), HOST, Link(topic(7, C), 3))
    assert known == url_id(topic(7, A))
    assert crawled.refuses(topic(7, A)) is None  # its record was lost: it is asked for as it was


def test_pages_that_all_look_the_same_prove_nothing(crawled: Crawled) -> None:
    for number in range(20):
        crawled.come(topic(number, A), looks=99)
        for probe in crawled.come(topic(number, B), looks=99):
            crawled.come(probe, looks=99)
    assert crawled.sessions.rules.all() == []


def test_one_page_that_differs_ends_it_for_good(crawled: Crawled) -> None:
    crawled.come(topic(9, A), looks=1)
    crawled.come(topic(9, B), looks=2)
    for number in range(1, 20):
        crawled.come(topic(number, A), looks=number)
        assert crawled.come(topic(number, B), looks=number) == []
    assert crawled.sessions.rules.all() == []
    assert not crawled.sessions.compares(b"", topic(30, A), HOST)


def test_where_nothing_comes_without_an_id_one_is_kept(crawled: Crawled) -> None:
    crawled.come(topic(1, A), looks=1)
    (probe,) = crawled.come(topic(1, B), looks=1)
    assert crawled.come(probe, looks=0, status=302) == []  # it was visited under the id that is kept
    crawled.come(topic(2, A), looks=2)
    assert crawled.come(topic(2, B), looks=2) == []
    crawled.come(topic(3, B), looks=3)
    (probe,) = crawled.come(topic(3, C), looks=3)
    assert probe == topic(3, A)
    crawled.come(probe, looks=3)
    assert crawled.settled(topic(4, C)) == topic(4, A)


def test_where_the_kept_id_brings_another_page_nothing_is_changed(crawled: Crawled) -> None:
    crawled.come(topic(1, A), looks=1)
    (probe,) = crawled.come(topic(1, B), looks=1)
    crawled.come(probe, looks=0, status=404)
    crawled.come(topic(3, B), looks=3)
    (probe,) = crawled.come(topic(3, C), looks=3)
    crawled.come(probe, looks=4)
    assert crawled.settled(topic(4, C)) == topic(4, C)


def test_a_page_that_links_to_one_url_under_two_ids_shows_that_they_are_names(crawled: Crawled) -> None:
    crawled.come(f"http://{HOST}/", looks=0, named=[(HOST, "sid")])
    for number in (1, 2, 3):
        crawled.come(topic(number, A), looks=number)
        assert crawled.come(topic(number, B), looks=number) == []


def test_a_path_is_settled_once_its_own_pages_were_the_same_twice(crawled: Crawled) -> None:
    prove(crawled)
    data = [topic(number, session, "/data") for number in (1, 2) for session in (A, B)]
    for looks, url in zip((1, 1, 2), data, strict=False):
        crawled.come(url, looks)
        assert crawled.settled(topic(5, C, "/data")) == topic(5, C, "/data")
    crawled.come(data[3], looks=2)
    assert crawled.settled(topic(5, C, "/data")) == topic(5, "", "/data")


def test_ids_that_are_sessions_by_name_are_asked_for_eight_times_a_page(crawled: Crawled) -> None:
    for number in range(MAX_IDS):
        assert crawled.refuses(topic(1, f"{number:032x}")) is None
        crawled.come(topic(1, f"{number:032x}"), looks=number)
    assert crawled.refuses(topic(1, C)) is Refusal.TRAP
    assert crawled.refuses(topic(2, C)) is None


def talk(number: int) -> str:
    return f"http://{HOST}/talk?session={number:08x}"


def test_ids_that_may_be_names_are_never_refused_where_pages_differ(crawled: Crawled) -> None:
    for number in range(4 * MAX_SAME_IDS):
        assert crawled.refuses(talk(number)) is None
        crawled.come(talk(number), looks=number)


def test_unless_page_after_page_gives_its_links_a_new_one(crawled: Crawled) -> None:
    for number in range(16):
        crawled.come(talk(number), looks=number, new_id=f"{number:08x}")
    assert crawled.refuses(talk(99)) is Refusal.TRAP


def test_a_new_id_that_two_pages_give_is_a_name(crawled: Crawled) -> None:
    for number in range(40):
        crawled.come(talk(number), looks=number, new_id=f"{number // 2:08x}")
    assert crawled.refuses(talk(99)) is None


# ── what is awaited ──


def test_a_page_is_awaited_where_it_may_tell_what_an_id_is_and_no_other(crawled: Crawled) -> None:
    assert crawled.awaits(topic(1, A))
    assert not crawled.awaits(topic(1))
    crawled.come(topic(1, A), looks=1)
    (probe,) = crawled.come(topic(1, B), looks=1)
    assert crawled.awaits(probe)
    crawled.come(probe, looks=1)
    assert not crawled.awaits(probe)


def test_where_it_is_proven_only_pages_of_further_paths_are_awaited(crawled: Crawled) -> None:
    prove(crawled)
    assert not crawled.awaits(topic(4))
    assert crawled.awaits(topic(4, A, "/data"))


def test_pages_under_the_id_that_is_kept_are_not_awaited(crawled: Crawled) -> None:
    for number in (1, 2, 3):
        crawled.come(topic(number, A), looks=number)
        for probe in crawled.come(topic(number, B), looks=number):
            crawled.come(probe, looks=0, status=404)
    assert crawled.settled(topic(4, C)) == topic(4, A)
    assert not crawled.awaits(topic(4, A))


def test_pages_that_differ_are_awaited_where_ids_are_counted_and_not_where_they_may_be_names(crawled: Crawled) -> None:
    crawled.come(topic(1, A), looks=1)
    crawled.come(topic(1, B), looks=2)
    assert crawled.awaits(topic(1, C))
    assert crawled.awaits(talk(1))
    for number in range(4):
        crawled.come(talk(number), looks=number)
    assert not crawled.awaits(talk(5))


def test_pages_that_ids_name_are_not_awaited(crawled: Crawled) -> None:
    crawled.come(f"http://{HOST}/", looks=0, named=[(HOST, "sid")])
    assert not crawled.awaits(topic(1, A))


def test_two_pages_are_the_same_where_few_numbers_differ() -> None:
    page = Likeness(1, 5, bytes(range(10)), 0.1)
    changed = msgspec.structs.replace(page, exact=2, numbers=bytes(10))
    assert is_same(page, changed)
    assert not is_same(page, msgspec.structs.replace(changed, words=6))
    assert not is_same(page, msgspec.structs.replace(changed, numbers=bytes(11)))
    table = msgspec.structs.replace(page, share=0.9)
    assert not is_same(table, msgspec.structs.replace(changed, share=0.9))
    assert not is_same(Likeness(1), Likeness(2))
