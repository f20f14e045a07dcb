"""Hosts are blocked and unblocked at any moment: none is asked while it is, none too early, and no page is lost."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scratch import scratch_folder
from weft.errors import HostParked
from weft.frontier import BLOCKED, Preparation, SideTurn
from weft.types import Visit
from weft.url import host_of, origin_of

from .rig import PREPARED, Rig

HOSTS = [f"h{number}.example" for number in range(3)]
DELAY_S = 1.0
MOVES = [
    "put", "put", "turn", "turn", "turn", "turn", "prepared", "unprepared", "answered", "answered", "page", "page",
    "block", "block", "unblock", "unblock", "wait", "crash", "hold", "ask_robots", "robots_came",
]  # fmt: skip


class BlockedNowAndThen:
    """A frontier and the little that must be true of it."""

    def __init__(self, path: Path, *, connections: int, hosts_in_memory: int) -> None:
        self.rig = Rig(path, delay_s=DELAY_S, connections=connections, hosts_in_memory=hosts_in_memory)
        self.found = 0
        self.queued: set[str] = set()
        self.done: list[str] = []
        self.blocked: set[str] = set()
        self.crash(0)

    def put(self, number: int) -> None:
        self.found += 1
        url = f"{('http', 'https')[number // 3 % 2]}://{_host(number)}/{self.found}"
        self.queued.add(url)
        self.rig.put(url)

    def turn(self, number: int) -> bool:
        match turn := self.rig.frontier.next():
            case None:
                return False
            case Preparation():
                assert turn not in self.preparing, "one preparation at a time"
                self.preparing.append(turn)
            case SideTurn():
                self.asking.append(turn)
            case Visit():
                assert turn.link.url in self.queued
                assert turn.key not in {visit.key for visit in self.visiting + self.reading}
                self.visiting.append(turn)
        assert turn.host not in self.blocked
        assert self.rig.clock.now >= self.earliest.get(turn.host, 0.0), "too early"
        if not isinstance(turn, SideTurn):
            authority = turn.authority if isinstance(turn, Preparation) else origin_of(turn.link.url)
            assert self.rig.clock.now >= self.earliest.get(authority, 0.0), "too early"
        return True

    def prepared(self, number: int) -> None:
        if self.preparing:
            turn = self.preparing.pop(number % len(self.preparing))
            self.rig.frontier.clear(turn.host, turn.authority, PREPARED)
            self.interrupted.discard(turn)

    def unprepared(self, number: int) -> None:
        if self.preparing:
            turn = self.preparing.pop(number % len(self.preparing))
            if turn in self.interrupted and number // 3 % 2:  # its request for robots.txt was not made
                self.rig.frontier.fail_preparation(turn.host, turn.authority)
            else:
                self.rig.fail_preparation(turn.authority, 10.0, "no robots.txt")
                self._rests(turn.authority, 10.0)
            self.interrupted.discard(turn)

    def answered(self, number: int) -> None:
        if self.visiting:
            visit = self.visiting.pop(number % len(self.visiting))
            self.rig.frontier.release(visit, answered=True)
            self.reading.append(visit)
            self._rests(visit.host, DELAY_S)

    def page(self, number: int) -> None:
        if self.reading:
            visit = self.reading.pop(number % len(self.reading))
            self.rig.finish(visit)
            self.queued.remove(visit.link.url)
            self.done.append(visit.link.url)

    def ask_robots(self, number: int) -> None:
        turn = self.rig.side_turn(_host(number))
        try:
            self.rig.frontier.ask_for_turn(turn)
        except HostParked:
            assert turn.host in self.blocked

    def robots_came(self, number: int) -> None:
        if self.asking:
            turn = self.asking.pop()
            self.rig.frontier.release(turn, answered=False)
            self._rests(turn.host, DELAY_S)

    def hold(self, number: int) -> None:
        """As the answer to a request that began before the block may have it."""
        host, seconds = _host(number), (3.0, 20.0, 90.0)[number // 3 % 3]
        authority = "" if number % 2 else f"https://{host}"
        self.rig.frontier.hold(host, seconds, "it asked for that", authority=authority)
        self._rests(authority or host, seconds)

    def block(self, number: int) -> None:
        self.blocked.add(host := _host(number))
        self.rig.blocked = tuple(self.blocked)
        self.rig.frontier.residents.block(host)
        self.rig.frontier.park(host, 0.0, BLOCKED)
        self.interrupted |= {turn for turn in self.preparing if turn.host == host}

    def unblock(self, number: int) -> None:
        self.blocked.discard(host := _host(number))
        self.rig.blocked = tuple(self.blocked)
        self.rig.frontier.residents.unblock(host)

    def wait(self, number: int) -> None:
        self.rig.clock.advance((1.0, 5.0, 40.0)[number % 3])

    def crash(self, number: int) -> None:
        self.rig.restart()
        self.preparing: list[Preparation] = []
        self.interrupted: set[Preparation] = set()  # of these, while their hosts were blocked
        self.asking: list[SideTurn] = []
        self.visiting: list[Visit] = []
        self.reading: list[Visit] = []
        self.earliest: dict[str, float] = {}  # what of rests is stored, test_model.py knows

    def check(self) -> None:
        """A crawl must not end now, if something can be asked."""
        if self.visiting or self.reading or any(host_of(url) not in self.blocked for url in self.queued):
            assert self.rig.frontier.has_work()

    def drain(self) -> None:
        """All that may be visited is."""
        for _ in range(5_000):
            while self.preparing or self.asking or self.visiting or self.reading:
                for move in (self.prepared, self.robots_came, self.answered, self.page):
                    move(0)
            if not self.turn(0):
                if not self.rig.frontier.has_work():
                    return
                wait_s = self.rig.frontier.seconds_to_next()
                assert wait_s is not None, "there is work, but neither a turn nor a time to wait for"
                self.rig.clock.advance(wait_s)
        raise AssertionError("the crawl does not end")

    def _rests(self, who: str, seconds: float) -> None:
        self.earliest[who] = max(self.earliest.get(who, 0.0), self.rig.clock.now + seconds)


def _host(number: int) -> str:
    return HOSTS[number % len(HOSTS)]


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    st.sampled_from([1, 2]),
    st.sampled_from([100, 1, 2]),
    st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 35)), min_size=10, max_size=70),
)
def test_a_blocked_host_is_never_asked_and_all_its_pages_come_after_the_block(
    connections: int, hosts_in_memory: int, moves: list[tuple[str, int]]
) -> None:
    with scratch_folder() as folder:
        crawl = BlockedNowAndThen(folder / "db", connections=connections, hosts_in_memory=hosts_in_memory)
        try:
            for name, number in moves:
                getattr(crawl, name)(number)
                crawl.check()
            crawl.drain()
            assert {host_of(url) for url in crawl.queued} <= crawl.blocked
            for number in range(len(HOSTS)):
                crawl.unblock(number)
            crawl.drain()
            assert (crawl.queued, sorted(crawl.done)) == (set(), sorted(set(crawl.done)))
            assert not crawl.rig.frontier.parked.count
            crawl.rig.forget_idle_hosts()
            assert (crawl.rig.wake_hosts(), crawl.rig.host_rows(), crawl.rig.queued_hosts()) == ([], [], set())
        finally:
            crawl.rig.state.close()
