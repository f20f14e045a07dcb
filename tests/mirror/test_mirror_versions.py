"""`--keep-versions` and `--index`: what an update replaced is still there, and a page tells of all others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import turbohtml

from weft.mirror.site.versions import Version, prune, version_name

from .mirrors import FOLDER, tree
from .site_server import OWN, Answer, Site, page, serving
from .test_mirror_rules import mirrored

PNG = Answer(b"\x89PNG\r\n\x1a\n" + bytes(300), "image/png")


def kept(cwd: Path) -> list[dict[str, bytes]]:
    """The files of each version, the oldest first."""
    root = cwd / FOLDER / "versions"
    folders = sorted(path for path in root.iterdir()) if root.is_dir() else []
    return [
        {str(path.relative_to(one)): path.read_bytes() for path in one.rglob("*") if path.is_file()} for one in folders
    ]


def current(cwd: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(cwd).items() if not name.startswith("versions/")}


def small(site: Site) -> None:
    site.put("/", page('<title>Home</title><a href="/a.html">a</a><a href="/b.html">b</a><img src="/i.png">'))
    site.put("/a.html", page("<title>Page A &amp; more</title>one"))
    site.put("/b.html", page("<title>B</title>b"))
    site.put("/i.png", PNG)


def test_what_an_update_replaced_or_removed_lies_in_versions(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirrored(site, tmp_path, keep_versions=2)
        before = current(tmp_path)
        assert kept(tmp_path) == []
        mirrored(site, tmp_path, update=True)
        assert kept(tmp_path) == []  # nothing has changed
        site.put("/a.html", page("two"))
        site.answers.pop((OWN, "/b.html"))
        mirrored(site, tmp_path, update=True)
        own = f"{OWN}@{site.port}/"
        # The first page is among them: its link to what is gone leads to the web now.
        assert kept(tmp_path) == [{own + name: before[own + name] for name in ("index.html", "a.html", "b.html")}]
        assert own + "b.html" not in current(tmp_path)
        assert (tmp_path / FOLDER / own / "a.html").stat().st_nlink == 1
        for number in (3, 4):
            site.put("/a.html", page(f"number {number}"))
            mirrored(site, tmp_path, update=True)
        assert [version[own + "a.html"] for version in kept(tmp_path)] == [
            b"two",
            b"number 3",
        ]  # of the last two updates


def test_without_a_number_nothing_is_kept(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirrored(site, tmp_path)
        site.put("/a.html", page("two"))
        mirrored(site, tmp_path, update=True)
        assert kept(tmp_path) == []


def test_a_version_keeps_a_file_once_and_lets_go_what_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "h" / name).write_text(name)
    version = Version(tmp_path, version_name(1_000_000_000.5))
    for name in ("h/a", "h/b", "h/none"):
        version.keep(name)
    (tmp_path / "h" / "a").unlink()
    (tmp_path / "h" / "a").write_text("in between")
    version.keep("h/a")
    version.settle()
    folder = tmp_path / "versions" / "2001-09-09T014640.500Z"
    assert {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()} == {"a": "a"}
    version.settle()
    prune(tmp_path, 0)
    assert not folder.exists()


def test_only_folders_that_are_versions_are_pruned(tmp_path: Path) -> None:
    versions = [version_name(at) for at in (1.0, 2.5, 1e9)]
    others = ["0 notes", "2001-09-09", f"{versions[0]}.bak", f"before {versions[0]}"]
    for name in (*versions, *others):
        (tmp_path / "versions" / name).mkdir(parents=True)
    prune(tmp_path, 1)
    assert {path.name for path in (tmp_path / "versions").iterdir()} == {versions[-1], *others}


@pytest.mark.parametrize("name", ["versions", "Versions", "mirror-index.html"])
def test_no_file_of_a_site_has_a_name_of_the_mirror_s_own(tmp_path: Path, name: str) -> None:
    with serving(site := Site()):
        site.put("/", page(f'<a href="/{name}/x.html">x</a><a href="/{name}">y</a>'))
        site.put(f"/{name}/x.html", page("x"))
        site.put(f"/{name}", Answer(b"y", "text/plain"))
        mirrored(site, tmp_path, host_folder=False, index=True)
        tops = {path.name.lower() for path in (tmp_path / FOLDER).iterdir()}
        assert "versions" not in tops
        assert len(tree(tmp_path)) == 4


def test_the_index_lists_pages_and_what_failed_and_opens_first(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        site.put("/a.html", page("<title>Page A &amp; <b>more</b></title><a href='/none'>n</a><a href='/x.zip'>z</a>"))
        site.put("/b.html", page("<title>B</title><script>load('no/such.json')</script>b"))
        mirrored(site, tmp_path, index=True, exclude=["*.zip"])
        data = (tmp_path / FOLDER / "mirror-index.html").read_text()
        document = turbohtml.parse(data)
        links = {link.text: link.attr("href") for link in document.select("#pages a")}
        assert links == {
            "Home": f"{OWN}@{site.port}/index.html",
            "Page A & <b>more</b>": f"{OWN}@{site.port}/a.html",
            "B": f"{OWN}@{site.port}/b.html",
        }
        assert all((tmp_path / FOLDER / str(path)).is_file() for path in links.values())
        assert f"{site.url('/none')} <small>status 404</small>" in data
        assert any("/no/such.json" in entry[1] for entry in site.log)
        assert "such.json" not in data  # it was only a guess
        assert "<td>pattern<td>*.zip<td class=n>1" in data
        assert "4 files" in data
        assert not re.findall(r"(?:src|href)\s*=\s*[\"']?https?:", data)  # nothing from elsewhere
        mirrored(site, tmp_path, update=True)
        assert (tmp_path / FOLDER / "mirror-index.html").read_text() == data


def test_a_file_that_is_named_as_if_half_written_is_neither_lost_nor_overwritten(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/film.bin">a</a><a href="/film.bin.part">b</a>'))
        for name in ("film.bin", "film.bin.part"):
            site.put(f"/{name}", Answer(f"one {name}".encode(), "application/octet-stream"))
        mirrored(site, tmp_path, keep_versions=1)
        own = f"{OWN}@{site.port}/"
        assert current(tmp_path)[own + "film.bin.part"] == b"one film.bin.part"
        for name in ("film.bin", "film.bin.part"):
            site.put(f"/{name}", Answer(f"two {name}".encode(), "application/octet-stream"))
        mirrored(site, tmp_path, update=True)
        names = (own + "film.bin", own + "film.bin.part")
        assert [current(tmp_path)[name][:3] for name in names] == [b"two", b"two"]
        assert [kept(tmp_path)[0][name][:3] for name in names] == [b"one", b"one"]
