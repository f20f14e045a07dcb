"""A parse worker: `python -m weft.pipeline.worker SOCKET ENGINE_PID`.

A plain loop: read a job, do it, answer. It owns one WARC file and nothing else, and ends with its engine.
"""

from __future__ import annotations

import gc
from contextlib import suppress

from weft.crash_points import crash_point
from weft.errors import DiskFull
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
    Job,
    Large,
    Links,
    PageJob,
    Ready,
    RelaxJob,
    Setup,
    StoreJob,
    UseFile,
    decode_message,
)
from weft.store import WarcWriter
from weft.store.records import MAX_RECORD_BYTES
from weft.types import FoundLink, Kind, Processed, RefusedLink
from weft.workers.frames import frame, received
from weft.workers.malloc import give_memory_back, keep_memory
from weft.workers.process import begin_worker

# Of a page that is read again from the archive: more than fits into a tree. The rest is read in pieces.
FIRST_BYTES = MAX_TREE_BYTES + MAX_TREE_BYTES // 4
KEPT_BYTES = 16 * 1024 * 1024  # of free memory
# Each message wakes the engine, which commits what it says: while more jobs are at hand, answers go together.
ANSWERS_AT_ONCE = 4


def main() -> None:
    """Serve one engine until it closes the socket or dies."""
    connection = begin_worker()
    keep_memory(KEPT_BYTES)
    messages = ((decode_message(body), has_more) for body, has_more in received(connection))
    setup, _ = next(messages, (None, False))
    if not isinstance(setup, Setup):
        return

    def report(links: list[FoundLink], refused: list[RefusedLink]) -> None:
        connection.sendall(frame(Links(links, refused)))

    file = WarcWriter(setup.file.path, setup.file.id, setup.file.end, setup.info)
    processor = PageProcessor(setup.config, setup.scope_seeds, file, report)
    for rule in setup.sessions:
        processor.links.sessions.add(rule)
    # What is alive now stays alive: no need to look at it again and again.
    gc.collect()
    gc.freeze()
    with suppress(BrokenPipeError):  # the crawl is over already; the loop below finds the end of file
        connection.sendall(frame(Ready()))
    answers = bytearray()  # filled below, emptied into the socket; bound: ANSWERS_AT_ONCE
    held_back = 0
    for message, has_more in messages:
        if isinstance(message, AddSeed):
            processor.links.scope.add_seed(message.url)
        elif isinstance(message, AddSessionRule):
            processor.links.sessions.add(message.rule)
        elif isinstance(message, UseFile):
            processor.archive.close()
            processor.archive = WarcWriter(message.file.path, message.file.id, message.file.end, setup.info)
        elif isinstance(message, Job):
            answers += frame(_answer(processor, message))
            held_back += 1
            if isinstance(message, PageJob) and message.may_be_large:
                give_memory_back()
        if held_back == ANSWERS_AT_ONCE or (held_back and not has_more):
            connection.sendall(answers)
            answers.clear()
            held_back = 0
            crash_point("answered")


def _answer(processor: PageProcessor, job: Job) -> Answer:
    try:
        if isinstance(job, DnsJob):
            location = processor.archive.write_dns(job.host, job.addresses, job.ttl_s, job.asked_at)
            return Done(Processed(location=location))
        if isinstance(job, RelaxJob):
            most_bytes = MAX_RECORD_BYTES if job.link.kind is Kind.SITEMAP else FIRST_BYTES
            fetched = read_archived(job.link.url, job.record, job.original, most_bytes)
            leads = processor.reader.leads_of(job.link, fetched)
            return Done(processor.links.find(job.link, fetched, leads, is_compared=job.is_compared))
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


if __name__ == "__main__":
    main()
