"""The archive of a mirror after updates: others show its pages, and repair takes none of them back."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from tests.export.judges import running_pywb
from tests.pipeline.engine_process import await_others
from weft.folder.layout import database_of
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.types import PageRow

from .mirrors import FOLDER, mirror
from .site_server import Answer, Site, page, serving

CRAWL = Path(FOLDER) / ".weft"


def await_next_second() -> None:
    """An index tells of whole seconds: which of two answers in the same one is newer, nobody can read from it."""
    second = int(time.time())
    await_others(lambda: int(time.time()) > second, "the next second")


def updated(site: Site, cwd: Path) -> None:
    """A mirror in which one page has changed twice, one has not, one was gone for a while, and one failed at last."""
    for path in ("/a", "/same", "/gone", "/fails"):
        site.put(path, page(f"<p>{path} " + "x" * 400))
    site.put("/", page("".join(f'<a href="{path}">x</a>' for path in ("/a", "/same", "/gone", "/fails"))))
    mirror(site, cwd)
    await_next_second()
    site.put("/a", page("<p>second " + "x" * 400))
    gone = site.answers.pop(("127.0.0.1", "/gone"))
    mirror(site, cwd, "--update")
    await_next_second()
    site.put("/a", page("<p>third " + "x" * 400))
    site.put("/gone", gone)
    site.put("/fails", Answer(b"not now", "text/plain", 403))
    mirror(site, cwd, "--update")


def index_of(cwd: Path) -> list[str]:
    return (cwd / CRAWL / "index.cdxj").read_text().splitlines()


def rows(cwd: Path) -> dict[str, PageRow]:
    with CrawlReader(cwd / CRAWL) as reader:
        return {row.url: row for row in reader.rows()}


def test_pages_that_an_update_found_unchanged_are_replayed(tmp_path: Path) -> None:
    with serving(site := Site()):
        updated(site, tmp_path)
    assert not [line for line in index_of(tmp_path) if '"status":"304"' in line]
    home = tmp_path / "pywb"
    home.mkdir()
    crawl = tmp_path / CRAWL
    (home / "config.yaml").write_text(
        f"collections:\n  all:\n    index_paths: {crawl}/index.cdxj\n    archive_paths: {crawl}/archive/\n"
    )
    with running_pywb(home) as pywb:
        shown = {path: pywb.replay("all", "2999", site.url(path)) for path in ("/", "/same", "/a")}
    assert {path: answer.status for path, answer in shown.items()} == {"/": 200, "/same": 200, "/a": 200}
    assert shown["/same"].body.startswith(b"<p>/same")
    assert shown["/a"].body.startswith(b"<p>third")


def test_after_a_repair_the_newest_answer_counts_and_the_index_has_every_line(tmp_path: Path) -> None:
    with serving(site := Site()):
        updated(site, tmp_path)
        before, lines = rows(tmp_path), index_of(tmp_path)
        shutil.rmtree(database_of(tmp_path / CRAWL))
        repair(tmp_path / CRAWL)
        after = rows(tmp_path)
        assert {url: (row.status, row.file, row.offset) for url, row in after.items()} == {
            url: (row.status, row.file, row.offset) for url, row in before.items()
        }
        mirror(site, tmp_path)
    assert set(lines) <= set(index_of(tmp_path))
