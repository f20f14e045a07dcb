"""The report as data: what `weft report --json` prints. docs/report.md explains each field, and a test keeps it so.

A *visit* is a URL that was asked for, with the answer or failure of its last try. A *page* is a visit that ended with
a 2xx answer. Percentages have two decimals; times are in seconds.
"""

from __future__ import annotations

import msgspec


class Count(msgspec.Struct, frozen=True):
    """A row of a table."""

    name: str
    count: int
    percent: float


class Volume(msgspec.Struct, frozen=True):
    """A row with bytes."""

    name: str
    count: int
    percent: float
    bytes: int


class Origin(msgspec.Struct, frozen=True):
    """What was crawled, and when."""

    first_seed: str
    seeds: int
    scope: str
    max_depth: int | None
    first_visit: str
    last_visit: str


class Totals(msgspec.Struct, frozen=True):
    """The crawl as a whole."""

    pages: int
    visits: int
    failed: int
    requests: int
    retries: int
    hosts: int
    bytes: int
    seconds: float
    pages_per_s: float
    kb_per_s: float
    seen: int
    queued: int
    left_out: int
    relaxed: int
    workers_died: int


class LeftOut(msgspec.Struct, frozen=True):
    """What one rule refused of the URLs that belong to the crawl."""

    reason: str
    rule: str
    count: int
    example: str


class Responses(msgspec.Struct, frozen=True):
    """Paper 2's table: how requests ended, by kind; redirects are not part of the total."""

    total: int
    kinds: list[Count]
    redirects: Count
    leading_back: int  # of the redirects: to themselves, or to where they came from; most of these want a cookie


class Sizes(msgspec.Struct, frozen=True):
    """The bodies of pages."""

    total_bytes: int
    mean_bytes: float
    p50_bytes: float
    p95_bytes: float
    largest_bytes: int


class Duplicates(msgspec.Struct, frozen=True):
    """Pages that say what others say."""

    revisits: int
    saved_bytes: int
    near: int | None


class Stage(msgspec.Struct, frozen=True):
    """What a step of a page's way takes; percentiles where each page's time is known."""

    name: str
    times: int
    mean_s: float
    total_s: float
    p50_s: float | None = None
    p95_s: float | None = None


class Host(msgspec.Struct, frozen=True):
    """A host."""

    name: str
    visits: int
    pages: int
    percent: float
    bytes: int
    mean_wait_s: float
    failed: int
    main_failure: str


class Hosts(msgspec.Struct, frozen=True):
    """Hosts that stand out, the first few of each kind."""

    by_pages: list[Host]
    by_bytes: list[Host]
    slowest: list[Host]
    failing: list[Host]


class SeenSet(msgspec.Struct, frozen=True):
    """Who answered whether a URL is known."""

    asked: int
    answered_by: list[Count]
    false_positives: int
    false_positive_percent: float


class Items(msgspec.Struct, frozen=True):
    """What the user's functions made of the pages."""

    written: int
    calls_failed: int
    hooks_failed: int = 0  # calls


class Value(msgspec.Struct, frozen=True):
    """What the crawl's order found worth fetching, and how much of it was fetched."""

    order: str
    fetched_percent: float  # of the value of all that was found
    relevant: int | None = None  # pages on the topic, if there is one …
    relevant_percent: float | None = None  # … of all pages


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    verdict: str
    crawl: Origin
    totals: Totals
    left_out: list[LeftOut]
    responses: Responses
    outcomes: list[Count]
    refusals: list[Count]
    media_types: list[Volume]
    charsets: list[Count]
    depths: list[Count]
    sizes: Sizes
    truncated: list[Count]
    unread: list[Count]
    duplicates: Duplicates
    stages: list[Stage]
    hosts: Hosts
    seen: SeenSet
    items: Items
    value: Value | None  # of an order that scores
