"""Whatever happens to nodes, disks and servers: no URL is lost, and no two nodes ask one host.

The cluster's own code runs in a model of everything around it: see `tests/cluster/schedules`. A schedule that fails is
reproduced by its seed and its acts alone.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.cluster.schedules.mutants import MUTANTS, Mutant
from tests.cluster.schedules.schedule import NODES, Act, drawn, play
from tests.cluster.schedules.servers import MemoryLog

WHAT = (
    "start", "start", "leave", "kill", "kill at", "cut power", "lose disk", "pause", "cut", "away", "lose acks",
    "lose requests", "slow", "drain", "undrain", "seeds",
)  # fmt: skip
MUTANTS_AT_ONCE = 9  # are found so early that each run of the tests can look for them
FOUND_WITHIN = 600  # schedules

acts = st.builds(
    Act,
    wait_s=st.sampled_from((0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0)),
    what=st.sampled_from(WHAT),
    node=st.integers(0, NODES - 1),
    much=st.sampled_from((1.3, 3.6, 6.1, 9.9, 15.5, 25.2)),
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
    max_examples=25,
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


def test_seeds_that_are_taken_just_before_the_end_are_visited() -> None:
    for seed in range(8):
        play(seed, drawn(seed, ("seeds", "start", "slow")))


def test_a_life_whose_first_question_to_the_log_is_not_answered_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[MemoryLog] = Counter()
    ends = MemoryLog.ends

    async def ends_but_at_first(log: MemoryLog) -> list[int]:
        asked[log] += 1
        if asked[log] == 2:  # the first one is its node's
            raise TimeoutError
        return await ends(log)

    monkeypatch.setattr(MemoryLog, "ends", ends_but_at_first)
    play(1, [Act(0.0, "start", 0)])
    assert max(asked.values()) > 2


def _is_found(mutant: Mutant, kinds: tuple[str, ...]) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        mutant(patch)
        for seed in range(FOUND_WITHIN):
            try:
                play(seed, drawn(seed, kinds))
            except Exception:
                return True
    return False


@pytest.mark.parametrize(("mutant", "kinds"), MUTANTS[:MUTANTS_AT_ONCE], ids=lambda one: getattr(one, "__name__", ""))
def test_a_rule_that_is_taken_out_is_missed(mutant: Mutant, kinds: tuple[str, ...]) -> None:
    assert _is_found(mutant, kinds)


@pytest.mark.large
@pytest.mark.parametrize(("mutant", "kinds"), MUTANTS[MUTANTS_AT_ONCE:], ids=lambda one: getattr(one, "__name__", ""))
def test_each_rule_that_is_taken_out_is_missed(mutant: Mutant, kinds: tuple[str, ...]) -> None:
    assert _is_found(mutant, kinds)
