"""A crawl that does everything a crawl can do to its frontier, beside a model simple enough to be right.

Each move checks what the frontier answers: nothing handed out that is not queued, nothing twice at a time, nothing
too early, the best page of its host first, no host idle that could be asked, no authority kept back by another one
of its host. `drain` checks that all the rest comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.frontier.rig import ADDRESS, Rig
from weft.frontier import Clearance, Preparation, SideTurn
from weft.frontier.lane import MAX_LANES
from weft.state import Batch
from weft.state.keys import host_of_queue_key
from weft.types import Link, Visit
from weft.url import host_of, origin_of

HOSTS = [f"h{number}.example" for number in range(4)]
# More than there are lanes for: the last ones share one.
PORTS = [f":{8000 + number}" for number in range(MAX_LANES + 2)]
CRAWL_DELAY_S = {HOSTS[3]: 3.0}
MAX_HOST_WAIT_S = 100.0
DURABLE_WAIT_S = 5.0
RETRY = 1 << 20  # ranks behind every depth


class Choices:
    """One number as many small choices: what a move does, in a form that can be made simpler by making it smaller."""

    def __init__(self, number: int) -> None:
        self._number = number

    def pick(self, options: list[float]) -> float:
        """One of the options; the first for 0."""
        return options[self.below(len(options))]

    def below(self, bound: int) -> int:
        """A number below the bound."""
        self._number, choice = divmod(self._number, bound)
        return choice


class ModelledCrawl:
    """The rig and what it must agree with. Times are those of the fake clock."""

    def __init__(
        self, path: Path, *, connections: int, delay_s: float, hosts_in_memory: int, look_ups: int = 100
    ) -> None:
        self.rig = Rig(
            path,
            delay_s=delay_s,
            connections=connections,
            max_host_wait_s=MAX_HOST_WAIT_S,
            hosts_in_memory=hosts_in_memory,
            look_ups=look_ups,
        )
        self.look_ups = look_ups
        self.connections = connections
        self.delay_s = delay_s
        self.all_in_memory = hosts_in_memory >= len(HOSTS)
        self.sequence = 0
        self.queued: dict[str, tuple[int, int, float]] = {}  # URL → rank, sequence, not before
        self.active: list[Visit] = []  # requests under way
        self.ended: list[Visit] = []  # requests over, pages not committed
        self.awaited: set[bytes] = set()  # rows of those that must be committed before the host's next turn
        self.preparing: dict[str, Preparation] = {}  # by lane
        self.forget_everything()
        self.stored_holds: dict[str, float] = {}  # by host or lane
        self.maybe_stored: dict[str, float] = {}  # likewise, if a host that fell asleep took it along
        self.done: Counter[str] = Counter()

    def forget_everything(self) -> None:
        """What only lives in memory."""
        self.began_at = self.now
        self.earliest: dict[str, float] = {}  # a host or lane must not be asked before …
        self.latest: dict[str, float] = {}  # … and may be asked from here on
        self.asked_delay_s: dict[str, float] = {}
        self.cleared: dict[str, float] = {}  # authority or host → until when
        self.parked: set[str] = set()  # hosts and lanes, in this run: not asked again in it
        self.still_parked: set[str] = set()  # by an earlier run; one that comes into memory late may be asked
        self.new_holds: dict[str, float] = {}  # to be stored with the next commit

    @property
    def now(self) -> float:
        """The time."""
        return self.rig.clock.now

    # ── moves ──────────────────────────────────────────────────────────────────────────────────────────

    def nothing(self, choices: Choices) -> None:
        """Nothing happens."""

    def put(self, choices: Choices) -> None:
        """Links are found."""
        with self.commit() as batch:
            self._put_some(batch, choices)

    def page(self, choices: Choices) -> None:
        """A page is committed with the links on it."""
        if self.ended:
            visit = self.ended.pop(choices.below(len(self.ended)))
            with self.commit() as batch:
                self.rig.frontier.finish(batch, visit)
                self.done[visit.link.url] += 1
                if choices.below(2):
                    self._put_some(batch, choices)

    def turn(self, choices: Choices) -> None:
        """Ask whose turn it is."""
        self._take_turn()

    def refused(self, choices: Choices) -> None:
        """A visit turns out to need no request."""
        before = dict(self.earliest)
        visit = self._take_turn()
        if isinstance(visit, Visit):
            self.rig.frontier.cancel(visit)
            self.active.remove(visit)
            self.ended.append(visit)
            self.earliest[visit.host] = before.get(visit.host, 0.0)
            self.latest[visit.host] = self.now

    def answered(self, choices: Choices) -> None:
        """A response has come."""
        if self.active:
            self.ended.append(self._release(choices))

    def gave_up(self, choices: Choices) -> None:
        """A request failed for good."""
        if self.active:
            visit = self._release(choices)
            with self.commit() as batch:
                self.rig.frontier.finish(batch, visit)
                self.done[visit.link.url] += 1

    def failed(self, choices: Choices) -> None:
        """A request failed and is tried again; its host may have to rest."""
        if self.active:
            visit = self._release(choices)
            wait_s = choices.pick([1.0, 30.0])
            with self.commit() as batch:
                self.rig.frontier.retry(batch, visit, wait_s=wait_s)
                self._queue(visit.link.url, RETRY, self.now + wait_s)
            rest_s = choices.pick([0.0, 0.0, 2.0, 20.0, 2 * MAX_HOST_WAIT_S])
            if rest_s:
                self._hold(visit.host, rest_s, origin_of(visit.link.url) if choices.below(2) else "")

    def prepared(self, choices: Choices) -> None:
        """Address and robots rules of a host are known."""
        if self.preparing:
            lane = sorted(self.preparing)[choices.below(len(self.preparing))]
            self._clear(lane, holds_s=choices.pick([1000.0, 5.0]))

    def unreachable(self, choices: Choices) -> None:
        """The robots rules of an authority cannot be had now, or its host has no address."""
        if self.preparing:
            lane = sorted(self.preparing)[choices.below(len(self.preparing))]
            turn = self.preparing.pop(lane)
            self.rig.frontier.fail_preparation(turn.host, turn.authority)
            rest_s = choices.pick([2.0, 20.0, 2 * MAX_HOST_WAIT_S])
            self._hold(turn.host, rest_s, turn.authority if choices.below(4) else "")

    def wait(self, choices: Choices) -> None:
        """Time passes."""
        self.rig.clock.advance(choices.pick([1.0, 0.5, 10.0, 60.0]))

    def crash(self, choices: Choices) -> None:
        """The process dies; another one goes on."""
        self.rig.restart()
        recently_asked = {host for host, at in self.earliest.items() if at > self.now}
        recently_asked |= {visit.host for visit in self.active}
        for visit in self.active + self.ended:
            rank = RETRY if visit.link.attempts else visit.link.depth
            sequence = int.from_bytes(visit.key[-8:], "big")
            self.queued[visit.link.url] = (rank, sequence, visit.link.not_before)
        self.active, self.ended, self.awaited, self.preparing = [], [], set(), {}
        latest = self.latest  # a rest too short to be stored may have been so, with another
        # One that no commit has stored may be on disk all the same: a host that falls asleep takes it along.
        self.maybe_stored |= self.new_holds
        maybe_parked = {name for name, until in self.maybe_stored.items() if until - self.now > MAX_HOST_WAIT_S}
        self.forget_everything()
        self.still_parked |= maybe_parked
        for host in HOSTS:
            held_until = self.stored_holds.get(host, 0.0)
            self.earliest[host] = max(held_until, self.now + self.delay_s if host in recently_asked else 0.0)
            self.latest[host] = max(held_until, latest.get(host, 0.0), self.now + self._longest_delay_s(host))
        for name in latest.keys() | self.stored_holds.keys():
            held_until = self.stored_holds.get(name, 0.0)
            if name not in HOSTS:
                self.earliest[name], self.latest[name] = held_until, max(held_until, latest.get(name, 0.0))
            if held_until - self.now > MAX_HOST_WAIT_S:
                # A host that sleeps is looked at when it wakes: what is left of the rest may be short enough by then.
                (self.parked if name in self.rig.frontier.parked.reasons else self.still_parked).add(name)
        assert self.rig.frontier.sequence == self.sequence

    # ── checks ─────────────────────────────────────────────────────────────────────────────────────────

    def check(self) -> None:
        """What must hold at any time."""
        on_disk = Counter(host_of_queue_key(key) for key, _ in self.rig.state.scan("queue"))
        unfinished = [*self.queued, *(visit.link.url for visit in self.active + self.ended)]
        assert on_disk == Counter(host_of(url) for url in unfinished)
        wake_hosts = self.rig.wake_hosts()
        assert sorted(wake_hosts) == self.rig.host_rows(), "each host row has its wake row"
        assert set(on_disk) <= set(wake_hosts)
        may_go_on = any(not self._is_parked(url) for url in self.queued)
        if may_go_on or self.active or self.ended:
            assert self.rig.frontier.has_work()

    def drain(self) -> None:
        """Bring everything to its end, this run's part and then what was left for another one."""
        self._finish_run()
        assert all(map(self._is_parked, self.queued))
        while self.queued:
            self.rig.clock.advance(2 * MAX_HOST_WAIT_S)
            self.crash(Choices(0))
            self._finish_run()
        assert set(self.done.values()) <= {1}, "each page is committed once"
        self.rig.clock.advance(10 * MAX_HOST_WAIT_S)
        self.crash(Choices(0))
        self._finish_run()
        self.rig.forget_idle_hosts()
        assert (self.rig.wake_hosts(), self.rig.host_rows(), self.rig.queued_hosts()) == ([], [], set())

    def _finish_run(self) -> None:
        for _ in range(10_000):
            for lane in list(self.preparing):
                self._clear(lane, holds_s=1000.0)
            while self.active:
                self.answered(Choices(0))
            while self.ended:
                self.page(Choices(0))
            if self._take_turn() is None:
                if not self.rig.frontier.has_work():
                    with self.commit():
                        return
                wait_s = self.rig.frontier.seconds_to_next()
                assert wait_s is not None, "there is work, but neither a turn nor a time to wait for"
                self.rig.clock.advance(wait_s)
        raise AssertionError("the crawl does not end")

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def commit(self) -> Iterator[Batch]:
        """A commit of the rig, after which holds are stored."""
        with self.rig.commit() as batch:
            yield batch
        self.stored_holds |= self.new_holds
        self.new_holds.clear()

    def _put_some(self, batch: Batch, choices: Choices) -> None:
        for _ in range(1 + choices.below(3)):
            host = HOSTS[choices.below(len(HOSTS))]
            scheme, port = [("http", ""), ("http", ""), ("https", ""), ("http", PORTS[0])][choices.below(4)]
            depth = choices.below(4)
            url = f"{scheme}://{host}{port}/{self.sequence + 1}"
            self.rig.frontier.put(batch, host, Link(url, depth))
            self._queue(url, depth, 0.0)

    def ports(self, choices: Choices) -> None:
        """Links to many ports of a host."""
        host = HOSTS[choices.below(len(HOSTS))]
        with self.commit() as batch:
            for port in PORTS[1:]:
                url = f"http://{host}{port}/{self.sequence + 1}"
                self.rig.frontier.put(batch, host, Link(url, 3))
                self._queue(url, 3, 0.0)

    def _queue(self, url: str, rank: int, not_before: float) -> None:
        self.sequence += 1
        self.queued[url] = (rank, self.sequence, not_before)

    def _is_parked(self, url: str) -> bool:
        return not {host_of(url), self.rig.lane_of(url)}.isdisjoint(self.parked | self.still_parked)

    def _release(self, choices: Choices) -> Visit:
        visit = self.active.pop(choices.below(len(self.active)))
        is_answered, is_awaited = bool(choices.below(2)), bool(choices.below(2))
        self.rig.frontier.release(visit, answered=is_answered, is_awaited=is_awaited)
        if is_awaited:
            self.awaited.add(visit.key)
        self._not_before(visit.host, self.now + self.asked_delay_s[visit.host])
        return visit

    def _hold(self, host: str, seconds: float, authority: str = "") -> None:
        name = self.rig.lane_of(f"{authority}/") if authority else host
        self.rig.frontier.hold(host, seconds, "why", authority=authority)
        self._not_before(name, self.now + seconds)  # in the next run, if it is left in this one
        if seconds >= DURABLE_WAIT_S:
            longest = max(self.now + seconds, self.stored_holds.get(name, 0.0), self.new_holds.get(name, 0.0))
            self.new_holds[name] = longest
        if seconds > MAX_HOST_WAIT_S:
            self.parked.add(name)
            # It may leave memory now, and come back with new links: as if it had been asked when this run began.
            self.latest[host] = max(self.latest.get(host, 0.0), self.began_at + self._longest_delay_s(host))

    def _clear(self, lane: str, *, holds_s: float) -> None:
        turn = self.preparing.pop(lane)
        host, authority = turn.host, turn.authority
        clearance = Clearance((ADDRESS,), holds_s, delay_s=CRAWL_DELAY_S.get(host, 0.0))
        self.rig.frontier.clear(host, authority, clearance)
        self.asked_delay_s[host] = max(self.delay_s, clearance.delay_s)
        self.cleared[authority] = self.cleared[host] = self.now + holds_s

    def _longest_delay_s(self, host: str) -> float:
        return max(self.delay_s, CRAWL_DELAY_S.get(host, 0.0))

    def _not_before(self, host: str, at: float) -> None:
        self.earliest[host] = max(self.earliest.get(host, 0.0), at)
        self.latest[host] = max(self.latest.get(host, 0.0), at)

    def _take_turn(self) -> Visit | Preparation | None:
        turn = self.rig.frontier.next()
        if turn is None:
            self._check_that_nobody_could_be_asked()
            return None
        assert not isinstance(turn, SideTurn), "nobody asked for one"
        host = turn.host
        lane = self.rig.lane_of(f"{turn.authority}/" if isinstance(turn, Preparation) else turn.link.url)
        assert {host, lane}.isdisjoint(self.parked)
        assert lane not in self.preparing
        self.still_parked -= {host, lane}
        assert self._turns_taken()[host] < self.connections
        assert self.now >= self.earliest.get(host, 0.0), "too early"
        assert self.now >= self.earliest.get(lane, 0.0), "too early"
        if isinstance(turn, Preparation):
            self.preparing[lane] = turn
        else:
            self._check_visit(turn)
            del self.queued[turn.link.url]
            self.active.append(turn)
            self.earliest[host] = self.latest[host] = self.now + self.asked_delay_s[host]
        return turn

    def _check_visit(self, visit: Visit) -> None:
        url = visit.link.url
        assert url in self.queued, "handed out twice, or never queued"
        assert host_of(url) == visit.host
        assert self._is_cleared(origin_of(url), visit.host)
        rank, _, not_before = self.queued[url]
        assert self.now >= not_before
        assert (rank == RETRY) == bool(visit.link.attempts)
        best = min(place for other, place in self.queued.items() if other == url or self._could_go(other, visit.host))
        assert rank == best[0], "a better page of the host is queued"
        assert rank == RETRY or self.queued[url] == best, "an older page of the same rank is queued"

    def _check_that_nobody_could_be_asked(self) -> None:
        busy = self._turns_taken()
        for url, (rank, _, _) in self.queued.items() if self.all_in_memory else ():
            host = host_of(url)
            if busy[host] < self.connections and self._could_go(url, host) and not self._may_wait_for_look_up(host):
                waits_for_retry = rank == RETRY and self._has_undue_retry(host)
                assert self.now < self.latest.get(host, 0.0) or waits_for_retry, f"{host} is idle"

    def _may_wait_for_look_up(self, host: str) -> bool:
        looked_up = {turn.host for turn in self.preparing.values()}
        return self.now >= self.cleared.get(host, 0.0) and len(looked_up) >= self.look_ups

    def _turns_taken(self) -> Counter[str]:
        awaited = [visit for visit in self.ended if visit.key in self.awaited]
        return Counter(visit.host for visit in self.active + awaited)

    def _could_go(self, url: str, host: str) -> bool:
        """Whether a URL is one of the host's, and nothing but the host itself can keep it back."""
        if host_of(url) != host or self._is_parked(url):
            return False
        rank, _, not_before = self.queued[url]
        lane = self.rig.lane_of(url)
        is_due = rank != RETRY or not_before <= self.now
        return is_due and lane not in self.preparing and self.now >= self.latest.get(lane, 0.0)

    def _has_undue_retry(self, host: str) -> bool:
        return any(host_of(url) == host and at > self.now for url, (_, _, at) in self.queued.items())

    def _is_cleared(self, authority: str, host: str) -> bool:
        return self.now < min(self.cleared.get(authority, 0.0), self.cleared.get(host, 0.0))
