"""Engines without sockets and processes: the real outboxes, peers and rounds on disks in memory, moved step by step.

A schedule takes steps at random. An engine is killed, and with it the run: whoever is left may go on for a while, and
what is on its way may arrive or not. Or the power is cut, and with it goes what was not synced.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable

from tests.cluster.schedules.disk import Disk, MemoryState
from weft.engines.ending import Rounds
from weft.engines.messages import Answer, Links, OutboxRow, Taken
from weft.engines.outbox import Outbox, decode_row
from weft.engines.peer import Peer
from weft.engines.told import Told
from weft.seen import Found, Seen
from weft.types import FoundLink, Link
from weft.url.ids import ID_BYTES


class Web:
    """Pages that link to each other, each of one engine's."""

    def __init__(self, chance: random.Random, engines: int, pages: int) -> None:
        self.engines = engines
        self.links = {
            page: [chance.randrange(pages) for _ in range(chance.randrange(6))] for page in range(pages)
        }  # fmt: skip
        self.seeds = [chance.randrange(pages) for _ in range(3)]

    def reachable(self) -> set[int]:
        found, todo = set(self.seeds), list(self.seeds)
        while todo:
            new = set(self.links[todo.pop()]) - found
            found |= new
            todo += new
        return found

    def owner(self, page: int) -> int:
        return page % self.engines


class Engine:
    """One engine of a run."""

    def __init__(self, number: int, web: Web, disk: Disk, visits: Counter[int], *, acks_at_once: bool) -> None:
        self.number = number
        self._web = web
        self.disk = disk
        self._visits = visits
        self._acks_at_once = acks_at_once
        self._state = state = MemoryState(disk)
        self._seen = Seen(state, is_new_crawl=False)
        self._told = Told(memory_bytes=1)  # so that it forgets
        self.peers = {other: Peer(Outbox(state, other)) for other in range(web.engines) if other != number}
        self.schedule(web.seeds)

    def schedule(self, pages: list[int], visited: int | None = None) -> None:
        """Queue what is ours and new, have the rest sent; together with the page that had it."""
        batch = self._state.batch()
        if visited is not None:
            batch.delete("queue", key(visited))
            batch.put("page", key(visited), b"")
        rows: dict[int, OutboxRow] = {}
        for page in pages:
            owner = self._web.owner(page)
            if owner == self.number:
                if self._seen.add(batch, key(page), 0) is Found.NEW:
                    batch.put("queue", key(page), b"")
            elif self._told.is_news(key(page), 0, is_guess=False):
                found = FoundLink(key(page), "", Link(str(page), 0))
                rows.setdefault(owner, OutboxRow([], [])).found.append(found)
        for owner, row in rows.items():
            self.peers[owner].put(batch, row)
        self._state.write(batch)
        self._seen.settle()
        for peer in self.peers.values():
            peer.settle()

    def visit(self) -> None:
        for row, _ in self._state.scan("queue"):
            page = int.from_bytes(row, "big")
            self._visits[page] += 1
            self.schedule(self._web.links[page], visited=page)
            return

    def send(self, to: int) -> Links | None:
        return self.peers[to].next()

    def hear(self, sender: int, message: Links | Taken) -> Taken | None:
        peer = self.peers[sender]
        if isinstance(message, Taken):
            peer.taken(message.last)
            return None
        self.schedule([int(found.link.url) for row in message.rows for found in decode_row(row).found])
        peer.received += len(message.rows)
        peer.applied = message.last
        return Taken(message.last) if self._acks_at_once else None

    def sync(self) -> dict[int, Taken]:
        self.disk.sync()
        return {other: Taken(peer.applied) for other, peer in self.peers.items() if peer.applied}

    @property
    def is_idle(self) -> bool:
        has_work = next(self._state.scan("queue"), None) is not None
        return not has_work and all(peer.is_empty for peer in self.peers.values())

    def answer(self, number: int) -> Answer:
        peers = self.peers.values()
        return Answer(number, self.is_idle, sum(one.sent for one in peers), sum(one.received for one in peers))


class Run:
    """All engines from a start to the end of the crawl, or to a kill."""

    def __init__(self, engines: list[Engine], chance: random.Random) -> None:
        self.engines = engines
        self._chance = chance
        count = len(engines)
        self._pairs = [(one, other) for one in range(count) for other in range(count) if one != other]
        self._on_way: dict[tuple[int, int], deque[Links | Taken]] = {pair: deque() for pair in self._pairs}
        self._rounds = Rounds(count)
        self._asked: list[tuple[int, int]] = []  # round and engine
        self._answers: list[tuple[int, Answer]] = []
        self.is_over = False
        self._dead: int | None = None

    def kill(self, engine: int) -> None:
        """It does nothing more, and what was on its way to it is lost."""
        self._dead = engine
        for (_, to), messages in self._on_way.items():
            if to == engine:
                messages.clear()

    def step(self) -> None:
        steps: list[Callable[[], None]] = [self._visit] * 4 + [self._send] * 3 + [self._deliver] * 4
        steps += [self._sync, self._ask, self._answer, self._answer, self._hear_answer, self._hear_answer]
        self._chance.choice(steps)()

    def _living(self) -> Engine | None:
        engine = self._chance.choice(self.engines)
        return None if engine.number == self._dead else engine

    def _visit(self) -> None:
        if (engine := self._living()) is not None:
            engine.visit()

    def _send(self) -> None:
        one, other = self._chance.choice(self._pairs)
        if one != self._dead and (links := self.engines[one].send(other)) is not None:
            self._on_way[one, other].append(links)

    def _deliver(self) -> None:
        one, other = self._chance.choice(self._pairs)
        if other != self._dead and self._on_way[one, other]:
            answer = self.engines[other].hear(one, self._on_way[one, other].popleft())
            if answer is not None:
                self._on_way[other, one].append(answer)

    def _sync(self) -> None:
        if (engine := self._living()) is not None:
            for other, taken in engine.sync().items():
                self._on_way[engine.number, other].append(taken)

    def _ask(self) -> None:
        if all(engine.is_idle for engine in self.engines) or self._chance.random() < 0.05:
            if (number := self._rounds.begin()) is not None:
                self._asked += [(number, engine.number) for engine in self.engines]
        else:
            self._rounds.busy()

    def _answer(self) -> None:
        if self._asked:
            number, engine = self._asked.pop(self._chance.randrange(len(self._asked)))
            if engine != self._dead:
                self._answers.append((engine, self.engines[engine].answer(number)))

    def _hear_answer(self) -> None:
        if self._answers:
            engine, answer = self._answers.pop(self._chance.randrange(len(self._answers)))
            self.is_over = self.is_over or self._rounds.hear(engine, answer)


class Outcome:
    """What a schedule came to."""

    def __init__(self, web: Web, disks: list[Disk], visits: Counter[int]) -> None:
        self.missed = web.reachable() - {int.from_bytes(row, "big") for disk in disks for row in disk.rows["page"].keys}
        self.twice = {page for page, times in visits.items() if times > 1}
        self.queued = sum(len(disk.rows["queue"].keys) for disk in disks)


def play(seed: int, *, kills: int = 0, cuts: int = 0, acks_at_once: bool = False) -> Outcome:
    """A crawl with so many kills and power cuts, to its end."""
    chance = random.Random(seed)
    web = Web(chance, engines=chance.choice((2, 3, 4)), pages=chance.choice((10, 40, 120)))
    disks = [Disk(str(number)) for number in range(web.engines)]
    visits: Counter[int] = Counter()
    ends = ["kill"] * kills + ["cut"] * cuts
    chance.shuffle(ends)
    while True:
        engines = [Engine(n, web, disk, visits, acks_at_once=acks_at_once) for n, disk in enumerate(disks)]
        run = Run(engines, chance)
        steps = chance.randrange(1, 400) if ends else 1_000_000
        while not run.is_over and steps:
            run.step()
            steps -= 1
        if run.is_over:
            return Outcome(web, disks, visits)
        assert ends, "the crawl does not come to its end"
        if ends.pop() == "kill":
            run.kill(chance.randrange(web.engines))
            for _ in range(chance.randrange(30)):  # until the others hear of it
                run.step()
        else:
            for disk in disks:
                disk.cut_power(chance.random(), 1.0)


def key(page: int) -> bytes:
    return page.to_bytes(ID_BYTES, "big")
