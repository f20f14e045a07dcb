"""What engine and parse workers say to each other."""

# No `from __future__ import annotations`: msgspec would compile each of them again whenever weft starts.

from typing import Literal

import msgspec

from weft.config import CrawlConfig
from weft.filter import SessionRule
from weft.store import OpenFile
from weft.types import Fetched, FoundLink, Link, Original, Processed, RecordPlace, RefusedLink


class Setup(msgspec.Struct, frozen=True, tag="setup", array_like=True):
    """First to a worker: how the crawl is set up, and which file the worker writes."""

    config: CrawlConfig
    scope_seeds: list[str]
    file: OpenFile
    info: dict[str, str]  # for the warcinfo record
    sessions: list[SessionRule] = []


class AddSeed(msgspec.Struct, frozen=True, tag="seed", array_like=True):
    """A seed redirected here: the scope grows."""

    url: str


class AddSessionRule(msgspec.Struct, frozen=True, tag="session", array_like=True):
    """An argument was proven to change nothing on a host: its links are to be reported without it."""

    rule: SessionRule


class UseFile(msgspec.Struct, frozen=True, tag="file", array_like=True):
    """The file is large enough: go on in another one."""

    file: OpenFile


class PageJob(msgspec.Struct, frozen=True, tag="page", array_like=True):
    """Archive a response and find its links."""

    link: Link
    fetched: Fetched
    is_parsed: bool = True  # False: store only, because parsing it ended its workers
    may_be_large: bool = False  # True: the worker is the one that reads large pages
    original: Original | None = None  # a record whose payload seems to be the same
    is_compared: bool = False  # say what it is like, session ids aside
    is_called: bool = False  # call the user's functions; False: there are none, or they ended its workers
    may_be_kept_back: bool = False  # its body has come before, so its links may be (`same_pages`)


class StoreJob(msgspec.Struct, frozen=True, tag="store", array_like=True):
    """Archive a response that is no page's: robots.txt."""

    fetched: Fetched


class DnsJob(msgspec.Struct, frozen=True, tag="dns", array_like=True):
    """Archive what the name servers said of a host."""

    host: str
    addresses: tuple[str, ...]
    ttl_s: float
    asked_at: float


class RelaxJob(msgspec.Struct, frozen=True, tag="relax", array_like=True):
    """Read a page again from the archive: it is nearer to a seed than was known, so its links may be, too."""

    link: Link
    record: RecordPlace
    original: RecordPlace | None = None  # where the body lies, if the record is a revisit
    is_compared: bool = False
    is_called: bool = False  # as in PageJob


class Failed(msgspec.Struct, frozen=True, tag="failed", array_like=True):
    """The worker could not do its job, and says so instead of dying."""

    reason: str
    error: Literal["DiskFull", "FolderError", "WorkerFailed"] = "WorkerFailed"


class Large(msgspec.Struct, frozen=True, tag="large", array_like=True):
    """The page is a large one: nothing was done, it is for the worker that reads such."""


class Links(msgspec.Struct, frozen=True, tag="links", array_like=True):
    """Some of the links of the job under way; the last ones come with its answer. None: it takes its time."""

    links: list[FoundLink]
    refused: list[RefusedLink] = []


class Done(msgspec.Struct, frozen=True, tag="done", array_like=True):
    """A job's result."""

    processed: Processed


JobMessage = PageJob | StoreJob | RelaxJob | DnsJob
Answer = Done | Large | Failed  # one for each JobMessage, in their order
Reply = Links | Answer
Message = Setup | AddSeed | AddSessionRule | UseFile | JobMessage

decode_message = msgspec.msgpack.Decoder(Message).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode
