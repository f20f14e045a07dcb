"""A node: what it has on its disk, and one process after the other."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Final

from tests.cluster.schedules.crawler import CONFIG, Crawler, NodeClock
from tests.cluster.schedules.disk import Disk
from tests.cluster.schedules.servers import Line, MemoryLog, Network, shared_by
from tests.cluster.schedules.timeline import ProcessLoop
from tests.cluster.schedules.web import DELAY_S, Request, Web
from weft.cluster.holdings import Shares, Stage
from weft.cluster.lease import LifeOver
from weft.cluster.life import Identity, Life
from weft.cluster.shared import AWAY, Settings
from weft.errors import BadInput

BUCKETS: Final = 8
LEASE_S: Final = 6.0
SETTINGS: Final = Settings("crawl", CONFIG, BUCKETS, LEASE_S)
SHARES: Final = Shares(BUCKETS)


class Traffic:
    """All requests of a schedule, as the web's servers see them."""

    def __init__(self) -> None:
        self.last: dict[str, Request] = {}  # of each host
        self.visits: dict[str, int] = {}  # of each URL
        self.met: set[str] = set()  # hosts that were asked for a page: whoever did so had read their robots.txt


class Node:
    """Started, stopped and killed by a schedule."""

    def __init__(self, name: str, network: Network, web: Web, traffic: Traffic, others: list[Node]) -> None:
        self.name = name
        self.network = network
        self.web = web
        self.random = Random(network.random.random())
        self._traffic = traffic
        self._others = others
        self._disks = 0
        self.disk = self._new_disk()
        self.loop: ProcessLoop | None = None  # of its process, if it runs
        self.dead_loops: list[ProcessLoop] = []
        self.line: Line | None = None
        self.life: Life | None = None
        self.is_stopped = False  # by SIGSTOP
        self.is_leaving = False
        self._boot_s = self.random.random() * -1000
        self._wall_s = 1_800_000_000.0 + self.random.uniform(-20, 20)
        self._asking: set[str] = set()  # hosts
        self._crawler: Crawler | None = None
        self.trouble: BaseException | None = None

    # ── what a schedule does ───────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """A process, if there is none."""
        if self.loop is not None:
            return
        self.is_leaving = False
        self.loop = ProcessLoop(self.network.timeline)  # type: ignore[abstract]
        self.loop.die = self.kill
        self.line = Line(self.network, self.loop)
        self.loop.create_task(self._run(self.loop, self.line))

    def leave(self) -> None:
        """As Ctrl-C does."""
        self.is_leaving = True
        if self.loop is not None and self.life is not None and hasattr(self.life, "_context"):
            self.loop.call_soon(self.life.leave)

    def kill(self) -> None:
        """The process ends here."""
        if self.loop is not None:
            self.loop.kill()
            self.dead_loops.append(self.loop)
            self._has_ended()

    def kill_at(self, point: str) -> None:
        """Its process ends when it next comes to that crash point."""
        if self.loop is not None:
            self.loop.dies_at = point

    def cut_power(self, rows_kept: float, records_kept: float) -> None:
        """The machine ends here; it has forgotten what was not synced."""
        self.kill()
        self.disk.cut_power(rows_kept, records_kept)
        self._boot_s = self.network.timeline.now_s

    def lose_disk(self) -> None:
        """And all that was on it."""
        self.kill()
        self.disk = self._new_disk()

    def pause(self, seconds: float) -> None:
        """Its tasks do not run while time passes."""
        loop = self.loop
        if loop is None or self.is_stopped:
            return
        loop.stop()
        self.is_stopped = True
        for host in list(self._asking):  # nobody can say how long such a request takes
            self.ends_request(host)

        def go_on() -> None:
            loop.resume()
            if self.loop is loop:
                self.is_stopped = False

        self.network.later(seconds, go_on)

    def _new_disk(self) -> Disk:
        self._disks += 1
        return Disk(f"{self.name}.{self._disks}")

    def _has_ended(self) -> None:
        for host in list(self._asking):
            self.ends_request(host)
        self.loop = self.line = self.life = None
        self.is_stopped = False

    # ── its process ────────────────────────────────────────────────────────────────────────────────────

    async def _run(self, loop: ProcessLoop, line: Line) -> None:
        """As `weft.cluster.node.Node.run`."""
        stored = self.network.stored
        shared = shared_by(line, stored)
        identity = Identity(self.name, self.disk.name)
        clock = NodeClock(self.network.timeline, self._boot_s, self._wall_s)
        try:
            while True:
                try:
                    _, table = await shared.table()
                    log = MemoryLog(line, stored)
                    ends = await log.ends()
                except AWAY:
                    await asyncio.sleep(0.5)
                    continue
                if self.is_leaving or table.finished:
                    break
                life = Life(identity, SETTINGS, log, shared, table, ends, self._stop_crawler, now_s=clock.monotonic)
                self._crawler = crawler = Crawler(self, self.disk, clock, life.doors)
                self.life = life
                try:
                    await crawler.drive()
                except LifeOver:
                    continue
                break
        except BadInput:
            pass  # another disk under the same name, too early
        except Exception as error:
            self.trouble = error
        if self.loop is loop:
            self._has_ended()

    def _stop_crawler(self) -> None:
        assert self._crawler is not None
        self._crawler.stop()

    # ── its requests ───────────────────────────────────────────────────────────────────────────────────

    def may_ask(self, bucket: int) -> bool:
        """Whether a request in that bucket could begin now, as far as lease and claim say."""
        life = self.life
        if self.loop is None or life is None or not hasattr(life, "holdings"):
            return False
        holding = life.holdings.held.get(bucket)
        return life.lease.holds() and holding is not None and holding.stage is Stage.OWNED

    def begins_request(self, host: str, *, is_page: bool) -> None:
        """Nobody else may ask this host now, nor has for as long as it wants to be left alone."""
        bucket, now_s = SHARES.of_host(host), self.network.timeline.now_s
        assert self.may_ask(bucket), f"{self.name} asks {host}, which is not its own"
        for other in self._others:
            if other is not self:
                assert not other.may_ask(bucket), f"{self.name} asks {host} while {other.name} may"
                assert host not in other._asking, f"{self.name} asks {host} while {other.name} does"
        last = self._traffic.last.get(host)
        if last is not None:
            rest_s = now_s - last.until_s
            wanted_s = max(DELAY_S, self.web.delay_s(host)) if is_page or host in self._traffic.met else DELAY_S
            assert rest_s > wanted_s - 1e-6, f"{self.name} asks {host} {rest_s:.1f} s after {last.node}"
        self._asking.add(host)
        if is_page:
            self._traffic.met.add(host)

    def ends_request(self, host: str) -> None:
        """It is answered, or given up."""
        if host in self._asking:
            self._asking.discard(host)
            self._traffic.last[host] = Request(self.name, self.network.timeline.now_s)

    def visited(self, url: str) -> int:
        """How many visits to a URL anybody has made before."""
        number = self._traffic.visits.get(url, 0)
        self._traffic.visits[url] = number + 1
        return number
