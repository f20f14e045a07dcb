"""A whole mirror of a site that has every case: what is on the disk, and where its links lead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import unquote

import pytest

import weft
from tests.cli.running import Finished

from .mirrors import FOLDER, broken_links, changes, mirror, summary_of, tree
from .site_server import LAST_MODIFIED, OTHER, Site, page, serving
from .torture_site import LONG, PNG, SCRIPT, fill


class Mirrored:
    """The torture site, mirrored once for all tests of this file."""

    def __init__(self, site: Site, cwd: Path) -> None:
        self.site = site
        self.cwd = cwd
        self.summary = summary_of(mirror(site, cwd, "--json"))
        self.files = tree(cwd)
        self.own = f"127.0.0.1@{site.port}"
        self.other = f"{OTHER}@{site.port}"

    def file(self, path: str) -> bytes:
        return self.files[f"{self.own}/{path}"]


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirrored]:
    site = Site()
    with serving(site):
        fill(site)
        yield Mirrored(site, tmp_path_factory.mktemp("mirror"))


def saved_urls(mirrored: Mirrored) -> set[str]:
    return set(changes(mirrored.cwd)["new"])


def test_folders_without_end_are_left_and_the_mirror_is_done(tmp_path: Path) -> None:
    with serving(site := Site()):
        for depth in range(20):
            site.put("/" + "a/" * depth, page(f'{depth} <a href="a/">deeper</a> <img src="a/x.png">'))
        found = summary_of(mirror(site, tmp_path, "--json"))
        assert found["exit"] == "done"
        assert 5 <= len([path for _, path, status in site.log if status == 200]) < 10


def test_all_links_within_the_mirror_lead_to_files(mirrored: Mirrored) -> None:
    assert broken_links(mirrored.files, mirrored.site, saved_urls(mirrored)) == []


def test_everything_that_answered_is_saved_and_nothing_else(mirrored: Mirrored) -> None:
    answered = {url for url, status in mirrored.site.statuses().items() if status == 200}
    assert saved_urls(mirrored) == answered
    assert len(mirrored.files) == len(answered) == mirrored.summary["files"] == mirrored.summary["written"]
    unasked = {
        path
        for (host, path), answer in mirrored.site.answers.items()
        if mirrored.site.url(path, host) not in mirrored.site.statuses()
    }
    assert unasked == {"/page.html"}  # a page of another host


def test_what_pages_need_comes_from_other_hosts_too(mirrored: Mirrored) -> None:
    assert mirrored.files[f"{mirrored.other}/i/far.png"] == PNG + b"far"
    assert mirrored.files[f"{mirrored.other}/fonts/f.woff2"] == b"wOF2 font"
    home = mirrored.file("index.html").decode()
    assert f'<img src="../{mirrored.other}/i/far.png"> <img src="../{mirrored.other}/i/moved-here.png">' in home


def test_links_to_what_was_not_saved_are_absolute(mirrored: Mirrored) -> None:
    home = mirrored.file("index.html").decode()
    for url in ("/missing.html", "/loop1", "/i/failing.png"):
        assert f'"{mirrored.site.url(url)}"' in home
    assert f'href="{mirrored.site.url("/page.html", OTHER)}"' in home


def test_redirects_lead_to_the_file_at_their_end(mirrored: Mirrored) -> None:
    home = mirrored.file("index.html").decode()
    assert '<a href="end.html">redirect</a> <a href="end.html#part">with fragment</a>' in home


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("subfolder", "sub/index.html"),
        ("another", "shop.php@id=4.html"),
        ("query", "shop.php@id=3&lang=en.html"),
        ("letters", "café/menü.html"),
        ("up", "up.html"),
        ("image", "image-in-disguise.html.png"),
        ("attachment", "résumé.txt"),
        ("no type", "typeless.html"),
        ("served as xhtml", "xml.html.xhtml"),
    ],
)
def test_a_link_leads_to_a_file_whose_name_opens_everywhere(mirrored: Mirrored, text: str, path: str) -> None:
    home = mirrored.file("index.html").decode()
    (href,) = re.findall(rf'<a href="([^"]*)">{text}</a>', home)
    assert unquote(href) == path
    assert f"{mirrored.own}/{path}" in mirrored.files


def test_names_clash_on_no_system(mirrored: Mirrored) -> None:
    folded = [name.casefold() for name in mirrored.files]
    assert len(set(folded)) == len(folded)
    folders = {str(parent).casefold() for name in mirrored.files for parent in Path(name).parents}
    assert not folders & set(folded)
    assert all(len(part.encode()) <= 240 for name in mirrored.files for part in name.split("/"))
    assert sum(LONG[:60] in name for name in mirrored.files) == 2


def test_what_has_no_link_to_change_is_byte_for_byte_what_the_server_sent(mirrored: Mirrored) -> None:
    for path in ("/unchanged.html", "/js/app.js", "/css/print.css", "/plain.txt", "/media/v.mp4", "/favicon.ico"):
        assert mirrored.file(path[1:]) == mirrored.site.answers["127.0.0.1", path].body
    assert SCRIPT in mirrored.file("js/app.js")


def test_only_links_change_in_a_page_and_its_charset_stays(mirrored: Mirrored) -> None:
    sent = mirrored.site.answers["127.0.0.1", "/cyrillic.html"].body
    assert mirrored.file("cyrillic.html") == sent.replace(b'"/end.html"', b'"end.html"')
    sent = mirrored.site.answers["127.0.0.1", "/japanese.html"].body
    assert mirrored.file("japanese.html") == sent.replace(b'"/end.html"', b'"end.html"')
    sent = mirrored.site.answers["127.0.0.1", "/wide.html"].body
    assert mirrored.file("wide.html") == sent.replace(
        '"/end.html"'.encode("utf-16-le"), '"end.html"'.encode("utf-16-le")
    )
    assert b'<meta charset="windows-1252">' in mirrored.file("unlabelled.html")


def test_a_compressed_page_is_saved_unpacked(mirrored: Mirrored) -> None:
    assert b'<title>zipped</title><p><a href="end.html">' in mirrored.file("zipped.html")


def test_scripts_and_comments_stay(mirrored: Mirrored) -> None:
    home = mirrored.file("index.html").decode()
    assert 'var link = "/never/touched.html"; document.write(\'<a href="/neither">\');' in home
    assert '<!-- <a href="/in/a/comment.html">x</a> -->' in home


def test_files_have_the_time_that_the_server_told(mirrored: Mirrored) -> None:
    told = parsedate_to_datetime(LAST_MODIFIED).timestamp()
    assert (mirrored.cwd / FOLDER / mirrored.own / "index.html").stat().st_mtime == told


def test_the_crawl_is_beside_the_files_and_the_first_page_is_named(mirrored: Mirrored) -> None:
    assert mirrored.summary["first"] == f"{mirrored.own}/index.html"
    assert mirrored.summary["exit"] == "done"
    report = json.loads((mirrored.cwd / FOLDER / ".weft" / "report.json").read_bytes())
    assert report["pages"] == mirrored.summary["pages"]
    assert {path.name for path in (mirrored.cwd / FOLDER).iterdir()} == {".weft", mirrored.own, mirrored.other}


def test_depth_holds_for_pages_but_not_for_what_they_need(tmp_path: Path) -> None:
    site = Site()
    with serving(site):
        site.put("/", page('<a href="/one">x</a>'))
        site.put("/one", page('<a href="/two">x</a><link rel=stylesheet href="/s.css">'))
        site.put("/two", page("too far"))
        site.put("/s.css", page("a{background:url(/i.png)}", content_type="text/css"))
        site.put("/i.png", page("\x89PNG", content_type="image/png"))
        summary_of(mirror(site, tmp_path, "--depth", "1", "--json"))
        names = {Path(name).name for name in tree(tmp_path)}
        assert names == {"index.html", "one.html", "s.css", "i.png"}


def test_without_requisites_anywhere_the_scope_holds_for_all(tmp_path: Path) -> None:
    site = Site()
    with serving(site):
        fill(site)
        summary_of(mirror(site, tmp_path, "--no-requisites-anywhere", "--json"))
        assert not any(name.startswith(OTHER) for name in tree(tmp_path))
        assert all(host != OTHER for host, _, _ in site.log)


def test_what_reads_a_crawl_reads_a_mirror_too(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page("x"))
        mirror(site, tmp_path)
        before = tree(tmp_path)
        reported = Finished("report", FOLDER, "--json", cwd=tmp_path)
        exported = Finished("export", FOLDER, "--to", "urls", "-q", cwd=tmp_path)
        cleaned = Finished("clean", FOLDER, "pages.jsonl", "-q", cwd=tmp_path)
        read = [one.url for one in weft.read(tmp_path / FOLDER)]
        resumed = Finished("resume", FOLDER, cwd=tmp_path)
    assert (reported.code, exported.code, cleaned.code) == (0, 0, 0), reported.errors + exported.errors + cleaned.errors
    assert reported.summary()["totals"]["pages"] == 1
    assert (tmp_path / FOLDER / ".weft" / "export.txt").read_text() == f"{site.url('/')}\n"
    assert len((tmp_path / "pages.jsonl").read_text().splitlines()) == 1
    assert read == [site.url("/")]
    assert tree(tmp_path) == before  # nothing was put among the mirror's files
    assert resumed.code == 6
    assert f"`weft mirror -o {FOLDER}` goes on" in resumed.errors
