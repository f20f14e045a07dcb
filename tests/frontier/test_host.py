"""A back queue against a plain list of its rows."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.scratch import scratch_folder
from weft.frontier.host import Host
from weft.frontier.keys import host_prefix, queue_key
from weft.state import State

NAME = "a.example"
NEIGHBOURS = ("a.exampl", "a.example.org")


class BackQueue(RuleBasedStateMachine):
    """Rows come in any order of rank; the head is always the smallest that was not taken."""

    def __init__(self) -> None:
        super().__init__()
        self.leftovers = ExitStack()
        self.state = State(self.leftovers.enter_context(scratch_folder()) / "db")
        self.host = Host(NAME, delay_s=1.0)
        self.sequence = 0
        self.queued: set[bytes] = set()  # rows on disk that were not taken
        self.taken: list[bytes] = []

    @initialize(bound=st.integers(1, 4), rows=st.lists(st.integers(0, 3), max_size=8))
    def begin(self, bound: int, rows: list[int]) -> None:
        """Rows that were on disk before the host came into memory, and other hosts beside it."""
        self.bound = bound
        for rank in rows:
            self.write(rank)
        for name in NEIGHBOURS:
            batch = self.state.batch()
            batch.put("queue", queue_key(host_prefix(name), 0, 1), b"not ours")
            self.state.write(batch)

    def write(self, rank: int) -> bytes:
        """Put a row on disk."""
        self.sequence += 1
        key = queue_key(host_prefix(NAME), rank, self.sequence)
        batch = self.state.batch()
        batch.put("queue", key, b"link %d" % self.sequence)
        self.state.write(batch)
        self.queued.add(key)
        return key

    @rule(rank=st.integers(0, 3))
    def put(self, rank: int) -> None:
        """A link was queued."""
        key = self.write(rank)
        self.host.put(key, b"link %d" % self.sequence, self.bound)

    @rule()
    def take(self) -> None:
        """The host's turn came."""
        head = self.host.head(self.state, self.bound)
        if not self.queued:
            assert head is None
            assert self.host.is_exhausted()
            return
        assert head == (min(self.queued), self.state.get("queue", min(self.queued)))
        assert not self.host.is_exhausted()
        key = self.host.take()
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
        self.host.outstanding.discard(key)

    @invariant()
    def heads_are_all_the_rows_below_the_cursor(self) -> None:
        heads = [key for key, _ in self.host.heads]
        assert heads == sorted(key for key in self.queued if key < self.host.cursor)

    @invariant()
    def heads_are_bounded(self) -> None:
        assert len(self.host.heads) <= getattr(self, "bound", 0)

    @invariant()
    def work_is_left_while_anything_is_queued_or_taken(self) -> None:
        if self.queued or self.taken:
            assert self.host.has_work()

    def teardown(self) -> None:
        self.state.close()
        self.leftovers.close()


TestBackQueue = BackQueue.TestCase
TestBackQueue.settings = settings(max_examples=50, stateful_step_count=40, deadline=None, derandomize=True)


def test_a_row_that_was_taken_is_not_met_again_when_nearer_rows_move_the_cursor_back() -> None:
    with scratch_folder() as folder:
        state = State(folder / "db")
        host = Host(NAME, delay_s=1.0)
        taken = []
        for rank, sequence in ((3, 1), (0, 2), (0, 3)):
            key = queue_key(host_prefix(NAME), rank, sequence)
            batch = state.batch()
            batch.put("queue", key, b"link")
            state.write(batch)
            host.put(key, b"link", 1)
            if sequence == 1:
                assert host.head(state, 1) is not None
                taken.append(host.take())
        while host.head(state, 1) is not None:
            taken.append(host.take())
        state.close()
    assert taken == [queue_key(host_prefix(NAME), *place) for place in ((3, 1), (0, 2), (0, 3))]
