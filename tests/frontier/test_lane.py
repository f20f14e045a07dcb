"""A back queue against a plain list of its rows."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.scratch import scratch_folder
from weft.frontier.lane import Lane
from weft.state import State
from weft.state.keys import lane_prefix, queue_key

NAME = "a.example"
NUMBER = 1
NEIGHBOURS = (("a.exampl", 1), ("a.example.org", 1), ("a.example", 0), ("a.example", 2))


class BackQueue(RuleBasedStateMachine):
    """Rows come in any order of rank; the head is always the smallest that was not taken."""

    def __init__(self) -> None:
        super().__init__()
        self.leftovers = ExitStack()
        self.state = State(self.leftovers.enter_context(scratch_folder()) / "db")
        self.lane = Lane(NAME, NUMBER, "http://a.example", is_new=False)
        self.outstanding: set[bytes] = set()
        self.sequence = 0
        self.queued: set[bytes] = set()  # rows on disk that were not taken
        self.taken: list[bytes] = []

    @initialize(bound=st.integers(1, 4), rows=st.lists(st.integers(0, 3), max_size=8))
    def begin(self, bound: int, rows: list[int]) -> None:
        """Rows that were on disk before the host came into memory, and other hosts beside it."""
        self.bound = bound
        for rank in rows:
            self.write(rank)
        for name, number in NEIGHBOURS:
            batch = self.state.batch()
            batch.put("queue", queue_key(lane_prefix(name, number), 0, 1), b"not ours")
            self.state.write(batch)

    def write(self, rank: int) -> bytes:
        """Put a row on disk."""
        self.sequence += 1
        key = queue_key(lane_prefix(NAME, NUMBER), rank, self.sequence)
        batch = self.state.batch()
        batch.put("queue", key, b"link %d" % self.sequence)
        self.state.write(batch)
        self.queued.add(key)
        return key

    @rule(rank=st.integers(0, 3))
    def put(self, rank: int) -> None:
        """A link was queued."""
        key = self.write(rank)
        self.lane.put(key, b"link %d" % self.sequence, self.bound)

    @rule()
    def take(self) -> None:
        """The host's turn came."""
        head = self.lane.head(self.state, self.bound, self.outstanding)
        if not self.queued:
            assert head is None
            assert self.lane.is_exhausted()
            return
        assert head == (min(self.queued), self.state.get("queue", min(self.queued)))
        assert not self.lane.is_exhausted()
        key, _ = self.lane.heads.pop(0)
        self.outstanding.add(key)
        assert key == head[0]
        self.queued.remove(key)
        self.taken.append(key)

    @precondition(lambda self: self.taken)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        """A page was committed, not always in the order of the visits."""
        key = self.taken.pop(data.draw(st.integers(0, len(self.taken) - 1)))
        batch = self.state.batch()
        batch.delete("queue", key)
        self.state.write(batch)
        self.outstanding.discard(key)

    @invariant()
    def heads_are_all_the_rows_below_the_cursor(self) -> None:
        heads = [key for key, _ in self.lane.heads]
        assert heads == sorted(key for key in self.queued if key < self.lane.cursor)

    @invariant()
    def heads_are_bounded(self) -> None:
        assert len(self.lane.heads) <= getattr(self, "bound", 0)

    @invariant()
    def it_is_not_exhausted_while_anything_is_queued(self) -> None:
        if self.queued:
            assert not self.lane.is_exhausted()

    def teardown(self) -> None:
        self.state.close()
        self.leftovers.close()


TestBackQueue = BackQueue.TestCase
TestBackQueue.settings = settings(max_examples=50, stateful_step_count=40, deadline=None, derandomize=True)


def test_a_row_that_was_taken_is_not_met_again_when_nearer_rows_move_the_cursor_back() -> None:
    with scratch_folder() as folder:
        state = State(folder / "db")
        lane = Lane(NAME, NUMBER, "http://a.example", is_new=False)
        taken: list[bytes] = []
        for rank, sequence in ((3, 1), (0, 2), (0, 3)):
            key = queue_key(lane_prefix(NAME, NUMBER), rank, sequence)
            batch = state.batch()
            batch.put("queue", key, b"link")
            state.write(batch)
            lane.put(key, b"link", 1)
            if sequence == 1:
                assert lane.head(state, 1, set(taken)) is not None
                taken.append(lane.heads.pop(0)[0])
        while lane.head(state, 1, set(taken)) is not None:
            taken.append(lane.heads.pop(0)[0])
        state.close()
    assert taken == [queue_key(lane_prefix(NAME, NUMBER), *place) for place in ((3, 1), (0, 2), (0, 3))]
