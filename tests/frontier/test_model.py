"""Whatever happens in whichever order, crashes included: nothing is lost, nothing doubled, nobody pressed."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.frontier.model import Choices, ModelledCrawl
from tests.scratch import scratch_folder

# The first is what a failing example is made of where it does not matter.
MOVES = [
    "nothing", "put", "put", "turn", "turn", "turn", "turn", "prepared", "prepared", "answered", "page", "page",
    "failed", "failed", "gave_up", "ports", "refused", "unreachable", "wait", "wait", "crash",
]  # fmt: skip

moves = st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 50_000)), min_size=60, max_size=120)
# An authority is left for another run, and its host falls asleep with that before a commit says so.
LEFT_ASLEEP = [
    ("ports", 0), ("ports", 1), ("turn", 0), ("refused", 0), ("turn", 0), ("unreachable", 27278), ("wait", 0),
    ("crash", 0),
]  # fmt: skip

# A rest of the whole host that no commit has stored, and two deaths.
LEFT_TWICE = [
    ("ports", 31019), ("ports", 5394), ("turn", 493), ("turn", 2907), ("unreachable", 748), ("wait", 2286),
    ("crash", 1737), ("crash", 610),
]  # fmt: skip


@pytest.mark.parametrize("connections", [1, 2])
@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    st.sampled_from([1.0, 0.0, 10.0]),
    st.sampled_from([100, 1, 2]),
    st.sampled_from([100, 1]),
    moves,
)
@example(1.0, 1, 100, LEFT_ASLEEP)
@example(0.0, 1, 100, LEFT_TWICE)
def test_every_url_is_visited_once_and_no_host_too_early(
    connections: int, delay_s: float, hosts_in_memory: int, look_ups: int, moves: list[tuple[str, int]]
) -> None:
    with scratch_folder() as folder:
        crawl = ModelledCrawl(
            folder / "db",
            connections=connections,
            delay_s=delay_s,
            hosts_in_memory=hosts_in_memory,
            look_ups=look_ups,
        )
        try:
            for name, number in moves:
                getattr(crawl, name)(Choices(number))
                crawl.check()
            crawl.drain()
        finally:
            crawl.rig.state.close()
