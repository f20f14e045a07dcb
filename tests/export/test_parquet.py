"""A Parquet file, read back by pyarrow, says what the rows say."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pyarrow
import pyarrow.parquet

from bench.made_archive import MadePage, make_archive
from weft.export import Content, Selection, Source
from weft.export.metadata_fields import METADATA_FIELDS
from weft.export.parquet import write_parquet
from weft.folder.reading import CrawlReader
from weft.whole_file import appears_whole

from .judged_crawl import JudgedCrawl, ignore

# Common Crawl's schema for its index table: name, Spark's type, whether it may be null.
COMMON_CRAWL = """
    url_surtkey string no, url string no, url_host_name string no, url_host_tld string yes,
    url_host_2nd_last_part string yes, url_host_3rd_last_part string yes, url_host_4th_last_part string yes,
    url_host_5th_last_part string yes, url_host_registry_suffix string yes, url_host_registered_domain string yes,
    url_host_private_suffix string yes, url_host_private_domain string yes, url_host_name_reversed string yes,
    url_protocol string no, url_port integer yes, url_path string no, url_query string yes, fetch_time timestamp no,
    fetch_status short no, fetch_redirect string yes, content_digest string yes, content_mime_type string yes,
    content_mime_detected string yes, content_charset string yes, content_languages string yes,
    content_truncated string yes, warc_filename string no, warc_record_offset integer no,
    warc_record_length integer no, warc_segment string no, crawl string no, subset string no
"""
SPARK_NAMES = {"string": "string", "int32": "integer", "int16": "short", "timestamp[ms, tz=UTC]": "timestamp"}


def exported(
    reader: CrawlReader, folder: Path, selection: Selection | None = None, *, with_text: bool = False
) -> pyarrow.Table:
    with appears_whole(folder / "x.parquet") as out:
        write_parquet(Source(reader, selection or Selection(), Content(("text",) if with_text else ())), out, ignore)
    return pyarrow.parquet.read_table(folder / "x.parquet")


def test_the_columns_are_those_of_common_crawls_index(reader: CrawlReader, tmp_path: Path) -> None:
    schema = exported(reader, tmp_path).schema
    ours = [f"{field.name} {SPARK_NAMES[str(field.type)]} {'yes' if field.nullable else 'no'}" for field in schema]
    assert ours == [" ".join(column.split()) for column in COMMON_CRAWL.split(",")]


def test_each_archived_response_is_one_row(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    rows = exported(reader, tmp_path).to_pylist()
    told = sorted(
        (row["url_surtkey"], f"{row['fetch_time']:%Y%m%d%H%M%S}", row["url"], row["fetch_status"],
         f"sha1:{row['content_digest']}", row["warc_filename"], row["warc_record_offset"], row["warc_record_length"])
        for row in rows
    )  # fmt: skip
    indexed = sorted(
        (line.key, line.timestamp, line.fields["url"], int(line.fields["status"]),
         line.fields["digest"], line.fields["filename"], int(line.fields["offset"]), int(line.fields["length"]))
        for line in judged.lines if not line.key.startswith("dns:")
    )  # fmt: skip
    assert told == indexed
    assert {row["crawl"] for row in rows} == {judged.folder.name}


def test_rows_tell_what_the_crawl_knows(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    rows = {row["url"]: row for row in exported(reader, tmp_path).to_pylist()}
    for row in reader.rows():
        told = rows[row.url]
        fetched_at = datetime.fromtimestamp(row.fetched_at, UTC)
        assert told["fetch_time"] == fetched_at.replace(microsecond=fetched_at.microsecond // 1000 * 1000)
        assert (told["content_mime_type"] or "") == row.mime
        assert (told["content_charset"] or "").lower() == row.charset
    assert {url: row["fetch_redirect"] for url, row in rows.items() if row["fetch_redirect"]} == judged.redirects
    assert {url for url, row in rows.items() if row["subset"] == "revisit"} == set(judged.copies)
    assert {url for url, row in rows.items() if row["subset"] == "robotstxt"} == judged.robots
    diagnostics = {url for url, row in rows.items() if row["subset"] == "crawldiagnostics"}
    assert diagnostics == {*judged.redirects, judged.url("/gone")}


def test_text_and_language_come_on_request(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    rows = {row["url"]: row for row in exported(reader, tmp_path, with_text=True).to_pylist()}
    assert rows[judged.url("/first")]["text"].startswith("Das steht an zwei Stellen.")
    assert rows[judged.url("/first")]["content_languages"] == "deu"
    assert rows[judged.url("/copy?of=first")]["text"] == rows[judged.url("/first")]["text"]
    assert rows[judged.url("/picture.png")]["text"] is None


def test_the_type_is_detected_in_every_page(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    rows = exported(reader, tmp_path).to_pylist()
    detected = {row["url"]: row["content_mime_detected"] for row in rows if row["subset"] != "robotstxt"}
    assert all(detected.values())
    assert detected[judged.url("/first")] == "text/html"
    assert detected[judged.url("/picture.png")] == "image/png"
    assert detected[judged.url("/copy?of=first")] == "text/html"  # whose own record has no body


def test_the_type_is_told_by_the_beginning_of_a_record(tmp_path: Path) -> None:
    body = b"<!DOCTYPE html><p>" + random.Random(5).randbytes(1_000_000)
    folder = make_archive(tmp_path / "crawl", [MadePage("http://a.test/", body)], files=1)
    with CrawlReader(folder) as reader:
        place = reader.place_of(next(iter(reader.rows())))
        with Path(place.path).open("r+b") as file:  # what lies behind is not read
            file.seek(place.offset + place.length // 2)
            file.write(bytes(1_000))
        assert exported(reader, tmp_path).to_pylist()[0]["content_mime_detected"] == "text/html"


def test_the_type_is_told_behind_a_long_head(tmp_path: Path) -> None:
    said = f"text/html\r\nX-Long: {'a' * 20_000}"
    folder = make_archive(tmp_path / "crawl", [MadePage("http://a.test/", b"%PDF-1.7\n" * 1_000, content_type=said)])
    with CrawlReader(folder) as reader:
        assert exported(reader, tmp_path).to_pylist()[0]["content_mime_detected"] == "application/pdf"


def test_metadata_has_columns_where_pages_are_read(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    table = exported(reader, tmp_path, with_text=True)
    assert [*METADATA_FIELDS, "text"] == table.column_names[-10:]
    assert str(table.schema.field("authors").type).startswith("list<")
    rows = {row["url"]: row for row in table.to_pylist()}
    assert rows[judged.url("/picture.png")]["headline"] is None
    assert rows[judged.url("/first")]["authors"] is None


def test_rows_can_be_chosen(judged: JudgedCrawl, reader: CrawlReader, tmp_path: Path) -> None:
    chosen = exported(reader, tmp_path, Selection(statuses=["3xx"])).to_pylist()
    assert {row["url"] for row in chosen} == set(judged.redirects)


def test_no_rows_are_still_a_table(reader: CrawlReader, tmp_path: Path) -> None:
    table = exported(reader, tmp_path, Selection(["*/nowhere"]))
    assert (table.num_rows, "url_surtkey" in table.column_names) == (0, True)
