"""The frontier itself: hosts in memory, their turns, and the rows behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf

import msgspec

from weft.clock import Clock
from weft.errors import HostParked
from weft.frontier.gates import Gate, Gates
from weft.frontier.heap import NO_TICKET, TicketHeap, Tickets
from weft.frontier.host import Host, HostState
from weft.frontier.keys import LAST_RANK, host_prefix, queue_key, rank_of
from weft.frontier.manners import Manners
from weft.frontier.rows import HostRow, HostRows
from weft.frontier.turns import Clearance, Preparation, SideTurn
from weft.state import Batch, State
from weft.types import Link, Visit
from weft.url import origin_of, url_id

HOSTS_IN_MEMORY = 10_000
MAX_HEADS = 64
# A back-off this long is worth a row, so that a restart honours it.
DURABLE_WAIT_S = 5.0
# A host that rests this long makes room for others, if others need it.
LONG_REST_S = 30.0
LOOK_AGAIN_S = 1.0  # for room in memory, when it is full of hosts

_encode = msgspec.msgpack.Encoder().encode
_decode_link = msgspec.msgpack.Decoder(Link).decode


class Frontier:
    """The queue of a crawl. Methods that take a batch become visible to `next` at `settle`, after the write."""

    def __init__(
        self,
        state: State,
        clock: Clock,
        rank: Callable[[Link], int],
        manners: Manners,
        *,
        sequence: int,
        hosts_in_memory: int = HOSTS_IN_MEMORY,
    ) -> None:
        self._state = state
        self._clock = clock
        self._rank = rank
        self._manners = manners
        self.sequence = sequence  # of the newest row; the caller stores it with each batch
        self._hosts_bound = hosts_in_memory
        self._heads = min(MAX_HEADS, 8 * manners.connections_per_host)
        self._hosts: dict[str, Host] = {}
        self._rows = HostRows(state)
        self.parked: dict[str, str] = {}
        # Front queue: hosts ready now, by the rank of their head. Filled by _place, emptied by next; bound: hosts.
        self._tickets = Tickets()
        self._ready: TicketHeap[Host] = TicketHeap(self._tickets)
        # Hosts and gates by the time they may go on. Filled by _wait, emptied by _wake; bound: hosts and addresses.
        self._waiting: TicketHeap[Host | Gate] = TicketHeap(self._tickets)
        self._gates = Gates(
            self._waiting,
            connections=max(manners.connections_per_address, manners.connections_per_host),
            interval_s=manners.address_interval_s,
        )
        self._put: list[tuple[str, bytes, bytes]] = []
        self._finished: list[tuple[str, bytes]] = []
        self._new: set[str] = set()  # hosts of the batch that nobody has asked yet
        # When the hosts on disk were last asked is not known: assume that it was just now.
        self._started_at = clock.monotonic()
        self._sleepers_at = -inf  # when a host on disk may come into memory; inf: there is none
        self._load_sleepers(is_first=True)

    # ── what a commit does ─────────────────────────────────────────────────────────────────────────────

    def put(self, batch: Batch, host: str, link: Link) -> None:
        """Queue a link."""
        rank = LAST_RANK if link.attempts else self._rank(link)
        self.sequence += 1
        key = queue_key(host_prefix(host), rank, self.sequence, link.not_before)
        value = _encode(link)
        batch.put("queue", key, value)
        self._put.append((host, key, value))
        if host not in self._hosts and self._rows.get(host) is None:
            self._rows.set(host, HostRow(wake_at=self._clock.wall()))
            self._new.add(host)

    def finish(self, batch: Batch, visit: Visit) -> None:
        """A visit is over for good: its row leaves the queue."""
        batch.delete("queue", visit.key)
        self._finished.append((visit.host, visit.key))

    def retry(self, batch: Batch, visit: Visit, *, wait_s: float, is_repeat: bool = False) -> None:
        """A visit is made again after the wait: behind the host's other URLs, or among them if it is a mere repeat."""
        attempts, not_before = visit.link.attempts + (not is_repeat), self._clock.wall() + wait_s
        link = msgspec.structs.replace(visit.link, attempts=attempts, not_before=not_before, again=is_repeat)
        self.finish(batch, visit)
        self.put(batch, visit.host, link)

    def seal(self, batch: Batch) -> None:
        """Last before the write: add the rows of hosts that are new, or were held, parked or forgotten."""
        self._rows.seal(batch)

    def settle(self) -> None:
        """The batch is written: let the hosts in memory follow."""
        # First what came, then what left: a host that has both must not be forgotten in between.
        asleep = dict.fromkeys(name for name, _, _ in self._put if name not in self._hosts and name not in self.parked)
        for name, key, value in self._put:
            if (host := self._hosts.get(name)) is not None:
                host.put(key, value, self._heads)
                if host.state is HostState.EMPTY or host.waits_for_retry:
                    self._place(host)
        for name in asleep:  # after the puts: it reads its rows from the disk, the new ones among them
            self._load(name)
        self._put.clear()
        self._new.clear()
        for name, key in self._finished:
            host = self._hosts[name]
            host.outstanding.discard(key)
            if host.is_exhausted():
                self._place(host)
            self._drop(host, only_if_parked=True)
        self._finished.clear()

    # ── whose turn it is ───────────────────────────────────────────────────────────────────────────────

    def next(self) -> Visit | SideTurn | Preparation | None:
        """What may be done now; None when no host is ready."""
        now = self._clock.monotonic()
        self._wake(now)
        while (host := self._ready.pop()) is not None:
            turn = self._side_turn(host, now) if host.side_turns else self._turn(host, now)
            if turn is not None:
                return turn
        return None

    def ask_for_turn(self, turn: SideTurn) -> None:
        """Ask for a request outside the queue; `next` hands it out when host and address may be asked."""
        name = turn.host
        if name not in self._hosts and name not in self.parked:
            self._bring(name, self._rows.get(name))
        host = self._hosts.get(name)
        if host is None or host.state is HostState.PARKED:
            raise HostParked(f"{name} is left for another run")
        host.side_turns.append(turn)
        self._place(host)

    def seconds_to_next(self) -> float | None:
        """How long until somebody's turn: 0 when a host is ready; None when nothing waits for time to pass."""
        wait_s = 0.0 if self._ready.first() is not None else self._sleepers_at - self._clock.monotonic()
        if (wakes_at := self._waiting.first()) is not None:
            wait_s = min(wait_s, wakes_at - self._clock.monotonic())
        return None if wait_s == inf else max(0.0, wait_s)

    def release(self, turn: Visit | SideTurn, *, answered: bool, took_s: float = 0.0) -> None:
        """A request has ended: its host's delay runs from now."""
        host = self._hosts[turn.host]
        now = self._clock.monotonic()
        host.active -= 1
        host.asked_at = now
        if answered:
            host.failures = 0
        if self._manners.delay_s:  # who asks for no delay gets none
            host.held_until = max(host.held_until, now + took_s * self._manners.slow_factor)
        if host.is_exhausted() and host.delay_s >= DURABLE_WAIT_S and host.state is not HostState.PARKED:
            rest_s = host.ready_at() - now
            self._rows.set(host.name, HostRow(self._clock.wall() + rest_s, rest_s=rest_s))
        self._gates.leave(turn.address)
        self._place(host)
        self._drop(host, only_if_parked=True)

    def cancel(self, turn: Visit | SideTurn) -> None:
        """What was handed out needs no request: the host's turn is not used up."""
        host = self._hosts[turn.host]
        host.active -= 1
        host.asked_at = self._clock.monotonic() - host.delay_s
        if turn.address:
            self._gates.leave(turn.address, unused_at=self._clock.monotonic())
        self._place(host)
        self._drop(host, only_if_parked=True)

    def clear(self, name: str, authority: str, clearance: Clearance) -> None:
        """A preparation succeeded."""
        host = self._hosts.get(name)
        if host is None or host.state is HostState.PARKED:
            return
        host.is_preparing, host.why_held = False, ""
        host.addresses = clearance.addresses
        host.trouble = clearance.trouble
        host.resolved_until = host.cleared[authority] = self._clock.monotonic() + clearance.holds_s
        host.delays[authority] = clearance.delay_s
        host.delay_s = max(self._manners.delay_s, *host.delays.values())
        self._place(host)

    def fail_preparation(self, name: str, wait_s: float, why: str) -> None:
        """A preparation failed: the host rests, then it is tried again."""
        if (host := self._hosts.get(name)) is not None:
            host.is_preparing = False
            self.hold(name, wait_s, why)

    def count_failure(self, name: str, began_at: float = inf) -> int:
        """The host failed in a way that concerns all of its URLs; gives how often it did so in a row."""
        host = self._hosts.get(name)
        return host.count_failure(began_at, self._clock.monotonic()) if host is not None else 0

    def hold(self, name: str, seconds: float, why: str) -> None:
        """Let the host rest; park it if that takes longer than a host may wait."""
        host = self._hosts.get(name)
        if host is None or host.state is HostState.PARKED:
            return
        if seconds > self._manners.max_host_wait_s:
            self.park(name, seconds, why)
            return
        host.held_until = max(host.held_until, self._clock.monotonic() + seconds)
        host.why_held = why
        rest_s = host.ready_at() - self._clock.monotonic()
        if rest_s >= DURABLE_WAIT_S:
            self._rows.set(name, HostRow(self._clock.wall() + rest_s, rest_s=rest_s))
        if rest_s >= LONG_REST_S and self._sleepers_at < inf and not host.is_under_way():
            self._sleepers_at = min(self._sleepers_at, self._clock.monotonic() + rest_s)
            self._drop(host)
        else:
            self._place(host)

    def park(self, name: str, seconds: float, why: str) -> None:
        """Leave the host for another run, which will not ask it before so many seconds are over."""
        host = self._hosts.get(name)
        if host is None or host.state is HostState.PARKED:
            return
        self._rows.set(name, HostRow(self._clock.wall() + seconds, why, seconds))
        self.parked[name] = why
        host.state = HostState.PARKED
        host.ticket = NO_TICKET
        while host.side_turns:
            host.side_turns.popleft().given.set_exception(HostParked(f"{name} is left for another run"))
        self._drop(host, only_if_parked=True)

    def has_work(self) -> bool:
        """False when nothing is left that this run could do."""
        self._wake(self._clock.monotonic())
        return self._sleepers_at < inf or any(host.has_work() for host in self._hosts.values())

    def why_held(self) -> str:
        """One host that rests for a reason, with it; empty when none does."""
        held = (host for host in self._hosts.values() if host.why_held and host.held_until > self._clock.monotonic())
        return next((f"{host.name} rests: {host.why_held}" for host in held), "")

    def statistics(self) -> dict[str, int]:
        """Hosts in memory by state."""
        states = Counter(host.state for host in self._hosts.values())
        return {state.value: states[state] for state in HostState} | {"hosts": len(self._hosts)}

    # ── inside: turns ──────────────────────────────────────────────────────────────────────────────────

    def _side_turn(self, host: Host, now: float) -> SideTurn | None:
        turn = host.side_turns[0]
        if self._gates.is_shut(turn.address, host, now):
            host.state = HostState.WAITING
            return None
        host.side_turns.popleft()
        self._enter(host, turn.address, now)
        return turn

    def _turn(self, host: Host, now: float) -> Visit | Preparation | None:
        head = host.head(self._state, self._heads)
        if head is None:
            self._place(host)
            return None
        link = _decode_link(head[1])
        if link.not_before and 0 < (wait_s := link.not_before - self._clock.wall()) <= self._manners.max_retry_wait_s:
            if wait_s > self._manners.max_host_wait_s:
                self.park(host.name, wait_s, "its next try is too far off")
            else:
                self._wait(now + wait_s, host)
                host.waits_for_retry = True
            return None
        authority = origin_of(link.url)
        if not host.is_cleared(authority, now):
            host.is_preparing = True
            self._place(host)
            return Preparation(host.name, authority)
        address = host.addresses[0] if host.addresses else ""
        if address and self._gates.is_shut(address, host, now):
            host.state = HostState.WAITING
            return None
        visit = Visit(host.take(), url_id(link.url), host.name, link, host.addresses, host.trouble)
        self._enter(host, address, now)
        return visit

    def _enter(self, host: Host, address: str, now: float) -> None:
        host.active += 1
        host.asked_at = now
        if address:
            self._gates.enter(address, now)
        self._place(host)

    # ── inside: places ─────────────────────────────────────────────────────────────────────────────────

    def _place(self, host: Host) -> None:
        """Put the host where its state says it belongs."""
        if host.state is HostState.PARKED:
            return
        self._tickets.renew(host)
        host.waits_for_retry = False
        wants_turn = bool(host.side_turns) or not (host.is_preparing or host.is_exhausted())
        ready_at, now = host.ready_at(), self._clock.monotonic()
        if not wants_turn:
            self._place_idle(host, ready_at, now)
        elif host.active >= self._manners.connections_per_host:
            host.state = HostState.BUSY
        elif ready_at - now > self._manners.max_host_wait_s:
            self.park(host.name, ready_at - now, "its delay is longer than a host may wait")
        elif now < ready_at:
            self._wait(ready_at, host)
        else:
            host.state = HostState.READY
            head = None if host.side_turns else host.head(self._state, self._heads)
            self._ready.push(rank_of(head[0]) if head else -1, host)

    def _place_idle(self, host: Host, ready_at: float, now: float) -> None:
        host.state = HostState.PREPARING if host.is_preparing else HostState.EMPTY
        if host.is_under_way():
            return
        if now < ready_at:
            self._waiting.push(ready_at, host)
        else:
            self._drop(host)
            self._rows.forget(host.name)

    def _wait(self, until: float, host: Host) -> None:
        host.state = HostState.WAITING
        self._waiting.push(until, host)

    def _wake(self, now: float) -> None:
        while (who := self._waiting.pop(up_to=now)) is not None:
            if isinstance(who, Host):
                self._place(who)
                continue
            if (host := self._gates.open(who, now)) is not None:
                self._place(host)
        if now >= self._sleepers_at:
            self._load_sleepers()

    # ── inside: memory ─────────────────────────────────────────────────────────────────────────────────

    def _drop(self, host: Host, *, only_if_parked: bool = False) -> None:
        if not only_if_parked or (host.state is HostState.PARKED and not host.has_work()):
            host.ticket = NO_TICKET
            self._hosts.pop(host.name, None)

    def _load(self, name: str) -> None:
        """Bring a host that has queued URLs into memory, if there is room."""
        row = self._rows.get(name)
        if len(self._hosts) >= self._hosts_bound:
            self._sleepers_at = min(self._sleepers_at, self._clock.monotonic() + LOOK_AGAIN_S)
        elif row is not None:
            self._bring(name, row)

    def _bring(self, name: str, row: HostRow | None) -> None:
        """Bring a host into memory, with the rest that its row tells."""
        host = self._hosts[name] = Host(name, delay_s=self._manners.delay_s)
        if row is None:
            host.cursor = host.end  # nothing of it is queued
            # A row all the same: links may come while it is here, and a resume finds only hosts that have one.
            self._rows.set(name, HostRow(self._clock.wall()))
            return
        if name not in self._new and not row.parked:  # a parked host was not asked since: its row knows the time
            host.asked_at = self._started_at
        rest_s = row.rest_at(self._clock.wall())
        host.held_until = self._clock.monotonic() + rest_s
        if rest_s > self._manners.max_host_wait_s:
            self.park(name, rest_s, row.parked)
            return
        if row.parked:  # at once: from now on it may be asked, and the next run must not think that it was not
            self._rows.write_now(name, HostRow(row.wake_at, rest_s=row.rest_s))
        self._place(host)

    def _load_sleepers(self, *, is_first: bool = False) -> None:
        """Bring the hosts into memory whose time has come, or will soon."""
        if len(self._hosts) >= self._hosts_bound and not is_first:
            # Not one look at the rows: those of the hosts in memory come first, ten thousand of them.
            self._sleepers_at = self._clock.monotonic() + LOOK_AGAIN_S
            return
        now = self._clock.wall()
        self._sleepers_at = inf
        for name, row in self._rows.by_time(besides=self._hosts.keys() | self.parked.keys()):
            rest_s = row.rest_at(now)
            if rest_s < row.wake_at - now:  # the clock was set back; it rests from now on
                self._rows.set(name, HostRow(now + rest_s, row.parked, rest_s))
            if rest_s > self._manners.max_host_wait_s and is_first:
                self.parked[name] = row.parked
            elif rest_s > LONG_REST_S or len(self._hosts) >= self._hosts_bound:
                self._sleepers_at = min(self._sleepers_at, self._clock.monotonic() + max(rest_s, LOOK_AGAIN_S))
                if len(self._hosts) >= self._hosts_bound and not is_first:
                    return
            else:
                self._bring(name, row)
