"""On well-formed responses the reader and llhttp, by way of httptools, say the same."""

from __future__ import annotations

from typing import NamedTuple

import httptools
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.fetch.chunks import dechunk
from weft.fetch.http1 import ResponseReader


class LlhttpReading:
    """Collects httptools' callbacks for the first message."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.head_done = False
        self.body = b""
        self.done = False
        self.keep_alive = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.head_done:  # trailers come here too
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.head_done = True
        self.status = self.parser.get_status_code()

    def on_body(self, data: bytes) -> None:
        self.body += data

    def on_message_complete(self) -> None:
        self.done = True
        self.keep_alive = self.parser.should_keep_alive()


class Response(NamedTuple):
    """A well-formed response and what makes it whole."""

    wire: bytes
    ends_by_itself: bool


_TOKEN = st.text("abcdefghijklmnopqrstuvwxyzABC0123456789-_", min_size=1, max_size=12)
_VALUE = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
_RESERVED = {"connection", "content-length", "transfer-encoding", "upgrade", "proxy-connection"}
_STATUS = st.sampled_from([200, 200, 204, 206, 301, 304, 404, 500, 599])


@st.composite
def responses(draw: st.DrawFn) -> Response:
    version = draw(st.sampled_from(["1.1", "1.1", "1.0"]))
    status = draw(_STATUS)
    headers = [
        pair for pair in draw(st.lists(st.tuples(_TOKEN, _VALUE), max_size=6)) if pair[0].lower() not in _RESERVED
    ]
    connection = draw(st.sampled_from(["", "close", "keep-alive"]))
    if connection:
        headers.append(("Connection", connection))
    data = draw(st.binary(max_size=200))
    framing = draw(st.sampled_from(["length", "chunked", "close"] if version == "1.1" else ["length", "close"]))
    body = data
    if framing == "length":
        headers.append(("Content-Length", str(len(data))))
    elif framing == "chunked":
        headers.append(("Transfer-Encoding", "chunked"))
        body = _chunked(draw, data)
    bodyless = status in (204, 304)
    lines = "".join(f"{name}: {value}\r\n" for name, value in draw(st.permutations(headers)))
    wire = f"HTTP/{version} {status} Reason\r\n{lines}\r\n".encode() + (b"" if bodyless else body)
    return Response(wire, bodyless or framing != "close")


def _chunked(draw: st.DrawFn, data: bytes) -> bytes:
    parts = []
    while data:
        size = draw(st.integers(1, len(data)))
        extension = draw(st.sampled_from([b"", b";a", b";a=b"]))
        parts.append(b"%x%b\r\n%b\r\n" % (size, extension, data[:size]))
        data = data[size:]
    return b"".join(parts) + b"0\r\n" + draw(st.sampled_from([b"", b"X-Trailer: y\r\n"])) + b"\r\n"


@settings(max_examples=500, deadline=None)
@given(responses(), st.integers(1, 300))
def test_reader_agrees_with_llhttp_on_well_formed_responses(response: Response, piece_bytes: int) -> None:
    theirs = LlhttpReading()
    ours = ResponseReader()
    body = b""
    for start in range(0, len(response.wire), piece_bytes):
        piece = response.wire[start : start + piece_bytes]
        theirs.parser.feed_data(piece)
        body += ours.feed(piece)
        assert ours.head_done == theirs.head_done
        assert ours.body_done == theirs.done
    assert ours.fault is None
    assert ours.status == theirs.status
    assert list(ours.headers) == theirs.headers
    assert (dechunk(body) if ours.chunked else body) == theirs.body
    assert ours.head + body == response.wire
    assert ours.body_done == response.ends_by_itself
    if ours.body_done:
        assert ours.keep_alive == theirs.keep_alive
