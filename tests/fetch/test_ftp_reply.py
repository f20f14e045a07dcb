"""What an FTP server says: cut into replies, and the few things that are read from them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import FetchError
from weft.fetch.ftp.reply import Reply, ReplyReader, number_in, passive_port, quoted_path
from weft.types import Outcome

GREETING = b"220-Welcome\r\n 220 not the end\r\n221 nor this\r\n220-nor this\r\n220 Ready\r\n331\r\n250 Done\n"
REPLIES = [
    Reply(220, (b"220-Welcome", b" 220 not the end", b"221 nor this", b"220-nor this", b"220 Ready")),
    Reply(331, (b"331",)),
    Reply(250, (b"250 Done",)),
]


@given(st.sets(st.integers(1, len(GREETING) - 1)))
def test_replies_are_the_same_however_their_bytes_come(cuts: set[int]) -> None:
    reader = ReplyReader()
    edges = [0, *sorted(cuts), len(GREETING)]
    found = [reply for start, end in pairwise(edges) for reply in reader.feed(GREETING[start:end])]
    assert found == REPLIES


@pytest.mark.parametrize("line", [b"HTTP/1.1 400 Bad Request", b"SSH-2.0-OpenSSH_9.2", b"", b"099 x", b"2200 x", b"22"])
def test_what_is_no_reply_is_a_bad_response(line: bytes) -> None:
    with pytest.raises(FetchError) as caught:
        ReplyReader().feed(line + b"\r\n")
    assert caught.value.outcome is Outcome.BAD_RESPONSE


@pytest.mark.parametrize("piece", [b"220-more\r\n", b"x" * 1000])
def test_a_reply_without_end_is_a_bad_response(piece: bytes) -> None:
    reader = ReplyReader()
    reader.feed(b"220-")
    with pytest.raises(FetchError) as caught:
        _feed_for_ever(reader, piece)
    assert caught.value.outcome is Outcome.BAD_RESPONSE


def _feed_for_ever(reader: ReplyReader, piece: bytes) -> None:
    for _ in range(10_000):
        reader.feed(piece)


def test_many_short_replies_are_no_long_one() -> None:
    reader = ReplyReader()
    assert sum(len(reader.feed(b"200 OK\r\n")) for _ in range(20_000)) == 20_000


@pytest.mark.parametrize(
    ("line", "port"),
    [
        (b"229 Entering Extended Passive Mode (|||50368|)", 50368),
        (b"229 ok (!!!21!)", 21),
        (b"227 Entering Passive Mode (10,0,0,1,195,80).", 50000),
        (b"227 Entering Passive Mode 10,0,0,1,0,21", 21),
        (b"229 (|||0|)", None),
        (b"229 (|||70000|)", None),
        (b"227 (1,2,3,4,999,999)", None),
        (b"227 no port here", None),
        (b"229 (|1|10.0.0.1|21|)", None),
    ],
)
def test_the_port_of_a_data_connection_is_read_and_no_address(line: bytes, port: int | None) -> None:
    assert passive_port(Reply(int(line[:3]), (line,))) == port


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (b'257 "/home/me" is the current directory', b"/home/me"),
        (b'257 "/say ""hello""" is it', b'/say "hello"'),
        (b"257 no idea", b"/"),
        (b'257 "C:\\ftp"', b"/"),
    ],
)
def test_the_folder_where_a_visitor_begins(line: bytes, path: bytes) -> None:
    assert quoted_path(Reply(257, (line,))) == path


def test_a_number_in_a_reply() -> None:
    assert number_in(Reply(213, (b"213 20261115145837.123",))) == b"20261115145837"
    assert number_in(Reply(213, (b"213 what?",))) == b""
