"""Files that were made while the crawl went on: taken where they are right, and never else."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import closed_port
from weft.api.mirror import Mirroring, MirrorSummary
from weft.api.summary import crawl_to_end
from weft.mirror.site.drafter import PAUSE_S, pause_after
from weft.mirror.site.drafting import draft_all
from weft.workers import process

from .mirrors import FOLDER, times, tree
from .site_server import Answer, Site, page, redirect, serving
from .test_mirror_stops import begin, kill_when, large, whole

QUICK: dict[str, Any] = {"allow_private": True, "delay_s": 0, "workers": 1, "user_agent": "test"}
FIRST_PAGES = 2
LONG = "n" * 300


def surprising(site: Site) -> None:
    """What becomes of the first page's links is not what their URLs suggest."""
    surprises = ("gone", "moved.html", "picture.html", "Case.html", "case.html", "plain", "plain.html", "left-out.html")
    more = (LONG, "attached", "elsewhere", "under/base.html", "other-charset.html", "app.html")
    links = "".join(f'<a href="/{name}">x</a>' for name in (*surprises, *more))
    site.put("/", page(f'{links}<a href="/same.html">same</a><link rel=stylesheet href="/style.css">'))
    site.put("/same.html", page('<a href="/">up</a>'))
    site.put("/style.css", Answer(b"@import '/more.css'; p {background: url(gone)}", "text/css"))
    site.put("/more.css", Answer(b"p {background: url('picture.html')}", "text/css"))
    site.put(
        "/under/base.html", page('<base href="/to/"><a href="here.html#part">h</a><a href="#part">s</a><a href="">b')
    )
    cyrillic = '<a href="/?q=\u0434">q</a><a href="same.html#\u0434">\u0434</a>'.encode("cp1251")
    site.put("/other-charset.html", Answer(cyrillic, "text/html; charset=windows-1251"))
    site.put("/app.html", page(
        '<script type=importmap>{"imports": {"a": "/a.js?v=1"}}</script><script type=module>import "/a.js?v=1"</script>'
        '<img srcset="/picture.html 1x, /gone 2x"><meta http-equiv=refresh content="9; url=/moved.html"><div id=app>'
    ))  # fmt: skip
    site.put("/a.js?v=1", Answer(b'import "./gone.js"; export * from "/a.js?v=1"', "text/javascript"))
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


def count(folder: Path) -> int:
    """The files in it, of which some may come and go meanwhile."""
    return sum(len(names) for _, _, names in os.walk(folder))


def mirrored(
    root: Path, drafts: Path | None = None, *urls: str, naming: dict[str, Any] | None = None, **fields: Any
) -> MirrorSummary:
    """Mirror a site, or go on; with drafts, as if these had been made while it was crawled."""
    mirroring = Mirroring(root, urls, QUICK | (naming or {}), fields, update=False)
    assert mirroring.crawl is not None
    with closing(mirroring):
        summary = asyncio.run(crawl_to_end(mirroring.crawl))
        if drafts is not None:
            drafts.rename(root / ".weft" / "drafts")
        return mirroring.finish(summary)


def drafts_of(root: Path, url: str, pages: int | None, **naming: Any) -> Path:
    """The drafts of a crawl that has come this far and makes no files; they are moved away."""
    mirroring = Mirroring(root, (url,), QUICK | {"max_pages": pages} | naming, {"max_pages": pages}, update=False)
    assert mirroring.crawl is not None
    kept = root.parent / "kept"
    with closing(mirroring):
        asyncio.run(crawl_to_end(mirroring.crawl))
        assert draft_all(root, 0) is not None
        (root / ".weft" / "drafts").rename(kept)
    return kept


@pytest.mark.parametrize(
    ("pages", "naming"),
    [(FIRST_PAGES, {}), (None, {}), (None, {"flat": True, "accept": ("*.html", "text/css", "404")})],
)
def test_drafts_of_any_moment_change_nothing_about_the_files(
    pages: int | None, naming: dict[str, Any], tmp_path: Path
) -> None:
    plain, drafted = tmp_path / "plain", tmp_path / "drafted"
    with serving(site := Site()):
        surprising(site)
        by_plain = mirrored(plain / FOLDER, None, site.url("/"), naming=naming)
        drafts = drafts_of(drafted / FOLDER, site.url("/"), pages, **naming)
        made = inodes(shutil.copytree(drafts, tmp_path / "held", copy_function=os.link))  # no number is used again
        by_drafts = mirrored(drafted / FOLDER, drafts, max_pages=None)
    assert tree(drafted) == tree(plain)
    assert (by_drafts.files, by_drafts.by_scripts) == (by_plain.files, by_plain.by_scripts)
    assert by_drafts.by_scripts == 1
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


def test_a_draft_that_cannot_be_moved_is_made_again(tmp_path: Path) -> None:
    root = tmp_path / FOLDER
    with serving(site := Site()), tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        site.put("/", page("home"))
        drafts = drafts_of(root, site.url("/"), None)
        (root / f"127.0.0.1@{site.port}").symlink_to(elsewhere)  # to another disk
        if Path(elsewhere).stat().st_dev == root.stat().st_dev:
            pytest.skip("there is no other disk")
        assert mirrored(root, drafts).written == 1
        assert list(Path(elsewhere).iterdir())
        assert (root / f"127.0.0.1@{site.port}" / "index.html").read_bytes() == b"home"


def test_what_has_a_file_already_gets_no_draft(tmp_path: Path) -> None:
    root = tmp_path / FOLDER
    with serving(site := Site()):
        site.put("/", page('<a href="/a.html">a</a>'))
        site.put("/a.html", page("a"))
        assert mirrored(root, None, site.url("/"), naming={"max_pages": 1}).files == 1
        drafts = drafts_of(root, site.url("/"), None)
    assert [path.read_bytes()[:1] for path in drafts.rglob("*") if path.is_file()] == [b"a"]


def test_where_the_disk_is_nearly_full_there_are_no_drafts(tmp_path: Path) -> None:
    root = tmp_path / FOLDER
    with serving(site := Site()):
        site.put("/", page("home"))
        drafts_of(root, site.url("/"), None)
    (root / ".weft" / "drafts").mkdir()
    assert draft_all(root, shutil.disk_usage(root).total) is None
    assert not (root / ".weft" / "drafts").exists()


def test_a_mirror_does_without_a_drafter_where_none_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = process.start_process

    def no_drafter(arguments: list[str], **how: Any) -> subprocess.Popen[bytes]:
        if "weft.mirror.site.drafter" in arguments:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return start(arguments, **how)

    monkeypatch.setattr(process, "start_process", no_drafter)
    with serving(site := Site()):
        site.put("/", page("home"))
        assert mirrored(tmp_path / FOLDER, None, site.url("/")).written == 1


def test_the_longer_a_crawl_goes_on_the_rarer_are_looks_for_new_pages() -> None:
    assert pause_after(0.01, 10) == PAUSE_S
    assert pause_after(2, 10) > 2
    assert pause_after(0.01, 36_000) > 600


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
            kills += kill_when(begin(site, killed), lambda more=more: count(drafts) >= more)  # type: ignore[misc]
        assert kills
        assert whole(site, killed) == 0
        assert tree(killed) == tree(plain)
        assert not drafts.exists()
