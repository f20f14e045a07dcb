"""Files that are not what their records say: changed by hand, lost, or left by a run that was stopped."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from weft.api.mirror import Mirroring
from weft.api.summary import crawl_to_end
from weft.errors import FolderError
from weft.folder.history import earlier_row
from weft.folder.layout import CRAWL_FOLDER, database_of
from weft.mirror.rows import FILES_AT
from weft.mirror.site.layout import Standing, standing_of
from weft.pipeline.engine import Ending
from weft.state import State
from weft.url import url_id

from .mirrors import FOLDER, changes, tree
from .site_server import OWN, Answer, Site, page, serving
from .test_mirror_unreadable import QUICK, WritersInHere, flip_byte_of

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(400)


@pytest.fixture(autouse=True)
def writing_in_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.mirror.site.writers.Writers", WritersInHere)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as served:
        served.put("/", page("<a href='/a.html'>a</a><a href='/b.html'>b</a><img src='/i.png'><img src='/j.png'>"))
        served.put("/a.html", page("<a href='/'>home</a>"))
        served.put("/b.html", page("<a href='/a.html'>a</a>"))
        served.put("/i.png", Answer(PICTURE, "image/png"))
        served.put("/j.png", Answer(PICTURE[::-1], "image/png", has_validators=False))
        yield served


def run(
    site: Site, cwd: Path, *, update: bool = False, damaged: str = "", ending: Ending | None = None, versions: int = 0
) -> None:
    """One run; the record of the URL `damaged` is damaged before files are made, and `ending` is how it ends."""
    mirroring = Mirroring(cwd / FOLDER, (site.url("/"),), {**QUICK, "keep_versions": versions}, {}, update=update)
    assert mirroring.crawl is not None
    with closing(mirroring):
        crawled = asyncio.run(crawl_to_end(mirroring.crawl))
        if damaged:
            flip_byte_of(cwd / FOLDER / CRAWL_FOLDER, site.url(damaged))
        if ending is not None:
            crawled = msgspec.structs.replace(crawled, exit=ending)
        mirroring.finish(crawled)


def file_of(site: Site, cwd: Path, name: str) -> Path:
    return cwd / FOLDER / f"127.0.0.1@{site.port}" / name


def test_an_update_makes_files_again_that_somebody_changed_or_lost_and_says_so(site: Site, tmp_path: Path) -> None:
    run(site, tmp_path)
    before = tree(tmp_path)
    for name in ("i.png", "b.html", "j.png"):  # of the same length and time
        path = file_of(site, tmp_path, name)
        times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.write_bytes(bytes(path.stat().st_size))
        os.utime(path, ns=times)
    file_of(site, tmp_path, "a.html").unlink()
    run(site, tmp_path, update=True)
    assert tree(tmp_path) == before
    found = changes(tmp_path)
    assert found["mended"] == [site.url(path) for path in ("/a.html", "/b.html", "/i.png", "/j.png")]
    assert {sort: count for sort, count in found["counts"].items() if count} == {"mended": 4, "unchanged": 1}


def test_a_file_that_was_touched_only_is_left_alone_and_unchanged(site: Site, tmp_path: Path) -> None:
    run(site, tmp_path)
    path = file_of(site, tmp_path, "i.png")
    os.utime(path)
    number = path.stat().st_ino
    run(site, tmp_path, update=True)
    assert path.stat().st_ino == number
    assert changes(tmp_path)["counts"]["unchanged"] == 5


def test_files_that_were_changed_after_the_clock_was_set_back_are_made_right(site: Site, tmp_path: Path) -> None:
    run(site, tmp_path)
    before = tree(tmp_path)
    hour_ns = 3600 * 10**9
    with closing(State(database_of(tmp_path / FOLDER / CRAWL_FOLDER))) as state:  # as if it had ended an hour from now
        batch = state.batch()
        batch.put("meta", FILES_AT, str(time.time_ns() + hour_ns).encode())
        state.write(batch)
    for name in ("i.png", "b.html"):
        file_of(site, tmp_path, name).write_bytes(b"changed")
    run(site, tmp_path, update=True)
    assert tree(tmp_path) == before


def test_an_update_whose_answer_is_lost_after_its_file_was_written_leaves_the_file_of_the_answer_that_counts(
    site: Site, tmp_path: Path
) -> None:
    run(site, tmp_path)
    before = tree(tmp_path)
    site.put("/i.png", Answer(PICTURE + b"new", "image/png"))
    run(site, tmp_path, update=True, ending=Ending.INTERRUPTED)
    assert file_of(site, tmp_path, "i.png").read_bytes() == PICTURE + b"new"
    with closing(State(database_of(tmp_path / FOLDER / CRAWL_FOLDER))) as state:  # asked again, it is as it was: 304
        key = url_id(site.url("/i.png"))
        earlier = earlier_row(state, key)
        assert earlier is not None
        batch = state.batch()
        batch.put("page", key, msgspec.msgpack.encode(earlier.page))
        state.write(batch)
    run(site, tmp_path)
    assert standing_of(tmp_path / FOLDER) is Standing.DONE
    assert tree(tmp_path) == before


@pytest.mark.parametrize("path", ["/i.png", "/j.png", "/b.html"])
def test_what_the_archive_cannot_give_back_is_asked_for_whole_by_the_next_update(
    site: Site, tmp_path: Path, path: str
) -> None:
    run(site, tmp_path, damaged=path)
    assert not file_of(site, tmp_path, path[1:]).exists()
    run(site, tmp_path, update=True)
    assert file_of(site, tmp_path, path[1:]).is_file()
    assert changes(tmp_path)["mended"] == [site.url(path)]
    assert site.url(path).encode() not in file_of(site, tmp_path, "index.html").read_bytes()  # links are local again
    run(site, tmp_path, update=True)
    assert changes(tmp_path)["counts"]["unchanged"] == 5


def test_an_old_file_whose_new_record_is_damaged_becomes_the_new_one_by_the_next_update(
    site: Site, tmp_path: Path
) -> None:
    run(site, tmp_path)
    site.put("/i.png", Answer(PICTURE + b"new", "image/png"))
    run(site, tmp_path, update=True, damaged="/i.png")
    assert file_of(site, tmp_path, "i.png").read_bytes() == PICTURE
    run(site, tmp_path, update=True)
    assert file_of(site, tmp_path, "i.png").read_bytes() == PICTURE + b"new"


def test_of_an_answer_that_comes_again_as_another_type_the_file_is_made_again(site: Site, tmp_path: Path) -> None:
    body = b'<link rel="x"><a href="/a.html">a</a>'
    site.put("/b.html", Answer(body, "text/html", has_validators=False))
    run(site, tmp_path)
    site.put("/b.html", Answer(body, "text/plain", has_validators=False))
    run(site, tmp_path, update=True)
    assert file_of(site, tmp_path, "b.html").read_bytes() == body


def put_in_folders(site: Site) -> None:
    site.put("/", page("<a href='/f/a.html'>a</a><img src='/f/i.png'><img src='/i.png'>"))
    site.put("/f/a.html", page("<a href='/'>home</a>"))
    site.put("/f/i.png", Answer(PICTURE, "image/png"))


def others(folder: Path) -> dict[str, bytes]:
    """Files of somebody, older than the mirror, with names that it has."""
    folder.mkdir()
    for name in ("a.html", "i.png"):
        (folder / name).write_bytes(name.encode())
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["f/a.html", "f/i.png", "f"])
@pytest.mark.parametrize("to", ["others", "nothing", "self", "same"])
@pytest.mark.parametrize("versions", [0, 2])
def test_a_link_in_the_place_of_a_file_or_folder_is_replaced_and_where_it_leads_nothing_changes(
    site: Site, tmp_path: Path, name: str, to: str, versions: int
) -> None:
    put_in_folders(site)
    elsewhere = others(tmp_path / "others")
    run(site, tmp_path, versions=versions)
    before = tree(tmp_path)
    path = file_of(site, tmp_path, name)
    moved = path.rename(tmp_path / "moved")
    target = tmp_path / "others" if path.suffix == "" else tmp_path / "others" / path.name
    path.symlink_to({"others": target, "nothing": tmp_path / "nothing", "self": path, "same": moved}[to])
    run(site, tmp_path, update=True, versions=versions)
    assert tree(tmp_path) == before
    assert not path.is_symlink()
    assert {path.name: path.read_bytes() for path in (tmp_path / "others").iterdir()} == elsewhere
    assert not (tmp_path / "nothing").exists()


def test_what_is_gone_is_not_deleted_where_a_link_leads(site: Site, tmp_path: Path) -> None:
    put_in_folders(site)
    elsewhere = others(tmp_path / "others")
    run(site, tmp_path)
    folder = file_of(site, tmp_path, "f")
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "others")
    for path in ("/f/a.html", "/f/i.png"):
        site.answers.pop((OWN, path))
    run(site, tmp_path, update=True)
    assert changes(tmp_path)["counts"]["gone"] == 2
    assert {path.name: path.read_bytes() for path in (tmp_path / "others").iterdir()} == elsewhere


def test_an_empty_folder_in_the_place_of_a_file_is_replaced_and_one_of_somebody_s_files_is_told(
    site: Site, tmp_path: Path
) -> None:
    run(site, tmp_path)
    before = tree(tmp_path)
    for name in ("i.png", "a.html"):
        file_of(site, tmp_path, name).unlink()
        file_of(site, tmp_path, name).mkdir()
    somebodys = file_of(site, tmp_path, "a.html") / "mine.txt"
    somebodys.write_text("mine")
    with pytest.raises(FolderError, match=r"a\.html: Directory not empty"):
        run(site, tmp_path, update=True)
    assert somebodys.read_text() == "mine"
    assert not list((tmp_path / FOLDER).rglob("*.part"))
    somebodys.unlink()
    run(site, tmp_path)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("names", [(), ("mine.txt",)])
def test_a_folder_in_the_place_of_a_file_that_is_gone_stays_if_it_has_files(
    site: Site, tmp_path: Path, names: tuple[str, ...]
) -> None:
    run(site, tmp_path, versions=1)
    path = file_of(site, tmp_path, "b.html")
    path.unlink()
    path.mkdir()
    for name in names:
        (path / name).write_text("mine")
    site.answers.pop((OWN, "/b.html"))
    run(site, tmp_path, update=True, versions=1)
    assert changes(tmp_path)["gone"] == [site.url("/b.html")]
    assert path.exists() == bool(names)
    assert all((path / name).read_text() == "mine" for name in names)


@pytest.mark.parametrize("inner", ["", "inner/"])
def test_a_folder_that_was_moved_to_the_place_of_another_is_made_right(site: Site, tmp_path: Path, inner: str) -> None:
    paths = [f"/{folder}/{inner}{name}" for folder in "cd" for name in ("a.html", "i.png")]
    site.put("/", page("".join(f"<img src='{path}'><a href='{path}'>a</a>" for path in paths)))
    for path in paths:
        site.put(path, page(path) if path.endswith("html") else Answer(path.encode(), "image/png"))
    run(site, tmp_path)
    before = tree(tmp_path)
    one, other = (file_of(site, tmp_path, name) for name in "cd")
    shutil.rmtree(one)
    other.rename(one)
    run(site, tmp_path, update=True)
    assert tree(tmp_path) == before
    assert changes(tmp_path)["mended"] == sorted(map(site.url, paths))
    run(site, tmp_path, update=True)
    assert changes(tmp_path)["counts"]["unchanged"] == len(paths) + 1
