"""A whole crawl by FTP: folders lead to files, the archive holds resources, and nobody asks for a robots.txt."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.fetch import servers
from weft.config import CrawlConfig
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending

from .crawling import CrawlFiles, crawl_all, is_clean_for_warcio, run

LARGE = bytes(range(256)) * 12_000  # more than stays in memory


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a folder."""
    files = tmp_path_factory.mktemp("files")
    (files / "deep/deeper").mkdir(parents=True)
    (files / "deep/deeper/page.html").write_text('<a href="../none.txt">gone</a> <a href="http://127.0.0.1:9/">web</a>')
    (files / "deep/large.bin").write_bytes(LARGE)
    (files / "ä b.txt").write_text("hello")
    (files / "link").symlink_to("deep/deeper")
    with servers.proftpd(files, tmp_path_factory.mktemp("server")) as port:
        yield f"ftp://{servers.ADDRESS}:{port}/"


def settings(site: str) -> CrawlConfig:
    login = ((servers.ADDRESS, f"{servers.USER}:{servers.PASSWORD}"),)
    exclude = ("http://*",)
    return CrawlConfig(
        seeds=(site,), delay_s=0.0, allow_private=True, workers=1, auth=login, exclude=exclude, sitemaps=True
    )


def statuses(site: str) -> dict[str, int]:
    of_paths = {
        "": 200,
        "%C3%A4%20b.txt": 200,
        "deep/": 200,
        "deep/deeper/": 200,
        "deep/deeper/page.html": 200,
        "deep/large.bin": 200,
        "deep/none.txt": 404,
        "link": 301,
        "link/": 200,
        "link/page.html": 200,
        "none.txt": 404,
    }
    return {site + path: status for path, status in of_paths.items()}


@pytest.fixture(scope="module")
def crawled(site: str, tmp_path_factory: pytest.TempPathFactory) -> CrawlFiles:
    ending, files = crawl_all(tmp_path_factory.mktemp("crawl") / "it", settings(site))
    assert ending is Ending.DONE
    return files


def test_a_crawl_finds_every_file_through_its_folders(site: str, crawled: CrawlFiles) -> None:
    assert crawled.responses() == statuses(site)


def test_what_came_is_a_resource_and_what_did_not_has_notes_only(site: str, crawled: CrawlFiles) -> None:
    assert is_clean_for_warcio(crawled)
    resources, notes = {}, set()
    for path in crawled.warcs:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                block = record.content_stream().read()
                assert record.rec_type in ("warcinfo", "resource", "metadata")
                assert servers.PASSWORD.encode() not in block
                if record.rec_type == "resource" and url.startswith("ftp:"):
                    resources[url] = (record.rec_headers.get_header("Content-Type"), block)
                elif record.rec_type == "metadata":
                    notes.add(url)
    assert notes == statuses(site).keys()
    assert resources.keys() == {url for url, status in statuses(site).items() if status == 200}
    assert resources[f"{site}deep/large.bin"] == ("application/octet-stream", LARGE)
    assert resources[f"{site}%C3%A4%20b.txt"] == ("text/plain", b"hello")
    assert resources[site][0] == "text/html; charset=utf-8"


def test_the_index_names_what_can_be_shown(site: str, crawled: CrawlFiles) -> None:
    indexed = [line for line in crawled.cdxj_lines if b"ftp:" in line]
    assert len(indexed) == sum(status == 200 for status in statuses(site).values())
    assert not any(b"none.txt" in line for line in indexed)


def test_pages_are_read_back_from_the_archive(site: str, crawled: CrawlFiles) -> None:
    with CrawlReader(crawled.folder) as reader:
        pages = {page.url: page for page in reader.pages()}
        assert pages[f"{site}deep/large.bin"].body == LARGE
        assert pages[site].links == [f"{site}deep/", f"{site}link", f"{site}%C3%A4%20b.txt"]
        assert (pages[f"{site}link"].status, pages[f"{site}link"].headers["location"]) == (301, "/link/")
        assert pages[f"{site}none.txt"].body == b""


def test_a_crawl_by_ftp_is_made_again_from_its_archive(site: str, crawled: CrawlFiles, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(crawled.folder, folder)
    shutil.rmtree(folder / "state/db")
    assert repair(folder).pages == sum(status == 200 for status in statuses(site).values())
    assert run(Crawl.resume(folder)) is Ending.DONE
    assert CrawlFiles(folder).responses() == statuses(site)
