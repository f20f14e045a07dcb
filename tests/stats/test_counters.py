from __future__ import annotations

import msgspec

from weft.stats import Counters
from weft.types import Outcome, Refusal


def test_a_response_counts_as_request_with_its_bytes_and_status() -> None:
    counters = Counters()
    counters.count_response(200, 1000)
    counters.count_response(404, 10)
    counters.count_response(200, 5)
    assert (counters.requests, counters.bytes) == (3, 1015)
    assert counters.statuses == {200: 2, 404: 1}


def test_failures_and_refusals_are_counted_by_reason() -> None:
    counters = Counters()
    counters.count_failure(Outcome.RESET)
    counters.count_failure(Outcome.RESET)
    counters.count_refusal(Refusal.DEPTH, 7)
    counters.count_refusal(Refusal.DEPTH)
    counters.count_refusal(Refusal.ROBOTS)
    assert counters.failed == {Outcome.RESET: 2}
    assert counters.refused == {Refusal.DEPTH: 8, Refusal.ROBOTS: 1}


def test_two_crawls_do_not_share_their_counters() -> None:
    one, other = Counters(), Counters()
    one.count_response(200, 1)
    one.count_failure(Outcome.RESET)
    one.count_refusal(Refusal.DEPTH)
    assert other == Counters()


def test_counters_survive_their_row_unchanged() -> None:
    counters = Counters(pages=3, queued=2, sequence=9, run_s=1.5)
    counters.count_response(200, 1000)
    counters.count_failure(Outcome.STALLED)
    counters.count_refusal(Refusal.SCOPE, 4)
    row = msgspec.msgpack.encode(counters)
    assert msgspec.msgpack.decode(row, type=Counters) == counters
