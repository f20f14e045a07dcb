"""De-chunking: what is whole comes out whole, and what is not comes as far as it goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.fetch.chunks import ChunkScanner, dechunk, dechunk_pieces


def chunked(parts: list[bytes]) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8))
def test_dechunking_undoes_chunking(parts: list[bytes]) -> None:
    assert dechunk(chunked(parts)) == b"".join(parts)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=50), max_size=5), st.data())
def test_cut_off_body_gives_a_beginning_of_the_data(parts: list[bytes], data: st.DataObject) -> None:
    raw = chunked(parts)
    end = data.draw(st.integers(0, len(raw)))
    assert b"".join(parts).startswith(dechunk(raw[:end]))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([b"3\r\nabc\r\n", b"0\r\n", b"\r\n", b"2;x\n", b"ab\n"]) | st.binary(max_size=5),
        max_size=10,
    )
)
def test_any_bytes_give_the_same_data_whole_and_one_by_one(fragments: list[bytes]) -> None:
    raw = b"".join(fragments)
    single = dechunk_pieces((raw[i : i + 1] for i in range(len(raw))), ChunkScanner())
    assert b"".join(single) == dechunk(raw)


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b"5\r\nhello\r\nnonsense\r\n", b"hello"),
        (b"5\r\nhello\r\n5\r\nwor", b"hellowor"),
        (b"ffffffffffffffff\r\nhello", b"hello"),
        (b"5\nhello\n0\n\nbehind", b"hello"),
        (b"not chunked at all", b""),
        (b"", b""),
    ],
)
def test_faulty_body_gives_what_comes_before_the_fault(raw: bytes, data: bytes) -> None:
    assert dechunk(raw) == data


def test_endless_trailers_are_a_fault() -> None:
    scanner = ChunkScanner()
    scanner.scan(b"0\r\n")
    for _ in range(300):
        scanner.scan(b"X: " + b"y" * 1000 + b"\r\n")
    assert scanner.fault
    assert not scanner.done
