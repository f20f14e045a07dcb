"""From how a crawl stands to what is told of it: rates, shares, what limits it, what is wrong."""

from __future__ import annotations

import os
import shutil
import socket
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path

import msgspec

from weft._version import __version__
from weft.clock import Clock, utc_text
from weft.config import CrawlConfig
from weft.live.forecast import limit_of
from weft.live.limiter import limiter_of
from weft.live.sightings import Sightings, Sights, most_of
from weft.live.status import Done, Limiter, Memory, Moment, Rates, Stage, State, Status, Steered
from weft.live.summary import RUNNING, Summary, summary_of
from weft.pipeline.crawl import Crawl
from weft.pipeline.halts import Halt
from weft.pipeline.progress import HOSTS_NAMED, HostWait, Progress
from weft.stats import Counters
from weft.stats.survey import TIME_OUTS
from weft.stats.verdict import counted
from weft.types import Outcome, Refusal

RATE_OVER_S = 10.0
PATTERNS_SHOWN = SEEDS_SHOWN = DELAYS_SHOWN = 20
LOW_DISK_BYTES = 1 << 30
MANY_FAILED, FEWEST_TO_JUDGE = 0.2, 50  # a share of visits, of at least so many
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Sampler:
    """Makes a status of a crawl that runs."""

    def __init__(
        self,
        crawl: Crawl,
        sightings: Sightings,
        clock: Clock,
        others: Callable[[], Sequence[Sights]] = lambda: (),
    ) -> None:
        self._crawl = crawl
        self._sightings = sightings
        self._others = others  # what engines in other processes see
        self._clock = clock
        self._began, self._began_wall = clock.monotonic(), clock.wall()
        self._points: deque[tuple[float, int, int, int]] = deque()  # the last RATE_OVER_S, one a sample
        self._pages_before: int | None = None
        self.commands: deque[Done] = deque(maxlen=HOSTS_NAMED)  # the newest first

    def sample(self, state: State | None = None, ending: str = RUNNING) -> Status | None:
        """How it stands now; None before it has begun."""
        crawl = self._crawl
        if (progress := crawl.progress()) is None:
            return None
        counters, config = progress.counters, crawl.config
        seconds = self._clock.monotonic() - self._began
        rates = self._rates(counters)
        limiter = limiter_of(progress, config)
        if self._pages_before is None:
            self._pages_before = counters.pages
        free_bytes = shutil.disk_usage(crawl.folder.path).free
        looked_at = inf if state is State.FINISHING else self._clock.monotonic()
        sights = most_of([self._sightings.sights(looked_at), *self._others()])
        summary = summary_of(crawl, ending, seconds)
        summary.pages_per_s = round((counters.pages - self._pages_before) / max(seconds, 0.001), 1)
        return Status(
            **msgspec.structs.asdict(summary),
            state=state or _state_of(progress, config),
            updated=utc_text(self._clock.wall()),
            began=utc_text(self._began_wall),
            pid=os.getpid(),
            machine=socket.gethostname(),
            version=__version__,
            run_s=round(counters.run_s, 1),
            seen=counters.seen,
            rates=rates,
            limit=limit_of(counters, config, seconds, rates),
            limiter=limiter,
            under_way=progress.visiting + progress.asking,
            slots=progress.slots,
            preparing=progress.preparing,
            parsing=progress.parsing,
            stages=list(_stages(progress)),
            kinds=kinds_of(counters),
            hosts=progress.hosts,
            waiting=progress.waiting,
            left=[HostWait(name, 0.0, why) for name, why in list(progress.parked.items())[:HOSTS_NAMED]],
            by_pages=sights.by_pages,
            slowest=sights.slowest,
            newest=sights.newest,
            dns=progress.dns,
            robots=progress.robots,
            memory=Memory(
                sum(map(_rss_bytes, crawl.engine_pids)),
                sum(map(_rss_bytes, progress.worker_pids)),
                progress.body_bytes,
                progress.most_body_bytes,
            ),
            steered=_steered(config),
            commands=list(self.commands),
            warnings=list(_warnings(free_bytes, counters, progress)),
            workers_died=progress.workers_died,
            disk_free_bytes=free_bytes,
        )

    def _rates(self, counters: Counters) -> Rates:
        now = self._clock.monotonic()
        self._points.append((now, counters.pages, counters.requests, counters.bytes))
        while now - self._points[0][0] > RATE_OVER_S:
            self._points.popleft()
        (then, *before), (_, *after) = self._points[0], self._points[-1]
        if now <= then:
            return Rates()
        return Rates(*(round((b - a) / (now - then), 2) for a, b in zip(before, after, strict=True)))


def moment_of(status: Status, now: float) -> Moment:
    """A point of the curves."""
    return Moment(
        at=round(now, 1),
        pages=status.pages,
        bytes=status.bytes,
        pages_per_s=status.rates.pages,
        bytes_per_s=status.rates.bytes,
        queued=status.queued,
        under_way=status.under_way,
        workers=[stage.workers for stage in status.stages],
        buffers=[stage.buffer for stage in status.stages],
        idle_percent=[stage.idle_percent for stage in status.stages],
        hosts_ready=status.hosts.ready,
        hosts_waiting=status.hosts.waiting,
        memory=status.memory.engine + status.memory.workers,
        limiter=status.limiter.name,
    )


def ended(last: Status, summary: Summary, now: float) -> Status:
    """The last status of a run, with its final figures."""
    return msgspec.structs.replace(
        last,
        **msgspec.structs.asdict(summary),
        state=State.ENDED,
        updated=utc_text(now),
        rates=Rates(),
        limiter=Limiter("nothing", "the crawl has ended"),
        under_way=0,
        preparing=0,
        parsing=0,
        waiting=[],
    )


def kinds_of(counters: Counters) -> dict[str, int]:
    """Paper 2's table: how requests ended, robots.txt and further tries included."""
    statuses = counters.statuses
    pages = sum(count for status, count in statuses.items() if 200 <= status < 300)
    redirects = sum(count for status, count in statuses.items() if 300 <= status < 400)
    timed_out = sum(count for outcome, count in counters.failed.items() if outcome in TIME_OUTS)
    not_found = statuses.get(404, 0)
    failed = sum(counters.failed.values())
    return {
        "OK": pages,
        "redirect": redirects,
        "404": not_found,
        "time-out": timed_out,
        "too many redirects": counters.refused.get(Refusal.TOO_MANY_REDIRECTS, 0),
        "other": sum(statuses.values()) - pages - redirects - not_found + failed - timed_out,
    }


def _state_of(progress: Progress, config: CrawlConfig) -> State:
    if progress.halt is Halt.STOPPING:
        return State.STOPPING
    return State.PAUSED if config.paused else State.RUNNING


def _stages(progress: Progress) -> Iterable[Stage]:
    why = {decision.name: decision.reason for decision in progress.balance}
    if not progress.readings:  # the numbers are fixed, or nothing has been read yet
        yield Stage("resolve", progress.preparing, progress.preparing, 0, 0.0, 0.0)
        yield Stage("fetch", progress.slots, progress.slots, 0, 0.0, 0.0)
        yield Stage("parse", progress.workers, progress.workers, progress.parsing, 0.0, 0.0)
    for one in progress.readings:
        worked_s = one.workers * progress.period_s
        idle = min(1.0, one.idle_s / worked_s) if worked_s else 0.0
        per_s = one.done / progress.period_s if progress.period_s else 0.0
        yield Stage(
            one.name, one.workers, one.most, one.buffer, round(100 * idle, 1), round(per_s, 2), why.get(one.name, "")
        )


def _steered(config: CrawlConfig) -> Steered:
    return Steered(
        config.rate,
        config.delay_s,
        dict(config.host_delays[-DELAYS_SHOWN:]),
        list(config.blocked_hosts[-DELAYS_SHOWN:]),
        list(config.exclude[-PATTERNS_SHOWN:]),
        len(config.exclude),
        list(config.seeds[:SEEDS_SHOWN]),
        len(config.seeds),
    )


def _warnings(free_bytes: int, counters: Counters, progress: Progress) -> Iterable[str]:
    if free_bytes < LOW_DISK_BYTES:
        yield f"the disk has {free_bytes / 1e6:,.0f} MB left"
    if progress.workers_died:
        yield f"{counted(progress.workers_died, 'parse worker')} died; state/workers.log may say why"
    if counters.hooks_failed:
        yield f"{counted(counters.hooks_failed, 'call')} of hooks failed: state/hooks.log says why"
    failed = sum(counters.failed.values())
    answered = sum(_of(counters.statuses, range(200, 400)))
    refused = sum(_of(counters.statuses, (403, 429, 503)))
    if (visits := failed + sum(counters.statuses.values())) >= FEWEST_TO_JUDGE:
        if failed > MANY_FAILED * visits:
            yield f"{failed / visits:.0%} of visits failed, most with {_most(counters.failed)}"
        if refused > MANY_FAILED * visits:
            yield f"{refused / visits:.0%} of answers are 403, 429 or 503: servers do not like to be asked"
        elif not answered:
            yield "not one page came so far"
    if progress.hosts.left and progress.hosts.left >= progress.hosts.in_memory:
        yield f"{counted(progress.hosts.left, 'site')} left for another run"


def _of(statuses: Mapping[int, int], wanted: Iterable[int]) -> Iterable[int]:
    return (statuses.get(status, 0) for status in wanted)


def _most(counts: Mapping[Outcome, int]) -> str:
    return max(counts, key=counts.__getitem__)


def _rss_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):  # it has just ended
        return 0
