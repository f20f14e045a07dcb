"""Many URLs in frontier and seen set, without a crawl around them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from os import getpid
from pathlib import Path

import msgspec

from bench.growth_samples import folder_bytes
from bench.measure import memory_bytes
from bench.record import say
from weft.clock import Clock
from weft.frontier import Clearance, Frontier, Manners, Preparation
from weft.order import order_named
from weft.seen import Found, Seen
from weft.state import State
from weft.types import Kind, Link, Visit
from weft.url import url_id

HOSTS = 100_000
URLS_PER_BATCH = 200  # about what the engine commits at once: ten pages, each with some new links
QUESTIONS = 200_000
STEPS = 10
TURNS_SHARE = 10  # one of so many URLs is taken out again


class Step(msgspec.Struct, frozen=True):
    """A stretch of the same work: what one URL cost in it, and how things were at its end."""

    urls: int  # so far
    cpu_us: float  # a URL, all threads
    loop_us: float  # a URL, of the calling thread alone; the rest is RocksDB's compaction
    seconds: float
    memory_bytes: int
    disk_bytes: int


class Urls(msgspec.Struct, frozen=True):
    """What the run gave."""

    puts: list[Step]
    turns: list[Step]
    cost_us: dict[str, float]  # of one question to the seen set, by who answers
    seen: dict[str, int]  # its statistics at the end


def measure_urls(folder: Path, urls: int) -> Urls:
    """Put them in, ask for some, take some out."""
    state = State(folder)
    seen = Seen(state, is_new_crawl=True)
    manners = Manners(delay_s=0.0, connections_per_host=2, connections_per_address=64)
    frontier = Frontier(state, Clock(), order_named("bfs").rank, manners, sequence=0)
    puts = _steps(folder, urls, lambda start, stop: _put(state, seen, frontier, start, stop))
    cost_us = _questions(seen, urls)
    turns = _steps(folder, urls // TURNS_SHARE, lambda start, stop: _take(state, frontier, stop - start))
    statistics = seen.statistics()
    state.close()
    return Urls(puts, turns, cost_us, statistics)


def _steps(folder: Path, urls: int, work: Callable[[int, int], None]) -> list[Step]:
    steps = []
    for number in range(STEPS):
        start, stop = urls * number // STEPS, urls * (number + 1) // STEPS
        began_s, began_cpu_s, began_loop_s = time.monotonic(), time.process_time(), time.thread_time()
        work(start, stop)
        a_url = 1e6 / (stop - start)
        step = Step(
            stop,
            (time.process_time() - began_cpu_s) * a_url,
            (time.thread_time() - began_loop_s) * a_url,
            time.monotonic() - began_s,
            memory_bytes(getpid()),
            folder_bytes(folder),
        )
        say(f"{step.urls:>11,} URLs: {step.cpu_us:.1f} µs each, {step.loop_us:.1f} of them in the loop; "
            f"{step.seconds:.1f} s, {step.memory_bytes >> 20} MB, on disk {step.disk_bytes >> 20} MB")  # fmt: skip
        steps.append(step)
    return steps


def _url(number: int) -> tuple[str, str]:
    host = f"h{number % HOSTS}.test"
    return host, f"http://{host}/page/{number}"


def _put(state: State, seen: Seen, frontier: Frontier, start: int, stop: int) -> None:
    for first in range(start, stop, URLS_PER_BATCH):
        batch = state.batch()
        for number in range(first, min(first + URLS_PER_BATCH, stop)):
            host, url = _url(number)
            if seen.add(batch, url_id(url), 1) is Found.NEW:
                frontier.put(batch, host, Link(url, 1, Kind.LINK, f"http://{host}/"))
        frontier.seal(batch)
        state.write(batch)
        frontier.settle()
        seen.settle()


def _take(state: State, frontier: Frontier, turns: int) -> None:
    """Visits that end as soon as they begin. None when nobody is ready: hosts may sleep for a moment."""
    while turns:
        batch = state.batch()
        in_batch = 0
        while in_batch < min(turns, 10):
            turn = frontier.next()
            if isinstance(turn, Preparation):
                frontier.clear(turn.host, turn.authority, Clearance(("127.0.0.1",), holds_s=1e9))
            elif isinstance(turn, Visit):
                frontier.release(turn, answered=True)
                frontier.finish(batch, turn)
                in_batch += 1
            else:
                time.sleep(frontier.seconds_to_next() or 0.0)
        frontier.seal(batch)
        state.write(batch)
        frontier.settle()
        turns -= in_batch


def _questions(seen: Seen, urls: int) -> dict[str, float]:
    """What an answer costs: from the cache, from the filter and from the disk."""
    chance = random.Random(1)
    known_ids = [url_id(_url(chance.randrange(urls))[1]) for _ in range(QUESTIONS)]
    unknown_ids = [url_id(_url(urls + number)[1]) for number in range(QUESTIONS)]
    cost_us = {"filter": _cost_us(seen, unknown_ids), "disk": _cost_us(seen, known_ids)}
    return cost_us | {"cache": _cost_us(seen, known_ids[-10_000:])}


def _cost_us(seen: Seen, ids: list[bytes]) -> float:
    began_s = time.process_time()
    for asked in ids:
        seen.depth(asked)
    return 1e6 * (time.process_time() - began_s) / len(ids)
