"""A page too large for a tree is read in parts: the same links, however it is cut; what is not read is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parse.scan_markup import ANY_MARKUP
from weft.parse import LongPage, decode, parse_html
from weft.parse.charset.in_pieces import charset_in_pieces, utf8_pieces
from weft.parse.link_kinds import LinkPlace
from weft.parse.long_page import MAX_PAGE_BYTES, MAX_TAG_BYTES, WINDOW_BYTES, in_windows
from weft.parse.scan import has_scanner, page_scanner, scan_page, take_scanned_links
from weft.types import Kind, Unread
from weft.url import LinkResolver

pytestmark = pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")

URL = "http://example.org/dir/page.html?p"
UTF8 = "text/html; charset=utf-8"
MIB = 1024 * 1024


def long_page(*parts: bytes, content_type: str | None = UTF8, embeds: bool = True) -> LongPage:
    return LongPage(lambda: parts, URL, content_type, embeds=embeds)


def links(page: LongPage) -> list[str]:
    return [found.url for part in page.parts() for found in part.links]


def filled(size_bytes: int, text: bytes = b"<p>some text without a link</p>\n") -> bytes:
    return text * (size_bytes // len(text) + 1)


def found_in_parts(data: bytes, sizes: list[int], embeds: bool) -> tuple[dict[str, list[object]], int]:
    """What a scanner finds that is given so many bytes at a time, and its doubts."""
    scanner = page_scanner(embeds)
    assert scanner is not None
    found: dict[str, list[object]] = {}
    places: dict[str, LinkPlace] = {}
    held = b""
    start = 0
    for size in (*sizes, len(data)):
        held += data[start : start + size]
        start += size
        is_last = start >= len(data)
        page, done_bytes = scanner.feed(held, is_last)
        held = held[done_bytes:]
        note(found, page)
        take_scanned_links(page, places, None, LinkResolver(URL))
        if is_last:
            break
    return found | {"places": list(places.items())}, scanner.doubts


def note(found: dict[str, list[object]], page: object) -> None:
    for name in ("metas", "styles", "lazies", "scripts", "srcdocs"):
        found.setdefault(name, []).extend(getattr(page, name) or ())
    for name in ("title", "base"):
        if not found.get(name) and getattr(page, name) is not None:
            found[name] = [getattr(page, name)]


@settings(max_examples=200, deadline=None, database=None)
@given(ANY_MARKUP, st.lists(st.integers(1, 60), max_size=60), st.booleans())
def test_markup_in_parts_holds_what_it_holds_at_once(markup: str, sizes: list[int], embeds: bool) -> None:
    whole = scan_page(markup, embeds)
    in_parts, doubts = found_in_parts(markup.encode(), sizes, embeds)
    at_once, _ = found_in_parts(markup.encode(), [], embeds)
    assert in_parts == at_once
    assert (doubts == 0) == (whole is not None)
    if whole is not None:
        places: dict[str, LinkPlace] = {}
        take_scanned_links(whole, places, None, LinkResolver(URL))
        expected: dict[str, list[object]] = {}
        note(expected, whole)
        assert in_parts == expected | {"places": list(places.items())}


def test_the_last_link_of_a_long_page_is_found() -> None:
    body = b"<!DOCTYPE html><title>T</title><a href=first>1</a>" + filled(12 * MIB) + b"<a href=last>2</a>"
    page = long_page(body)
    assert links(page) == ["http://example.org/dir/first", "http://example.org/dir/last"]
    assert (page.title, page.charset, page.unread, page.links_read_bytes) == ("T", "utf-8", None, len(body))


def test_what_stands_at_the_end_counts_for_the_whole_page() -> None:
    page = long_page(
        b"<a href=x>1</a>", filled(2 * MIB), b"<base href=/other/><meta name=robots content='noindex, nofollow'>"
    )
    assert links(page) == ["http://example.org/other/x"]
    assert (page.nofollow, page.noindex) == (True, True)


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        (b"<!-- ", b" -->"),
        (b"<script>", b"</script>"),
        (b"<style>", b"</style>"),
        (b"<p title='", b"'>"),
        (b"<title>", b"</title>"),
        (b"<textarea>", b"</textarea >"),
    ],
)
def test_what_is_longer_than_a_window_hides_no_link_behind_it(opened: bytes, closed: bytes) -> None:
    inside = filled(3 * MIB, b"<a href=no> - ")
    page = long_page(b"<a href=a>", opened, inside, closed, b"<a href=b>")
    assert links(page) == ["http://example.org/dir/a", "http://example.org/dir/b"]
    assert page.unread is None


def test_where_only_a_tree_could_be_sure_the_links_are_read_and_that_is_said() -> None:
    page = long_page(
        b"<table><a href=between>1</a><tr><td><a href=within>2</a></table><select><a href=in-select></select>"
        b"<math><a href=in-math></math><frameset>",
        filled(11 * MIB),
        b"<a href=last>",
    )
    assert links(page) == [
        f"http://example.org/dir/{name}" for name in ("between", "within", "in-select", "in-math", "last")
    ]
    assert page.unread is Unread.NO_TREE


def test_beyond_its_bound_a_page_is_not_read_and_that_is_said() -> None:
    piece = filled(WINDOW_BYTES)[:WINDOW_BYTES]
    page = LongPage(lambda: (b"<a href=x>".ljust(WINDOW_BYTES), *[piece] * (MAX_PAGE_BYTES // MIB), b"<a href=y>"), URL)
    assert links(page) == ["http://example.org/dir/x"]
    assert (page.unread, page.links_read_bytes) == (Unread.TOO_LARGE, MAX_PAGE_BYTES)


def test_a_tag_without_an_end_is_not_held_for_ever() -> None:
    page = long_page(b"<a href=x><a title='", b"y" * (2 * MAX_TAG_BYTES), b"'><a href=z>")
    assert links(page) == ["http://example.org/dir/x"]
    assert page.unread is Unread.LONG_TAG
    assert page.links_read_bytes <= MIB


def test_a_long_page_within_the_page_is_not_read_and_that_is_said() -> None:
    page = long_page(b"<iframe srcdoc='" + filled(2 * MIB, b"<p>") + b"'></iframe><a href=x>")
    assert links(page) == ["http://example.org/dir/x"]
    assert page.unread is Unread.NO_TREE


def test_links_are_of_the_same_kinds_as_those_of_a_short_page() -> None:
    body = (
        b"<meta http-equiv=refresh content='0;url=/r'><a href=x rel=nofollow>1</a><img src=i.png data-src=l.png>"
        b"<style>a{b:url(c.png)}</style><iframe src=f></iframe><script type=application/ld+json>"
        b'{"url": "http://j.example/"}</script><iframe srcdoc="<a href=s>">'
    )
    short = parse_html(body, URL, UTF8)
    assert [found for part in long_page(body).parts() for found in part.links] == short.links
    assert {found.kind for found in short.links} == {Kind.REFRESH, Kind.LINK, Kind.FRAME, Kind.EMBED}
    without = parse_html(body, URL, UTF8, embeds=False)
    assert [f for part in long_page(body, embeds=False).parts() for f in part.links] == without.links


def test_a_drawing_names_its_style_sheet_before_its_root() -> None:
    body = b"<?xml version='1.0'?><?xml-stylesheet href='s.css'?><svg><a href=x>"
    assert set(links(long_page(body))) == {found.url for found in parse_html(body, URL, UTF8).links}


TEXT = "<p>Ein häßlicher Satz über Öl, 中文的句子很长 и русский текст</p><a href='/ä'>x</a>\n"


@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16", "utf-16-le", "gb18030", "windows-1252", "iso2022_jp", "utf-8-sig"]
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_text_in_pieces_is_what_it_is_at_once(charset: str, size: int) -> None:
    text = TEXT if charset.startswith(("utf", "gb")) else TEXT.encode("latin-1", "ignore").decode("latin-1")
    text = "<p>日本語の文章です。これは長い。</p><a href=x>" if charset == "iso2022_jp" else text
    body = (text * 20).encode(charset)
    whole, name = decode(body, None)
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    assert b"".join(utf8_pieces(pieces, name)).decode() == whole


def test_a_page_is_utf8_even_if_that_shows_late_only() -> None:
    body = b"<a href=x>" + filled(2 * MIB) + "<a href='/ä'>".encode()
    assert charset_in_pieces((body,), None) == "utf-8"
    assert links(long_page(body, content_type="text/html; charset=windows-1252")) == [
        "http://example.org/dir/x",
        "http://example.org/%C3%A4",
    ]


def test_a_page_in_another_charset_is_told_by_the_bytes_around_the_first_that_are_not_ascii() -> None:
    body = b"<meta charset=windows-1251>" + filled(2 * MIB) + "<a href='?q=да'>русский текст".encode("cp1251")
    assert links(long_page(body, content_type="text/html")) == ["http://example.org/dir/page.html?q=%E4%E0"]


@pytest.mark.parametrize("size", [1, 1000, MIB - 1, MIB, MIB + 1, 5 * MIB])
def test_windows_do_not_depend_on_how_a_body_came(size: int) -> None:
    body = bytes(range(256)) * 4096 * 2 + b"rest"
    pieces = (body[start : start + size] for start in range(0, len(body) if size > 1 else 5000, size))
    windows = list(in_windows(pieces))
    assert b"".join(windows) == (body if size > 1 else body[:5000])
    assert all(len(window) == WINDOW_BYTES for window in windows[:-1])


def test_links_are_there_before_the_page_is_read_to_its_end() -> None:
    taken: list[int] = []

    def pieces() -> Iterator[bytes]:
        for number in range(20):
            taken.append(number)
            yield filled(MIB, b"<a href=%d>" % number)[:MIB]

    page = LongPage(pieces, URL, UTF8)
    taken.clear()
    first = list(islice(page.parts(), 1))
    assert first[0].links[0].url == "http://example.org/dir/0"
    assert max(taken) < 5


def test_too_many_links_are_said() -> None:
    parts: Iterable[bytes] = [b"<a href=x>" * (MIB // 10)] * 50
    page = LongPage(lambda: parts, URL, UTF8)
    assert page.unread is Unread.TOO_MANY_LINKS
    assert page.links_read_bytes < 50 * MIB
