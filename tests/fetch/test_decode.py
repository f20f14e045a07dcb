"""Bodies decoded: each coding, stacked ones, bombs, and what is cut off, broken or mislabelled."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.wasteful import WASTEFUL, endless_gzip, in_chunks_of_one_byte
from weft.fetch import Decoded, Flaw, decode_body, decode_file
from weft.fetch.codings import Flawed
from weft.fetch.decode import Effort, decoded_pieces
from weft.fetch.head import Headers

from .test_chunks import chunked

KIB = 1024
MIB = 1024 * KIB
YIELDS_AT_ONCE = ("a long extra field", "zstd frames to skip")  # the one is cut off, the other padding
TEXT = b"".join(b"line %d of a page that can be compressed\n" % number for number in range(3000))
_RANDOM = random.Random(7).randbytes(90_000)


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


def brotli_compress(data: bytes) -> bytes:
    return bytes(brotli.compress(data, quality=3))


ENCODERS: dict[str, tuple[bytes, Callable[[bytes], bytes]]] = {
    "gzip": (b"gzip", gzip.compress),
    "x-gzip": (b"X-Gzip", gzip.compress),
    "zlib": (b"deflate", zlib.compress),
    "raw deflate": (b"deflate", raw_deflate),
    "brotli": (b"br", brotli_compress),
    "zstd": (b"zstd", zstandard.ZstdCompressor().compress),
}
encoders = pytest.mark.parametrize(("coding", "encode"), ENCODERS.values(), ids=ENCODERS)


def encoded_as(*codings: bytes) -> Headers:
    return tuple((b"content-encoding", coding) for coding in codings)


def decode(raw: bytes, *codings: bytes, chunked: bool = False, limit_bytes: int = 10 * MIB) -> Decoded:
    return decode_body(raw, encoded_as(*codings), chunked, limit_bytes)


@encoders
@pytest.mark.parametrize("data", [TEXT, _RANDOM, b"x", b""], ids=["text", "random", "one byte", "nothing"])
def test_coding_is_undone(coding: bytes, encode: Callable[[bytes], bytes], data: bytes) -> None:
    assert decode(encode(data), coding) == (data, None)


@encoders
def test_coding_is_undone_in_a_file_and_under_chunks(
    coding: bytes, encode: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    encoded = encode(TEXT + _RANDOM)
    raw = chunked([encoded[start : start + 1000] for start in range(0, len(encoded), 1000)])
    assert decode(raw, coding, chunked=True) == (TEXT + _RANDOM, None)
    (tmp_path / "body").write_bytes(raw)
    headers = encoded_as(coding)
    assert decode_file(tmp_path / "body", headers, True, 10 * MIB) == (TEXT + _RANDOM, None)


@encoders
def test_cut_off_body_gives_what_could_be_decoded(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    data = TEXT + _RANDOM
    encoded = encode(data)
    decoded = decode(encoded[: len(encoded) * 2 // 3], coding)
    assert decoded.flaw is Flaw.TRUNCATED
    assert data.startswith(decoded.data)
    assert len(decoded.data) > len(data) / 4


@encoders
def test_broken_body_gives_what_comes_before_the_fault(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    page = random.Random(1)
    data = b" ".join(b"%x" % page.getrandbits(30) for _ in range(150_000))
    encoded = encode(data)
    cut = len(encoded) * 3 // 4
    decoded = decode(encoded[:cut] + b"\xff" * 40_000, coding)
    assert decoded.flaw in (Flaw.BROKEN, Flaw.TRUNCATED)
    whole = sum(a == b for a, b in zip(decoded.data, data, strict=False))
    assert whole > len(data) / 2


@encoders
def test_bomb_stops_at_the_limit_in_little_memory(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    bomb = encode(bytes(80 * MIB))
    tracemalloc.start()
    decoded = decode(bomb, coding, limit_bytes=MIB)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert decoded.flaw is Flaw.OVER_LIMIT
    assert len(decoded.data) == MIB
    assert peak_bytes < 60 * MIB


def test_stacked_bomb_stops_at_the_limit() -> None:
    bomb = gzip.compress(gzip.compress(gzip.compress(bytes(100 * MIB))))
    decoded = decode(bomb, b"gzip, gzip", b"gzip", limit_bytes=MIB)
    assert decoded == (bytes(MIB), Flaw.OVER_LIMIT)


def test_limit_itself_is_no_flaw() -> None:
    raw = gzip.compress(TEXT)
    assert decode(raw, b"gzip", limit_bytes=len(TEXT)) == (TEXT, None)
    assert decode(raw, b"gzip", limit_bytes=len(TEXT) - 1) == (TEXT[:-1], Flaw.OVER_LIMIT)
    assert decode(TEXT, limit_bytes=len(TEXT)) == (TEXT, None)
    assert decode(TEXT, limit_bytes=len(TEXT) - 1) == (TEXT[:-1], Flaw.OVER_LIMIT)


def test_codings_are_undone_from_the_last_to_the_first() -> None:
    raw = brotli_compress(zlib.compress(gzip.compress(TEXT)))
    assert decode(raw, b"gzip, deflate, br") == (TEXT, None)
    assert decode(raw, b"gzip", b"deflate", b"br") == (TEXT, None)


def test_transfer_coding_is_undone_before_content_coding() -> None:
    headers = ((b"transfer-encoding", b"gzip, chunked"), (b"content-encoding", b"br"))
    raw = chunked([gzip.compress(brotli_compress(TEXT))])
    assert decode_body(raw, headers, True, 10 * MIB) == (TEXT, None)


@pytest.mark.parametrize("coding", [b"identity", b"", b"none", b"Identity, identity"])
def test_identity_is_the_body_itself(coding: bytes) -> None:
    assert decode(TEXT, coding).data is TEXT
    assert decode(TEXT, coding).flaw is None


def test_unknown_coding_is_left_as_it_is() -> None:
    assert decode(TEXT, b"sdch") == (TEXT, Flaw.UNKNOWN_CODING)
    assert decode(gzip.compress(TEXT), b"sdch, gzip") == (TEXT, Flaw.UNKNOWN_CODING)
    raw = gzip.compress(TEXT)
    assert decode(raw, b"gzip, sdch") == (raw, Flaw.UNKNOWN_CODING)
    assert decode(TEXT, *[b"gzip"] * 6) == (TEXT, Flaw.NOT_ENCODED)


@pytest.mark.parametrize("coding", [b"gzip", b"zstd", b"gzip, gzip"])
def test_plain_body_under_a_wrong_label_is_left_as_it_is(coding: bytes) -> None:
    assert decode(TEXT, coding) == (TEXT, Flaw.NOT_ENCODED)


def test_label_given_twice_for_one_coding_does_no_harm() -> None:
    assert decode(gzip.compress(TEXT), b"gzip, gzip") == (TEXT, Flaw.NOT_ENCODED)


def test_members_and_frames_follow_each_other(tmp_path: Path) -> None:
    zstd = zstandard.ZstdCompressor().compress
    for coding, raw in ((b"gzip", gzip.compress(TEXT) * 40), (b"zstd", zstd(TEXT) * 40)):
        assert decode(raw, coding) == (TEXT * 40, None)
        (tmp_path / "body").write_bytes(raw)  # read in pieces, which end anywhere in a member
        assert decode_file(tmp_path / "body", encoded_as(coding), False, 10 * MIB) == (TEXT * 40, None)


def test_padding_behind_compressed_data_is_ignored() -> None:
    for coding, raw in ((b"gzip", gzip.compress(TEXT)), (b"deflate", zlib.compress(TEXT))):
        assert decode(raw + bytes(100), coding) == (TEXT, None)


def test_wrong_checksum_still_gives_the_page() -> None:
    raw = bytearray(gzip.compress(TEXT))
    raw[-8] ^= 0xFF
    decoded = decode(bytes(raw), b"gzip")
    assert decoded.flaw is Flaw.BROKEN
    assert TEXT.startswith(decoded.data)
    assert len(decoded.data) > len(TEXT) - 100


def test_zstd_window_beyond_the_standard_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    raw = compressor.compress(TEXT) + compressor.flush()
    assert decode(raw, b"zstd") == (b"", Flaw.BROKEN)


def test_cut_off_chunks_are_told() -> None:
    raw = chunked([TEXT])
    assert decode(raw, chunked=True) == (TEXT, None)
    assert decode(raw[:-1], chunked=True) == (TEXT, None)
    assert decode(raw[:-5], chunked=True) == (TEXT, Flaw.TRUNCATED)
    assert decode(raw[:-5] + b"x\r\n", chunked=True) == (TEXT, Flaw.BROKEN)


def test_file_is_read_only_as_far_as_the_limit(tmp_path: Path) -> None:
    with (tmp_path / "body").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of zeros, none of it on the disk
    assert decode_file(tmp_path / "body", (), False, 100_000) == (bytes(100_000), Flaw.OVER_LIMIT)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([b"gzip", b"deflate", b"br", b"zstd", b"gzip, br", b"zstd, deflate"]),
    st.sampled_from([b"", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x78\x9c", b"\x28\xb5\x2f\xfd"]),
    st.binary(max_size=80),
    st.booleans(),
)
def test_any_bytes_are_decoded_without_error(coding: bytes, start: bytes, rest: bytes, in_chunks: bool) -> None:
    decoded = decode(start + rest, coding, chunked=in_chunks, limit_bytes=1000)
    assert len(decoded.data) <= 1000


@pytest.mark.parametrize("name", [name for name in WASTEFUL if name not in YIELDS_AT_ONCE])
@pytest.mark.parametrize("in_a_file", [False, True])
def test_body_that_costs_work_and_yields_nothing_is_ended(name: str, in_a_file: bool, tmp_path: Path) -> None:
    coding, raw = WASTEFUL[name]
    if in_a_file:
        (tmp_path / "body").write_bytes(raw)
        decoded = decode_file(tmp_path / "body", encoded_as(coding), False, 10 * MIB)
    else:
        decoded = decode(raw, coding)
    assert decoded == (b"", Flaw.COSTLY)


@pytest.mark.parametrize("name", [name for name in WASTEFUL if name not in YIELDS_AT_ONCE])
def test_body_in_pieces_that_yields_nothing_is_read_no_further_than_its_bound(name: str) -> None:
    coding, raw = WASTEFUL[name]
    read_bytes = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read_bytes
        for start in range(0, 8 * len(raw), 1000):
            piece = raw[start % len(raw) : start % len(raw) + 1000]
            read_bytes += len(piece)
            yield piece

    with pytest.raises(Flawed, match=Flaw.COSTLY):
        list(decoded_pieces(pieces(), encoded_as(coding), False))
    assert read_bytes <= Effort().free_bytes + 2 * Effort().slice_bytes


def test_work_is_bounded_under_chunks_of_one_byte() -> None:
    coding, raw = WASTEFUL["two layers of gzip"]
    assert decode(in_chunks_of_one_byte(raw), coding, chunked=True) == (b"", Flaw.COSTLY)


def test_what_comes_before_the_waste_is_kept() -> None:
    raw = gzip.compress(TEXT) + endless_gzip(MIB)
    assert decode(raw, b"gzip") == (TEXT, Flaw.COSTLY)


def test_small_effort_reads_little_and_still_gives_a_long_text() -> None:
    effort = Effort(free_bytes=32 * KIB, most_bytes=128 * KIB, slice_bytes=16 * KIB)
    headers = encoded_as(b"gzip")
    text = TEXT * 4
    assert decode_body(gzip.compress(text), headers, False, MIB, effort) == (text, None)
    assert decode_body(endless_gzip(MIB), headers, False, MIB, effort) == (b"", Flaw.COSTLY)
    noise = random.Random(3).randbytes(512 * KIB)
    decoded = decode_body(gzip.compress(noise), headers, False, MIB, effort)
    assert decoded.flaw is Flaw.COSTLY
    assert noise.startswith(decoded.data)
    assert 100 * KIB < len(decoded.data) <= 128 * KIB + 16 * KIB


@encoders
def test_honest_body_is_never_too_costly(coding: bytes, encode: Callable[[bytes], bytes]) -> None:
    for data in (random.Random(5).randbytes(3 * MIB), bytes(8 * MIB), TEXT * 60):
        assert decode(encode(data), coding) == (data, None)
        assert decode(gzip.compress(encode(data)), coding, b"gzip") == (data, None)


def test_more_layers_than_anybody_needs_are_not_undone() -> None:
    once = gzip.compress(TEXT)
    raw = gzip.compress(gzip.compress(gzip.compress(once)))
    assert decode(raw, b"gzip, gzip, gzip, gzip") == (once, Flaw.UNKNOWN_CODING)


def test_fault_at_the_end_of_a_long_body_is_found_without_copying_it_again_and_again() -> None:
    # The careful second pass took minutes, because each of its 64-byte steps copied all that was left.
    noise = random.Random(4).randbytes(6 * MIB)
    raw = bytearray(gzip.compress(noise))
    raw[-8] ^= 0xFF
    taken: list[int] = []

    class Counting(bytes):
        def __getitem__(self, key: Any) -> Any:
            taken.append(1)
            return super().__getitem__(key)

    decoded = decode_body(Counting(raw), encoded_as(b"gzip"), False, 10 * MIB)
    assert decoded.flaw is Flaw.BROKEN
    assert noise.startswith(decoded.data)
    assert len(decoded.data) > len(noise) - 100
    slices = len(raw) // Effort().slice_bytes
    assert slices < len(taken) < 3 * slices + 2 * Effort().slice_bytes // 64
