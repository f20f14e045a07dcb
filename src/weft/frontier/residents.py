"""The hosts in memory, and how they come from the disk and go back there.

A host leaves memory when nothing of it is queued, when it is left for another run, when it has to rest long, or when it
has been here for a while and others want its place: so each has its turn, however many and however large they are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import inf

import msgspec

from weft.clock import Clock
from weft.errors import HostGivenUp
from weft.frontier.heap import NO_TICKET
from weft.frontier.host import Host, HostState
from weft.frontier.lane import lane_name, lane_number
from weft.frontier.manners import BLOCKED, Manners
from weft.frontier.parked import Parked
from weft.frontier.rows import HostRow, HostRows, LaneRow
from weft.frontier.sleepers import Sleepers
from weft.state import State
from weft.url import BUCKETS, bucket_of

# A host that rests this long makes room for others, if others need it.
LONG_REST_S = 30.0
# So does one that has been in memory this long.
STINT_S = 60.0
LOOK_AGAIN_S = 1.0  # for room in memory, when it is full of hosts


class Residents:
    """Keeps `hosts` within its bound. Where a host that came belongs is the frontier's to say (`place`)."""

    def __init__(
        self,
        state: State,
        clock: Clock,
        manners: Manners,
        parked: Parked,
        place: Callable[[Host], None],
        *,
        bound: int,
    ) -> None:
        self._clock = clock
        self._manners = manners
        self._parked = parked
        self._place = place
        self._bound = bound
        self.hosts: dict[str, Host] = {}  # in the order in which they came
        self.new: set[str] = set()  # hosts of the batch that nobody has asked yet
        self.rows = HostRows(state)
        self._run = _begin_run(state)
        self._sleepers = Sleepers(self.rows, clock, parked, run=self._run, max_host_wait_s=manners.max_host_wait_s)
        # When the hosts on disk were last asked is not known: assume that it was just now.
        self._started_at = clock.monotonic()
        self._adopted_at: array[float] | None = None  # likewise of each bucket, if any was adopted: since when
        self._is_crowded = False  # hosts on disk wait for room

    @property
    def wakes_at(self) -> float:
        """When `wake_some` is to be called; inf when nobody sleeps."""
        return self._sleepers.at

    def lane_for(self, name: str, authority: str) -> int:
        """The lane in which an authority's URLs are queued, added if need be, in memory or in the host's row."""
        host = self.hosts.get(name)
        if host is not None:
            if host.lanes and host.lanes[0].authority == authority:  # nearly always
                return 0
            number = lane_number(authority, host.lanes)
            if number == len(host.lanes):
                host.add_lane(authority, is_new=True)
                self.remember(host)
            return number
        row = self.rows.get(name)
        if row is None:
            self.new.add(name)
            row = HostRow(self._clock.wall())
        number = lane_number(authority, row.lanes)
        if number == len(row.lanes):
            lanes = (*row.lanes, LaneRow(lane_name(authority, number)))
            self.rows.set(name, msgspec.structs.replace(row, lanes=lanes))
        elif row.lanes[number].is_done:
            self.rows.set(name, row.with_links_in(number))
        return number

    # ── coming ─────────────────────────────────────────────────────────────────────────────────────────

    def load(self, name: str) -> None:
        """Bring a host that has queued URLs, if there is room and nobody has waited longer for it."""
        if (row := self.rows.get(name)) is None or row.is_left or self.rows.is_given_up(name):
            return
        if self._is_crowded or len(self.hosts) >= self._bound:
            self._sleepers.look_by(self._clock.monotonic() + LOOK_AGAIN_S)
        elif (host := self._bring(name, row)) is not None:
            self._place(host)

    def get(self, name: str) -> Host | None:
        """A host, brought here if need be, queued URLs or not; None when it is left for another run, or blocked.

        Who asks for one that came has it placed.
        """
        if name not in self.hosts and name not in self._manners.hosts.blocked:
            if (row := self.rows.get(name)) is not None:
                self._bring(name, row)
            else:
                self.hosts[name] = self._new_host(name)
                # A row all the same: links may come while it is here, and a resume finds only hosts that have one.
                self.rows.set(name, HostRow(self._clock.wall()))
            self.rows.flush()
        return self.hosts.get(name)

    def wake_some(self, now: float) -> None:
        """Bring hosts whose time has come, as far as there is room, or others have had their time."""
        due = self._sleepers.due(self.hosts)
        missing = len(due) - (self._bound - len(self.hosts))
        if missing > 0:
            missing -= self._make_room(missing, now)
        self._is_crowded = missing > 0
        for key, name, row in due[: len(due) - max(0, missing)]:
            if (host := self._bring(name, row)) is not None:
                self._place(host)
            self._sleepers.woke(key)
        if self._is_crowded:
            self._sleepers.at = now + LOOK_AGAIN_S
        self.rows.flush()

    def recall(self, name: str, rest_s: float) -> Host | None:
        """A host that is not in memory as its row tells, which does not bring it there: `fall_asleep` has it written.

        None when there is neither a row nor a rest to be written down, or the host is another node's. One that was
        given up has its row until that takes it over.
        """
        if (row := self.rows.get(name)) is not None:
            return self._host_of(name, self._sleepers.take_up(name, row))
        return self._new_host(name) if rest_s > 0 and not self.rows.is_given_up(name) else None

    def _bring(self, name: str, row: HostRow) -> Host | None:
        """Have a host in memory, with the rests that its row tells; None when it is left, or blocked."""
        row = self._sleepers.take_up(name, row)
        if row.parked:
            return None
        if name in self._manners.hosts.blocked:
            self._leave_blocked(name, row)
            return None
        host = self.hosts[name] = self._host_of(name, row)
        if row.has_parked:
            self.remember(host)
        return host

    def _new_host(self, name: str) -> Host:
        manners = self._manners
        return Host(
            name,
            delay_s=manners.delay_of(name),
            connections=manners.connections_of(name),
            address_interval_s=manners.address_interval_of(name),
            came_at=self._clock.monotonic(),
        )

    def _host_of(self, name: str, row: HostRow) -> Host:
        host, now, wall = self._new_host(name), self._clock.monotonic(), self._clock.wall()
        if self._adopted_at is not None:  # another may have asked it before, of which nothing is known here
            host.asked_at = self._adopted_at[int.from_bytes(bucket_of(name), "big")]
        elif name not in self.new and row.rested != self._run:  # else its row knows the time
            host.asked_at = self._started_at
        is_of_this_run = row.run == self._run
        host.held_until = now + row.rest_at(wall)
        host.has_answered = row.has_answered
        host.failures = row.failures if is_of_this_run else 0
        if row.parked:
            host.state, host.why_held = HostState.PARKED, row.parked
        for one in row.lanes:
            lane = host.add_lane(one.authority, is_new=False)
            lane.held_until = now + one.rest_at(wall)
            lane.failures = one.failures if is_of_this_run else 0
            lane.parked = one.parked
        return host

    def adopt(self, first: bytes, last: bytes = b"") -> None:
        """The rows of a bucket's hosts, or of several up to the last one, are there: they have their turns now.

        Each as if it had just been asked.
        """
        last = last or first
        now = self._clock.monotonic()
        if self._adopted_at is None:
            self._adopted_at = array("d", [self._started_at]) * BUCKETS
        for bucket in range(int.from_bytes(first, "big"), int.from_bytes(last, "big") + 1):
            self._adopted_at[bucket] = now
        self.rows.give_up(first, last, given_up=False)
        self._sleepers.look_by(now)

    def rest(self, name: str, seconds: float, *, since: float = 0.0) -> None:
        """Have a row by which a host that is not in memory rests, as others have learned, perhaps a while ago."""
        now = self._clock.wall()
        row = self.rows.get(name) or HostRow(now)
        left_s = min(seconds, since + seconds - now) if since else seconds
        rest_s = max(row.rest_at(now), left_s, 0.0)
        self.rows.set(name, msgspec.structs.replace(row, held_until=now + rest_s, rest_s=rest_s))

    # ── what a person says of a host ───────────────────────────────────────────────────────────────────

    def set_delay(self, name: str, seconds: float | None) -> None:
        """From now on the host has this delay, or the crawl's; a longer one of its robots.txt holds all the same."""
        delays = self._manners.hosts.delays
        if seconds is None:
            delays.pop(name, None)
        else:
            delays[name] = seconds
        if (host := self.hosts.get(name)) is not None:
            host.delay_s = max(self._manners.delay_of(name), *(lane.delay_s for lane in host.lanes), 0.0)
            self._place(host)

    def block(self, name: str) -> None:
        """Leave a host that is not in memory, from now on; one that is there is the frontier's to park."""
        self._manners.hosts.blocked.add(name)
        if name not in self.hosts and (row := self.rows.get(name)) is not None:
            self._leave_blocked(name, self._sleepers.take_up(name, row))

    def _leave_blocked(self, name: str, row: HostRow) -> None:
        if not row.parked:
            self.rows.set(name, msgspec.structs.replace(row, parked=BLOCKED, run=self._run))
            self._parked.add(name, BLOCKED)

    def unblock(self, name: str) -> None:
        """The host has its turns again."""
        self._manners.hosts.blocked.discard(name)
        if self._parked.reasons.get(name) == BLOCKED:
            self._parked.remove(name)
        if (host := self.hosts.get(name)) is not None:  # something of it is still under way
            if host.why_held == BLOCKED:
                host.state, host.why_held = HostState.EMPTY, ""
                self.remember(host)
                self._place(host)
        elif (row := self.rows.get(name)) is not None and row.parked == BLOCKED:
            self.rows.set(name, msgspec.structs.replace(row.counted_from(self._clock.wall()), parked=""))
            self._sleepers.look_by(self._clock.monotonic())

    # ── going ──────────────────────────────────────────────────────────────────────────────────────────

    def makes_room(self, host: Host, rest_s: float) -> bool:
        """Whether the host, which has to rest so long, is better off on disk; if so, it is there from now on."""
        if not LONG_REST_S <= rest_s < inf or self.wakes_at == inf or host.is_under_way():
            return False
        self.fall_asleep(host)
        return True

    def fall_asleep(self, host: Host) -> None:
        """The host makes room: from now on it is on disk only."""
        self.remember(host, is_going=True)
        self.drop(host)
        if host.state is HostState.PARKED:
            return
        at, now = max(host.ready_at(), host.lanes_ready_at()), self._clock.monotonic()
        self._sleepers.look_by(max(at, now) if at < inf else now)

    def give_up(self, first: bytes, last: bytes = b"") -> bool:
        """Hand out nothing more of a bucket, or of several up to the last one. Who waits for a side turn waits in vain.

        False as long as something of them must still end; then the hosts have left memory and index, and rows may go.
        """
        last = last or first
        own = [host for host in self.hosts.values() if first <= bucket_of(host.name) <= last]
        for host in own:
            while host.side_turns:
                host.side_turns.pop(0).given.set_exception(HostGivenUp(f"{host.name} is given up"))
            if host.is_under_way():
                host.is_leaving = True
                self._place(host)
            else:
                self.fall_asleep(host)
        self.rows.give_up(first, last, given_up=True)
        return not any(host.name in self.hosts for host in own)

    def resting(self, first: bytes, last: bytes) -> list[tuple[str, float]]:
        """Hosts of buckets that were given up, and how long they must rest, if longer than each does when adopted."""
        now = self._clock.wall()
        rests = ((name, row.longest_rest_at(now)) for name, row in self.rows.of_buckets(first, last) if not row.parked)
        return [(name, rest_s) for name, rest_s in rests if rest_s > self._manners.delay_of(name)]

    def drop(self, host: Host) -> None:
        """The host leaves memory."""
        host.ticket = NO_TICKET
        self.hosts.pop(host.name, None)

    def remember(self, host: Host, *, is_going: bool = False) -> None:
        """Have a row that tells what a restart, or the host's next stint in memory, must know.

        Of a host that goes, also which authorities are done: while others are left, nothing is to be looked for there.
        """
        may_be_done = is_going and not host.outstanding and any(lane.parked for lane in host.lanes)
        now, wall = self._clock.monotonic(), self._clock.wall()
        rest_s = max(0.0, host.ready_at() - now)
        lanes = []
        for lane in host.lanes:
            lane_rest_s = max(0.0, lane.held_until - now)
            held_until = wall + lane_rest_s if lane_rest_s else 0.0
            is_done = may_be_done and not lane.parked and lane.is_exhausted()
            lanes.append(LaneRow(lane.authority, held_until, lane_rest_s, lane.failures, lane.parked, is_done))
        why = host.why_held if host.state is HostState.PARKED else ""
        self.rows.set(
            host.name,
            HostRow(wall + rest_s, rest_s, tuple(lanes), why, self._run, host.failures, host.has_answered),
        )

    def _make_room(self, wanted: int, now: float) -> int:
        """Let hosts that have been here long enough fall asleep, the first ones first; returns how many did."""
        made = 0
        for host in list(self.hosts.values()):
            if made == wanted or now - host.came_at < STINT_S:
                break
            if host.is_leaving or host.state is HostState.PARKED:
                continue
            if host.is_under_way():
                wanted -= 1
                host.is_leaving = True
                self._place(host)
            else:
                made += 1
                self.fall_asleep(host)
        return made


def _begin_run(state: State) -> int:
    """The number of this run, so that rows can tell whether they were written in it."""
    run = int.from_bytes(state.get("meta", b"run") or b"", "big") + 1
    batch = state.batch()
    batch.put("meta", b"run", run.to_bytes(8, "big"))
    state.write(batch)
    return run
