"""`weft mirror --update`: what is asked, what changes on the disk, and what is never deleted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.running import Finished
from weft.folder.reading import CrawlReader

from .mirrors import FOLDER, QUICK, broken_links, changes, mirror, summary_of, times, tree
from .site_server import OTHER, Answer, Site, page, redirect, serving
from .torture_site import fill


def small(site: Site) -> None:
    site.put("/", page('<a href="/a.html">a</a> <a href="/b.html">b</a> <a href="/c">c</a> <img src="/i.png">'))
    site.put("/a.html", page("<p>a"))
    site.put("/b.html", page('<p>b <a href="/c">c</a>'))
    site.put("/c", page("<p>c"))
    site.put("/i.png", Answer(b"\x89PNG\r\n\x1a\n" + bytes(300), "image/png"))


def own(site: Site, path: str) -> str:
    return f"127.0.0.1@{site.port}/{path}"


def asked_since(site: Site, start: int) -> dict[str, int]:
    return {path: status for _, path, status in site.log[start:] if path != "/robots.txt"}


def test_an_update_of_what_has_not_changed_transfers_only_304s_and_changes_no_byte(tmp_path: Path) -> None:
    with serving(site := Site()):
        fill(site)
        summary_of(mirror(site, tmp_path, "--json"))
        before, before_times, asked = tree(tmp_path), times(tmp_path), len(site.log)
        first = site.statuses()
        for _ in range(2):
            summary = summary_of(mirror(site, tmp_path, "--update", "--json"))
            assert (summary["written"], summary["deleted"]) == (0, 0)
            assert summary["statuses"]["304"] == len(before)
            assert "200" not in summary["statuses"]
            assert (tree(tmp_path), times(tmp_path)) == (before, before_times)
            again = {site.url(path, host): status for host, path, status in site.log[asked:] if path != "/robots.txt"}
            assert again == {url: 304 if status == 200 else status for url, status in first.items()}
            found = changes(tmp_path)
            assert found["counts"] == {
                "new": 0,
                "changed": 0,
                "mended": 0,
                "gone": 0,
                "kept": 0,
                "unasked": 0,
                "unchanged": len(before),
            }
            asked = len(site.log)


def test_an_update_changes_what_has_changed_and_deletes_what_is_gone(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        summary_of(mirror(site, tmp_path, "--json"))
        before = times(tmp_path)
        site.put("/a.html", page('<p>A! <a href="/new.html">new</a>'))
        site.put("/new.html", page("<p>new"))
        del site.answers["127.0.0.1", "/c"]
        summary = summary_of(mirror(site, tmp_path, "--update", "--json"))
        found = changes(tmp_path)
        assert found["complete"]
        assert found["new"] == [site.url("/new.html")]
        assert found["changed"] == [site.url("/a.html")]
        assert found["gone"] == [site.url("/c")]
        assert found["counts"]["unchanged"] == 3
        assert summary["deleted"] == 1
        files = tree(tmp_path)
        assert files[own(site, "a.html")] == b'<p>A! <a href="new.html">new</a>'
        assert own(site, "c.html") not in files
        # Pages that have not changed, but led to what is gone, lead to the web now.
        assert site.url("/c").encode() in files[own(site, "b.html")]
        assert broken_links(files, site, set()) == []
        assert times(tmp_path)[own(site, "i.png")] == before[own(site, "i.png")]


def test_what_comes_back_is_saved_again_under_its_name(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        before = tree(tmp_path)
        answer = site.answers.pop(("127.0.0.1", "/c"))
        mirror(site, tmp_path, "--update")
        assert tree(tmp_path) != before
        site.put("/c", answer)
        mirror(site, tmp_path, "--update")
        assert tree(tmp_path) == before


def test_a_page_without_validators_that_comes_again_the_same_is_unchanged(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/a">a</a>' + "x" * 500, has_validators=False))
        site.put("/a", page("short", has_validators=False))
        mirror(site, tmp_path)
        before = (tree(tmp_path), times(tmp_path))
        summary_of(mirror(site, tmp_path, "--update", "--json"))
        assert changes(tmp_path)["counts"]["unchanged"] == 2
        assert (tree(tmp_path), times(tmp_path)) == before


def test_nothing_is_deleted_because_a_request_failed(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        before = tree(tmp_path)
        site.put("/a.html", page("no", status=403))
        site.put("/b.html", page("<p>half of this is missing", is_cut=True, has_validators=False))
        site.put("/i.png", page("no", status=451))
        summary = summary_of(mirror(site, tmp_path, "--update", "--json"))
        assert summary["deleted"] == summary["written"] == 0
        assert tree(tmp_path) == before
        assert changes(tmp_path)["kept"] == [site.url(path) for path in ("/a.html", "/b.html", "/i.png")]
        # Asked again as if nothing had been, the next time.
        small(site)
        start = len(site.log)
        mirror(site, tmp_path, "--update")
        assert set(asked_since(site, start).values()) == {304}


def test_nothing_is_deleted_after_a_run_that_was_not_complete(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        for number in range(30):
            site.put(f"/n{number}", page(f"<p>{number}"))
        site.put("/b.html", page("".join(f'<a href="/n{number}">x</a>' for number in range(30))))
        mirror(site, tmp_path)
        before = tree(tmp_path)
        for path in [path for _, path in site.answers if path.startswith("/n") or path == "/c"]:
            del site.answers["127.0.0.1", path]
        done = mirror(site, tmp_path, "--update", "--max-time", "0.001")
        assert done.code == 3, done.errors
        assert tree(tmp_path) == before
        assert not changes(tmp_path)["complete"]
        # The same command without limit goes on with the update that was begun, and ends it.
        done = mirror(site, tmp_path, "--update", "--max-time", "none")
        assert done.code == 0, done.errors
        assert len(tree(tmp_path)) == 4
        assert changes(tmp_path)["counts"]["gone"] == 31


def test_a_host_that_is_down_keeps_its_files_and_the_next_update_asks_all_again(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page(f'<img src="http://{OTHER}:{site.port}/far.png"> <a href="/a">a</a>'))
        site.put("/a", page("a"))
        site.put("/far.png", Answer(b"\x89PNG far", "image/png"), OTHER)
        mirror(site, tmp_path)
        before = tree(tmp_path)
        site.put("/far.png", Answer(b"", "text/plain", 503), OTHER)
        site.put("/robots.txt", Answer(b"", "text/plain", 503), OTHER)
        done = mirror(site, tmp_path, "--update", "--max-host-wait", "0")
        assert done.code in (0, 3)
        assert tree(tmp_path) == before
        site.put("/a", page("another a"))
        start = len(site.log)
        mirror(site, tmp_path, "--update", "--max-host-wait", "0")
        assert asked_since(site, start)["/a"] == 200
        assert tree(tmp_path)[own(site, "a.html")] == b"another a"
        assert f"{OTHER}@{site.port}/far.png" in tree(tmp_path)


def test_a_page_that_moves_leaves_no_file_behind_and_links_follow_it(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        site.put("/a.html", redirect("/moved.html", 301))
        site.put("/moved.html", page("<p>a"))
        mirror(site, tmp_path, "--update")
        files = tree(tmp_path)
        assert own(site, "a.html") not in files
        assert b'<a href="moved.html">a</a>' in files[own(site, "index.html")]


@pytest.mark.parametrize(
    ("goes", "is_moved"), [("/", True), ("/index.html", True), ("/docs/", False), ("/docs/index.html", False)]
)
def test_a_page_with_two_names_loses_one(tmp_path: Path, goes: str, is_moved: bool) -> None:
    stays = goes.removesuffix("index.html") if goes.endswith(".html") else f"{goes}index.html"
    with serving(site := Site()):
        site.put("/", page('<a href="/index.html">home</a> <a href="/docs/">d</a> <a href="/docs/index.html">d</a>'))
        site.put("/index.html", site.answers["127.0.0.1", "/"])
        site.put("/docs/", page("<p>docs"))
        site.put("/docs/index.html", page("<p>docs"))
        mirror(site, tmp_path)
        assert len(tree(tmp_path)) == 2
        listed = json.loads((tmp_path / FOLDER / ".weft" / "changes.json").read_bytes())["new"]
        assert {change["path"] for change in listed} == tree(tmp_path).keys()
        if is_moved:
            site.put(goes, redirect(stays, 301))
        else:
            del site.answers["127.0.0.1", goes]
        for _ in range(2):  # the second asks again, as the first came to its end
            start = len(site.log)
            # Where the seed is gone nothing leads to its other name, which is asked for again all the same.
            assert mirror(site, tmp_path, "--update").code == 0
            assert asked_since(site, start)[stays] == 304
            files = tree(tmp_path)
            assert len(files) == 2
            assert broken_links(files, site, set()) == []


def test_a_site_that_sends_everybody_to_a_login_loses_no_file(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        before = tree(tmp_path)
        for path in ("/", "/a.html", "/b.html", "/c", "/i.png"):
            site.put(path, redirect("/login"))
        site.put("/login", page("who are you?"))
        summary_of(mirror(site, tmp_path, "--update", "--json"))
        after = tree(tmp_path)
        assert {name: data for name, data in after.items() if not name.endswith("login.html")} == before
        assert changes(tmp_path)["counts"]["kept"] == 5


def test_a_server_that_is_down_costs_no_file(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        before = tree(tmp_path)
    done = mirror(site, tmp_path, "--update", "--max-host-wait", "0")
    assert done.code in (3, 4)
    assert tree(tmp_path) == before
    with serving(site, site.port):
        start = len(site.log)
        assert mirror(site, tmp_path, "--update", "--max-host-wait", "60").code == 0
        assert set(asked_since(site, start).values()) == {304}
        assert tree(tmp_path) == before


def test_all_answers_stay_in_the_archive_and_those_that_can_be_shown_in_its_index(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        site.put("/a.html", page("<p>another"))
        mirror(site, tmp_path, "--update")
        lines = (tmp_path / FOLDER / ".weft" / "index.cdxj").read_text().splitlines()
        of_a = [line for line in lines if f'"{site.url("/a.html")}"' in line]
        of_b = [line for line in lines if f'"{site.url("/b.html")}"' in line]
        assert (len(of_a), len(of_b)) == (2, 1)
        assert '"304"' not in "".join(lines)
        archived = b"".join(map(gzip.decompress, map(Path.read_bytes, tmp_path.rglob("*.warc.gz"))))
        assert archived.count(b"HTTP/1.1 304") >= 1
        with CrawlReader(tmp_path / FOLDER / ".weft") as reader:
            assert {row.status for row in reader.rows()} == {200}


def test_a_finished_mirror_says_so(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        start = len(site.log)
        done = mirror(site, tmp_path)
        assert done.code == 0
        assert "--update" in done.out
        assert len(site.log) == start


def test_other_seeds_need_another_folder_and_another_scope_an_update(tmp_path: Path) -> None:
    with serving(site := Site()):
        small(site)
        mirror(site, tmp_path)
        refused = (([site.url("/a.html")], "another folder"), ([site.url("/"), "--scope", "any"], "--update only"))
        for arguments, sentence in refused:
            done = Finished("mirror", *arguments, "-o", FOLDER, *QUICK, cwd=tmp_path)
            assert done.code == 2
            assert sentence in done.errors


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "thesis.txt").write_text("years of work")
    with serving(site := Site()):
        small(site)
        done = mirror(site, tmp_path)
        assert done.code == 6
        assert "not empty" in done.errors
        assert site.log == []
