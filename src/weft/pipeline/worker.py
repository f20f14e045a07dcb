"""A parse worker: `python -m weft.pipeline.worker SOCKET ENGINE_PID`.

A plain loop: read a job, do it, answer. It owns one WARC file and nothing else, and ends with its engine.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import BadInput, DiskFull
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
    StoreJob,
    UseFile,
    decode_message,
)
from weft.store import OpenFile, WarcWriter
from weft.store.records import MAX_RECORD_BYTES
from weft.types import Fetched, FoundLink, Kind, Processed, RefusedLink
from weft.url import is_own_request
from weft.workers.inside import Tell, serve
from weft.workers.malloc import give_memory_back

# Of a page that is read again from the archive: more than fits into a tree. The rest is read in pieces.
FIRST_BYTES = MAX_TREE_BYTES + MAX_TREE_BYTES // 4
KEPT_BYTES = 16 * 1024 * 1024  # of free memory
ANSWERS_AT_ONCE = 4  # each message wakes the engine, which commits what it says


def main() -> None:
    """Serve one engine."""
    serve(begin, answers_at_once=ANSWERS_AT_ONCE, kept_bytes=KEPT_BYTES)


def begin(first: memoryview, tell: Tell) -> Callable[[memoryview], Answer | None]:
    """Set up as the first message says; returns what does the others."""
    setup = decode_message(first)
    assert isinstance(setup, Setup)

    def report(links: list[FoundLink], refused: list[RefusedLink]) -> None:
        tell(Links(links, refused))

    def open_file(file: OpenFile) -> WarcWriter:
        return WarcWriter(file.path, file.id, file.end, setup.info)

    try:
        processor = PageProcessor(setup.config, setup.scope_seeds, open_file(setup.file), report)
    except BadInput as error:  # a user's code that the engine can find, and a worker cannot
        failed = Failed(str(error))
        return lambda body: failed if isinstance(decode_message(body), JobMessage) else None
    for rule in setup.sessions:
        processor.links.sessions.add(rule)

    def answer(body: memoryview) -> Answer | None:
        message = decode_message(body)
        if isinstance(message, JobMessage):
            done = _answer(processor, message)
            if isinstance(message, PageJob) and message.may_be_large:
                give_memory_back()
            return done
        if isinstance(message, AddSeed):
            processor.links.scope.add_seed(message.url)
        elif isinstance(message, AddSessionRule):
            processor.links.sessions.add(message.rule)
        elif isinstance(message, UseFile):
            processor.archive.close()
            processor.archive = open_file(message.file)
        return None

    return answer


def _answer(processor: PageProcessor, job: JobMessage) -> Answer:
    try:
        if isinstance(job, DnsJob):
            location = processor.archive.write_dns(job.host, job.addresses, job.ttl_s, job.asked_at)
            return Done(Processed(location=location))
        if isinstance(job, RelaxJob):
            most_bytes = MAX_RECORD_BYTES if job.link.kind is Kind.SITEMAP else FIRST_BYTES
            fetched = read_archived(job.link.url, job.record, job.original, most_bytes)
            return Done(_read_again(processor, job, fetched))
        if isinstance(job, StoreJob):
            return Done(Processed(location=processor.archive.write(job.fetched)))
        return Done(
            processor.process(
                job.link,
                job.fetched,
                job.original,
                is_parsed=job.is_parsed,
                may_be_large=job.may_be_large,
                is_compared=job.is_compared,
            )
        )
    except LargePage:
        return Large()
    except DiskFull as error:
        return Failed(str(error), is_disk_full=True)


def _read_again(processor: PageProcessor, job: RelaxJob, fetched: Fetched) -> Processed:
    """Where a response from the archive leads. Where a POST was redirected to, nobody goes once more."""
    leads = processor.reader.leads_of(job.link, fetched)
    if leads.redirects and is_own_request(job.link.parts):
        return Processed()
    processed = processor.links.find(job.link, fetched, leads, is_compared=job.is_compared)
    return processor.links.ask(job.link, processed, processor.extraction.requests_of(job.link, fetched))


if __name__ == "__main__":
    main()
