"""Paper 1's crawler: threads that crawl, with private queues or a locked one, and a DNS cache or none."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import deque
from collections.abc import Callable

import msgspec

from bench.papers.paper1.readers import Manners, Reader, load, request

LINK = re.compile(rb'href="http://(h\d+)/p(\d+)"')
LOOK_UP_S, SLOW_LOOK_UP_S, SLOW_SHARE = 0.2, 2.74, 0.05  # 0.327 on average, a few take seconds: as in the paper
FAR = 10**12  # page numbers start again there

Url = tuple[str, int]  # host, page number


class Design(msgspec.Struct, frozen=True):
    """A row of table 2."""

    io: str  # event, select or none
    has_cache: bool
    threads: int
    is_private: bool  # its queue
    hold_s: float = 0.0  # by which putting a URL into a shared queue takes longer, with the lock held


class Site(msgspec.Struct, frozen=True):
    """What is crawled, all times already as short as they are here."""

    port: int
    page_bytes: int
    page_s: float
    timeout_s: float
    factor: float


class Crawled(msgspec.Struct, frozen=True):
    """What came of it."""

    seconds: float
    pages: int
    received_bytes: int
    volume: list[tuple[float, int]]  # bytes by second
    lock_wait_s: float  # of all threads, for the shared queue
    puts: int
    put_s: float  # in which the lock was held, of all puts


class LockedQueue:
    """One queue of all threads; waiting for its lock is measured. Filled and emptied by all; bound: the run's time."""

    def __init__(self, hold_s: float) -> None:
        self._urls: deque[Url] = deque()
        self._lock = threading.Lock()
        self._hold_s = hold_s
        self.wait_s = self.put_s = 0.0
        self.puts = 0

    def put(self, url: Url) -> None:
        """One URL; the lock is taken for each, as the paper's threads did."""
        asked = time.perf_counter()
        with self._lock:
            got = time.perf_counter()
            self._urls.append(url)
            if self._hold_s:
                time.sleep(self._hold_s)
            self.wait_s += got - asked
            self.put_s += time.perf_counter() - got
            self.puts += 1

    def take(self) -> Url | None:
        """The next, if there is one."""
        asked = time.perf_counter()
        with self._lock:
            self.wait_s += time.perf_counter() - asked
            return self._urls.popleft() if self._urls else None


class OwnQueue:
    """A thread's own: nobody else touches it."""

    def __init__(self) -> None:
        self._urls: deque[Url] = deque()

    def put(self, url: Url) -> None:
        """One URL."""
        self._urls.append(url)

    def take(self) -> Url | None:
        """The next, if there is one."""
        return self._urls.popleft() if self._urls else None


class PaperCrawler:
    """All threads of one run. The set of seen URLs is shared, as in the paper."""

    def __init__(self, design: Design, site: Site, reader: Reader, *, ends: bool) -> None:
        self._design = design
        self._site = site
        self._reader = reader
        self._manners = Manners(site.timeout_s, site.timeout_s / 10, ends)
        self._seen: set[Url] = set()
        self._seen_lock = threading.Lock()
        self._names: set[str] = set()  # of the DNS cache
        self._shared = LockedQueue(design.hold_s)
        self._until = 0.0
        self._done: list[tuple[float, int]] = []

    def run(self, seconds: float) -> Crawled:
        """So long."""
        began = time.perf_counter()
        self._until = began + seconds
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(self._design.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = [(at - began, size) for at, size in self._done if at <= self._until]
        shared = self._shared
        return Crawled(
            seconds, len(done), sum(size for _, size in done), by_time(done, seconds), shared.wait_s, shared.puts,
            shared.put_s,
        )  # fmt: skip

    def _work(self, number: int) -> None:
        queue = OwnQueue() if self._design.is_private else self._shared
        queue.put((f"h{number}", number + 1))
        while time.perf_counter() < self._until:
            if (url := queue.take()) is None:
                time.sleep(self._site.timeout_s / 100)
                continue
            self._visit(url, queue.put)

    def _visit(self, url: Url, put: Callable[[Url], None]) -> None:
        host, number = url
        if not (self._design.has_cache and host in self._names):
            time.sleep(look_up_s(host) / self._site.factor)
            self._names.add(host)
        site = self._site
        connection, began = request(site.port, site.page_bytes, site.page_s, number % FAR, keep=True)
        page = load(self._reader, connection, began, self._manners, site.page_s)
        self._done.append((time.perf_counter(), len(page.body)))
        for found, other in LINK.findall(page.body):
            link = (found.decode(), int(other))
            with self._seen_lock:
                is_new = link not in self._seen
                self._seen.add(link)
            if is_new:
                put(link)


def look_up_s(host: str) -> float:
    """How long the DNS takes for a name: always the same for one name."""
    draw = hashlib.blake2b(host.encode(), digest_size=4).digest()
    return SLOW_LOOK_UP_S if int.from_bytes(draw) / 2**32 < SLOW_SHARE else LOOK_UP_S


def by_time(done: list[tuple[float, int]], seconds: float, steps: int = 24) -> list[tuple[float, int]]:
    """Bytes that had come by each of some moments."""
    return [
        (seconds * step / steps, sum(size for at, size in done if at <= seconds * step / steps))
        for step in range(steps + 1)
    ]
