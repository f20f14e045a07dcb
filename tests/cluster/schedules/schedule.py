"""What happens to a cluster, and what must be true of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from random import Random
from typing import Final, NamedTuple
from unittest.mock import patch

import msgspec

from tests.cluster.schedules.node import BUCKETS, SHARES, Node, Traffic
from tests.cluster.schedules.servers import Line, MemoryLog, Network, shared_by
from tests.cluster.schedules.timeline import ProcessLoop, Timeline, crash_point
from tests.cluster.schedules.web import Web
from weft.cluster import life, publisher, reading, taking
from weft.cluster.control import sow
from weft.cluster.events import Again, Claim, Done, Entries, found_events, from_bytes, url_of
from weft.cluster.log import STREAMS, deeds
from weft.cluster.log import found as found_subject
from weft.cluster.members import Member
from weft.cluster.table import Table
from weft.types import Kind, Link
from weft.url import host_of

NODES: Final = 3
WINDOW_S: Final = 1.0
POINTS: Final = (
    "cluster-synced", "cluster-found", "cluster-done", "cluster-restarting", "cluster-claimed", "cluster-releasing",
    "cluster-replaying", "cluster-joined",
)  # fmt: skip
TROUBLE_S: Final = 20.0  # after the last act all is as it was for so long
REST_WITHIN_S: Final = 900.0


class Act(NamedTuple):
    """Something that happens to a node, or to the servers, some time after what happened before."""

    wait_s: float
    what: str
    node: int = 0
    much: float = 0.0
    more: float = 0.0


class World:
    """Three nodes, the servers and the web."""

    def __init__(self, seed: int) -> None:
        self.timeline = Timeline()
        random = Random(seed)
        self.network = Network(self.timeline, random)
        self.web = Web(random.randrange(1 << 30))
        self.traffic = Traffic()
        self.nodes: list[Node] = []
        for number in range(NODES + 1):  # the last one is started only when all others cannot
            self.nodes.append(Node(f"n{number}", self.network, self.web, self.traffic, self.nodes))
        self.finished = ""
        self.person = ProcessLoop(self.timeline)  # type: ignore[abstract]  # who gives commands
        self.seeds = [self.web.seed]  # that were taken
        self._disks = {node.disk.name: node.disk for node in self.nodes}
        self._begin()

    def _begin(self) -> None:
        """As `weft cluster start` does."""
        stored = self.network.stored
        table = Table(BUCKETS, owners=[-1] * BUCKETS, window_s=WINDOW_S, streams=["made"] * STREAMS)
        stored.update(stored.values, "table", msgspec.json.encode(table), 0)
        self._find(self.web.seed)
        stored.on_value = self._look_at_table

    def _find(self, url: str) -> None:
        bucket = SHARES.of_host(host_of(url))
        link = url_of(Link(url, 0, Kind.LINK), host_of(url))
        for data in found_events([link], 1_000_000):
            self.network.stored.append(bucket % STREAMS, found_subject(bucket), data, 0, None)

    # ── what happens ───────────────────────────────────────────────────────────────────────────────────

    def play(self, acts: list[Act]) -> None:
        """All acts, each in its time; then all is well, and the crawl comes to its end."""
        for act in acts:
            self.let_pass(act.wait_s)
            if self.finished:
                break
            self._acts()[act.what](self.nodes[act.node % NODES], act)
            for node in self.nodes:
                self._disks[node.disk.name] = node.disk
        if not self.finished:
            self.let_pass(TROUBLE_S)
        for node in self.nodes:
            node.kill_at("")
        self._acts()["undrain"](self.nodes[0], Act(0.0, "undrain"))
        self.network.slowest_s = 0.02
        self.network.away_until_s = 0.0
        for node in self.nodes:
            if node.line is not None:
                node.line.cut_until_s = 0.0
                node.line.acks_to_lose = 0
                node.line.share_lost = 0.0
        next_one = cycle(
            self.nodes
        )  # one whose disk was lost may not use its name before others have said that it is over
        while not self.finished:
            assert self.timeline.now_s < REST_WITHIN_S, self._why_not_over()
            if all(node.loop is None or node.is_leaving for node in self.nodes):
                next(next_one).start()
            self.let_pass(5.0)
        self.took_s = self.timeline.now_s
        until_s = self.timeline.now_s + 120.0
        while self.person.tasks or any(node.loop is not None for node in self.nodes):
            assert self.timeline.now_s < until_s, "a node does not end"
            self.let_pass(5.0)

    def _acts(self) -> dict[str, Callable[[Node, Act], None]]:
        network = self.network

        def now_s() -> float:
            return self.timeline.now_s

        def cut(node: Node, act: Act) -> None:
            if node.line is not None:
                node.line.cut_until_s = now_s() + act.much

        def away(node: Node, act: Act) -> None:
            network.away_until_s = now_s() + act.much

        def lose_acks(node: Node, act: Act) -> None:
            if node.line is not None:
                node.line.acks_to_lose = 1 + int(act.much) % 4

        def lose_requests(node: Node, act: Act) -> None:
            if node.line is not None:
                node.line.share_lost = act.more / 2

        def slow(node: Node, act: Act) -> None:
            network.slowest_s = 4.0 * act.more

        def drain(node: Node, act: Act) -> None:
            self.change_table(lambda table: msgspec.structs.replace(table, drained=[node.name]))

        def undrain(node: Node, act: Act) -> None:
            self.change_table(lambda table: msgspec.structs.replace(table, drained=[]))

        return {
            "start": lambda node, act: node.start(),
            "leave": lambda node, act: node.leave(),
            "kill": lambda node, act: node.kill(),
            "kill at": lambda node, act: node.kill_at(POINTS[int(act.more * len(POINTS)) % len(POINTS)]),
            "drain": drain,
            "undrain": undrain,
            "cut power": lambda node, act: node.cut_power(act.more, act.much % 1.0),
            "lose disk": lambda node, act: node.lose_disk(),
            "pause": lambda node, act: node.pause(act.much),
            "cut": cut,
            "away": away,
            "lose acks": lose_acks,
            "lose requests": lose_requests,
            "slow": slow,
            "seeds": lambda node, act: self._add_seeds(act.more),
        }

    def _add_seeds(self, wait_s: float) -> None:
        """As `weft cluster seeds` does, just when it seems that all is done; and it takes its time."""

        def begin() -> None:
            self.network.stored.on_probe = lambda: None
            self.network.later(wait_s, start)
            self.network.later(wait_s + 4 * self.network.way_s(), self.person.stop)
            self.network.later(wait_s + 10.0, self.person.resume)

        def start() -> None:
            self.person.create_task(self._sow())

        self.network.stored.on_probe = begin

    async def _sow(self) -> None:
        line, stored = Line(self.network, self.person), self.network.stored
        try:
            while True:
                try:
                    is_taken = await sow(shared_by(line, stored), MemoryLog(line, stored), SHARES, [self.web.late_seed])
                except TimeoutError:
                    continue
                if not is_taken:
                    return
                self.seeds.append(self.web.late_seed)
                assert not self.finished or self.web.late_seed in self.done(), "seeds were taken, but are not visited"
                return
        except Exception as error:
            self.person.errors.append(error)

    def change_table(self, change: Callable[[Table], Table]) -> None:
        """As a person does, by a command."""
        stored = self.network.stored
        revision, raw = stored.values["table"]
        table = change(msgspec.json.decode(raw, type=Table))
        stored.update(stored.values, "table", msgspec.json.encode(table), revision)

    def let_pass(self, seconds: float) -> None:
        """Time; whatever goes wrong meanwhile is raised."""
        self.timeline.run(self.timeline.now_s + seconds)
        for loop in (self.network.own_loop, self.person):
            if loop.errors:
                raise loop.errors[0]
        for node in self.nodes:
            if node.trouble is not None:
                raise node.trouble
            for loop in (*node.dead_loops, *([node.loop] if node.loop is not None else ())):
                if loop.errors:
                    raise loop.errors[0]

    def bury(self) -> None:
        """Let go of all that is under way."""
        self.network.is_over = True
        self.person.bury()
        for node in self.nodes:
            for loop in (*node.dead_loops, *([node.loop] if node.loop is not None else ())):
                loop.bury()
        self.timeline.run(self.timeline.now_s + 100.0)

    # ── what must be true ──────────────────────────────────────────────────────────────────────────────

    def _look_at_table(self, key: str, value: bytes) -> None:
        if key == "table" and not self.finished:
            self.finished = msgspec.json.decode(value, type=Table).finished
            if self.finished:
                self._check()

    def done(self) -> dict[str, Done]:
        """What the log says of each page."""
        done: dict[str, Done] = {}
        for bucket in range(BUCKETS):
            for message in self.network.stored.streams[bucket % STREAMS]:
                if message.subject == deeds(bucket) and isinstance(event := from_bytes(message.data), Entries):
                    for entry in event.entries:
                        match entry:
                            case Done():
                                done[entry.page.url] = entry
                            case Again():
                                done.pop(f"{entry.url.scheme}://{entry.url.host}{entry.url.file}", None)
        return done

    def _check(self) -> None:
        done = self.done()
        wanted = set(self.seeds)
        for url, one in done.items():
            wanted.update(self.web.links(url, int(one.page.title)))
        lost = wanted - done.keys()
        assert not lost, f"lost: {sorted(lost)}"
        for bucket in range(BUCKETS):
            self._check_owner(bucket)
        for one in done.values():
            disk = self._disks.get(one.file.rpartition("-")[0])
            if disk is not None and disk.name in {node.disk.name for node in self.nodes}:
                assert len(disk.records[one.file]) > one.page.offset, f"the record of {one.page.url} is lost"

    def _check_owner(self, bucket: int) -> None:
        last = self.network.stored.last.get((bucket % STREAMS, deeds(bucket)))
        event = from_bytes(last.data) if last is not None else None
        assert isinstance(event, Claim | Entries), f"nobody owns {bucket}"
        _, raw = self.network.stored.nodes[event.node]
        member = msgspec.json.decode(raw, type=Member)
        assert member.life == event.life, f"a life that is over owns {bucket}"
        assert not member.is_over, f"a life that is over owns {bucket}"

    def _why_not_over(self) -> str:
        members = {name: msgspec.json.decode(raw, type=Member) for name, (_, raw) in self.network.stored.nodes.items()}
        table = msgspec.json.decode(self.network.stored.values["table"][1], type=Table)
        return f"the crawl does not end: {len(self.done())} pages, {members}, {table}"


def drawn(seed: int, kinds: Sequence[str]) -> list[Act]:
    """A schedule of such acts."""
    random = Random(seed)
    acts = [Act(0.0, "start", node) for node in range(random.randrange(1, NODES + 1))]
    for _ in range(random.randrange(1, 20)):
        wait_s = random.choice((0.0, 1.0, 4.0, 14.0)) * random.random()
        much = random.choice((2.0, 6.0, 11.0, 25.0)) + random.random()
        acts.append(Act(wait_s, random.choice(kinds), random.randrange(NODES), much, random.random()))
    return acts


def play(seed: int, acts: list[Act]) -> World:
    """A schedule, from its beginning to its end."""
    with a_world(seed) as world:
        world.play(acts)
    return world


@contextmanager
def a_world(seed: int) -> Iterator[World]:
    """One in which nothing has happened yet."""
    with ExitStack() as patches:
        for module in (life, publisher, reading, taking):
            patches.enter_context(patch.object(module, "crash_point", crash_point))
        world = World(seed)
        try:
            yield world
        finally:
            world.bury()
