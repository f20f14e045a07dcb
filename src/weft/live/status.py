"""How a crawl stands, as data: what report.json holds while it runs and after. docs/status.md explains each field.

Totals count over all runs of the crawl; rates are means over the last few seconds; lists are bounded.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from weft.dns import DnsStatistics
from weft.live.summary import Summary
from weft.pipeline.progress import HostStates, HostWait, RobotsFigures


class State(StrEnum):
    """What a crawl does at the moment."""

    STARTING = "starting"  # nothing is known of this run yet: the figures are those of the one before
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"  # what is under way may end
    FINISHING = "finishing"  # its index files are written
    ENDED = "ended"  # `exit` says how
    KILLED = "killed"  # nobody wrote it: whoever reads the file finds that its process is gone


class Rates(msgspec.Struct, frozen=True):
    """A second, over the last few of them."""

    pages: float = 0.0
    requests: float = 0.0
    bytes: float = 0.0


class Limit(msgspec.Struct, frozen=True):
    """How near the crawl is to the nearest of its limits."""

    name: str  # pages, bytes or time
    done: float  # in pages, bytes or seconds
    of: float
    percent: float
    left_s: float | None  # until it is reached, at the present rate; None: nobody can say


class Limiter(msgspec.Struct, frozen=True):
    """What keeps the crawl from being faster."""

    name: str  # a word that does not change: politeness, servers, parsing, connections, pace, preparing, reader, log,
    # lease, paused, limit, commit, stopping, resting (hosts that failed or asked for it), nothing
    words: str  # a sentence with numbers
    advice: str = ""  # which flags would change that; empty: none would, or should


class Stage(msgspec.Struct, frozen=True):
    """A stage of the pipeline: paper 3's workers and buffers."""

    name: str  # resolve, fetch, parse
    workers: int
    most: int
    buffer: int  # what waits for it
    idle_percent: float  # of its workers' time
    done_per_s: float
    why: str = ""  # the balancer's last reason


class HostFigures(msgspec.Struct, frozen=True):
    """What came from a host."""

    name: str
    requests: int
    pages: int
    bytes: int
    failed: int
    mean_wait_s: float  # for the first byte


class Visited(msgspec.Struct, frozen=True):
    """A page that came lately."""

    at: str
    url: str
    status: int  # 0: no response came …
    outcome: str  # … and why
    bytes: int
    took_s: float


class Memory(msgspec.Struct, frozen=True):
    """In bytes."""

    engine: int
    workers: int
    bodies: int  # waiting to be read …
    bodies_most: int  # … and how many may


class Steered(msgspec.Struct, frozen=True):
    """What can be changed while it runs, as it is now."""

    rate: float | None = None  # pages a second in all
    delay_s: float = 0.0
    host_delays: dict[str, float] = {}
    blocked: list[str] = []  # hosts, the newest ones
    exclude: list[str] = []  # the newest ones
    excludes: int = 0
    seeds: list[str] = []  # the first ones
    seed_count: int = 0


class Done(msgspec.Struct, frozen=True):
    """A command that was carried out."""

    at: str
    words: str


class Status(Summary, kw_only=True):
    """All of it. The figures of the summary come first."""

    state: State
    updated: str  # UTC
    began: str  # this run
    pid: int
    machine: str
    version: str
    run_s: float  # of all runs
    seen: int
    rates: Rates
    limit: Limit | None
    limiter: Limiter
    under_way: int  # requests
    slots: int  # how many there may be
    preparing: int  # authorities being looked up, or asked for robots.txt
    parsing: int
    stages: list[Stage]
    kinds: dict[str, int]  # paper 2's table: responses by kind
    hosts: HostStates
    waiting: list[HostWait]  # the longest rests first
    left: list[HostWait]  # for another run
    by_pages: list[HostFigures]
    slowest: list[HostFigures]
    newest: list[Visited]  # the newest first
    dns: DnsStatistics
    robots: RobotsFigures
    memory: Memory
    steered: Steered
    commands: list[Done]  # the newest first
    warnings: list[str]  # what is wrong, a sentence each
    workers_died: int = 0  # parse workers
    disk_free_bytes: int | None = None  # where the folder is; None: nobody has looked


class Moment(msgspec.Struct, frozen=True):
    """A point of the curves: a line of state/history.jsonl. The fields of stages are in the order of a page's way."""

    at: float  # seconds since 1970
    pages: int
    bytes: int
    pages_per_s: float
    bytes_per_s: float
    queued: int
    under_way: int
    workers: list[int]
    buffers: list[int]
    idle_percent: list[float]
    hosts_ready: int
    hosts_waiting: int
    memory: int
    limiter: str
