"""What the engine remembers of a job while a worker has it."""

from __future__ import annotations

import msgspec

from weft.pipeline.messages import DnsJob, StoreJob
from weft.pipeline.workers import Job
from weft.types import Fetched, Original, Outcome, SideRow, Visit


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


class SideWork(msgspec.Struct, frozen=True):
    """A DNS answer or a robots.txt on its way into the archive."""

    row: SideRow


Work = PageWork | RelaxWork | SideWork


def dns_job(host: str, addresses: tuple[str, ...], ttl_s: float, now: float) -> Job[Work]:
    """Archive what the name servers said."""
    row = SideRow(f"dns:{host}", now, status=0, mime="text/dns", digest="", length=0, body_bytes=0)
    return Job(DnsJob(host, addresses, ttl_s, now), SideWork(row))


def robots_job(fetched: Fetched) -> Job[Work]:
    """Archive a robots.txt, or what came in its place."""
    row = SideRow(fetched.url, fetched.started_at, fetched.status, fetched.media_type, "", 0, fetched.body_bytes)
    return Job(StoreJob(fetched), SideWork(row))
