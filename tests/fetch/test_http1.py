"""The reader alone: every framing, however the bytes are cut, and whatever they are."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.fetch.head import Headers
from weft.fetch.http1 import ResponseReader
from weft.types import Outcome

from .framings import FRAMINGS, OK, Framing


class Reading(NamedTuple):
    """What a reader made of its bytes."""

    outcome: Outcome
    status: int
    head: bytes
    headers: Headers
    body: bytes
    keep_alive: bool


def read(
    pieces: Iterable[bytes], *, closes: bool = False, head_request: bool = False, max_head_bytes: int = 262144
) -> Reading:
    reader = ResponseReader(head_request=head_request, max_head_bytes=max_head_bytes)
    body = b"".join([reader.feed(piece) for piece in pieces])
    keep_alive = reader.keep_alive and reader.body_done
    if closes:
        reader.feed_eof()
    outcome = Outcome.RESPONSE if reader.body_done else Outcome.CLOSED
    if reader.fault is not None:
        outcome = reader.fault.outcome
    return Reading(outcome, reader.status, reader.head, reader.headers, body, keep_alive)


def single_bytes(wire: bytes) -> list[bytes]:
    return [wire[i : i + 1] for i in range(len(wire))]


def cut(wire: bytes, positions: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(positions), len(wire)]
    return [wire[a:b] for a, b in pairwise(edges)]


def check(reading: Reading, framing: Framing) -> None:
    assert reading.outcome is framing.outcome
    assert reading.body == framing.body
    if framing.outcome is Outcome.RESPONSE:
        assert reading.status == framing.status
        assert reading.keep_alive == framing.keep_alive
        assert reading.head.startswith(framing.wire.lstrip()[:4])
        assert reading.head in framing.wire


def by_name(framing: Framing) -> str:
    return framing.name


@pytest.mark.parametrize("framing", FRAMINGS, ids=by_name)
def test_framing_is_read_as_the_table_says(framing: Framing) -> None:
    check(read([framing.wire], closes=framing.closes, head_request=framing.head_request), framing)


@pytest.mark.parametrize("framing", FRAMINGS, ids=by_name)
def test_framing_does_not_depend_on_where_the_bytes_are_cut(framing: Framing) -> None:
    wire = framing.wire
    options = {"closes": framing.closes, "head_request": framing.head_request}
    whole = read([wire], **options)
    source = random.Random(len(wire))
    cuts = [[position] for position in range(len(wire))] if len(wire) < 1000 else []
    cuts += [source.sample(range(len(wire)), k=min(len(wire), 9)) for _ in range(30)]
    for positions in cuts:
        reading = read(cut(wire, positions), **options)
        assert reading == whole
    assert read(single_bytes(wire), **options) == whole


def test_headers_keep_their_order_and_lose_case_and_blanks() -> None:
    wire = OK + b"Set-Cookie: a=1 \r\nX-A:\tb:c\t\r\nset-COOKIE: b=2\r\nEmpty:\r\nFold: a\r\n   b\r\n\r\n"
    assert read([wire]).headers == (
        (b"set-cookie", b"a=1"),
        (b"x-a", b"b:c"),
        (b"set-cookie", b"b=2"),
        (b"empty", b""),
        (b"fold", b"a b"),
    )


def test_head_is_kept_exactly_and_without_what_came_before_it() -> None:
    head = b"HTTP/1.1 200 Very  OK\nX : y\r\nodd\r\n\r\n"
    wire = b"\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\r\n" + head + b"body"
    reading = read([wire], closes=True)
    assert reading.head == head
    assert reading.body == b"body"


def test_head_up_to_the_limit_is_taken_and_one_byte_more_is_not() -> None:
    wire = OK + b"X: " + b"y" * 1000 + b"\r\nContent-Length: 2\r\n\r\nhi"
    head_bytes = len(wire) - 2
    for pieces in ([wire], single_bytes(wire)):
        assert read(pieces, max_head_bytes=head_bytes).outcome is Outcome.RESPONSE
        assert read(pieces, max_head_bytes=head_bytes - 1).outcome is Outcome.HEAD_TOO_LARGE


@pytest.mark.parametrize("endless", [b"X: y\r\n", b"\r\n", b"x", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_endless_head_ends_at_the_limit(endless: bytes) -> None:
    reader = ResponseReader(max_head_bytes=10_000)
    start = b"" if endless.strip() in (b"", b"HTTP/1.1 100 Continue") else OK
    fed = len(start)
    reader.feed(start)
    while reader.fault is None and fed < 20_000:
        reader.feed(endless)
        fed += len(endless)
    assert reader.fault is not None
    assert reader.fault.outcome in (Outcome.HEAD_TOO_LARGE, Outcome.BAD_RESPONSE)
    assert fed <= 10_000 + len(endless)


def test_too_many_headers_are_too_large_a_head() -> None:
    reader = ResponseReader(max_headers=3)
    reader.feed(OK + b"A: b\r\n" * 3 + b"\r\n")
    assert reader.fault is None
    reader = ResponseReader(max_headers=3)
    reader.feed(OK + b"A: b\r\n" * 4 + b"\r\n")
    assert reader.fault is not None
    assert reader.fault.outcome is Outcome.HEAD_TOO_LARGE


def test_what_cannot_be_http_is_refused_before_a_line_is_whole() -> None:
    for start in (b"<", b"SSH", b"HTTQ", b"\0", b"ICE"):
        assert read([start]).outcome is Outcome.BAD_RESPONSE
    for start in (b"H", b"htt", b"HTTP/", b"IC", b"ICY "):
        assert read([start]).outcome is Outcome.CLOSED


def test_body_comes_back_uncopied() -> None:
    reader = ResponseReader()
    reader.feed(OK + b"Content-Length: 3000\r\n\r\n")
    piece = b"x" * 1000
    assert reader.feed(piece) is piece
    assert reader.expected_body_bytes == 2000


def test_bytes_after_a_finished_response_forbid_the_next_one() -> None:
    for head in (b"Content-Length: 0\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
        reader = ResponseReader()
        reader.feed(OK + head)
        assert reader.keep_alive
        assert reader.feed(b"x") == b""
        assert reader.body_done
        assert not reader.keep_alive


_FRAGMENTS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 200 OK\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 ",
        b"ICY ",
        b"Content-Length: ",
        b"Content-Length: 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: keep-alive\r\n",
        b"chunked",
        b"0\r\n",
        b"3\r\nabc\r\n",
        b"5;x=y\n",
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"\t",
        b":",
        b",",
        b"3",
        b"\0",
        b"\xff",
    ]
)
_WIRES = st.lists(_FRAGMENTS | st.binary(max_size=6), max_size=14).map(b"".join)


@settings(max_examples=600, deadline=None)
@given(st.booleans(), _WIRES, st.booleans(), st.booleans())
def test_any_bytes_are_read_alike_whole_and_one_by_one(
    well_begun: bool, wire: bytes, closes: bool, head_request: bool
) -> None:
    if well_begun:
        wire = OK + wire
    whole = read([wire], closes=closes, head_request=head_request, max_head_bytes=60)
    single = read(single_bytes(wire), closes=closes, head_request=head_request, max_head_bytes=60)
    assert whole == single
    assert whole.body in wire
    assert whole.outcome in (Outcome.RESPONSE, Outcome.CLOSED, Outcome.BAD_RESPONSE, Outcome.HEAD_TOO_LARGE)
