"""The table of known ids against a dict: it may forget the oldest, and is never wrong."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.seen.ids import url_ids
from weft.seen.known_ids import GROUP_BYTES, GROUP_RECORDS, MOST_DEPTH, KnownIds
from weft.url import ID_BYTES

# Ids that are like the end of one record and the beginning of the next.
LIKE_EACH_OTHER = [bytes([first]) + b"\1" * 14 + bytes([last]) for first in range(3) for last in range(3)]
LIKE_NONE = bytes(ID_BYTES)  # as a place looks that nobody has, or nobody any more
IDS = [*LIKE_EACH_OTHER, LIKE_NONE, *url_ids(5)]
steps = st.tuples(st.sampled_from(IDS), st.one_of(st.integers(0, 3), st.sampled_from([MOST_DEPTH, MOST_DEPTH + 1, -1])))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(steps, max_size=40))
def test_every_answer_is_that_of_a_dict(changes: list[tuple[bytes, int]]) -> None:
    known, depths = KnownIds(1), dict[bytes, int]()
    assert len(IDS) <= GROUP_RECORDS  # none is forgotten
    for url_id, depth in changes:
        if depth < 0:
            known.remove(url_id)
            depths.pop(url_id, None)
        else:
            known.put(url_id, depth)
            depths[url_id] = depth
    kept = {one: depth for one, depth in depths.items() if depth <= MOST_DEPTH}
    assert {one: known.depth(one) for one in IDS} == {one: kept.get(one) for one in IDS}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.dictionaries(st.sampled_from(IDS), st.sampled_from([0, 1, 2, MOST_DEPTH, MOST_DEPTH + 1])), max_size=8)
)
def test_several_put_in_at_once_are_as_one_by_one(changes: list[dict[bytes, int]]) -> None:
    at_once, one_by_one = KnownIds(1), KnownIds(1)
    for depths in changes:
        at_once.put_all(depths)
        for url_id, depth in depths.items():
            one_by_one.put(url_id, depth)
    assert [at_once.depth(one) for one in IDS] == [one_by_one.depth(one) for one in IDS]


def test_a_full_group_forgets_its_oldest_id() -> None:
    known, ids = KnownIds(GROUP_BYTES), url_ids(GROUP_RECORDS + 2)
    for url_id in ids:
        known.put(url_id, 7)
    assert [known.depth(url_id) for url_id in ids] == [None, None] + [7] * GROUP_RECORDS


def test_ids_that_have_room_are_all_kept() -> None:
    ids = url_ids(5_000)
    known = KnownIds(4 * GROUP_BYTES * len(ids) // GROUP_RECORDS)  # groups are filled by chance: four times as much
    for url_id in ids:
        known.put(url_id, 1)
    assert all(known.depth(url_id) == 1 for url_id in ids)
    known.clear()
    assert not any(known.depth(url_id) for url_id in ids)
