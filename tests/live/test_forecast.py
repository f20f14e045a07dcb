"""The nearest limit, and when it will be reached; nothing is promised where nobody can know."""

from __future__ import annotations

from typing import Any

import pytest

from weft.config import CrawlConfig
from weft.live.forecast import limit_of
from weft.live.status import Limit, Rates
from weft.stats import Counters

COUNTERS = Counters(pages=250, bytes=4_000_000, unpacked_bytes=1_000_000, queued=10_000)
RATES = Rates(pages=25.0, requests=26.0, bytes=1_000_000.0)


@pytest.mark.parametrize(
    ("settings", "rates", "limit"),
    [
        ({}, RATES, None),
        ({"depth": 2, "max_pages_per_host": 300}, RATES, None),
        ({"max_pages": 1000}, RATES, Limit("pages", 250, 1000, 25.0, 30.0)),
        ({"max_bytes": 10_000_000}, RATES, Limit("bytes", 5_000_000, 10_000_000, 50.0, 5.0)),
        ({"max_time_s": 600.0}, RATES, Limit("time", 60.0, 600.0, 10.0, 540.0)),
        ({"max_time_s": 600.0, "max_pages": 1000}, RATES, Limit("pages", 250, 1000, 25.0, 30.0)),
        ({"max_time_s": 70.0, "max_pages": 1000}, RATES, Limit("time", 60.0, 70.0, 85.7, 10.0)),
        ({"max_pages": 1000}, Rates(), Limit("pages", 250, 1000, 25.0, None)),
        ({"max_pages": 1000, "max_bytes": 10_000_000}, Rates(), Limit("bytes", 5_000_000, 10_000_000, 50.0, None)),
        ({"max_pages": 200}, Rates(), Limit("pages", 250, 200, 100.0, 0.0)),
        ({"max_time_s": 0.0}, RATES, Limit("time", 60.0, 0.0, 100.0, 0.0)),
    ],
)
def test_the_limit_that_will_be_reached_first_is_told(
    settings: dict[str, Any], rates: Rates, limit: Limit | None
) -> None:
    assert limit_of(COUNTERS, CrawlConfig(**settings), 60.0, rates) == limit
