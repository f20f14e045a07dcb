from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.frontier.rig import Rig
from tests.scratch import scratch_folder


@pytest.fixture
def make_rig() -> Iterator[Callable[..., Rig]]:
    """Rigs with settings of their own, closed after the test."""
    rigs: list[Rig] = []
    with scratch_folder() as folder:

        def make(**settings: object) -> Rig:
            rigs.append(Rig(folder / f"db{len(rigs)}", **settings))  # type: ignore[arg-type]
            return rigs[-1]

        yield make
        for rig in rigs:
            rig.state.close()


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    """One connection a host, a second between requests."""
    return make_rig()
