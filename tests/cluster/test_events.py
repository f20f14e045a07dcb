"""What nodes tell each other comes to its reader as it was sent; what cannot be read is said to be damaged."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import get_args, get_type_hints

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.cluster.events import (
    MOST_BODY_BYTES,
    MOST_BYTES,
    Again,
    Claim,
    Done,
    Entries,
    Entry,
    Event,
    Found,
    FoundUrl,
    HostNote,
    LogDamaged,
    Probe,
    Release,
    Scope,
    entry_parts,
    found_events,
    found_link,
    found_url,
    from_bytes,
    may_be_told,
    scope_events,
    to_bytes,
    url_of,
)
from weft.types import FoundLink, Kind, Link, Original, Outcome, PageRow, RequestParts, Standing, Timing, Unread
from weft.url import canonicalize, host_of, id_of, url_id

often = settings(max_examples=100, deadline=None, database=None)

HOSTS = st.sampled_from(
    [
        "example.org",
        "a.b.example.co.uk",
        "xn--bcher-kva.example",
        "127.0.0.1",
        "[::1]",
        "[2001:db8::7]",
        "a_b.test",
        "h",
    ]
)
PORTS = st.sampled_from(["", ":80", ":443", ":21", ":8080", ":1", ":65535"])
PATHS = st.one_of(
    st.sampled_from(["", "/", "//", "/a/b?c=d", "/?", "/%2F%00", "/:80/x", "/[::1]/", "/a;type=i", "/http://b.test/"]),
    st.text(st.characters(codec="utf-8"), max_size=20).map(lambda text: f"/{text}"),
)
URLS = st.builds(
    lambda scheme, host, port, path: canonicalize(f"{scheme}://{host}{port}{path}"),
    st.sampled_from(["http", "https", "ftp"]), HOSTS, PORTS, PATHS,
)  # fmt: skip
WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
COUNTS = st.integers(0, 2**53)
TIMES = st.floats(0, 4e9, allow_nan=False)
SCORES = st.floats(0, 1e9, allow_nan=False)
LINKS = st.builds(
    Link, URLS, st.integers(0, 10_000), st.sampled_from(Kind), URLS | st.just(""), redirects=st.integers(0, 20),
    hops=WORDS, seed=st.integers(-1, 10**6), standing=st.none() | st.builds(Standing, SCORES, SCORES),
    beyond=st.integers(0, 9),
)  # fmt: skip
SENT = st.builds(lambda link: url_of(link, host_of(link.url)), LINKS)
HEADERS = st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple)
PARTS = st.none() | st.builds(RequestParts, st.binary(max_size=9), WORDS, st.binary(max_size=9), HEADERS, st.booleans())
PAGES = st.builds(
    PageRow,
    URLS, st.integers(0, 999), TIMES, st.integers(0, 10_000), st.sampled_from(Outcome), mime=WORDS, digest=WORDS,
    file=COUNTS, offset=COUNTS, length=COUNTS, body_bytes=COUNTS, charset=WORDS, title=WORDS, via=URLS,
    kind=st.sampled_from(Kind), redirects=st.integers(0, 20), truncated=WORDS, noindex=st.booleans(), address=WORDS,
    attempts=st.integers(1, 9), timing=st.builds(Timing, TIMES, TIMES, TIMES), hops=WORDS, seed=st.integers(-1, 9),
    original=st.none() | st.builds(Original, URLS, TIMES, WORDS, COUNTS, COUNTS, COUNTS), near=WORDS,
    simhash=st.integers(0, 2**64 - 1), unread=st.none() | st.sampled_from(Unread), links_read_bytes=COUNTS,
    leads_back=st.booleans(), outside=st.integers(0, 9), parts=PARTS,
)  # fmt: skip
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(Done, PAGES, WORDS, WORDS), st.builds(Again, SENT), st.builds(HostNote, WORDS, TIMES, TIMES)
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Found, st.lists(SENT, max_size=3)),
    st.builds(Claim, WORDS, WORDS),
    st.builds(Release, WORDS, COUNTS),
    st.builds(Entries, WORDS, WORDS, COUNTS, COUNTS, st.lists(ENTRIES, max_size=3)),
    st.builds(Scope, st.lists(URLS, max_size=3)),
    st.builds(Probe, WORDS, COUNTS),
)

WHOLE_PAGE = PageRow(
    "http://[::1]:8080/a%20b?c", 206, 1.5, 3, Outcome.STALLED, "text/html", "sha1:X", 7, 11, 13, 17, "utf-8", "ü\0",
    "ftp://b.test/", Kind.REDIRECT, 2, "time", True, "::1", 4, Timing(0.1, 0.2, 0.3), "RL", 5,
    Original("http://c.test/", 2.5, "sha1:Y", 19, 23, 29), "http://d.test/", 2**64 - 1, Unread.TOO_LARGE, 31, True, 37,
    RequestParts(b"\xff", "POST", b"\0", (("A", "ü"),), True), 41,
)  # fmt: skip


# ── there and back ─────────────────────────────────────────────────────────────────────────────────────


@often
@given(EVENTS)
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    assert from_bytes(to_bytes(event)) == event


def test_there_is_an_example_of_every_event_and_every_field_of_a_page() -> None:
    """So that what is added is tested: hypothesis would leave out a field with a default."""
    assert {*get_args(Event)} == {Found, Claim, Release, Entries, Scope, Probe}
    assert {*get_args(Entry)} == {Done, Again, HostNote}
    defaults = PageRow("", 0, 0.0, 0)
    same = [name for name in get_type_hints(PageRow) if getattr(WHOLE_PAGE, name) == getattr(defaults, name)]
    assert same == []


def test_a_page_with_all_that_can_be_known_of_it_is_read_as_it_was_written() -> None:
    event = Entries("a", "1-x", 5, 1, [Done(WHOLE_PAGE, "weft-1.warc.gz", "weft-0.warc.gz")])
    assert from_bytes(to_bytes(event)) == event


@often
@given(LINKS)
def test_a_link_arrives_as_it_was_found(link: Link) -> None:
    found = FoundLink(url_id(link.url), host_of(link.url), link)
    sent = found_url(found)
    assert found_link(sent) == found
    assert sent == url_of(link, found.host)


@pytest.mark.parametrize(
    ("url", "host", "port", "file"),
    [
        ("http://a.test/x?y", "a.test", 0, "/x?y"),
        ("https://a.test:8443/", "a.test", 8443, "/"),
        ("http://[2001:db8::7]/", "2001:db8::7", 0, "/"),
        ("ftp://[::1]:2121/pub/;type=i", "::1", 2121, "/pub/;type=i"),
        ("http://a.test:443/", "a.test", 443, "/"),
    ],
)
def test_a_link_is_sent_in_the_papers_parts(url: str, host: str, port: int, file: str) -> None:
    sent = json.loads(msgspec.json.encode(url_of(Link(canonicalize(url), 2, standing=Standing(1.0)), host)))
    assert (sent["HOST"], sent.get("PORT", 0), sent["FILE"]) == (host, port, file)
    assert (sent["PRIORITY"], sent["DEPTH"]) == (1, 2)


def test_how_often_a_page_was_tried_here_does_not_travel() -> None:
    link = Link("http://a.test/", 1, attempts=3, not_before=99.0, again=True)
    assert found_link(url_of(link, "a.test")).link == Link("http://a.test/", 1)


# ── in parts ───────────────────────────────────────────────────────────────────────────────────────────

LIMIT_BYTES = 2_000


def noise(number: int, size: int) -> str:
    """What does not get smaller by compression."""
    return random.Random(number).randbytes(size // 2).hex()


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.integers(2, 1_500), max_size=40))
def test_links_seeds_and_entries_are_cut_into_parts_below_the_bound_in_order(sizes: list[int]) -> None:
    urls = [f"http://a.test/{noise(*one)}" for one in enumerate(sizes)]
    sent = [url_of(Link(url, 1), "a.test") for url in urls]
    parts = list(found_events(sent, LIMIT_BYTES))
    assert all(len(part) < 2 * LIMIT_BYTES for part in parts), "the bound is half of what may be sent"
    assert [url for part in parts for url in _found(part)] == sent
    seeds = list(scope_events(urls, LIMIT_BYTES))
    assert all(len(part) < 2 * LIMIT_BYTES for part in seeds)
    assert [url for part in seeds for url in _seeds(part)] == urls
    entries: list[Entry] = [Again(one) for one in sent]
    said = list(entry_parts(entries, LIMIT_BYTES))
    assert [one for part in said for one in part] == entries
    assert all(len(msgspec.json.encode(part)) < 2 * LIMIT_BYTES for part in said)
    assert all(said), "none is empty"


def _found(data: bytes) -> list[FoundUrl]:
    event = from_bytes(data)
    assert isinstance(event, Found)
    return event.urls


def _seeds(data: bytes) -> list[str]:
    event = from_bytes(data)
    assert isinstance(event, Scope)
    return event.seeds


def test_what_fits_is_one_part() -> None:
    urls = [url_of(Link(f"http://a.test/{number}", 1), "a.test") for number in range(20)]
    assert len(list(found_events(urls, 1_000_000))) == 1
    assert len(list(found_events(urls, 200))) > 5


# ── damage ─────────────────────────────────────────────────────────────────────────────────────────────


def packed(text: bytes) -> bytes:
    return zstandard.compress(text, 1)


@often
@given(st.binary(max_size=60) | st.binary(max_size=60).map(packed))
def test_whatever_is_no_event_is_damage(data: bytes) -> None:
    with pytest.raises(LogDamaged, match="cannot be read"):
        from_bytes(data)


@often
@given(EVENTS, st.data())
def test_an_event_of_which_a_bit_is_turned_or_a_part_is_missing_is_damage_or_another_event(
    event: Event, data: st.DataObject
) -> None:
    whole = to_bytes(event)
    at = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(LogDamaged):
        from_bytes(whole[:at])
    turned = bytearray(whole)
    turned[at] ^= 1 << data.draw(st.integers(0, 7))
    with suppress(LogDamaged):
        from_bytes(bytes(turned))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"{}",
        b'{"type":"found"}',
        b'{"type":"found","urls":[{"HOST":"a.test"}]}',
        b'{"type":"unknown","urls":[]}',
        b'{"type":"claim","node":1,"life":"1-x"}',
        b'{"type":"claim","node":"\xff\xfe","life":"1-x"}',
        b'{"type":"entries","node":"a","life":"1","claim":1,"number":1,"entries":[{"type":"done","page":["u"]}]}',
        b'{"type":"entries","node":"a","life":"1","claim":1,"number":1,"entries":[{"type":"gone"}]}',
        b'{"type":"found","urls":[]}{"type":"found","urls":[]}',
        b"[" * 100_000,
        b'{"type":"claim","node":"a","life":"1-x","more":' + b"[" * 100_000,
        b'{"type":"claim","node":"a","life":"1-x"',
    ],
)
def test_json_that_is_no_event_is_damage(text: bytes) -> None:
    with pytest.raises(LogDamaged):
        from_bytes(packed(text))


def test_something_behind_an_event_is_damage() -> None:
    event = to_bytes(Probe("1-x", 1))
    for more in (b"\0", event):
        with pytest.raises(LogDamaged):
            from_bytes(event + more)


@pytest.mark.parametrize("tells_size", [True, False], ids=["size told", "size not told"])
def test_a_few_bytes_that_unpack_to_more_than_any_event_are_damage(tells_size: bool) -> None:
    packer = zstandard.ZstdCompressor(level=1, write_content_size=tells_size)
    bomb = packer.compress(b" " * (MOST_BYTES + 1))
    assert len(bomb) < MOST_BYTES // 1_000
    with pytest.raises(LogDamaged):
        from_bytes(bomb)


def test_a_size_that_is_a_lie_takes_no_memory() -> None:
    frame = bytes.fromhex("28b52ffd") + bytes([0b11100000]) + (1 << 50).to_bytes(8, "little") + b"\1\0\0"
    assert zstandard.frame_content_size(frame) == 1 << 50
    with pytest.raises(LogDamaged):
        from_bytes(frame)


# ── requests with parts of their own ───────────────────────────────────────────────────────────────────

POST = RequestParts(b"\x00digest\xff", "POST", b"\xff\x00a=1", (("Content-Type", "text/plain"), ("X-A", "é")))


def test_what_is_posted_comes_as_it_was_sent_under_its_own_id() -> None:
    link = Link("http://example.org/form", 1, parts=POST)
    (event,) = [from_bytes(data) for data in found_events([url_of(link, "example.org")], MOST_BYTES)]
    assert isinstance(event, Found)
    found = found_link(event.urls[0])
    assert found.link == link
    assert found.id == id_of(link) != url_id(link.url)
    page = PageRow(link.url, 200, 1.0, 1, parts=POST)
    entries = from_bytes(to_bytes(Entries("n", "l", 1, 1, [Done(page)])))
    assert isinstance(entries, Entries)
    assert entries.entries == [Done(page)]


@pytest.mark.parametrize(
    ("parts", "is_told"),
    [
        (None, True),
        (POST, True),
        (msgspec.structs.replace(POST, is_secret=True), False),
        (RequestParts(b"", headers=(("authorization", "hush"),)), False),
        (msgspec.structs.replace(POST, body=b"x" * (MOST_BODY_BYTES + 1)), False),
    ],
)
def test_no_secret_and_nothing_too_large_is_told(parts: RequestParts | None, is_told: bool) -> None:
    assert may_be_told(Link("http://example.org/", 0, parts=parts)) is is_told
