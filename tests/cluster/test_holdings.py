"""Whose a link is, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.cluster.holdings import Holding, Holdings, Shares, Stage
from weft.cluster.outbox import Outbox
from weft.seen import Seen
from weft.state import State
from weft.types import FoundLink, Link
from weft.url import url_id

URL = "http://a.example/x"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "db")
    yield state
    state.close()


@pytest.mark.parametrize(("stage", "is_ours"), [(Stage.REPLAYING, False), (Stage.OWNED, True), (Stage.LEAVING, True)])
def test_a_link_into_a_bucket_that_is_still_replayed_goes_through_the_log(
    stage: Stage, is_ours: bool, state: State
) -> None:
    """Its page may be done, as the log will tell: queued before that, it would be visited again."""
    holdings = Holdings(Shares(64), Outbox(state), Seen(state, is_new_crawl=True, family="sent"))
    found = FoundLink(url_id(URL), "a.example", Link(URL, 1))
    holdings.held[holdings.shares.of_id(found.id)] = Holding(claim=7, stage=stage)
    batch = state.batch()
    assert list(holdings.ours(batch, [found])) == ([found] if is_ours else [])
    holdings.seal(batch)
    state.write(batch)
    _, rows = holdings.outbox.oldest(10)
    assert [one.claim for row in rows for one in row.found] == ([] if is_ours else [0])
