"""The frontier itself: hosts in memory, their turns, and the rows behind them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import msgspec

from weft.clock import Clock
from weft.errors import HostParked
from weft.frontier.gates import Gate, Gates
from weft.frontier.heap import TicketHeap, Tickets
from weft.frontier.holds import Holds
from weft.frontier.host import PARKED, READY, Host, HostState
from weft.frontier.lane import heads_of
from weft.frontier.look_ups import LOOK_UPS_AT_ONCE, LookUps
from weft.frontier.manners import DURABLE_WAIT_S, Manners
from weft.frontier.parked import Parked
from weft.frontier.places import Places
from weft.frontier.residents import Residents
from weft.frontier.turns import Clearance, Preparation, SideTurn
from weft.state import Batch, State
from weft.state.keys import LAST_RANK, lane_prefix, queue_key, rank_of
from weft.types import Link, Visit
from weft.url import id_of, origin_of

HOSTS_IN_MEMORY = 20_000  # some 3 KB each, with what other parts know of it
SIDE_RANK = -1  # of a host that is to be asked for something outside the queue: before all others

_encode = msgspec.msgpack.Encoder().encode
_decode_link = msgspec.msgpack.Decoder(Link).decode


class Frontier:
    """The queue of a crawl. Methods that take a batch become visible to `next` at `settle`, after the write.

    Where an authority is given, what is said holds for its URLs; where none is, for all of the host.
    """

    def __init__(
        self,
        state: State,
        clock: Clock,
        rank: Callable[[Link], int],
        manners: Manners,
        *,
        sequence: int,
        hosts_in_memory: int = HOSTS_IN_MEMORY,
        moves: bool = False,  # the order may change its mind about what waits
        patience: int | None = None,  # so does its age, after this many visits to its host
        look_ups: int = LOOK_UPS_AT_ONCE,
    ) -> None:
        self._state = state
        self._clock = clock
        self._rank = rank
        self._manners = manners
        self.sequence = sequence  # of the newest row; the caller stores it with each batch
        self._heads = heads_of(manners.most_connections)
        self.parked = Parked()
        # Front queue: hosts ready now, by the rank of their head. Filled by _place, emptied by next; bound: hosts.
        self._tickets = Tickets()
        self._ready: TicketHeap[Host] = TicketHeap(self._tickets)
        # Hosts and gates by the time they may go on. Filled by _place, emptied by _wake; bound: hosts and addresses.
        self._waiting: TicketHeap[Host | Gate] = TicketHeap(self._tickets)
        self.gates = Gates(
            self._waiting,
            connections=max(manners.connections_per_address, manners.connections_per_host),
            interval_s=manners.address_interval_s,
        )
        self._look_ups = LookUps(look_ups)
        # Of the batch under way, by queue key: host and row.
        self._put: dict[bytes, tuple[str, bytes]] = {}
        self._finished: list[tuple[str, bytes]] = []
        self._awaited: set[bytes] = set()  # rows whose turn lasts until they are finished; bound: outstanding rows
        self.residents = Residents(state, clock, manners, self.parked, self._place, bound=hosts_in_memory)
        self.holds = Holds(clock, manners, self.parked, self.residents, self._place)
        self._hosts = self.residents.hosts
        self.places = (
            Places(state, self._put, self._hosts, self._next_sequence, patience) if moves or patience else None
        )
        self.residents.wake_some(clock.monotonic())

    # ── what a commit does ─────────────────────────────────────────────────────────────────────────────

    def put(self, batch: Batch, host: str, link: Link) -> None:
        """Queue a link."""
        rank = LAST_RANK if link.attempts else self._rank(link)
        lane = self.residents.lane_for(host, origin_of(link.url))
        self.sequence += 1
        key = queue_key(lane_prefix(host, lane), rank, self.sequence, link.not_before)
        value = _encode(link)
        batch.put("queue", key, value)
        self._put[key] = host, value
        if self.places is not None:
            self.places.put(batch, host, link, key)

    def _next_sequence(self) -> int:
        self.sequence += 1
        return self.sequence

    def finish(self, batch: Batch, visit: Visit) -> None:
        """A visit is over for good: its row leaves the queue."""
        batch.delete("queue", visit.key)
        if self.places is not None:
            self.places.remove(batch, visit.host, visit.id, visit.key)
        self._finished.append((visit.host, visit.key))

    def retry(self, batch: Batch, visit: Visit, *, wait_s: float, is_repeat: bool = False) -> None:
        """A visit is made again after the wait: behind the host's other URLs, or among them if it is a mere repeat."""
        tries = {"attempts": visit.link.attempts + (not is_repeat), "not_before": self._clock.wall() + wait_s}
        standing = self.places and self.places.standing(visit.id)
        link = msgspec.structs.replace(visit.link, again=is_repeat, standing=standing, **tries)
        self.finish(batch, visit)
        self.put(batch, visit.host, link)

    def seal(self, batch: Batch) -> None:
        """Last before the write: add the rows of hosts that are new, or were held, parked or forgotten."""
        if self.places is not None:
            self.places.seal(batch)
        self.residents.rows.seal(batch)

    def settle(self) -> None:
        """The batch is written: let the hosts in memory follow."""
        if self.places is not None:
            self.places.settle()
        # First what came, then what left: a host that has both must not be forgotten in between.
        asleep = dict.fromkeys(name for name, _ in self._put.values() if name not in self._hosts)
        changed: dict[Host, None] = {}  # whose head may be another one now
        for key, (name, value) in self._put.items():
            if (host := self._hosts.get(name)) is not None:
                lane = host.lane_of_row(key)
                if lane.parked:
                    continue
                could_go_at = host.lanes_ready_at() if lane.is_exhausted() or lane.retry_at > -inf else -inf
                lane.put(key, value, self._heads)
                if self.places is not None:
                    changed[host] = None
                elif lane.ready_at() < could_go_at and could_go_at > self._clock.monotonic():
                    self._place(host)  # else it waits for something else, perhaps at a gate in its turn
        for host in changed:
            self._place(host)
        for name in asleep:  # after the puts: it reads its rows from the disk, the new ones among them
            self.residents.load(name)
        self._put.clear()
        self.residents.new.clear()
        for name, key in self._finished:
            host = self._hosts[name]
            host.outstanding.pop(key, None)
            if key in self._awaited:
                self._awaited.remove(key)
                host.active -= 1
                self._place(host)
            elif host.is_leaving or host.is_exhausted():
                self._place(host)
            self.holds.drop_if_parked(host)
        self._finished.clear()

    # ── whose turn it is ───────────────────────────────────────────────────────────────────────────────

    def next(self) -> Visit | SideTurn | Preparation | None:
        """What may be done now; None when no host is ready."""
        self._wake(self._clock.monotonic())
        while (host := self._next_host()) is not None:
            # Looked at again for each host: by an older time than _place's a lane that has just become ready is not,
            # and its host would go from one to the other for ever.
            now = self._clock.monotonic()
            turn = self._side_turn(host, now) if host.side_turns else self._turn(host, now)
            if turn is not None:
                return turn
        return None

    def _next_host(self) -> Host | None:
        """Whose robots.txt is to be asked for, else who has waited to be looked up, else who is ready by rank.

        In this order: else hosts would be looked up faster than they are asked, and all wait in between.
        """
        if not self._look_ups.waiting:
            return self._ready.pop()
        return self._ready.pop(up_to=SIDE_RANK) or self._look_ups.next(self._hosts) or self._ready.pop()

    def next_side_turn(self) -> SideTurn | None:
        """Likewise, of what is outside the queue."""
        self._wake(self._clock.monotonic())
        while (host := self._ready.pop(up_to=SIDE_RANK)) is not None:
            if (turn := self._side_turn(host, self._clock.monotonic())) is not None:
                return turn
        return None

    def ask_for_turn(self, turn: SideTurn) -> None:
        """Ask for a request outside the queue; `next` hands it out when host and address may be asked."""
        self._look_ups.leave(turn.host)
        host = self.residents.get(turn.host)
        if host is None or host.state is HostState.PARKED:
            raise HostParked(f"{turn.host} is left for another run")
        host.side_turns.append(turn)
        self._place(host)

    def seconds_to_next(self) -> float | None:
        """How long until somebody's turn: 0 when a host is ready; None when nothing waits for time to pass."""
        wait_s = 0.0 if self._ready.first() is not None else self.residents.wakes_at - self._clock.monotonic()
        if (wakes_at := self._waiting.first()) is not None:
            wait_s = min(wait_s, wakes_at - self._clock.monotonic())
        return None if wait_s == inf else max(0.0, wait_s)

    def release(
        self,
        turn: Visit | SideTurn,
        *,
        answered: bool,
        waited_s: float = 0.0,
        is_awaited: bool = False,
        reached: str = "",
    ) -> None:
        """A request has ended: its host's delay runs from now. `waited_s` is how long the first byte took.

        The address that was `reached` is the host's first from now on. A request that is awaited keeps its turn until
        it is finished: what the host is asked next depends on its page.
        """
        host = self._hosts[turn.host]
        now = self._clock.monotonic()
        if is_awaited and isinstance(turn, Visit):
            self._awaited.add(turn.key)
        else:
            host.active -= 1
        host.asked_at = now
        if answered and isinstance(turn, Visit):
            host.failures = host.lane_of_row(turn.key).failures = 0
        rested_at = now + self._manners.rest_after_s(host.name, waited_s)
        if rested_at > host.held_until:
            host.held_until = rested_at
        if (answered and not host.has_answered) or (host.delay_s >= DURABLE_WAIT_S and host.is_exhausted()):
            host.has_answered |= answered
            self.residents.remember(host)
        if reached and host.addresses and (host.misses or host.addresses[0] != reached):
            host.reach(reached)
        self.gates.leave(turn.addresses)
        if host.state is not READY or host.ready_at() > now:  # else it stands where it belongs
            self._place(host)
        self.holds.drop_if_parked(host)

    def miss(self, turn: Visit) -> bool:
        """No connection came about; True if the host has addresses that were not tried since one did."""
        return (host := self._hosts.get(turn.host)) is not None and host.miss(turn.addresses)

    def cancel(self, turn: Visit | SideTurn) -> None:
        """What was handed out needs no request: the host's turn is not used up."""
        host = self._hosts[turn.host]
        host.active -= 1
        host.asked_at = self._clock.monotonic() - host.delay_s
        self.gates.leave(turn.addresses, unused=True)
        self._place(host)
        self.holds.drop_if_parked(host)

    def clear(self, name: str, authority: str, clearance: Clearance) -> None:
        """A preparation succeeded."""
        self._look_ups.leave(name)
        host = self._hosts.get(name)
        if host is None or host.state is HostState.PARKED:
            self.fail_preparation(name, authority)  # should it be unblocked, it is prepared again
            return
        lane = host.lane_of(authority)
        lane.is_preparing, lane.why_held, host.why_held = False, "", ""
        if sorted(clearance.addresses) != sorted(host.addresses):  # else it knows the best order
            host.addresses, host.misses = clearance.addresses, 0
        host.trouble = clearance.trouble
        host.resolved_until = lane.cleared_until = self._clock.monotonic() + clearance.holds_s
        # The shared lane has the longest delay of all its authorities: which others there are is not known.
        lane.delay_s = max(clearance.delay_s, 0.0 if lane.authority else lane.delay_s)
        lane.cleared = authority
        host.delay_s = max(self._manners.delay_of(name), *(lane.delay_s for lane in host.lanes))
        self._place(host)

    def fail_preparation(self, name: str, authority: str) -> None:
        """A preparation failed. It is tried again as soon as the `hold` is over that follows, if one does."""
        self._look_ups.leave(name)
        if (host := self._hosts.get(name)) is not None and host.lanes:
            host.lane_of(authority).is_preparing = False
            self._place(host)
            self.holds.drop_if_parked(host)

    def has_answered(self, name: str) -> bool:
        """Whether a host in memory has answered in this crawl, be it in an earlier run."""
        return (host := self._hosts.get(name)) is not None and host.has_answered

    def count_failure(self, name: str, authority: str = "", *, began_at: float = inf) -> int:
        """A failure that concerns more than one URL; returns how often that happened in a row."""
        return self.holds.count_failure(name, authority, began_at)

    def hold(self, name: str, seconds: float, why: str, *, authority: str = "") -> None:
        """Let the host or the authority rest; park it if that takes longer than a host may wait."""
        self.holds.hold(name, seconds, why, authority)

    def park(self, name: str, seconds: float, why: str, *, authority: str = "") -> None:
        """Leave the host or the authority for another run, which will not ask it before these seconds are over."""
        self.holds.park(name, seconds, why, authority)

    def has_work(self) -> bool:
        """False when nothing is left that this run could do."""
        self._wake(self._clock.monotonic())
        return self.residents.wakes_at < inf or any(host.has_work() for host in self._hosts.values())

    def _side_turn(self, host: Host, now: float) -> SideTurn | None:
        turn = host.side_turns[0]
        if turn.addresses:
            if not (addresses := self.gates.enter(turn.addresses, host, now)):
                host.state = HostState.WAITING
                return None
            turn.addresses = addresses
        host.side_turns.pop(0)
        self._begin(host, now)
        return turn

    def _turn(self, host: Host, now: float) -> Visit | Preparation | None:
        lane = host.best_lane(self._state, self._heads, now)
        if lane is None:
            self._place(host)
            return None
        link = _decode_link(lane.heads[0][1])
        if link.not_before and 0 < (wait_s := link.not_before - self._clock.wall()) <= self._manners.max_retry_wait_s:
            if wait_s > self._manners.max_host_wait_s:
                self.holds.park_lane(host, lane, now + wait_s, "its next try is too far off")
            else:
                lane.retry_at = now + wait_s
            self._place(host)
            return None
        authority = origin_of(link.url)
        if not host.is_cleared(lane, authority, now):
            if now >= host.resolved_until and not self._look_ups.enter(host):
                host.state = HostState.PREPARING
                return None
            lane.is_preparing = True
            self._place(host)
            return Preparation(host.name, authority)
        addresses = host.addresses
        if addresses and not (addresses := self.gates.enter(addresses, host, now)):
            host.state = HostState.WAITING
            return None
        visit = Visit(host.take(lane), id_of(link, host.name), host.name, link, addresses, host.trouble)
        self._begin(host, now)
        return visit

    def _begin(self, host: Host, now: float) -> None:
        host.active += 1
        host.asked_at = now
        self._place(host)

    def _place(self, host: Host) -> None:
        """Put the host where its state says it belongs."""
        if host.state is PARKED:
            return
        self._tickets.renew(host)
        ready_at, now = host.ready_at(), self._clock.monotonic()
        lanes_at = -inf if host.side_turns else inf if host.is_leaving else host.lanes_ready_at()
        if lanes_at == inf:
            self._place_idle(host, now)
        elif host.active >= host.connections:
            host.state = HostState.BUSY
        elif ready_at - now > self._manners.max_host_wait_s:
            self.park(host.name, ready_at - now, "its delay is longer than a host may wait")
        elif now < (at := max(ready_at, lanes_at)):
            host.state = HostState.WAITING
            self._waiting.push(at, host)
        elif host.side_turns:
            self._be_ready(SIDE_RANK, host)
        elif len(host.lanes) == 1 and (heads := host.lanes[0].heads):  # nearly always; by `lanes_at` it is ready
            self._be_ready(rank_of(heads[0][0]), host)
        elif (lane := host.best_lane(self._state, self._heads, now)) is not None:
            self._be_ready(rank_of(lane.heads[0][0]), host)
        else:  # nothing was on disk in the lanes that were ready
            self._place(host)

    def _place_idle(self, host: Host, now: float) -> None:
        host.state = HostState.PREPARING if host.is_preparing() else HostState.EMPTY
        if host.is_under_way():
            return
        if host.is_leaving:
            self.residents.fall_asleep(host)
        elif now < (rested_at := host.rested_at()):
            self._waiting.push(rested_at, host)
        else:
            self.residents.drop(host)
            if any(lane.parked for lane in host.lanes):
                self.residents.remember(host, is_going=True)
            else:
                self.residents.rows.forget(host.name)

    def _be_ready(self, rank: int, host: Host) -> None:
        host.state = READY
        self._ready.push(rank, host)

    def _wake(self, now: float) -> None:
        while (who := self._waiting.pop(up_to=now)) is not None:
            if isinstance(who, Host):
                self._place(who)
                continue
            if (host := self.gates.open(who, now)) is not None:
                self._place(host)
        if now >= self.residents.wakes_at:
            self.residents.wake_some(now)
