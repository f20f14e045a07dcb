"""Which file answers which path."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.pack.trees import write_tree
from weft.errors import BadInput, FolderError
from weft.mirror.paths import relative_link
from weft.serve import Site
from weft.serve.site import FoundFile, Listing, Moved

FILES = {
    "example.org/index.html": b"home",
    "example.org/docs/page.html": b"",
    "example.org/page.php@id=3.html": b"",
    "example.org/File%3Aé.svg": b"",
    "example.org/a b#c.html": b"",
    "example.org/100%25.html": b"",
    "example.org@8080/x.css": b"",
    ".weft/db/secret": b"",
    "other/.weft/x": b"",
    "crawl/state/config.json": b"",
    "crawl/archive/x.warc.gz": b"",
    "crawl/crawl.log": b"",
    "example.org/state/config.json": b"",
}
OWN = (".weft/", "other/.weft/", "crawl/")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("secret")
    return write_tree(tmp_path / "mirror", FILES)


def path_of(site: Site, target: str) -> str | None:
    found = site.find(target)
    return found.path.name if isinstance(found, FoundFile) else None


@pytest.mark.parametrize("path", [path for path in FILES if not path.startswith(OWN)])
def test_each_link_of_a_mirror_finds_its_file(path: str, folder: Path) -> None:
    link = relative_link("index.html", path)
    found = Site(folder).find(f"/{link}")
    assert found == FoundFile(folder / path)


def test_a_query_is_no_part_of_the_name(folder: Path) -> None:
    assert path_of(Site(folder), "/example.org/docs/page.html?version=3#top") == "page.html"


def test_a_folder_answers_with_its_index(folder: Path) -> None:
    assert Site(folder).find("/example.org/") == FoundFile(folder / "example.org" / "index.html")


def test_a_folder_without_its_slash_is_elsewhere_on_this_server(folder: Path) -> None:
    assert Site(folder).find("/example.org/docs") == Moved("/example.org/docs/")
    assert Site(folder).find("//example.org/docs") == Moved("/example.org/docs/")
    assert Site(folder).find("///example.org@8080") == Moved("/example.org@8080/")


def test_the_start_page_lists_the_hosts_and_nothing_of_wefts_own(folder: Path) -> None:
    found = Site(folder).find("/")
    assert isinstance(found, Listing)
    assert 'href="example.org/"' in found.html
    assert 'href="example.org@8080/"' in found.html
    assert ".weft" not in found.html
    assert 'href="crawl' not in found.html


@pytest.mark.parametrize(("inside", "shown"), [("other", []), ("example.org/state", ["config.json"])])
def test_a_listing_has_nothing_of_wefts_own(inside: str, shown: list[str], folder: Path) -> None:
    found = Site(folder).find(f"/{inside}/")
    assert isinstance(found, Listing)
    assert re.findall(r'href="(.+?)"', found.html) == shown


def test_a_listing_escapes_names(folder: Path) -> None:
    write_tree(folder, {"h/<b>&\"' :x.html": b""})
    found = Site(folder).find("/h/")
    assert isinstance(found, Listing)
    assert "<b>" not in found.html
    assert quote("<b>&\"' :x.html") in found.html


def test_a_mirrors_own_start_page_comes_first(folder: Path) -> None:
    write_tree(folder, {"index.html": b"mine"})
    assert Site(folder).find("/") == FoundFile(folder / "index.html")


@pytest.mark.parametrize(
    "target",
    [
        "/../outside.txt",
        "/example.org/../../outside.txt",
        "/%2e%2e/outside.txt",
        "/example.org/%2e%2e%2f%2e%2e%2foutside.txt",
        "/..%2foutside.txt",
        "/./example.org/index.html",
        "//etc/passwd",
        "/%2Fetc/passwd",
        "/example.org/index.html%00.png",
        "/example.org/index.html/",
        "/example.org/index.html/x",
        "/absent",
        "/.weft/db/secret",
        "/%2eweft/db/secret",
        "/.weft/",
        "/.weft",
        "/other/.weft/x",
        "/other/.WEFT/",
        "/crawl/state/config.json",
        "/crawl/state",
        "/crawl/archive/x.warc.gz",
        "/crawl/archive/",
        "/crawl/crawl.log",
        "/crawl/",
        "/crawl",
        "/leads-to-state/config.json",
        "example.org/index.html",
        "http://example.org/",
        "",
        "*",
        "/" + "a" * 5_000,
        "/leads-out.txt",
        "/leads-in/db/secret",
        "/circle",
        "/pipe",
    ],
)
def test_nothing_outside_the_folder_nor_of_wefts_own_is_found(target: str, folder: Path) -> None:
    (folder / "leads-out.txt").symlink_to("../outside.txt")
    (folder / "leads-in").symlink_to(".weft")
    (folder / "leads-to-state").symlink_to("crawl/state")
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    assert Site(folder).find(target) is None


def test_what_is_no_mirror_is_told(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="not a folder"):
        Site(tmp_path / "absent")
    write_tree(tmp_path / "crawl", {"state/config.json": b"{}", "archive/x.warc.gz": b""})
    with pytest.raises(BadInput, match="--to wacz"):
        Site(tmp_path / "crawl")
    for part in ("archive", "state", "state/spool"):
        (tmp_path / "crawl" / part).mkdir(exist_ok=True)
        with pytest.raises(BadInput, match=f"crawl/{part} is part of a crawl.*export .*/crawl --to wacz"):
            Site(tmp_path / "crawl" / part)
    assert Site(write_tree(tmp_path / "crawl" / "mirror", {"x.html": b""})).find("/x.html")  # a folder of the user's


def test_a_crawl_whose_archive_was_moved_away_is_still_one(tmp_path: Path) -> None:
    mirror = write_tree(tmp_path, {"x.html": b"", "crawl/state/config.json": b"{}", "crawl/state/lock": b""})
    assert Site(mirror).find("/crawl/state/config.json") is None
    with pytest.raises(BadInput, match="is a crawl"):
        Site(mirror / "crawl")
