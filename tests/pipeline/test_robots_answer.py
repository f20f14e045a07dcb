from __future__ import annotations

import gzip

import pytest

from weft.pipeline.robots_answer import row_of
from weft.robots import Access
from weft.robots.access import rules_of
from weft.types import Fetched, Timing

RULES = b"User-agent: *\nDisallow: /secret\n"
GZIP = ((b"content-encoding", b"gzip"),)


def answer(body: bytes, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Fetched:
    url = "http://site.test/robots.txt"
    return Fetched(url, "192.0.2.1", 0.0, b"", 200, b"", headers, body, None, len(body), False, None, Timing())


@pytest.mark.parametrize(
    "fetched",
    [
        answer(RULES),
        answer(gzip.compress(RULES), GZIP),
        answer(gzip.compress(RULES)),
        answer(gzip.compress(gzip.compress(RULES)), GZIP),
    ],
    ids=["plain", "packed", "packed, and no header says so", "packed twice, and the header says once"],
)
def test_rules_hold_however_the_file_is_packed(fetched: Fetched) -> None:
    rules = rules_of(row_of(None, Access.RULES, fetched, 0.0), "weft", 0.0)
    assert not rules.allows("/secret/a")
    assert rules.allows("/open")


def test_what_unpacks_to_more_than_is_read_of_a_file_is_cut_at_the_end_of_a_line() -> None:
    lines = RULES + b"".join(b"Disallow: /%d\n" % number for number in range(100_000))
    row = row_of(None, Access.RULES, answer(gzip.compress(lines)), 0.0)
    assert row.body is not None
    assert row.body.endswith(b"\n")
    assert lines.startswith(row.body)
    assert len(row.body) < len(lines)
