"""A crawl folder with an archive, made without a crawl: pages, their records and their rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from weft.clock import Clock
from weft.config import CleanPreset, CrawlConfig, PageForm
from weft.folder.belonging import NODE_FILE, Belonging
from weft.folder.layout import CrawlFolder
from weft.folder.page_rows import page_row
from weft.page.extract import Extraction
from weft.state import State
from weft.store import Archive, WarcWriter
from weft.types import Fetched, Kind, Link, Outcome, Processed, Timing, Visit
from weft.url import host_of, url_id

BEGAN_AT = 1_800_000_000.0
PAGES_A_BATCH = 1_000
INFO = {"software": "weft/bench", "format": "WARC File Format 1.1"}

_encode = msgspec.msgpack.Encoder().encode


class MadePage(NamedTuple):
    """A page to be put into an archive."""

    url: str
    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"


def make_archive(
    folder: Path,
    pages: Iterable[MadePage],
    *,
    files: int = 2,
    node: str = "",
    forms: tuple[PageForm, ...] = (),
    preset: CleanPreset | None = None,
) -> Path:
    """Write the pages to this many WARC files in turn; with a name, the folder is that of a cluster's node.

    `forms` of them are kept as `weft crawl --with` does.
    """
    layout = CrawlFolder(folder, must_exist=False)
    config = CrawlConfig(seeds=("http://site.test/",), with_forms=forms, clean_preset=preset)
    layout.save_config(config)
    extraction = Extraction(config)
    if node:
        whose = Belonging("crawl", "crawl id", node, f"folder of {node}")
        (layout.state / NODE_FILE).write_bytes(msgspec.json.encode(whose))
    state = State(layout.database)
    archive = Archive(state, layout.archive, Clock(), label=node)
    opened = [archive.file_for(slot) for slot in range(files)]
    writers = [WarcWriter(one.path, one.id, one.end, INFO) for one in opened]
    batch = state.batch()
    for number, page in enumerate(pages):
        fetched = _fetched(page, BEGAN_AT + number)
        link = Link(page.url, 1, Kind.LINK)
        at = writers[number % files].write(fetched, converted=extraction.forms(link, fetched))
        visit = Visit(b"", url_id(page.url), host_of(page.url), link, ())
        mime = page.content_type.partition(";")[0]
        row = page_row(visit, 1, Outcome.RESPONSE, fetched, Processed(location=at, mime=mime), None, BEGAN_AT)
        archive.commit(batch, at, visit.id)
        batch.put("page", visit.id, _encode(row))
        if number % PAGES_A_BATCH == PAGES_A_BATCH - 1:
            state.write(batch)
            batch = state.batch()
    state.write(batch)
    for writer in writers:
        writer.close()
    state.close()
    layout.close()
    return folder


def _fetched(page: MadePage, started_at: float) -> Fetched:
    kind = page.content_type.encode()
    head = b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (page.status, kind, len(page.body))
    return Fetched(
        url=page.url,
        address="127.0.0.1",
        started_at=started_at,
        request=b"GET / HTTP/1.1\r\n\r\n",
        status=page.status,
        head=head,
        headers=((b"content-type", kind),),
        body=page.body,
        spool=None,
        body_bytes=len(page.body),
        chunked=False,
        truncated=None,
        timing=Timing(),
    )
