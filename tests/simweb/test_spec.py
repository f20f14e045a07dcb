from __future__ import annotations

from typing import Any

import pytest

from weft.errors import BadInput
from weft.simweb import WebSpec


@pytest.mark.parametrize(
    "values",
    [
        {"hosts": 0},
        {"hosts": 10, "pages": 9},
        {"seed_hosts": 0},
        {"addresses": 0},
        {"latency_ms": (5.0, 1.0)},
        {"robots_share": 1.5},
        {"dead_share": -0.1},
        {"reset_share": 0.6, "stall_share": 0.6},
        {"tls_share": 2.0},
        {"robots_share": 0.5, "odd_robots_share": 0.3, "late_robots_share": 0.3},
        {"http10_share": 0.6, "chunked_share": 0.6},
        {"meta_nofollow_share": 0.6, "noindex_share": 0.6},
    ],
)
def test_a_web_that_cannot_be_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        WebSpec(**values)
