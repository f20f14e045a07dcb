"""A crawl folder to clean, how a job is driven, and how its outputs are read by other people's tools."""

from __future__ import annotations

import gzip
import json
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pyarrow.parquet
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from tests.export.judged_crawl import JudgedCrawl
from tests.scratch import scratch_folder
from weft.clean import Cleaned
from weft.clean.bulk.files.job import open_folder_job
from weft.clean.bulk.ports import RawPage, Result, Sink, Source
from weft.simweb.behaviour import Fixed

ODD = "an odd page"
READ_ROWS, WRITE_ROWS = 5, 3
SHAPES = ("warc.gz", "jsonl", "jsonl.gz", "parquet")


@contextmanager
def crawl_to_clean() -> Iterator[JudgedCrawl]:
    """A crawl that has a bit of everything."""
    with scratch_folder() as folder:
        yield JudgedCrawl(folder / "crawl")


def html_pages(judged: JudgedCrawl) -> dict[str, Fixed]:
    """The HTML pages with a 2xx status that the servers had, by URL: what a job must give, each once."""

    def is_page(sent: Fixed) -> bool:
        kind = sent.content_type.lower()
        return 200 <= sent.status < 300 and (kind.startswith("text/html") or (not kind and b"<title>" in sent.body))

    return {url: sent for url, sent in judged.sent().items() if is_page(sent)}


def is_odd(url: str) -> bool:
    """Some pages are, whatever the port."""
    return len(urlsplit(url).path) % 2 == 0


def result_of(page: RawPage) -> Result:
    """What the engine would bring; odd pages are set aside."""
    if is_odd(page.url):
        return Result(page, None, ODD)
    return Result(page, Cleaned(f"cleaned: {page.url} — ü", f"Title of\n{page.url}", "de", "utf-8"))


def drive(source: Source, sink: Sink, writes: int | None = None) -> None:
    """Bring all pages through in another order than they came; or leave in the middle, after so many writes."""
    waiting: list[Result] = []
    while pages := source.read(READ_ROWS):
        waiting += map(result_of, pages)
        while len(waiting) > WRITE_ROWS:
            if writes is not None and not writes:
                return
            sink.write([waiting.pop() for _ in range(WRITE_ROWS)])
            writes = writes - 1 if writes is not None else None
    if waiting:
        sink.write(waiting)


def clean_all(folder: Path, out: Path, **wishes: Any) -> None:
    """A whole job, or the rest of one."""
    source, sink = open_folder_job(folder, out, **wishes)
    try:
        drive(source, sink)
    finally:
        sink.close()


class Read(NamedTuple):
    """A page in an output."""

    url: str
    content: str


def pages_in(out: Path) -> list[Read]:
    """The pages of an output, in its order."""
    if out.name.endswith(".warc.gz"):
        return [Read(fields["WARC-Target-URI"], content) for fields, content in conversions_in(out)]
    return [Read(row["url"], row["content"]) for row in rows_in(out)]


def rows_in(out: Path) -> list[dict[str, Any]]:
    """The lines or rows of an output."""
    if out.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(out).to_pylist()
        return rows
    data = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def conversions_in(out: Path) -> list[tuple[dict[str, str], str]]:
    """The conversion records of a WARC file as warcio reads them, which also finds nothing wrong with it."""
    assert Checker(Namespace(inputs=[str(out)], verbose=False)).process_all() == 0
    with out.open("rb") as file:
        return [
            (dict(record.rec_headers.headers), record.content_stream().read().decode())
            for record in ArchiveIterator(file)
            if record.rec_type == "conversion"
        ]


def set_aside_in(out: Path) -> list[dict[str, str]]:
    """The pages that were set aside."""
    path = out.with_name(out.name + ".set-aside.jsonl")
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def assert_each_page_once(out: Path, judged: JudgedCrawl) -> None:
    """None lost, none twice, in the output or set aside; and nothing else is left."""
    urls = sorted(html_pages(judged))
    assert sorted(page.url for page in pages_in(out)) == [url for url in urls if not is_odd(url)]
    assert all(page.content == f"cleaned: {page.url} — ü" for page in pages_in(out))
    assert sorted(line["url"] for line in set_aside_in(out)) == [url for url in urls if is_odd(url)]
    left = {path.name for path in out.parent.iterdir()}
    assert left == {out.name, *([f"{out.name}.set-aside.jsonl"] if set_aside_in(out) else [])}
