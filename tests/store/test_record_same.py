"""A record is the same whether its part in C was built or not, byte for byte, and touches no memory but its own."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.sanitized import has_sanitizers
from tests.store.record_asan import Record, by_chance, of_real_pages, run
from weft.store import warc

try:
    from weft.store import _record
except ImportError:
    pytest.skip("the part in C was not built", allow_module_level=True)

WAYS = [pytest.param(hashlib.sha1, id="hashlib")]
if _record.has_sha1():
    WAYS.append(pytest.param(None, id="own instructions"))


def records(seed: int) -> list[Record]:
    chance = random.Random(seed)
    long = ("WARC-Type: response\r\n", chance.randbytes(300), chance.randbytes(300_001), "", warc.BOTH_DIGESTS)
    return [*by_chance(3_000, chance), *of_real_pages(20, chance), long]


@pytest.mark.parametrize("sha1", WAYS)
def test_each_record_is_the_same(sha1: Callable[[bytes], Any] | None) -> None:
    for one in records(seed=1):
        assert _record.record(*one, sha1) == warc.record_in_python(*one)


@pytest.mark.parametrize("fields", ["WARC-Target-URI: \ud800\r\n", "\udcff"])
def test_what_cannot_be_written_is_refused_by_both(fields: str) -> None:
    for make in (warc.record_in_python, warc.record):
        for texts in ((fields, b"", b"", ""), ("", b"", b"", fields)):
            with pytest.raises(UnicodeEncodeError):
                make(*texts)


def test_what_is_no_record_is_refused() -> None:
    for wrong in ((), ("", b"", b"", "", 3), (b"", b"", b"", "", 3, None), ("", "", b"", "", 3, None)):
        with pytest.raises(TypeError):
            _record.record(*wrong)
    for digests in (-1, 4, 1 << 80):
        with pytest.raises((ValueError, OverflowError)):
            _record.record("", b"", b"", "", digests, hashlib.sha1)


def test_an_error_of_hashlib_is_told() -> None:
    def fails(_data: bytes) -> Any:
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        _record.record("", b"", b"x", "", warc.BLOCK_DIGEST, fails)
    with pytest.raises(TypeError, match="20 bytes"):
        _record.record("", b"", b"x", "", warc.BLOCK_DIGEST, hashlib.sha256)


@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_no_record_touches_memory_of_another() -> None:
    assert run(pages=1_000, seed=1).endswith("no error\n")


@pytest.mark.large
@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_a_million_records_and_those_of_ten_thousand_pages() -> None:
    told = run(pages=1_000_000, seed=2)
    print(told, end="")
    assert told.endswith("no error\n")
