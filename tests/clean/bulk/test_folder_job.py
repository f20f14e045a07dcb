"""A crawl folder cleaned into a file: which pages, in which shapes, and what happens to outputs that are there."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import islice
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pyarrow.parquet
import pytest
from warcio.archiveiterator import ArchiveIterator

import weft
from bench.article.blog import blog_pages
from bench.made_archive import MadePage, make_archive
from tests.export.judged_crawl import COPIES, JudgedCrawl
from tests.export.judges import judge
from tests.pipeline.crawling import Row
from weft.clean import Cleaner, Form, NotCleanable
from weft.clean.bulk.files.job import open_folder_job
from weft.clean.bulk.ports import RawPage, Result
from weft.errors import BadInput, FolderError
from weft.folder.reading import CrawlReader

from .folder_rig import (
    READ_ROWS,
    SHAPES,
    assert_each_page_once,
    clean_all,
    conversions_in,
    crawl_to_clean,
    drive,
    html_pages,
    pages_in,
    result_of,
    rows_in,
    set_aside_in,
)


@pytest.fixture(scope="module")
def judged() -> Iterator[JudgedCrawl]:
    with crawl_to_clean() as crawl:
        yield crawl


def row_of(judged: JudgedCrawl, url: str) -> Row:
    (row,) = [row for row in judged.files.rows if row.url == url]
    return row


def test_the_source_gives_every_html_page_once_with_its_body_unpacked(judged: JudgedCrawl, tmp_path: Path) -> None:
    source, sink = open_folder_job(judged.folder, tmp_path / "out.jsonl")
    assert source.remaining() == len(html_pages(judged))
    given: list[RawPage] = []
    while pages := source.read(READ_ROWS):
        assert len(pages) <= READ_ROWS
        given += pages
    assert source.remaining() == 0
    unpack = {"gzip": gzip.decompress, "br": brotli.decompress}
    sent = {
        url: unpack.get(dict(answer.headers).get("Content-Encoding", ""), bytes)(answer.body)
        for url, answer in html_pages(judged).items()
    }
    assert {page.url: page.content for page in given} == sent
    assert len(given) == len(sent)
    sink.close()


def test_pages_come_in_the_order_of_the_archive(judged: JudgedCrawl, tmp_path: Path) -> None:
    source, sink = open_folder_job(judged.folder, tmp_path / "out.jsonl")
    rows = [row_of(judged, page.url) for page in source.read(1000)]
    assert rows == sorted(rows, key=lambda row: (row.file, row.offset))
    assert len(rows) == len(html_pages(judged))
    sink.close()


def test_a_page_whose_record_is_damaged_is_set_aside_and_the_others_are_cleaned(tmp_path: Path) -> None:
    posts = list(islice(blog_pages(), 12))  # enough for templates, which are learnt from the same records
    crawl = make_archive(tmp_path / "crawl", [MadePage(post.url, post.markup.encode()) for post in posts])
    with CrawlReader(crawl) as reader:
        place = reader.place_of(next(row for row in reader.rows() if row.url == posts[4].url))
    with Path(place.path).open("r+b") as file:
        file.seek(place.offset + place.length // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0xFF]))
    out = tmp_path / "out.jsonl"
    done = asyncio.run(weft.clean(crawl, out, to="article", workers=1))
    assert (done.cleaned, done.set_aside) == (11, 1)
    assert {page.url for page in pages_in(out)} == {post.url for post in posts} - {posts[4].url}
    (aside,) = set_aside_in(out)
    assert aside["url"] == posts[4].url
    assert "is damaged" in aside["reason"]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_page_is_in_the_output_once(judged: JudgedCrawl, tmp_path: Path, shape: str) -> None:
    out = tmp_path / f"out.{shape}"
    clean_all(judged.folder, out)
    assert_each_page_once(out, judged)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_job_left_in_the_middle_goes_on(judged: JudgedCrawl, tmp_path: Path, shape: str) -> None:
    out = tmp_path / f"out.{shape}"
    for _ in range(2):
        source, sink = open_folder_job(judged.folder, out)
        drive(source, sink, writes=1)
        sink.close()
        assert not out.exists()
    source, sink = open_folder_job(judged.folder, out)
    assert source.remaining() == len(html_pages(judged)) - 6
    drive(source, sink)
    sink.close()
    assert_each_page_once(out, judged)


def test_reading_and_writing_may_go_on_in_two_threads(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source, sink = open_folder_job(judged.folder, out)
    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(1) as writer:
        pages = reader.submit(source.read, 2)
        writes = []
        while given := pages.result():
            pages = reader.submit(source.read, 2)
            writes.append(writer.submit(sink.write, [result_of(page) for page in given]))
        for write in writes:
            write.result()
        writer.submit(sink.close).result()
    assert_each_page_once(out, judged)


def test_a_finished_output_stays_unless_it_may_be_replaced(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    clean_all(judged.folder, out)
    first = out.read_bytes()
    with pytest.raises(BadInput, match="is there already"):
        open_folder_job(judged.folder, out)
    assert out.read_bytes() == first

    source, sink = open_folder_job(judged.folder, out, replaces=True)
    drive(source, sink, writes=1)
    sink.close()
    assert out.read_bytes() == first  # until the new one is whole
    clean_all(judged.folder, out)  # what was begun is gone on with
    assert_each_page_once(out, judged)


def test_a_begun_output_is_gone_on_with_by_the_same_rules_only(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source, sink = open_folder_job(judged.folder, out, settings="paper")
    drive(source, sink, writes=1)
    sink.close()
    with pytest.raises(BadInput, match="was begun by 'html: paper', not 'html: safe'"):
        open_folder_job(judged.folder, out, settings="safe")
    with pytest.raises(BadInput, match="not 'text: paper'"):
        open_folder_job(judged.folder, out, form=Form.TEXT, settings="paper")
    clean_all(judged.folder, out, settings="safe", replaces=True)
    assert_each_page_once(out, judged)


@pytest.mark.parametrize("suffix", ["part", "set-aside.jsonl", "templates", "progress"])
def test_files_of_the_user_that_have_the_names_of_weft_stay_unless_they_may_be_replaced(
    judged: JudgedCrawl, tmp_path: Path, suffix: str
) -> None:
    out, mine = tmp_path / "out.jsonl", tmp_path / f"out.jsonl.{suffix}"
    mine.write_text("mine")
    with pytest.raises(BadInput, match=rf"{mine.name} is .*; --force replaces it"):
        open_folder_job(judged.folder, out)
    assert list(tmp_path.iterdir()) == [mine]
    assert mine.read_text() == "mine"
    clean_all(judged.folder, out, replaces=True)
    assert_each_page_once(out, judged)


def test_a_job_that_was_killed_before_its_first_note_begins_again(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for suffix, left in (("progress", ""), ("part", "of an output"), ("templates", "of its sites")):
        (tmp_path / f"out.jsonl.{suffix}").write_text(left)
    clean_all(judged.folder, out)
    assert_each_page_once(out, judged)


def test_an_output_that_another_process_writes_is_refused(judged: JudgedCrawl, tmp_path: Path) -> None:
    _, sink = open_folder_job(judged.folder, tmp_path / "out.jsonl")
    with pytest.raises(FolderError, match="in use"):
        open_folder_job(judged.folder, tmp_path / "out.jsonl")
    sink.close()


def test_a_part_that_is_gone_is_told(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.warc.gz"  # which begins with a record of its own, whatever becomes of the first pages
    source, sink = open_folder_job(judged.folder, out)
    drive(source, sink, writes=1)
    sink.close()
    (tmp_path / "out.warc.gz.part").unlink()
    with pytest.raises(FolderError, match=r"is gone; --force"):
        open_folder_job(judged.folder, out)


def test_an_ending_that_is_not_known_is_refused(judged: JudgedCrawl, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"must end in \.warc\.gz, \.jsonl"):
        open_folder_job(judged.folder, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_crawl_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="is not a crawl folder"):
        open_folder_job(tmp_path, tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_conversion_record_refers_to_the_record_of_its_page(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.warc.gz"
    clean_all(judged.folder, out, form=Form.MARKDOWN, settings="paper")
    originals = {}
    for path in judged.files.warcs:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit"):
                    originals[record.rec_headers.get_header("WARC-Record-ID")] = record.rec_headers
    for fields, content in conversions_in(out):
        original = originals[fields["WARC-Refers-To"]]
        assert original.get_header("WARC-Target-URI") == fields["WARC-Target-URI"]
        assert original.get_header("WARC-Date") == fields["WARC-Date"]
        assert fields["Content-Type"] == "text/markdown; charset=utf-8"
        assert fields["Weft-Title"] == f"Title of {fields['WARC-Target-URI']}"
        assert (fields["Weft-Language"], fields["Weft-Charset"]) == ("de", "utf-8")
        assert content.endswith("ü")


def test_fastwarc_finds_no_fault_with_the_records(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.warc.gz"
    clean_all(judged.folder, out)
    done = judge("fastwarc", "check", "--quiet", "-o", tmp_path / "verdicts", out)
    assert done.returncode == 0, done.stdout
    verdicts = dict(line.split(": ", 1) for line in (tmp_path / "verdicts").read_text().splitlines())
    assert verdicts.keys() >= {fields["WARC-Record-ID"] for fields, _ in conversions_in(out)}
    assert {verdict.split(",")[0] for verdict in verdicts.values()} == {"OK"}


def test_a_line_tells_where_its_page_is_in_the_archive(judged: JudgedCrawl, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    clean_all(judged.folder, out)
    told = {line["url"]: line for line in map(json.loads, (judged.folder / "pages.jsonl").read_bytes().splitlines())}
    for line in rows_in(out):
        same = ("url", "fetched_at", "status", "digest", "file", "offset")
        assert {name: line[name] for name in same} == {name: told[line["url"]][name] for name in same}
        assert list(line) == [*same[:3], "title", "language", "charset", "content", *same[3:]]


def test_parquet_has_the_same_rows_as_the_lines(judged: JudgedCrawl, tmp_path: Path) -> None:
    for shape in ("jsonl", "parquet"):
        clean_all(judged.folder, tmp_path / f"out.{shape}")
    lines = rows_in(tmp_path / "out.jsonl")
    for line in lines:
        line["fetched_at"] = datetime.fromisoformat(line["fetched_at"])
    assert rows_in(tmp_path / "out.parquet") == lines
    schema = pyarrow.parquet.read_schema(tmp_path / "out.parquet")
    assert str(schema.field("fetched_at").type) == "timestamp[ms, tz=UTC]"


def test_a_job_of_no_pages_is_an_empty_output(judged: JudgedCrawl, tmp_path: Path) -> None:
    """All its pages may have been set aside."""
    for shape in SHAPES:
        out = tmp_path / f"out.{shape}"
        source, sink = open_folder_job(judged.folder, out)
        while pages := source.read(READ_ROWS):
            sink.write([Result(page, None, "no") for page in pages])
        sink.close()
        assert pages_in(out) == []


def test_a_revisit_is_cleaned_like_the_page_whose_body_it_has(judged: JudgedCrawl, tmp_path: Path) -> None:
    cleaner = Cleaner(form=Form.TEXT)
    source, sink = open_folder_job(judged.folder, tmp_path / "out.jsonl", form=Form.TEXT)
    while pages := source.read(READ_ROWS):
        for page in pages:
            try:
                sink.write([Result(page, cleaner.clean(page.content, page.url, page.content_type))])
            except NotCleanable as error:
                sink.write([result_of(page)] if not error.reason else [Result(page, None, error.reason)])
    sink.close()
    content = dict(pages_in(tmp_path / "out.jsonl"))
    for copy, first in COPIES.items():
        assert content[judged.url(copy)] == content[judged.url(first)] != ""
    assert "Umlaute" in content[judged.url("/Stra%C3%9Fe?q=%C3%84&b=%20c")]
