"""Files that were made while the crawl went on: taken where they are right, and never else."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import closed_port
from weft.api.mirror import Mirroring
from weft.api.summary import crawl_to_end
from weft.mirror.site.drafting import draft_all

from .mirrors import FOLDER, times, tree
from .site_server import Answer, Site, page, redirect, serving
from .test_mirror_stops import begin, kill_when, large, whole

QUICK: dict[str, Any] = {"allow_private": True, "delay_s": 0, "workers": 1, "user_agent": "test"}
FIRST_PAGES = 2
LONG = "n" * 300


def surprising(site: Site) -> None:
    """What becomes of the first page's links is not what their URLs suggest."""
    surprises = ("gone", "moved.html", "picture.html", "Case.html", "case.html", "plain", "plain.html", "left-out.html")
    links = "".join(f'<a href="/{name}">x</a>' for name in (*surprises, LONG, "attached", "elsewhere"))
    site.put("/", page(f'{links}<a href="/same.html">same</a><link rel=stylesheet href="/style.css">'))
    site.put("/same.html", page('<a href="/">up</a>'))
    site.put("/style.css", Answer(b"p {color: red}", "text/css"))
    site.put("/moved.html", redirect("/to/here.html", 301))
    site.put("/to/here.html", page('here <a href="/moved.html">self</a>'))
    site.put("/elsewhere", redirect("https://elsewhere.invalid/"))
    site.put("/picture.html", Answer(b"\x89PNG\r\n\x1a\n" + bytes(50), "image/png"))
    site.put("/Case.html", page('upper <a href="/case.html">lower</a>'))
    site.put("/case.html", page('lower <a href="/Case.html">upper</a>'))
    site.put("/plain", page('plain <a href="/plain.html">other</a>'))
    site.put("/plain.html", page('html <a href="/plain">other</a>'))
    site.put(f"/{LONG}", page(f'long <a href="/{LONG}">self</a>'))
    site.put("/attached", Answer(b"x", "text/plain", headers=(("Content-Disposition", "attachment; filename=a.txt"),)))
    site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /left-out.html\n", "text/plain"))


def inodes(folder: Path) -> set[int]:
    return {path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


def mirrored(root: Path, drafts: Path | None = None, *urls: str, **fields: Any) -> None:
    """Mirror a site, or go on; with drafts, as if these had been made while it was crawled."""
    mirroring = Mirroring(root, urls, QUICK, fields, update=False)
    assert mirroring.crawl is not None
    with closing(mirroring):
        summary = asyncio.run(crawl_to_end(mirroring.crawl))
        if drafts is not None:
            drafts.rename(root / ".weft" / "drafts")
        mirroring.finish(summary)


def drafts_of(root: Path, url: str, pages: int | None) -> Path:
    """The drafts of a crawl that has come this far and makes no files; they are moved away."""
    mirroring = Mirroring(root, (url,), QUICK | {"max_pages": pages}, {}, update=False)
    assert mirroring.crawl is not None
    kept = root.parent / "kept"
    with closing(mirroring):
        asyncio.run(crawl_to_end(mirroring.crawl))
        assert draft_all(root) is not None
        (root / ".weft" / "drafts").rename(kept)
    return kept


@pytest.mark.parametrize("pages", [FIRST_PAGES, None])
def test_drafts_of_any_moment_change_nothing_about_the_files(pages: int | None, tmp_path: Path) -> None:
    plain, drafted = tmp_path / "plain", tmp_path / "drafted"
    with serving(site := Site()):
        surprising(site)
        mirrored(plain / FOLDER, None, site.url("/"))
        drafts = drafts_of(drafted / FOLDER, site.url("/"), pages)
        made = inodes(drafts)
        mirrored(drafted / FOLDER, drafts, max_pages=None)
    assert tree(drafted) == tree(plain)
    assert times(drafted) == times(plain)
    assert not (drafted / FOLDER / ".weft" / "drafts").exists()
    taken = inodes(drafted / FOLDER) & made
    assert len(taken) < len(made) if pages else len(taken) > len(made) // 2


def test_a_link_that_comes_out_otherwise_makes_a_draft_worthless(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/a.html">a</a>'))
        site.put("/a.html", page("a", status=404))
        drafts = drafts_of(tmp_path / FOLDER, site.url("/"), 1)  # made as if a.html would be there
        assert b'href="a.html"' in next(path for path in drafts.rglob("*") if path.is_file()).read_bytes()
        mirrored(tmp_path / FOLDER, drafts, max_pages=None)
        (data,) = tree(tmp_path).values()
        assert site.url("/a.html").encode() in data


def test_drafts_of_a_run_that_was_killed_are_not_read(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page("home"))
        drafts = drafts_of(tmp_path / FOLDER, site.url("/"), None)
        (draft,) = (path for path in drafts.rglob("*") if path.is_file())
        draft.write_bytes(draft.read_bytes().replace(b"home", b"gone"))
        drafts.rename(tmp_path / FOLDER / ".weft" / "drafts")
        mirrored(tmp_path / FOLDER)
    assert list(tree(tmp_path).values()) == [b"home"]


@pytest.mark.large
def test_mirrors_that_are_killed_while_drafts_are_made_become_the_same(tmp_path: Path) -> None:
    port = closed_port()
    plain, killed = tmp_path / "plain", tmp_path / "killed"
    plain.mkdir()
    killed.mkdir()
    drafts = killed / FOLDER / ".weft" / "drafts"
    with serving(site := Site(), port):
        large(site)
        assert whole(site, plain) == 0
        site.delay_s = 0.05
        kills = 0
        for more in (1, 20, 60):
            kills += kill_when(begin(site, killed), lambda more=more: len(inodes(drafts)) >= more)  # type: ignore[misc]
        assert kills
        assert whole(site, killed) == 0
        assert tree(killed) == tree(plain)
        assert not drafts.exists()
