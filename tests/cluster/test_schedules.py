"""Whatever happens to nodes, disks and servers: no URL is lost, and no two nodes ask one host.

The cluster's own code runs in a model of everything around it: see `tests/cluster/schedules`. A schedule that fails is
reproduced by its seed and its acts alone.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.cluster.schedules.schedule import NODES, Act, play

WHAT = (
    "start", "start", "leave", "kill", "cut power", "lose disk", "pause", "cut", "away", "lose acks", "slow",
)  # fmt: skip

acts = st.builds(
    Act,
    wait_s=st.sampled_from((0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0)),
    what=st.sampled_from(WHAT),
    node=st.integers(0, NODES - 1),
    much=st.sampled_from((1.3, 3.6, 6.1, 9.9, 15.5)),
    more=st.floats(0.0, 1.0),
)
schedules = st.builds(
    lambda first, later: [*(Act(0.0, "start", node) for node in range(first)), *later],
    st.integers(1, NODES),
    st.lists(acts, max_size=16),
)
seeds = st.integers(0, 1 << 30)
# The same ones each time: what others come upon, `make test-large` finds. Shrinking would take many minutes.
NO_SHRINKING = (Phase.explicit, Phase.generate)
WHATEVER = (HealthCheck.too_slow, HealthCheck.data_too_large)


@settings(
    max_examples=150,
    derandomize=True,
    phases=NO_SHRINKING,
    deadline=None,
    database=None,
    suppress_health_check=WHATEVER,
)
@given(seeds, schedules)
def test_no_url_is_lost_and_no_two_nodes_ask_one_host(seed: int, schedule: list[Act]) -> None:
    play(seed, schedule)


@pytest.mark.large
@settings(max_examples=10_000, deadline=None, database=None, suppress_health_check=WHATEVER)
@given(seeds, schedules)
def test_no_url_is_lost_in_ten_thousand_schedules(seed: int, schedule: list[Act]) -> None:
    play(seed, schedule)
