"""A body that came before is archived once, and refers to that record whenever it comes again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.scratch import scratch_folder
from weft.folder.reading import CrawlReader
from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour, Fixed, Framing
from weft.types import PageRow

from .crawling import CrawlFiles, assert_archive_is_consistent, resume
from .deadly_filters import POISONOUS_PATH
from .small_web import Sites, SmallWeb, page

SITE = "site.test"
OTHER = "other.test"
BODY = b"<!DOCTYPE html><title>Same</title><p>" + b"The same words on two pages. " * 40
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


def crawl(folder: Path, *runs: dict[str, Behaviour], **changes: Any) -> tuple[SmallWeb, CrawlFiles]:
    """Crawl these pages of a site, some in each run: the archive is synced between two of them, and only then."""

    def sites(web: SimWeb) -> Sites:
        return {(SITE, "/"): page(*runs[0]), **{(SITE, path): made for pages in runs for path, made in pages.items()}}

    web = SmallWeb((SITE,), sites)
    crawl_in_runs(web, folder, *([(SITE, path) for path in pages] for pages in runs[1:]), **changes)
    return web, CrawlFiles(folder)


def crawl_in_runs(
    web: SmallWeb, folder: Path, *more_seeds: list[tuple[str, str]], first: str = SITE, **changes: Any
) -> None:
    """From the home page of the first host, and then, in a run for each, from more seeds as well."""

    def go_on() -> None:
        seeds = [web.url(first)]
        for more in more_seeds:
            seeds += [web.url(host, path) for host, path in more]
            ending, _ = resume(folder, seeds=tuple(seeds))
            assert ending is Ending.DONE

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weft.pipeline.run.SYNC_EVERY_S", math.inf)
        web.crawl_then(folder, first, go_on, connections_per_host=8, **changes)


def rows_of(folder: Path) -> dict[str, PageRow]:
    with CrawlReader(folder) as reader:
        return {row.url: row for row in reader.rows()}


def body_of(folder: Path, url: str) -> bytes:
    """The body as a reader of the folder gets it."""
    with CrawlReader(folder) as reader:
        return reader.page(next(row for row in reader.rows() if row.url == url)).body


def line_of(folder: Path, url: str) -> dict[str, Any]:
    lines = map(json.loads, (folder / "pages.jsonl").read_bytes().splitlines())
    (line,) = [line for line in lines if line["url"] == url]
    return dict(line)


def index_of(files: CrawlFiles, url: str) -> dict[str, str]:
    fields = [json.loads(line.split(b" ", 2)[2]) for line in files.cdxj_lines]
    (found,) = [line for line in fields if line["url"] == url]
    return dict(found)


def headers_by_url(files: CrawlFiles) -> dict[str, dict[str, str]]:
    """The WARC headers of the response or revisit of each page."""
    found: dict[str, dict[str, str]] = {}
    for path in files.warcs:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit"):
                    found[record.rec_headers.get_header("WARC-Target-URI")] = dict(record.rec_headers.headers)
    return found


class Crawled(NamedTuple):
    """One crawl for many tests: each body comes in its first run, and again in a later one."""

    folder: Path
    web: SmallWeb
    files: CrawlFiles
    rows: dict[str, PageRow]

    def row(self, path: str) -> PageRow:
        return self.rows[self.web.url(SITE, path)]

    def original(self, path: str) -> str | None:
        """The path of the page that a page refers to."""
        original = self.row(path).original
        return original.url.removeprefix(self.web.url(SITE, "/")[:-1]) if original is not None else None

    def body(self, path: str) -> bytes:
        return body_of(self.folder, self.web.url(SITE, path))


def numbered(number: int) -> bytes:
    return BODY + b"<p>%d" % number


def short(body_bytes: int) -> bytes:
    return (b"<!DOCTYPE html><p>" + b"%d" % body_bytes * body_bytes)[:body_bytes]


LARGE = bytes(1_500_000)  # over a megabyte goes to a file
OTHER_LARGE = bytes(700_000) + b"another middle" + bytes(1_500_000 - 700_014)
CHUNKED = Fixed(numbered(3), framing=Framing.CHUNKED)
LOOKS_CHUNKED = Fixed(numbered(4), framing=Framing.CHUNKED)


def pages_and_their_like() -> tuple[dict[str, Behaviour], ...]:
    binary: dict[str, Any] = {"content_type": "application/octet-stream"}
    first: dict[str, Behaviour] = {
        "/one": Fixed(BODY),
        "/chunking": Fixed(numbered(2)),
        "/chunked": CHUNKED,
        "/looks-chunked": LOOKS_CHUNKED,
        "/255": Fixed(short(255)),
        "/256": Fixed(short(256)),
        "/large": Fixed(LARGE, **binary),
        "/gone": Fixed(numbered(5), status=404),
        "/at-once": Fixed(numbered(6)),
        "/at-once-too": Fixed(numbered(6)),
    }
    later: dict[str, Behaviour] = {
        "/two": Fixed(BODY, headers=(("X-Two", "2"),)),
        "/other-chunking": Fixed(numbered(2), framing=Framing.CHUNKED),
        "/chunked-too": CHUNKED,
        "/looks-chunked-but-is-plain": Fixed(LOOKS_CHUNKED.framed_body()),
        "/255-too": Fixed(short(255)),
        "/256-too": Fixed(short(256)),
        "/large-too": Fixed(LARGE, **binary),
        "/large-but-for-its-middle": Fixed(OTHER_LARGE, **binary),
        "/gone-too": Fixed(numbered(5), status=404),
        "/not-gone": Fixed(numbered(5)),
    }
    return first, later, {"/three": Fixed(BODY)}


@pytest.fixture(scope="module")
def crawled() -> Iterator[Crawled]:
    with scratch_folder() as folder:
        web, files = crawl(folder / "crawl", *pages_and_their_like())
        yield Crawled(folder / "crawl", web, files, rows_of(folder / "crawl"))


def test_the_second_page_with_the_same_body_refers_to_the_first(crawled: Crawled) -> None:
    first, second = crawled.row("/one"), crawled.row("/two")
    assert first.original is None
    assert second.original is not None
    assert (second.original.url, second.original.fetched_at) == (first.url, first.fetched_at)
    assert (second.original.file, second.original.offset) == (first.file, first.offset)
    assert second.digest == first.digest
    assert (second.status, second.title, second.body_bytes) == (200, "Same", len(BODY))


def test_its_record_names_the_first_page_and_has_the_head_only(crawled: Crawled) -> None:
    headers = headers_by_url(crawled.files)
    first, second = headers[crawled.row("/one").url], headers[crawled.row("/two").url]
    assert (first["WARC-Type"], second["WARC-Type"]) == ("response", "revisit")
    assert second["WARC-Profile"] == SAME_PAYLOAD
    assert second["WARC-Refers-To-Target-URI"] == crawled.row("/one").url
    assert second["WARC-Refers-To-Date"] == first["WARC-Date"]
    assert second["WARC-Payload-Digest"] == first["WARC-Payload-Digest"]
    assert int(second["Content-Length"]) < 200 < len(BODY)


def test_whoever_reads_the_folder_gets_its_own_head_and_the_common_body(crawled: Crawled) -> None:
    assert crawled.body("/one") == crawled.body("/two") == crawled.body("/three") == BODY
    with CrawlReader(crawled.folder) as reader:
        second = reader.page(crawled.row("/two"))
        assert (second.headers["x-two"], second.title, second.status) == ("2", "Same", 200)


def test_the_index_files_tell_of_it(crawled: Crawled) -> None:
    one, two = crawled.row("/one").url, crawled.row("/two").url
    assert line_of(crawled.folder, two)["revisit_of"] == one
    assert "revisit_of" not in line_of(crawled.folder, one)
    assert index_of(crawled.files, two)["mime"] == "warc/revisit"
    assert index_of(crawled.files, one)["mime"] == "text/html"
    assert index_of(crawled.files, two)["digest"] == index_of(crawled.files, one)["digest"]


def test_pages_revisits_and_records_agree(crawled: Crawled) -> None:
    assert_archive_is_consistent(crawled.files)
    records = [headers["WARC-Type"] for headers in headers_by_url(crawled.files).values()]
    with CrawlReader(crawled.folder) as reader:
        assert reader.counters.revisits == records.count("revisit")
        assert reader.counters.revisits == sum(row.original is not None for row in crawled.rows.values())


def test_a_third_page_refers_to_the_first_and_not_to_a_revisit(crawled: Crawled) -> None:
    assert (crawled.original("/two"), crawled.original("/three")) == ("/one", "/one")


def test_an_original_that_a_power_cut_could_take_is_not_referred_to(crawled: Crawled) -> None:
    assert (crawled.original("/at-once"), crawled.original("/at-once-too")) == (None, None)


def test_a_body_in_other_chunks_is_another_body(crawled: Crawled) -> None:
    assert crawled.original("/other-chunking") is None
    assert crawled.body("/chunking") == crawled.body("/other-chunking") == numbered(2)


def test_a_body_that_comes_again_in_the_same_chunks_is_read_back_whole(crawled: Crawled) -> None:
    assert crawled.original("/chunked-too") == "/chunked"
    assert crawled.body("/chunked-too") == crawled.body("/chunked") == numbered(3)


def test_bytes_that_look_like_chunks_keep_their_meaning(crawled: Crawled) -> None:
    """The same bytes on the wire, but for one page they are chunks, and for the other they are the body."""
    assert crawled.body("/looks-chunked") == numbered(4)
    assert crawled.body("/looks-chunked-but-is-plain") == LOOKS_CHUNKED.framed_body()


def test_a_body_shorter_than_what_would_refer_to_it_is_stored_again(crawled: Crawled) -> None:
    assert (crawled.original("/255-too"), crawled.original("/256-too")) == (None, "/256")
    assert crawled.body("/256-too") == short(256)


def test_a_body_in_a_file_refers_as_well(crawled: Crawled) -> None:
    assert crawled.original("/large-too") == "/large"
    assert crawled.body("/large-too") == LARGE


def test_a_large_body_that_only_begins_and_ends_alike_is_stored(crawled: Crawled) -> None:
    assert crawled.original("/large-but-for-its-middle") is None
    assert crawled.body("/large-but-for-its-middle") == OTHER_LARGE


def test_the_status_is_that_of_the_page_whatever_the_first_one_had(crawled: Crawled) -> None:
    for path, status in (("/gone-too", 404), ("/not-gone", 200)):
        row = crawled.row(path)
        assert (crawled.original(path), row.status) == ("/gone", status)
        assert index_of(crawled.files, row.url)["status"] == str(status)


def test_a_body_cut_off_is_no_original(tmp_path: Path) -> None:
    web, _ = crawl(tmp_path, {"/one": Fixed(BODY)}, {"/two": Fixed(BODY)}, max_body_bytes=1000)
    rows = rows_of(tmp_path)
    assert [rows[web.url(SITE, path)].truncated for path in ("/one", "/two")] == ["length"] * 2
    assert [rows[web.url(SITE, path)].original for path in ("/one", "/two")] == [None] * 2


def test_the_links_of_a_revisit_that_came_nearer_are_read_from_its_original(tmp_path: Path) -> None:
    """The copy is first found far away, and what it leads to is too deep; then a shorter way to it is found.

    /  ─▶ /a ─▶ /b ─▶ /copy ─▶ /deep     three steps to the copy, one too many for what it leads to
    /late ───────────▶ /copy             one step, but this is the seed of a later run
    """
    body = BODY + b'<a href="/deep">x</a>'

    def sites(web: SimWeb) -> Sites:
        return {
            (OTHER, "/"): Fixed(body),
            (SITE, "/"): page("/a"),
            (SITE, "/a"): page("/b"),
            (SITE, "/b"): page("/copy"),
            (SITE, "/late"): page("/copy"),
            (SITE, "/copy"): Fixed(body),
            (SITE, "/deep"): page(),
        }

    web = SmallWeb((SITE, OTHER), sites)
    crawl_in_runs(web, tmp_path, [(SITE, "/")], [(SITE, "/late")], first=OTHER, depth=3)
    rows = rows_of(tmp_path)
    original = rows[web.url(SITE, "/copy")].original
    assert original is not None
    assert original.url == web.url(OTHER, "/")
    assert rows[web.url(SITE, "/deep")].status == 200
    with CrawlReader(tmp_path) as reader:
        assert reader.counters.relaxed >= 1
    assert_archive_is_consistent(CrawlFiles(tmp_path))


def test_a_page_that_ends_its_workers_keeps_its_body_though_it_came_before(tmp_path: Path) -> None:
    """Stored unparsed, and as a revisit: whoever reads it must find the body all the same."""
    body = BODY + b'<a href="next">x</a>'  # to another URL from each of the two
    path = f"/two{POISONOUS_PATH}"
    web, files = crawl(
        tmp_path,
        {"/one": Fixed(body)},
        {path: Fixed(body)},
        filters=(f"{__package__}.deadly_filters:kill_itself",),
    )
    two = web.url(SITE, path)
    assert files.row(two).outcome == "poison"
    assert body_of(tmp_path, two) == body
    is_revisit = headers_by_url(files)[two]["WARC-Type"] == "revisit"
    assert (index_of(files, two).get("mime") == "warc/revisit") == is_revisit
