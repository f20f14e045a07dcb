"""A frontier on a real database under a clock that stands still, with the few moves that a crawl makes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.clock import FakeClock
from weft.frontier import Clearance, Frontier, HostRules, Manners, Preparation, SideTurn
from weft.frontier.lane import MAX_LANES, SHARED, label
from weft.order import BreadthFirst
from weft.settings.by_host import ByHost
from weft.state import Batch, State
from weft.state.keys import host_of_key, host_of_queue_key, host_of_wake_key
from weft.types import Kind, Link, Visit
from weft.url import host_of, origin_of

ADDRESS = "192.0.2.1"
PREPARED = Clearance((ADDRESS,), holds_s=100_000.0)


class PassingClock(FakeClock):
    """A clock that may also go on by a little with each look at it, but not without an end."""

    passing_s = 0.0
    looks_left = 100_000

    def wall(self) -> float:
        self._pass()
        return super().wall()

    def monotonic(self) -> float:
        self._pass()
        return super().monotonic()

    def _pass(self) -> None:
        if self.passing_s:
            self.looks_left -= 1
            assert self.looks_left, "looked at again and again"
            self.advance(self.passing_s)


class Rig:
    """What the pipeline does with a frontier, without the network."""

    def __init__(
        self,
        path: Path,
        *,
        delay_s: float = 1.0,
        connections: int = 1,
        connections_per_address: int = 1000,
        address_interval_s: float = 0.0,
        slow_factor: float = 0.0,
        max_host_wait_s: float = 3600.0,
        hosts_in_memory: int = 1000,
        rank: Callable[[Link], int] | None = None,
        moves: bool = False,
        patience: int | None = None,
        blocked: tuple[str, ...] = (),
        hosts: ByHost | None = None,
        look_ups: int = 1000,
    ) -> None:
        self._hosts = hosts
        self.addresses: dict[str, tuple[str, ...]] = {}  # of hosts that are not at ADDRESS
        self.blocked = blocked
        self.clock = PassingClock()
        self._path = path
        self._delay_s = delay_s
        self._connections = connections
        self._connections_per_address = connections_per_address
        self._address_interval_s = address_interval_s
        self._slow_factor = slow_factor
        self._max_host_wait_s = max_host_wait_s
        self._hosts_in_memory = hosts_in_memory
        self._moves = moves
        self._patience = patience
        self._look_ups = look_ups
        self._rank = rank or BreadthFirst().rank
        self._loop = asyncio.new_event_loop()
        self._loop.close()  # a future needs one, but nothing runs on it
        self._open()

    def _open(self) -> None:
        self.state = State(self._path)
        self.frontier = Frontier(
            self.state,
            self.clock,
            self._rank,
            Manners(
                delay_s=self._delay_s,
                connections_per_host=self._connections,
                connections_per_address=self._connections_per_address,
                address_interval_s=self._address_interval_s,
                slow_factor=self._slow_factor,
                max_host_wait_s=self._max_host_wait_s,
                address_interval_per_s=self._address_interval_s,
                hosts=HostRules(blocked=self.blocked, settings=self._hosts),
            ),
            sequence=int.from_bytes(self.state.get("meta", b"sequence") or b"", "big"),
            hosts_in_memory=self._hosts_in_memory,
            moves=self._moves,
            patience=self._patience,
            look_ups=self._look_ups,
        )

    def restart(self) -> None:
        """The process dies here, whatever was under way, and another one goes on from the disk."""
        self.state.close()
        self._open()

    @contextmanager
    def commit(self) -> Iterator[Batch]:
        """A batch that is written at the end, in the order in which the ledger does it."""
        batch = self.state.batch()
        yield batch
        batch.put("meta", b"sequence", self.frontier.sequence.to_bytes(8, "big"))
        self.frontier.seal(batch)
        self.state.write(batch)
        self.frontier.settle()

    def put(self, *urls: str, depth: int = 0) -> None:
        """Queue URLs, all in one commit."""
        with self.commit() as batch:
            for url in urls:
                self.frontier.put(batch, host_of(url), Link(url, depth, Kind.LINK))

    def finish(self, *visits: Visit) -> None:
        """Pages are committed."""
        with self.commit() as batch:
            for visit in visits:
                self.frontier.finish(batch, visit)

    def retry(self, visit: Visit, wait_s: float, *, is_repeat: bool = False) -> None:
        """A visit failed and is to be tried again."""
        with self.commit() as batch:
            self.frontier.retry(batch, visit, wait_s=wait_s, is_repeat=is_repeat)

    def end(self, visit: Visit) -> None:
        """A request has ended and its page is committed."""
        self.frontier.release(visit, answered=True)
        self.finish(visit)

    def next_visit(self) -> Visit | None:
        """The next visit; hosts are prepared on the way, without a request."""
        while isinstance(turn := self.frontier.next(), Preparation):
            addresses = self.addresses.get(turn.host)
            prepared = PREPARED if addresses is None else Clearance(addresses, PREPARED.holds_s)
            self.frontier.clear(turn.host, turn.authority, prepared)
        assert not isinstance(turn, SideTurn)
        return turn

    def visit(self) -> Visit:
        """The next visit, which must be there."""
        visit = self.next_visit()
        assert visit is not None
        return visit

    def preparation(self) -> Preparation:
        """The next turn, which must be a preparation."""
        turn = self.frontier.next()
        assert isinstance(turn, Preparation)
        return turn

    def fail_preparation(self, authority: str, wait_s: float, why: str) -> None:
        """The robots.txt of an authority cannot be had; it rests."""
        host = host_of(f"{authority}/")
        self.frontier.fail_preparation(host, authority)
        self.frontier.hold(host, wait_s, why, authority=authority)

    def side_turn(self, host: str) -> SideTurn:
        """A request outside the queue."""
        return SideTurn(host, (ADDRESS,), asyncio.Future(loop=self._loop))

    def ask_robots(self, host: str) -> None:
        """A request for the host's robots.txt begins and ends now; the host must be ready for it."""
        turn = self.side_turn(host)
        self.frontier.ask_for_turn(turn)
        assert self.frontier.next() is turn
        self.frontier.release(turn, answered=True)

    def all_visits_now(self) -> list[Visit]:
        """Everything that is handed out at this moment."""
        visits = []
        while (visit := self.next_visit()) is not None:
            visits.append(visit)
        return visits

    def drain(self) -> list[str]:
        """Crawl to the end, one request at a time; the URLs in the order of their visits."""
        urls: list[str] = []
        for _ in range(10_000):
            visit = self.next_visit()
            if visit is not None:
                urls.append(visit.link.url)
                self.end(visit)
            elif self.frontier.has_work():
                wait_s = self.frontier.seconds_to_next()
                assert wait_s is not None, "there is work, but neither a turn nor a time to wait for"
                self.clock.advance(wait_s)
            else:
                return urls
        raise AssertionError("the crawl does not end")

    def forget_idle_hosts(self) -> None:
        """Let all delays pass, and commit what follows from that."""
        self.clock.advance(100_000)
        assert self.frontier.next() is None
        with self.commit():
            pass

    def lane_of(self, url: str) -> str:
        """The name of the lane in which a URL is queued, or would be."""
        host, authority = host_of(url), origin_of(url)
        residents = self.frontier.residents
        lanes: list[str] = []
        if host in residents.hosts:
            lanes = [lane.authority for lane in residents.hosts[host].lanes]
        elif (row := residents.rows.get(host)) is not None:
            lanes = [lane.authority for lane in row.lanes]
        is_own = authority in lanes or len(lanes) < MAX_LANES - 1
        return label(host, authority if is_own else SHARED)

    def wake_hosts(self) -> list[str]:
        """The hosts of the wake rows on disk, by time."""
        return [host_of_wake_key(key) for key, _ in self.state.scan("wake")]

    def host_rows(self) -> list[str]:
        """The hosts that have a row on disk, by name."""
        return sorted(host_of_key(key) for key, _ in self.state.scan("host"))

    def queued_hosts(self) -> set[str]:
        """The hosts that have a URL in the queue on disk."""
        return {host_of_queue_key(key) for key, _ in self.state.scan("queue")}


def url(host: str, page: object = "") -> str:
    """A URL of a host."""
    return f"http://{host}.example/{page}"


def urls(host: str, count: int) -> list[str]:
    """Several URLs of a host."""
    return [url(host, number) for number in range(count)]
