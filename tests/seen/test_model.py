"""The seen set against a dict: whatever is added, in whichever batches, with restarts in between."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scratch import scratch_folder
from tests.seen.ids import url_ids
from weft.seen import Found, Seen
from weft.state import State

IDS = url_ids(16)

batches = st.lists(st.tuples(st.sampled_from(IDS), st.integers(0, 6)), min_size=1, max_size=8)
restarts = st.sampled_from(["restart", "restart and rebuild"])


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.lists(st.one_of(batches, batches, restarts), max_size=10))
def test_every_answer_is_that_of_a_dict(steps: list[list[tuple[bytes, int]] | str]) -> None:
    depths: dict[bytes, int] = {}
    with scratch_folder() as folder:
        state = State(folder / "db")
        seen = Seen(state, is_new_crawl=True, known_ids_bytes=0)
        for step in steps:
            if isinstance(step, str):
                state.close()
                state = State(folder / "db")
                seen = Seen(state, is_new_crawl=False)
                if step.endswith("rebuild"):
                    asyncio.run(seen.rebuild_filter())
                continue
            batch = state.batch()
            for url_id, depth in step:
                assert seen.add(batch, url_id, depth) is expected(depths, url_id, depth)
                depths[url_id] = min(depth, depths.get(url_id, depth))
            state.write(batch)
            seen.settle()
        assert {url_id: seen.depth(url_id) for url_id in IDS} == {one: depths.get(one) for one in IDS}
        rows = {key: int.from_bytes(row, "big") for key, row in state.scan("seen")}
        state.close()
    assert rows == depths


def expected(depths: dict[bytes, int], url_id: bytes, depth: int) -> Found:
    if url_id not in depths:
        return Found.NEW
    return Found.NEARER if depth < depths[url_id] else Found.KNOWN
