"""What is explained, as data. Times are UTC, as 2026-01-31T12:00:00Z; empty where nobody knows them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from weft.types import Kind, Outcome, Refusal, Unread


class State(StrEnum):
    """What has become of a URL."""

    VISITED = "visited"
    WAITING = "waiting"
    REFUSED = "refused"
    NEVER_FOUND = "never-found"
    ELSEWHERE = "elsewhere"  # another node of the cluster has it


class Wait(StrEnum):
    """Why a URL that waits is not fetched at this moment; the first that holds."""

    BLOCKED = "blocked"  # its host, by hand
    HOST_LEFT = "host-left"  # for another run
    AUTHORITY_LEFT = "authority-left"
    NOT_RUNNING = "not-running"
    PAUSED = "paused"
    RETRY = "retry"  # a try of its own has failed
    HOST_RESTS = "host-rests"
    AUTHORITY_RESTS = "authority-rests"
    PREPARING = "preparing"  # robots.txt comes first
    TURN = "turn"  # its host is asked for one URL after the other, or for this one right now


class Counted(msgspec.Struct, frozen=True):
    """How many there are; of very many, that there are more than so many."""

    count: int
    is_more: bool = False

    def __str__(self) -> str:
        return f"more than {self.count:,}" if self.is_more else f"{self.count:,}"


class Found(msgspec.Struct, frozen=True):
    """How a URL was found first."""

    words: str
    via: str  # the page it was found on
    at: str  # when that page was asked for
    depth: int  # the smallest known
    kind: Kind
    hops: str  # a letter a step from the seed
    seed: str  # the seed that led here


class Linked(msgspec.Struct, frozen=True):
    """Which pages link to a URL, by the link graph."""

    count: int
    pages: list[str]  # the first ones
    nearest: int | None  # the smallest depth among these
    is_cut: bool  # the graph was not read to its end


class Try(msgspec.Struct, frozen=True):
    """A request that was made for a URL, as crawl.log tells of it."""

    at: str
    words: str  # how it ended, and what followed


class Visited(msgspec.Struct, frozen=True):
    """A visit that has ended."""

    words: str
    at: str
    outcome: Outcome
    status: int  # 0: no response came
    attempts: int
    bytes: int  # of the body
    media_type: str
    title: str
    address: str
    file: str  # in archive/; empty: nothing was archived
    offset: int
    length: int
    redirects_to: str
    near_duplicate_of: str
    same_as: str  # the URL whose payload was the same, and is the one in the archive
    truncated: str  # as WARC-Truncated says it
    unread: Unread | None
    remarks: list[str]  # sentences about these


class Waiting(msgspec.Struct, frozen=True):
    """A URL in the queue."""

    words: str
    wait: Wait
    attempts: int | None  # None: its row stands so far behind that it was not looked for
    before: Counted  # URLs of its host that stand before it
    until: str  # before this it is not asked for


class RobotsLine(msgspec.Struct, frozen=True):
    """The line of a robots.txt that decides."""

    file: str
    number: int  # from 1; 0: the line is not in the copy at hand
    text: str


class Refused(msgspec.Struct, frozen=True):
    """Why a URL is not asked for."""

    words: str
    reason: Refusal
    rule: str
    robots: RobotsLine | None = None


class UrlExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """What has become of a URL, and why."""

    asked: str  # without the password that it may have had
    url: str  # in canonical form; all else is about it
    changes: list[str]  # what of it is written otherwise, and why
    state: State
    words: str  # the answer, in one sentence
    is_seed: bool
    fetched_as: str  # the URL that is asked for in its place: without its session id
    found: Found | None
    linked: Linked | None  # None: the crawl keeps no link graph, or not for links that its filters refuse
    visited: Visited | None
    waiting: Waiting | None
    tries: list[Try]  # the last ones, if there was more than one; from the end of crawl.log
    refused: Refused | None  # or what would refuse it, had it been found
    remarks: list[str]


class RobotsFile(msgspec.Struct, frozen=True):
    """What is known of a robots.txt."""

    file: str
    words: str
    status: int  # of the last answer; 0: none came
    asked_at: str
    holds_until: str
    lines: list[RobotsLine]  # for this crawl, the first ones
    line_count: int
    crawl_delay_s: float | None


class Authority(msgspec.Struct, frozen=True):
    """One scheme and port of a host."""

    name: str
    failures: int  # in a row
    rests_until: str
    left: str  # why it is left for another run


class HostExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """How a host stands, and why."""

    asked: str
    host: str
    words: str
    delay_s: float
    delay: str  # whose it is, in a sentence
    robots: list[RobotsFile]
    addresses: list[str]
    authorities: list[Authority]
    failures: int  # of the whole host, in a row
    rests_until: str
    left: str  # why it is left for another run
    queued: Counted
    visited: Counted
    failed: Counted
    refused: dict[str, int]  # by reason
    remarks: list[str]


Explanation = UrlExplanation | HostExplanation
