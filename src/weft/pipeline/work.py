"""What parse workers are given to do, and what the engine remembers of it meanwhile."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

import msgspec

from weft.folder.page_rows import kept_parts
from weft.pipeline.messages import DnsJob, JobMessage, PageJob, StoreJob
from weft.types import Fetched, Original, Outcome, RequestParts, SideRow, Visit
from weft.url import is_own_request
from weft.workers.worker_process import HANG_AFTER_S

# A job without a body is work, too: else all such jobs would go to the same worker.
BARE_JOB_BYTES = 1024
SLOWEST_BYTES_PER_S = 1_000_000

Subject = TypeVar("Subject")
WITH_RESPONSE: Final = (PageJob, StoreJob)  # kept: to make `A | B` takes longer than to look


class Job(Generic[Subject]):
    """A message to a worker, and what the engine needs to go on with its answer."""

    __slots__ = ("deaths", "message", "size_bytes", "spooled_bytes", "subject")

    def __init__(self, message: JobMessage, subject: Subject) -> None:
        self.message = message
        self.subject = subject
        self.deaths = 0
        fetched = message.fetched if isinstance(message, WITH_RESPONSE) else None
        self.size_bytes = BARE_JOB_BYTES + (len(fetched.body) if fetched is not None and fetched.body else 0)
        self.spooled_bytes = fetched.body_bytes if fetched is not None and fetched.spool else 0

    def is_large(self) -> bool:
        """Whether it is for the worker that reads large pages."""
        return isinstance(self.message, PageJob) and self.message.may_be_large

    def patience_s(self) -> float:
        """How long a worker may take over it."""
        body_bytes = self.message.fetched.body_bytes if isinstance(self.message, PageJob) else 0
        return HANG_AFTER_S + body_bytes / SLOWEST_BYTES_PER_S


class PageWork(msgspec.Struct, frozen=True):
    """A response on its way through a worker."""

    visit: Visit
    outcome: Outcome
    body_hash: bytes | None
    original: Original | None
    scope_seeds: int  # by how many seeds, at least, the worker will know the scope


class RelaxWork(msgspec.Struct, frozen=True):
    """A page whose links are read again."""

    id: bytes
    depth: int


class Again(msgspec.Struct, frozen=True):
    """A visit whose answer is no use: it is made once more."""

    visit: Visit  # with the headers of the next try
    wait_s: float
    why: str


class SideWork(msgspec.Struct, frozen=True):
    """A DNS answer, a robots.txt or an answer that is no use on its way into the archive."""

    row: SideRow
    again: Again | None = None  # what happens in the same commit


Work = PageWork | RelaxWork | SideWork


def dns_job(host: str, addresses: tuple[str, ...], ttl_s: float, now: float) -> Job[Work]:
    """Archive what the name servers said."""
    row = SideRow(f"dns:{host}", now, status=0, mime="text/dns", digest="", length=0, body_bytes=0)
    return Job(DnsJob(host, addresses, ttl_s, now), SideWork(row))


def robots_job(fetched: Fetched) -> Job[Work]:
    """Archive a robots.txt, or what came in its place."""
    return side_job(fetched)


def thrown_away_job(fetched: Fetched, again: Again) -> Job[Work]:
    """Archive an answer that does not count."""
    return side_job(fetched, again.visit.link.parts, again)


def side_job(fetched: Fetched, parts: RequestParts | None = None, again: Again | None = None) -> Job[Work]:
    """Archive an answer that is no page's; `parts` are those of its request."""
    row = SideRow(
        fetched.url, fetched.started_at, fetched.status, fetched.media_type, "", 0, fetched.body_bytes,
        kept_parts(parts, has_answer=True) if parts is not None and is_own_request(parts) else None,
    )  # fmt: skip
    return Job(StoreJob(fetched), SideWork(row, again))
