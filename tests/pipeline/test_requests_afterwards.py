"""A crawl that has posted, afterwards: who reads it falls over nothing, who goes on with it posts nothing again."""

from __future__ import annotations

import asyncio
import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from weft.export.formats import FORMATS
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.pipeline.crawl import Crawl
from weft.types import PageRow
from weft.url import id_of

from .askers import SECRET
from .crawling import CrawlFiles, is_clean_for_warcio, resume, run
from .live_site import Answer, html
from .posting_site import Asked, PostingSite, posting

HERE = f"{__package__}.askers"


def shop(asked: Asked) -> Answer | None:
    """A home page with links, forms that are answered in all ways, one that never is."""
    if asked.path == "/dead":
        return None
    if asked.method == "POST" and asked.path == "/login":
        return 302, {"Location": "/", "Set-Cookie": "s=1"}, ""
    if asked.method == "POST" and asked.path == "/again":
        return 307, {"Location": "/search"}, ""
    links = '<a href="/a">a</a><a href="/search">b</a><a href="/not/1">c</a>' if asked.path == "/" else ""
    title = "home" if asked.path == "/" else f"{asked.path} {len(asked.body)}"
    return html(f"<p>{title}</p>{links}" + "long enough to be referred to " * 20, title)


@pytest.fixture(scope="module")
def site() -> Iterator[PostingSite]:
    with posting(shop) as served:
        yield served


@pytest.fixture(scope="module")
def crawled(site: PostingSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("posted") / "crawl"
    settings = {"exclude": ("/not/*",), "graph": True, "links": True, "depth": 2, "near_duplicates": True}
    run(Crawl.create(folder, site.config(extractors=(f"{HERE}:fill_in",), cookies=True, **settings)))
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    """A copy to go on with."""
    return Path(shutil.copytree(crawled, tmp_path / "crawl"))


def rows_in(folder: Path) -> dict[bytes, PageRow]:
    with CrawlReader(folder) as reader:
        return {id_of(row): row for row in reader.rows()}


def posts_since(site: PostingSite, before: int) -> list[tuple[str, bytes]]:
    return [(one.path, one.body) for one in site.asked[before:] if one.method == "POST"]


def test_a_repaired_crawl_knows_what_it_posted_and_posts_nothing_again(site: PostingSite, folder: Path) -> None:
    known = {key: row for key, row in rows_in(folder).items() if row.file}
    shutil.rmtree(folder / "state" / "db")
    repair(folder)
    repaired = rows_in(folder)
    secret = {key for key, row in known.items() if row.parts is not None and row.parts.is_secret}
    assert secret
    assert repaired.keys() - (repaired.keys() - known.keys()) == known.keys() - secret
    assert len(repaired) == len(known)
    for key in known.keys() - secret:
        was, now = known[key].parts, repaired[key].parts
        assert (was is not None and bool(was.digest)) == (now is not None)
        if was is not None and now is not None:
            assert (was.method, was.body, was.digest) == (now.method, now.body, now.digest)
    before = len(site.asked)
    resume(folder)
    assert {path for path, _ in posts_since(site, before)} <= {"/dead", "/login"}, "the archive has neither"
    assert is_clean_for_warcio(CrawlFiles(folder))
    assert [line for line in CrawlFiles(folder).cdxj_lines if b"__wb_method=post&x=1" in line]


def test_wider_rules_and_other_limits_read_again_and_post_nothing_again(site: PostingSite, folder: Path) -> None:
    before = len(site.asked)
    resume(folder, exclude=(), depth=5)
    assert "/not/1" in {one.path for one in site.asked[before:]}
    assert posts_since(site, before) == []


def test_only_who_asks_for_it_posts_once_more_what_failed(site: PostingSite, folder: Path) -> None:
    before = len(site.asked)
    resume(folder)
    assert site.asked[before:] == []
    resume(folder, retry_failed=True)
    assert {path for path, _ in posts_since(site, before)} == {"/dead"}
    assert {body for _, body in posts_since(site, before)} == {b"x=1"}


def test_it_can_be_read_reported_explained_and_exported(folder: Path, site: PostingSite) -> None:
    assert sum(page.url == f"{site.origin}/search" for page in weft.read(folder)) >= 2
    weft.report(folder)
    for path in ("/", "/search", "/again", "/dead", "/login"):
        assert weft.explain(site.origin + path, folder).words
    assert "POST" in str(weft.explain(f"{site.origin}/again", folder))
    weft.explain(site.origin.removeprefix("http://").partition(":")[0], folder)
    for name in FORMATS:
        weft.export(folder, name)
    weft.site_report(folder)
    for file in folder.rglob("*"):
        if file.is_file() and folder / "state" not in file.parents:  # which is its owner's alone
            data = file.read_bytes()
            assert SECRET.encode() not in (gzip.decompress(data) if file.suffix == ".gz" else data), file.name


def test_an_update_of_a_mirror_posts_nothing_again(site: PostingSite, tmp_path: Path) -> None:
    settings = {"extract": (f"{HERE}:fill_in",), "delay": 0, "allow_private": True, "workers": 1}

    async def mirror(**more: object) -> None:
        await weft.mirror(f"{site.origin}/", output=tmp_path / "mirror", **settings, **more)  # type: ignore[arg-type]

    asyncio.run(mirror())
    before = len(site.asked)
    files = {path.name for path in (tmp_path / "mirror").rglob("*.html")}
    asyncio.run(mirror(update=True))
    assert {one.path for one in site.asked[before:]} >= {"/", "/a", "/search"}
    assert posts_since(site, before) == []
    assert files == {path.name for path in (tmp_path / "mirror").rglob("*.html")}
