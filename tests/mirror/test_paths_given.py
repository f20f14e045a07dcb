"""What each URL gets when several want the same, or what some file system takes for the same."""

from __future__ import annotations

from itertools import permutations

import pytest
from xxhash import xxh3_128_hexdigest

from weft.mirror.paths import MAX_PATH_UNITS, Paths, RowsInMemory, path_key, wanted_path
from weft.url import canonicalize, url_id


def hash_of(text: str) -> str:
    return xxh3_128_hexdigest(text.encode())[:8]


def give(paths: Paths, url: str, media_type: str = "text/html") -> str:
    url = canonicalize(url)
    return paths.place(url, wanted_path(url, media_type))


def given_in_order(*urls: str, media_type: str = "text/html") -> list[str]:
    paths = Paths(RowsInMemory())
    return [give(paths, url, media_type) for url in urls]


def test_a_url_gets_what_it_wants_when_nobody_has_it() -> None:
    assert given_in_order("http://h/a", "http://h/b/", "http://i/a") == ["h/a.html", "h/b/index.html", "i/a.html"]


def test_a_path_is_given_once_and_stays_whatever_the_url_wants_later() -> None:
    rows = RowsInMemory()
    assert Paths(rows).known("http://h/a") is None
    assert give(Paths(rows), "http://h/a") == "h/a.html"
    assert give(Paths(rows), "http://h/a", "image/png") == "h/a.html"
    assert Paths(rows).known("http://h/a") == "h/a.html"


@pytest.mark.parametrize(
    ("first", "second", "path"),
    [
        ("http://h/d/", "http://h/d/index.html", "h/d/index-{}.html"),
        ("http://h/a", "https://h/a", "h/a-{}.html"),
        ("http://h/A.html", "http://h/a.html", "h/a-{}.html"),
        ("http://h/%61", "http://h/a", "h/a-{}.html"),
        ("http://h/%C3%A9", "http://h/e%CC%81", "h/é-{}.html"),
        ("http://h/%C3%A9", "http://h/%C3%89", "h/É-{}.html"),
        ("http://h/stra%C3%9Fe", "http://h/STRASSE", "h/STRASSE-{}.html"),
        ("http://h/a@b", "http://h/a?b", "h/a@b-{}.html"),
    ],
)
def test_the_later_of_two_that_want_the_same_gets_a_hash_of_its_url(first: str, second: str, path: str) -> None:
    expected = path.format(hash_of(canonicalize(second)))
    assert given_in_order(first, second)[1] == expected
    assert given_in_order("http://h/x", first, "http://h/y", second)[3] == expected


def test_a_hash_that_is_taken_makes_place_for_another() -> None:
    url = "http://h/a.html"
    in_the_way = [f"http://h/a-{hash_of(url)}.html", f"http://h/a-{hash_of(f'1 {url}')}.html"]
    assert given_in_order("http://h/a", *in_the_way, url)[-1] == f"h/a-{hash_of(f'2 {url}')}.html"


def test_a_long_name_with_a_hash_is_not_too_long() -> None:
    long = "a" * (MAX_PATH_UNITS - len("h/.html"))
    first, second = given_in_order(f"http://h/{long}", f"http://h/{long}.html")
    assert first == f"h/{long}.html"
    assert second == f"h/{long[:-9]}-{hash_of(f'http://h/{long}.html')}.html"


def test_a_page_and_a_folder_of_its_name_do_not_clash() -> None:
    for order in permutations(["http://h/d", "http://h/d/", "http://h/d/x"]):
        assert sorted(given_in_order(*order)) == ["h/d.html", "h/d/index.html", "h/d/x.html"]


def test_a_file_that_wants_the_name_of_a_folder_gets_a_hash() -> None:
    paths = given_in_order("http://h/d/x", "http://h/D", media_type="application/x-unknown")
    assert paths == ["h/d/x", f"h/D-{hash_of('http://h/D')}"]


def test_a_folder_that_wants_the_name_of_a_file_moves_up_with_all_its_files() -> None:
    urls = ["http://h/v/d", "http://h/v/d/x", "http://h/v/d/y", "http://h/v/d/e/z", "http://h/v/w"]
    assert given_in_order(*urls, media_type="application/x-unknown") == [
        "h/v/d",
        f"h/d-{hash_of('h/v/d')}/x",
        f"h/d-{hash_of('h/v/d')}/y",
        f"h/e-{hash_of('h/v/d/e')}/z",
        "h/v/w",
    ]


def test_a_folder_that_cannot_move_to_a_file_moves_elsewhere() -> None:
    in_the_way = f"http://h/d-{hash_of('h/d')}"
    paths = given_in_order("http://h/d", in_the_way, "http://h/d/x", media_type="application/x-unknown")
    assert paths[2] == f"h/d-{hash_of('1 h/d')}/x"


def test_a_folder_is_written_as_it_was_written_first() -> None:
    # A mirror made where A and a are one folder must work where they are two.
    urls = ["http://h/Docs/a", "http://h/docs/b", "http://h/DOCS/Sub/c", "http://h/docs/sub/d", "http://h/docs/A"]
    assert given_in_order(*urls) == [
        "h/Docs/a.html",
        "h/Docs/b.html",
        "h/Docs/Sub/c.html",
        "h/Docs/Sub/d.html",
        f"h/Docs/A-{hash_of('http://h/docs/A')}.html",
    ]


def test_a_folder_that_was_written_longer_does_not_make_a_path_too_long() -> None:
    sharp = "%C3%9F" * 66
    urls = [
        f"http://h/{'SS' * 66}/x",
        f"http://h/{sharp}/y",
        f"http://h/{sharp}/{'z' * 100}",
        f"http://h/{sharp}/{'d' * 60}/y",
    ]
    paths = given_in_order(*urls)
    assert all(len(path) <= MAX_PATH_UNITS for path in paths)
    assert paths[1] == f"h/{'SS' * 66}/y.html"


def test_earlier_decisions_hold_in_whatever_order_urls_come_later() -> None:
    urls = ["http://h/a", "http://h/A", "http://h/a.html", "http://h/a/", "http://h/A/b"]
    rows = RowsInMemory()
    decided = {url: give(Paths(rows), url) for url in urls[:3]}
    for order in permutations(urls):
        paths = Paths(RowsInMemory(rows))
        again = {url: give(paths, url) for url in order}
        assert decided.items() <= again.items()


def test_who_is_not_first_has_the_same_path_in_every_order_without_a_database() -> None:
    urls = ["http://h/a", "http://h/A", "http://h/a.html", "https://h/a"]
    given: dict[str, set[str]] = {url: set() for url in urls}
    for order in permutations(urls):
        for url, path in list(zip(order, given_in_order(*order), strict=True))[1:]:
            given[url].add(path)
    assert all(len(paths) == 1 for paths in given.values())


def test_a_file_whose_url_row_was_lost_keeps_its_place() -> None:
    rows = RowsInMemory()
    assert give(Paths(rows), "http://h/a") == "h/a.html"
    del rows[b"u" + url_id("http://h/a")]
    assert give(Paths(rows), "http://h/a") == "h/a.html"


def test_a_decision_takes_few_rows_however_many_came_before() -> None:
    class Counting(RowsInMemory):
        reads = 0

        def get(self, key: bytes, default: bytes | None = None) -> bytes | None:  # type: ignore[override]
            self.reads += 1
            return super().get(key, default)

    rows = Counting()
    paths = Paths(rows)
    for number in range(1_000):
        give(paths, f"http://h/d/e/{number}")
    rows.reads = 0
    give(paths, "http://h/d/e/x")
    assert rows.reads == 3
    assert len(rows) == 3 + 2 * 1_001  # h, h/d, h/d/e


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A", "a"),
        ("É", "é"),
        ("e\u0301", "É"),
        ("ß", "SS"),
        ("ſ", "s"),
        ("K", "k"),
        ("ı", "I"),
        ("Σ", "ς"),
        ("ᾳ", "ΑΙ"),
    ],
)
def test_the_key_of_a_path_is_one_for_what_some_system_takes_for_one(one: str, other: str) -> None:
    assert path_key(one) == path_key(other)
