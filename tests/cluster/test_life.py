"""A life from its first moment on, where no server is needed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from weft.cluster.life import Identity, Life
from weft.cluster.log import Log
from weft.cluster.shared import Settings, Shared
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.pipeline.context import Context
from weft.pipeline.doors import Inside
from weft.state import State


def test_a_life_keeps_to_the_shares_of_the_table_that_it_is_born_with(tmp_path: Path) -> None:
    """A node that was killed and is back within its lease finds the table as it was: it must not wait for another."""
    table = Table(64, nodes=["a", "b"], owners=[0] * 16 + [1] * 48)
    settings = Settings("id", CrawlConfig(rate=8), 64, 6.0)
    life = Life(Identity("a", "folder"), settings, cast(Log, None), cast(Shared, None), table, lambda: None)
    counters = SimpleNamespace(pages=0, seen=0, queued=0)
    config = SimpleNamespace(order="bfs")
    shares: list[float] = []
    rates: list[float] = []
    inside = SimpleNamespace(
        fetcher=SimpleNamespace(),
        frontier=SimpleNamespace(
            residents=SimpleNamespace(give_up=lambda first, last: None),
            holds=SimpleNamespace(),
            gates=SimpleNamespace(share=shares.append),
        ),
        pace=SimpleNamespace(share=rates.append),
        archive=SimpleNamespace(sync=None),
    )
    state = State(tmp_path / "state")
    try:
        life.doors(cast(Context, SimpleNamespace(state=state, counters=counters, config=config)))
        life.holdings.on_begin(cast(Inside, inside))
    finally:
        state.close()
    assert (shares, rates) == ([0.25], [2.0])
    assert [life.holdings.owner_of(bucket) for bucket in (0, 63)] == ["a", "b"]
