"""The table of framings: what servers send, and what is to be made of it."""

from __future__ import annotations

from typing import NamedTuple

from weft.types import Outcome


class Framing(NamedTuple):
    """A response on the wire and what must come of it."""

    name: str
    wire: bytes
    body: bytes = b""  # as received, chunk framing included
    status: int = 200
    keep_alive: bool = False
    closes: bool = False  # the server closes behind the bytes
    outcome: Outcome = Outcome.RESPONSE
    head_request: bool = False


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BAD = Outcome.BAD_RESPONSE

_LENGTHS = [
    Framing("content-length", OK + b"Content-Length: 5\r\n\r\nhello", b"hello", keep_alive=True),
    Framing("content-length zero", OK + b"Content-Length: 0\r\n\r\n", keep_alive=True),
    Framing(
        "equal lengths twice",
        OK + b"Content-Length: 5\r\ncontent-length: 5\r\n\r\nhello",
        b"hello",
        200,
        True,
    ),
    Framing("equal lengths in a list", OK + b"Content-Length: 5, 5\r\n\r\nhello", b"hello", keep_alive=True),
    Framing("unequal lengths", OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", outcome=BAD),
    Framing(
        "unequal lengths and a line without a name",
        OK + b"Content-Length: 5\r\n: x\r\nContent-Length: 6\r\n\r\nhello",
        outcome=BAD,
    ),
    Framing("unequal lengths in a list", OK + b"Content-Length: 5, 6\r\n\r\nhello", outcome=BAD),
    Framing("length that is no number", OK + b"Content-Length: five\r\n\r\nhello", b"hello", closes=True),
    Framing("negative length", OK + b"Content-Length: -5\r\n\r\nhello", b"hello", closes=True),
    Framing("empty length", OK + b"Content-Length:\r\n\r\nhello", b"hello", closes=True),
    Framing("length of 5,000 digits", OK + b"Content-Length: %b\r\n\r\nhi" % (b"9" * 5000), b"hi", closes=True),
    Framing("cut off", OK + b"Content-Length: 5\r\n\r\nhel", b"hel", closes=True, outcome=Outcome.CLOSED),
    Framing("bytes behind the body", OK + b"Content-Length: 5\r\n\r\nhello there", b"hello"),
    Framing("a second response behind", OK + b"Content-Length: 0\r\n\r\n" + OK + b"Content-Length: 0\r\n\r\n"),
]
_NO_BODY = [
    Framing("204", b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", status=204, keep_alive=True),
    Framing("304", b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", status=304, keep_alive=True),
    Framing("204 with a body", b"HTTP/1.1 204 No Content\r\n\r\nhello", status=204),
    Framing("HEAD", OK + b"Content-Length: 5\r\n\r\n", keep_alive=True, head_request=True),
    Framing("HEAD of chunked", CHUNKED, keep_alive=True, head_request=True),
]
_CHUNKS = [
    Framing("chunked", CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n", keep_alive=True),
    Framing(
        "chunked, upper-case hex",
        CHUNKED + b"A\r\n0123456789\r\n0\r\n\r\n",
        b"A\r\n0123456789\r\n0\r\n\r\n",
        200,
        True,
    ),
    Framing("chunked, bare LF", CHUNKED + b"5\nhello\n0\n\n", b"5\nhello\n0\n\n", keep_alive=True),
    Framing(
        "chunked, blanks after the size",
        CHUNKED + b"5  \r\nhello\r\n0\r\n\r\n",
        b"5  \r\nhello\r\n0\r\n\r\n",
        200,
        True,
    ),
    Framing(
        "chunk extension",
        CHUNKED + b"5;a=b\r\nhello\r\n0;c\r\n\r\n",
        b"5;a=b\r\nhello\r\n0;c\r\n\r\n",
        200,
        True,
    ),
    Framing(
        "trailers",
        CHUNKED + b"1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        b"1\r\nx\r\n0\r\nA: b\r\nC: d\r\n\r\n",
        200,
        True,
    ),
    Framing("empty chunked", CHUNKED + b"0\r\n\r\n", b"0\r\n\r\n", keep_alive=True),
    Framing(
        "zeros before the size",
        CHUNKED + b"0005\r\nhello\r\n000\r\n\r\n",
        b"0005\r\nhello\r\n000\r\n\r\n",
        200,
        True,
    ),
    Framing("bytes behind the last chunk", CHUNKED + b"0\r\n\r\nmore", b"0\r\n\r\n"),
    Framing("last line end missing", CHUNKED + b"1\r\nx\r\n0\r\n", b"1\r\nx\r\n0\r\n", closes=True),
    Framing("chunk cut off", CHUNKED + b"5\r\nhel", b"5\r\nhel", closes=True, outcome=Outcome.CLOSED),
    Framing("last chunk missing", CHUNKED + b"1\r\nx\r\n", b"1\r\nx\r\n", closes=True, outcome=Outcome.CLOSED),
    Framing("chunk without size", CHUNKED + b"\r\nhello\r\n", b"\r\n", outcome=BAD),
    Framing("chunk size no number", CHUNKED + b"five\r\nhello\r\n", b"five\r\n", outcome=BAD),
    Framing("chunk size signed", CHUNKED + b"+5\r\nhello\r\n", b"+5\r\n", outcome=BAD),
    Framing("chunk size with 0x", CHUNKED + b"0x5\r\nhello\r\n", b"0x5\r\n", outcome=BAD),
    Framing("chunk size of 17 digits", CHUNKED + b"1" * 17 + b"\r\n", b"1" * 17 + b"\r\n", outcome=BAD),
    Framing("chunk longer than its size", CHUNKED + b"3\r\nhello\r\n", b"3\r\nhello\r\n", outcome=BAD),
    Framing("endless chunk extension", CHUNKED + b"5;" + b"x" * 17_000, b"5;" + b"x" * 16_382, outcome=BAD),
]
_ENCODINGS = [
    Framing(
        "chunked beats length",
        OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"0\r\n\r\n",
    ),
    Framing(
        "chunked beats unequal lengths",
        OK + b"Content-Length: 2, 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"0\r\n\r\n",
    ),
    Framing(
        "gzip, chunked",
        OK + b"Transfer-Encoding: gzip, Chunked\r\n\r\n0\r\n\r\n",
        b"0\r\n\r\n",
        keep_alive=True,
    ),
    Framing(
        "two encodings",
        OK + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"0\r\n\r\n",
        200,
        True,
    ),
    Framing("identity and length", OK + b"Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    Framing("gzip only", OK + b"Transfer-Encoding: gzip\r\n\r\nhi", b"hi", closes=True),
    Framing(
        "chunked in HTTP/1.0",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"0\r\n\r\n",
    ),
]
_CONNECTIONS = [
    Framing("until close", OK + b"\r\nhello", b"hello", closes=True),
    Framing("until close, empty", OK + b"\r\n", closes=True),
    Framing("Connection: close", OK + b"Connection: close\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    Framing("close among others", OK + b"Connection: x, Close\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    Framing(
        "keep-alive and close",
        OK + b"Connection: keep-alive\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    ),
    Framing("HTTP/1.0", b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", b"hi"),
    Framing(
        "HTTP/1.0 keep-alive",
        b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi",
        b"hi",
        200,
        True,
    ),
    Framing(
        "HTTP/2.0 in HTTP/1's clothes",
        b"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"hi",
        keep_alive=True,
    ),
]
_EMPTY = b"Content-Length: 0\r\n\r\n"
_INTERIM = [
    Framing("100 first", b"HTTP/1.1 100 Continue\r\n\r\n" + OK + _EMPTY, keep_alive=True),
    Framing(
        "102 and 103 first",
        b"HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK + _EMPTY,
        b"",
        200,
        True,
    ),
    Framing("101", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", outcome=BAD),
    Framing("endless interim responses", b"HTTP/1.1 100 Continue\r\n\r\n" * 17, outcome=BAD),
    Framing("interim only", b"HTTP/1.1 100 Continue\r\n\r\n", closes=True, outcome=Outcome.CLOSED),
]
_ODDITIES = [
    Framing("bare LF", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", b"hi", keep_alive=True),
    Framing("bare LF at the end only", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nhi", b"hi", keep_alive=True),
    Framing("CRLF at the end only", b"HTTP/1.1 200 OK\nContent-Length: 2\n\r\nhi", b"hi", keep_alive=True),
    Framing(
        "body that begins with blank lines",
        OK + b"Content-Length: 4\r\n\r\n\r\n\n\n",
        b"\r\n\n\n",
        keep_alive=True,
    ),
    Framing("blank lines first", b"\r\n\n\r\n" + OK + _EMPTY, keep_alive=True),
    Framing("space before the colon", OK + b"Content-Length : 2\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("no space after the colon", OK + b"Content-Length:2\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("line without colon", OK + b"nonsense\r\nContent-Length: 2\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("line without name", OK + b": nonsense\r\nContent-Length: 2\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("folded line", OK + b"Content-Length:\r\n 2\r\nX: a\r\n\tb\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("folded first line", OK + b" Content-Length: 9\r\nContent-Length: 2\r\n\r\nhi", b"hi", keep_alive=True),
    Framing("no reason", b"HTTP/1.1 200\r\n" + _EMPTY, keep_alive=True),
    Framing("no reason, but a space", b"HTTP/1.1 404 \r\n" + _EMPTY, status=404, keep_alive=True),
    Framing("reason glued to the status", b"HTTP/1.1 200OK\r\n" + _EMPTY, keep_alive=True),
    Framing("two spaces", b"HTTP/1.1  403 No\r\n" + _EMPTY, status=403, keep_alive=True),
    Framing("tab", b"HTTP/1.1\t403\tNo\r\n" + _EMPTY, status=403, keep_alive=True),
    Framing("lower case", b"http/1.1 200 ok\r\n" + _EMPTY, keep_alive=True),
    Framing("version without minor number", b"HTTP/1 200 OK\r\n" + _EMPTY),
    Framing("no status", b"HTTP/1.1\r\n" + _EMPTY, keep_alive=True),
    Framing("status 999", b"HTTP/1.1 999 Denied\r\n" + _EMPTY, status=999, keep_alive=True),
    Framing("ICY", b"ICY 200 OK\r\n\r\nmusic", b"music", closes=True),
    Framing("no headers", OK + b"\r\n", closes=True),
]
_NOT_HTTP = [
    Framing("HTTP/0.9", b"<html>hello</html>", closes=True, outcome=BAD),
    Framing("another protocol", b"SSH-2.0-OpenSSH_9.2\r\n", outcome=BAD),
    Framing("binary", b"\x15\x03\x01\x00\x02\x02\x16", outcome=BAD),
    Framing("nearly", b"HTTPS/1.1 200 OK\r\n\r\n", outcome=BAD),
    Framing("no version", b"HTTP/ 200 OK\r\n\r\n", outcome=BAD),
    Framing("version runs on", b"HTTP/1.1x 200 OK\r\n\r\n", outcome=BAD),
    Framing("status of two digits", b"HTTP/1.1 20 OK\r\n\r\n", outcome=BAD),
    Framing("status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n", outcome=BAD),
    Framing("status 099", b"HTTP/1.1 099 OK\r\n\r\n", outcome=BAD),
    Framing("nothing", b"", closes=True, outcome=Outcome.CLOSED),
    Framing("head cut off", OK + b"Content-Le", closes=True, outcome=Outcome.CLOSED),
]

FRAMINGS = [
    *_LENGTHS,
    *_NO_BODY,
    *_CHUNKS,
    *_ENCODINGS,
    *_CONNECTIONS,
    *_INTERIM,
    *_ODDITIES,
    *_NOT_HTTP,
]
