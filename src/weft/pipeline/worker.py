"""A parse worker: `python -m weft.pipeline.worker SOCKET ENGINE_PID`.

A plain loop: read a job, do it, answer. It owns one WARC file and nothing else, and ends with its engine.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from weft.config import CrawlConfig
from weft.crash_points import crash_point
from weft.errors import BadInput, DamagedRecord, DiskFull, FolderError
from weft.flow import PageProcessor
from weft.folder.archived import read_archived
from weft.page.large_pages import MAX_TREE_BYTES, LargePage
from weft.pipeline.messages import (
    AddSeed,
    AddSessionRule,
    Answer,
    DnsJob,
    Done,
    Failed,
    JobMessage,
    Large,
    Links,
    PageJob,
    RelaxJob,
    Setup,
    UseFile,
    decode_message,
)
from weft.store import Nowhere, OpenFile, WarcWriter
from weft.store.records import MAX_RECORD_BYTES
from weft.store.writer import PageWriter
from weft.types import Fetched, FoundLink, Kind, Processed, RefusedLink
from weft.url import is_own_request
from weft.workers.inside import Tell, serve
from weft.workers.malloc import give_memory_back

if TYPE_CHECKING:
    from weft.page.function_bounds import FunctionBounds

# Of a page that is read again from the archive: more than fits into a tree. The rest is read in pieces.
FIRST_BYTES = MAX_TREE_BYTES + MAX_TREE_BYTES // 4
KEPT_BYTES = 16 * 1024 * 1024  # of free memory
ANSWERS_AT_ONCE = 16  # each message wakes the engine, which commits what it says


def main() -> None:
    """Serve one engine."""
    functions, records = WorkerFunctions(), HeldRecords()
    serve(
        lambda first, tell: begin(first, tell, functions, records),
        kept_bytes=KEPT_BYTES,
        answers_at_once=functions.answers_at_once,
        settle=records.settle,
    )
    functions.leave()


class WorkerFunctions:
    """What a worker does otherwise because a user's functions run in it. Without them, nothing."""

    def __init__(self) -> None:
        self._bounds: FunctionBounds | None = None
        self.has_users_code = False

    def bound(self, processor: PageProcessor, config: CrawlConfig, show_life: Callable[[], None]) -> None:
        """Have them called within their bounds."""
        from weft.page.function_bounds import FunctionBounds, guard_forks

        guard_forks(int(sys.argv[1]))
        self._bounds = FunctionBounds(config.handler_time_s, config.handler_memory_bytes, show_life)
        processor.extraction.bound(self._bounds)

    def retire_if_grown(self) -> None:
        """Make room for another worker, before the next job: all others are answered."""
        if self._bounds is not None and self._bounds.has_grown():
            self._bounds.retire()

    def answers_at_once(self) -> float:
        """Should functions end this worker, its engine knows by the oldest job without an answer on which page."""
        return ANSWERS_AT_ONCE if self._bounds is None else 1

    def leave(self) -> None:
        """End: all is said, and the engine would wait for what Python tidies up.

        A user's code may want to be told of the end; but not if a thread that it has left would put that off.
        """
        if not self.has_users_code or (self._bounds is not None and threading.active_count() > 1):
            os._exit(0)


class HeldRecords:
    """The file that a worker writes: its records are held back as long as the answers that tell of them."""

    def __init__(self) -> None:
        self._writer: PageWriter = Nowhere()

    def open(self, setup: Setup, file: OpenFile) -> PageWriter:
        """Begin or go on with a file."""
        if setup.config.archive != "none":
            is_lean = setup.config.archive == "lean"
            self._writer = WarcWriter(file.path, file.id, file.end, setup.info, is_lean=is_lean, holds=True)
        return self._writer

    def settle(self) -> Failed | None:
        """Write what is held; returns what to say if that cannot be."""
        try:
            self._writer.flush()
        except (DiskFull, FolderError) as error:
            return _unwritten(error)
        crash_point("records-flushed")
        return None


def begin(
    first: memoryview, tell: Tell, functions: WorkerFunctions, records: HeldRecords
) -> Callable[[memoryview], Answer | None]:
    """Set up as the first message says; returns what does the others."""
    setup = decode_message(first)
    assert isinstance(setup, Setup)
    functions.has_users_code = bool(setup.config.extractors or setup.config.filters)

    def report(links: list[FoundLink], refused: list[RefusedLink]) -> None:
        tell(Links(links, refused))

    try:
        processor = PageProcessor(setup.config, setup.scope_seeds, records.open(setup, setup.file), report)
    except BadInput as error:  # a user's code that the engine can find, and a worker cannot
        return _failing(Failed(str(error)))
    except (DiskFull, FolderError) as error:
        return _failing(_unwritten(error))
    if setup.config.extractors:
        functions.bound(processor, setup.config, lambda: report([], []))
    for rule in setup.sessions:
        processor.links.sessions.add(rule)

    def answer(body: memoryview) -> Answer | None:
        functions.retire_if_grown()
        message = decode_message(body)
        if isinstance(message, PageJob):  # first, here and below: nearly all are
            done = _answer(processor, message)
            if message.may_be_large:
                give_memory_back()
            return done
        if isinstance(message, JobMessage):
            return _answer(processor, message)
        if isinstance(message, AddSeed):
            processor.links.scope.add_seed(message.url)
        elif isinstance(message, AddSessionRule):
            processor.links.sessions.add(message.rule)
        elif isinstance(message, UseFile):
            processor.archive.close()  # the engine has all answers, so nothing is held
            processor.archive = records.open(setup, message.file)
        return None

    return answer


def _failing(failed: Failed) -> Callable[[memoryview], Answer | None]:
    """What is said to any job."""
    return lambda body: failed if isinstance(decode_message(body), JobMessage) else None


def _answer(processor: PageProcessor, job: JobMessage) -> Answer:
    try:
        if isinstance(job, PageJob):
            return Done(
                processor.process(
                    job.link,
                    job.fetched,
                    job.original,
                    is_parsed=job.is_parsed,
                    may_be_large=job.may_be_large,
                    is_compared=job.is_compared and job.is_parsed,
                    is_called=job.is_called,
                    may_be_kept_back=job.may_be_kept_back,
                )
            )
        if isinstance(job, DnsJob):
            location = processor.archive.write_dns(job.host, job.addresses, job.ttl_s, job.asked_at)
            return Done(Processed(location=location))
        if isinstance(job, RelaxJob):
            most_bytes = MAX_RECORD_BYTES if job.link.kind is Kind.SITEMAP else FIRST_BYTES
            fetched = read_archived(job.link.url, job.record, job.original, most_bytes)
            return Done(_read_again(processor, job, fetched))
        return Done(Processed(location=processor.archive.write(job.fetched)))
    except LargePage:
        return Large()
    except DamagedRecord:  # says nothing of what can be written
        raise
    except (DiskFull, FolderError) as error:
        return _unwritten(error)


def _unwritten(error: DiskFull | FolderError) -> Failed:
    """No fault of a page: no other one could be written either."""
    return Failed(str(error), "DiskFull" if isinstance(error, DiskFull) else "FolderError")


def _read_again(processor: PageProcessor, job: RelaxJob, fetched: Fetched) -> Processed:
    """Where a response from the archive leads. Where a POST was redirected to, nobody goes once more."""
    leads = processor.reader.leads_of(job.link, fetched)
    if leads.redirects and is_own_request(job.link.parts):
        return Processed()
    processed = processor.links.find(job.link, fetched, leads, is_compared=job.is_compared, may_be_kept_back=True)
    asked = processor.extraction.requests_of(job.link, fetched) if job.is_called else ()
    return processor.links.ask(job.link, processed, asked)


if __name__ == "__main__":
    main()
