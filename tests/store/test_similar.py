"""Near duplicates, found by their fingerprints."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from weft.state import State
from weft.store.similar import MAX_CANDIDATES, NEAR_BITS, NearDuplicates

ONE, OTHER, THIRD = (bytes([n]) * 16 for n in (1, 2, 3))
FINGERPRINT = 0x3F2A_91C0_07DE_B514


@pytest.fixture
def state(folder: Path) -> Iterator[State]:
    state = State(folder / "db")
    yield state
    state.close()


@pytest.fixture
def similar(state: State) -> NearDuplicates:
    return NearDuplicates(state)


def add(state: State, similar: NearDuplicates, *pages: tuple[bytes, int]) -> None:
    """Add all in one batch and write it."""
    batch = state.batch()
    for url_id, simhash in pages:
        similar.add(batch, url_id, simhash)
    state.write(batch)
    similar.settle()


def flipped(fingerprint: int, *bits: int) -> int:
    for bit in bits:
        fingerprint ^= 1 << bit
    return fingerprint


# ── what is found ──────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_like_the_first_page(similar: NearDuplicates) -> None:
    assert similar.find(FINGERPRINT) is None


def test_every_page_within_three_bits_is_found(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    assert similar.find(FINGERPRINT) == ONE
    chance = random.Random(1)
    for bits in chance.sample(list(combinations(range(64), NEAR_BITS)), 2_000):
        assert similar.find(flipped(FINGERPRINT, *bits)) == ONE


@pytest.mark.parametrize("bits", [(0, 1, 2, 3), (0, 16, 32, 48), (60, 61, 62, 63), tuple(range(64))])
def test_a_page_further_away_is_not_found(state: State, similar: NearDuplicates, bits: tuple[int, ...]) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    assert similar.find(flipped(FINGERPRINT, *bits)) is None


@pytest.mark.parametrize("fingerprint", [1, (1 << 64) - 1, 0xFFFF, 0xFFFF << 48])
def test_a_fingerprint_at_the_edge_is_found(state: State, similar: NearDuplicates, fingerprint: int) -> None:
    add(state, similar, (ONE, fingerprint), (OTHER, FINGERPRINT))
    assert similar.find(fingerprint) == ONE


def test_ids_at_the_ends_of_their_range_are_found(state: State, similar: NearDuplicates) -> None:
    first, last = bytes(16), b"\xff" * 16
    add(state, similar, (first, FINGERPRINT), (last, ~FINGERPRINT & (1 << 64) - 1))
    assert similar.find(FINGERPRINT) == first
    assert similar.find(~FINGERPRINT & (1 << 64) - 1) == last


def test_a_page_is_not_its_own_duplicate(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    assert similar.find(FINGERPRINT, besides=ONE) is None
    add(state, similar, (OTHER, FINGERPRINT))
    assert similar.find(FINGERPRINT, besides=ONE) == OTHER


def test_pages_without_text_are_like_no_other(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, 0))
    assert similar.find(0) is None
    assert list(state.scan("similar")) == []


def test_what_is_found_agrees_with_comparing_all(state: State, similar: NearDuplicates) -> None:
    chance = random.Random(2)
    known: dict[bytes, int] = {}
    for _ in range(600):
        near_one = known and chance.random() < 0.5
        start = chance.choice(list(known.values())) if near_one else chance.getrandbits(64)
        fingerprint = flipped(start, *chance.sample(range(64), chance.randrange(6)))
        near = {url_id for url_id, other in known.items() if (other ^ fingerprint).bit_count() <= NEAR_BITS}
        found = similar.find(fingerprint)
        assert found in near if near else found is None
        url_id = chance.randbytes(16)
        add(state, similar, (url_id, fingerprint))
        known[url_id] = fingerprint


# ── before and after the write ─────────────────────────────────────────────────────────────────────────


def test_a_page_is_found_before_its_batch_is_written(state: State, similar: NearDuplicates) -> None:
    batch = state.batch()
    similar.add(batch, ONE, FINGERPRINT)
    assert similar.find(flipped(FINGERPRINT, 5, 40)) == ONE
    state.write(batch)
    similar.settle()
    assert similar.find(flipped(FINGERPRINT, 5, 40)) == ONE


def test_what_was_added_is_found_by_the_next_run(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    assert NearDuplicates(state).find(FINGERPRINT) == ONE


def test_a_removed_page_is_forgotten_at_once_and_leaves_no_row(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    batch = state.batch()
    similar.remove(batch, ONE, FINGERPRINT)
    assert similar.find(FINGERPRINT) is None
    state.write(batch)
    similar.settle()
    assert similar.find(FINGERPRINT) is None
    assert list(state.scan("similar")) == []


def test_a_page_that_changed_is_found_only_as_it_is_now(state: State, similar: NearDuplicates) -> None:
    now = flipped(FINGERPRINT, *range(20))
    add(state, similar, (ONE, FINGERPRINT))
    batch = state.batch()
    similar.remove(batch, ONE, FINGERPRINT)
    similar.add(batch, ONE, now)
    assert (similar.find(FINGERPRINT), similar.find(now)) == (None, ONE)
    state.write(batch)
    similar.settle()
    assert (similar.find(FINGERPRINT), similar.find(now)) == (None, ONE)


def test_others_are_found_beside_a_removed_page(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT), (OTHER, FINGERPRINT), (THIRD, FINGERPRINT))
    batch = state.batch()
    similar.remove(batch, ONE, FINGERPRINT)
    assert similar.find(FINGERPRINT) == OTHER


# ── bounds ─────────────────────────────────────────────────────────────────────────────────────────────


def test_of_a_long_run_only_the_beginning_is_looked_at(state: State, similar: NearDuplicates) -> None:
    """Pages that share one quarter with the page in question, and nothing else."""
    quarter = FINGERPRINT & 0xFFFF
    others = ~FINGERPRINT & (1 << 64) - 1 & ~0xFFFF | quarter
    add(state, similar, *((n.to_bytes(16), others) for n in range(MAX_CANDIDATES + 100)))
    assert similar.find(FINGERPRINT) is None
    assert similar.statistics() == {"candidates_seen": MAX_CANDIDATES, "runs_cut": 1}


def test_four_rows_are_written_for_a_page(state: State, similar: NearDuplicates) -> None:
    add(state, similar, (ONE, FINGERPRINT))
    row = FINGERPRINT.to_bytes(8)
    assert list(state.scan("similar")) == [
        (b"\0\x3f\x2a" + ONE, row),
        (b"\1\x91\xc0" + ONE, row),
        (b"\2\x07\xde" + ONE, row),
        (b"\3\xb5\x14" + ONE, row),
    ]
