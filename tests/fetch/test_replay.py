"""A response read back from its own bytes is the one that was fetched."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from weft.fetch import decode_response, replay

from .framings import CHUNKED, FRAMINGS, Framing
from .test_chunks import chunked

WHOLE = [framing for framing in FRAMINGS if framing.outcome == "response" and not framing.head_request]


@pytest.mark.parametrize("framing", WHOLE, ids=lambda framing: framing.name)
def test_replayed_response_is_the_one_that_came(framing: Framing) -> None:
    once = replay("http://a.test/", framing.wire)
    again = replay("http://a.test/", once.head + (once.body or b""))
    assert again == once
    assert (again.status, again.body) == (framing.status, framing.body)


def test_response_is_decoded_alike_in_memory_and_in_a_file(tmp_path: Path) -> None:
    text = b"a page " * 1000
    head = CHUNKED[:-2] + b"Content-Encoding: gzip\r\n\r\n"
    fetched = replay("http://a.test/", head + chunked([gzip.compress(text)]))
    assert decode_response(fetched, 10_000) == (text, None)
    assert fetched.body is not None
    (tmp_path / "1.body").write_bytes(fetched.body)
    spooled = msgspec.structs.replace(fetched, body=None, spool=str(tmp_path / "1.body"))
    assert decode_response(spooled, 10_000) == (text, None)
