"""Exports of one line a URL."""

from __future__ import annotations

import io
import json
from typing import Any

from weft.export import Content, Selection, Source
from weft.export.lines import write_jsonl, write_urls
from weft.export.metadata_fields import METADATA_FIELDS
from weft.folder.reading import CrawlReader

from .judged_crawl import PROSE, JudgedCrawl, ignore

PAGES = Selection(statuses=["2xx"])


def jsonl(reader: CrawlReader, selection: Selection, content: Content) -> dict[str, dict[str, Any]]:
    out = io.BytesIO()
    write_jsonl(Source(reader, selection, content), out, ignore)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    by_url = {row["url"]: row for row in rows}
    assert len(by_url) == len(rows)
    return by_url


def test_urls_are_written_one_a_line(judged: JudgedCrawl, reader: CrawlReader) -> None:
    out = io.BytesIO()
    write_urls(Source(reader, PAGES), out, ignore)
    assert sorted(out.getvalue().decode().splitlines()) == sorted(
        row.url for row in judged.files.rows if row.status == 200
    )
    assert out.getvalue().endswith(b"\n")


def test_progress_is_told_by_the_row(judged: JudgedCrawl, reader: CrawlReader) -> None:
    told: list[int] = []
    write_urls(Source(reader), io.BytesIO(), told.append)
    assert sum(told) == len(judged.files.rows)


def test_without_content_the_objects_are_those_of_pages_jsonl(judged: JudgedCrawl, reader: CrawlReader) -> None:
    lines = (judged.folder / "pages.jsonl").read_bytes().splitlines()
    known = {row["url"]: row for row in map(json.loads, lines)}
    assert jsonl(reader, Selection(), Content()) == known


def test_content_is_added_in_the_forms_that_are_asked_for(judged: JudgedCrawl, reader: CrawlReader) -> None:
    first = judged.url("/first")
    whole = jsonl(reader, PAGES, Content(("text", "markdown", "html")))[first]
    assert whole["html"] == PROSE.decode()
    assert whole["text"].startswith("Das steht an zwei Stellen.")
    assert whole["markdown"].startswith("Das steht an zwei Stellen.")
    assert whole["language"] == "de"
    assert "html" not in jsonl(reader, PAGES, Content(("text",)))[first]
    assert "text" not in jsonl(reader, PAGES, Content(("html",)))[first]


def test_metadata_comes_with_any_form(judged: JudgedCrawl, reader: CrawlReader) -> None:
    first = judged.url("/first")
    assert set(METADATA_FIELDS) <= jsonl(reader, PAGES, Content(("html",)))[first].keys()
    assert not set(METADATA_FIELDS) & jsonl(reader, PAGES, Content())[first].keys()


def test_a_revisit_has_the_content_of_its_original(judged: JudgedCrawl, reader: CrawlReader) -> None:
    rows = jsonl(reader, PAGES, Content(("html",)))
    for copy, first in judged.copies.items():
        assert rows[copy]["html"] == rows[first]["html"] != ""
        assert rows[copy]["revisit_of"] == first


def test_what_is_no_text_has_none(judged: JudgedCrawl, reader: CrawlReader) -> None:
    picture = jsonl(reader, PAGES, Content(("text", "markdown", "html")))[judged.url("/picture.png")]
    assert (picture["text"], picture["markdown"], picture["html"]) == ("", "", "")


def test_content_comes_unpacked(judged: JudgedCrawl, reader: CrawlReader) -> None:
    rows = jsonl(reader, PAGES, Content(("text",)))
    assert "gzip on the wire" in rows[judged.url("/packed")]["text"]
    assert "br on the wire" in rows[judged.url("/brotli")]["text"]
