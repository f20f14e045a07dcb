"""What a user wants of a mirror: which URLs are asked for, which become files, and how these are called."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from weft.errors import BadInput
from weft.folder.reading import CrawlReader
from weft.types import STOPPED

from .mirrors import FOLDER, tree
from .site_server import OTHER, OWN, Answer, Site, page, redirect, serving

PNG = Answer(b"\x89PNG\r\n\x1a\n" + bytes(300), "image/png")
PDF = Answer(b"%PDF-1.7" + bytes(2_000), "application/pdf")
QUICK: dict[str, Any] = {"allow_private": True, "delay": 0, "workers": 1, "user_agent": "test"}


def mirrored(site: Site, cwd: Path, *starts: str, update: bool = False, **settings: Any) -> set[str]:
    """Make or update a mirror in this process; returns its files, without the host's folder."""
    urls = [site.url(start) for start in starts or ("/",)]
    asyncio.run(weft.mirror(*urls, output=cwd / FOLDER, update=update, **(QUICK | settings)))
    return files(site, cwd)


def files(site: Site, cwd: Path) -> set[str]:
    return {name.removeprefix(f"{OWN}@{site.port}/").replace(f"@{site.port}", "") for name in tree(cwd)}


def asked(site: Site) -> set[str]:
    return {path if host == OWN else f"{host}{path}" for host, path, _ in site.log if path != "/robots.txt"}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """One site for all: pages, files of several types and sizes, a second host."""
    with serving(site := Site()) as served:
        port = served.port
        other = f"http://{OTHER}:{port}"
        served.put(
            "/",
            page(
                '<link rel=stylesheet href="/look/style.css"><img src="/look/top.png"><a href="/docs/">d</a>'
                f'<a href="/old/page.html">o</a><a href="/get?id=1&amp;utm_source=a">g</a><a href="{other}/page">p</a>'
                f'<a href="{other}/near.pdf">n</a><a href="/big.bin">b</a><a href="/untold">u</a>'
                '<a href="/get?utm_source=b&amp;id=1">g2</a>'
            ),
        )
        served.put("/docs/", page('<a href="a.pdf">a</a><a href="b.PDF">b</a><a href="deep/er/c.html">c</a>'))
        served.put("/docs/a.pdf", PDF)
        served.put("/docs/b.PDF", PDF)
        served.put("/docs/deep/er/c.html", page("<title>c</title><a href='/docs/'>up</a>"))
        served.put("/old/page.html", page('<img src="/old/pic.png"><a href="/old/deeper.html">x</a>'))
        served.put("/old/pic.png", PNG)
        served.put("/old/deeper.html", page("deeper"))
        served.put("/look/style.css", Answer(b"p{background:url(bg.png)}", "text/css"))
        served.put("/look/bg.png", PNG)
        served.put("/look/top.png", PNG)
        served.put("/get?id=1", page("got"))
        served.put("/big.bin", Answer(bytes(300_000), "application/octet-stream"))
        served.put("/untold", PDF)
        served.put("/page", page('<a href="/page2">2</a>'), OTHER)
        served.put("/page2", page("2"), OTHER)
        served.put("/near.pdf", PDF, OTHER)
        yield site


@pytest.fixture(autouse=True)
def _fresh_log(site: Site) -> None:
    site.log.clear()


LOOK = {"look/style.css", "look/bg.png", "look/top.png"}


def test_accept_visits_pages_and_saves_only_what_matches(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, accept=["*.pdf", "re:(?i)\\.pdf$"])
    assert found == {"docs/a.pdf", "docs/b.PDF"}
    assert "/docs/deep/er/c.html" in asked(site)  # it might have led to some
    assert not asked(site) & {"/look/top.png", "/look/style.css", "/big.bin"}  # they surely would not
    assert "/untold" in asked(site)
    with CrawlReader(tmp_path / FOLDER / ".weft") as reader:
        stopped = [row.url for row in reader.rows() if row.truncated]
    assert stopped == [site.url("/untold")]  # known with its head: no page, and not to be saved


def test_include_and_exclude_spare_what_pages_need(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, include=["/docs/*", "/old/page.html"], exclude=["*.png", "*.pdf"])
    assert found == {"index.html", "docs/index.html", "docs/b.PDF", "docs/deep/er/c.html", "old/page.html"} | LOOK | {
        "old/pic.png"
    }


def test_ordered_rules_hold_for_all_and_the_last_decides(site: Site, tmp_path: Path) -> None:
    rules = ["-*", "+/docs/*", "-*.pdf", "+*/look/*", "-*/bg.png"]
    found = mirrored(site, tmp_path, rule=rules)
    assert found == {"index.html", "docs/index.html", "docs/b.PDF", "docs/deep/er/c.html"} | LOOK - {"look/bg.png"}


def test_a_rule_by_type_or_size_stops_the_body_and_says_so(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, rule=["-type:application/pdf", "-size>100k"])
    assert not {name for name in found if name.lower().endswith((".pdf", ".bin"))}
    paths = [path for _, path, _ in site.log if path in ("/docs/a.pdf", "/untold", "/big.bin")]
    assert sorted(paths) == ["/big.bin", "/docs/a.pdf", "/untold"]  # each was asked once
    folder = tmp_path / FOLDER / ".weft"
    lines = [json.loads(line) for line in (folder / "refused.jsonl").read_bytes().splitlines()]
    rules = {line["url"]: (line["reason"], line["rule"]) for line in lines}
    assert rules[site.url("/untold")] == ("pattern", "-type:application/pdf")
    assert rules[site.url("/big.bin")] == ("pattern", "-size>100k")
    with CrawlReader(folder) as reader:
        rows = {row.url: row for row in reader.rows()}
    assert rows[site.url("/big.bin")].truncated == STOPPED
    assert rows[site.url("/big.bin")].body_bytes < 300_000
    page_text = tree(tmp_path)[f"{OWN}@{site.port}/index.html"].decode()
    assert site.url("/big.bin") in page_text  # a link to what is not here leads to the web


def test_other_hosts_are_mirrored_by_name(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, other_host=[OTHER], exclude=["*.png"])
    assert {f"{OTHER}/page.html", f"{OTHER}/page2.html", f"{OTHER}/near.pdf"} <= found


def test_other_depth_goes_some_steps_beyond_the_scope(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, other_depth=1)
    assert {name for name in found if name.startswith(OTHER)} == {f"{OTHER}/page.html", f"{OTHER}/near.pdf"}


def test_near_takes_files_of_other_hosts(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, near=True)
    assert {name for name in found if name.startswith(OTHER)} == {f"{OTHER}/near.pdf"}
    assert f"{OTHER}/page" not in asked(site)


def test_arguments_that_are_stripped_are_never_asked_and_links_lead_to_what_was(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, strip_query=["utm_*"], depth=1)
    assert [name for name in found if name.startswith("get")] == ["get@id=1.html"]
    assert {path for path in asked(site) if path.startswith("/get")} == {"/get?id=1"}
    text = tree(tmp_path)[f"{OWN}@{site.port}/index.html"].decode()
    assert text.count('href="get@id=1.html"') == 2


def test_https_only_follows_nothing_else(site: Site, tmp_path: Path) -> None:
    assert mirrored(site, tmp_path, https_only=True) == {"index.html"}


def test_tags_say_which_links_are_followed(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, "/old/page.html", ignore_tags=["a"])
    assert found == {"old/page.html", "old/pic.png"}


def test_follow_tags_follows_nothing_else(site: Site, tmp_path: Path) -> None:
    assert mirrored(site, tmp_path, "/old/page.html", follow_tags=["a"]) == {"old/page.html", "old/deeper.html"}


@pytest.mark.parametrize(
    ("naming", "names"),
    [
        ({"cut_dirs": 1}, {f"{OWN}/index.html", f"{OWN}/a.pdf", f"{OWN}/b.PDF", f"{OWN}/deep/er/c.html"}),
        ({"host_folder": False}, {"docs/index.html", "docs/a.pdf", "docs/b.PDF", "docs/deep/er/c.html"}),
        ({"host_folder": False, "cut_dirs": 9}, {"index.html", "a.pdf", "b.PDF", "c.html"}),
        ({"flat": True}, {"index.html", "a.pdf", "b.PDF", "c.html"}),
    ],
)
def test_files_may_have_less_of_their_urls_in_their_names(
    site: Site, tmp_path: Path, naming: dict[str, Any], names: set[str]
) -> None:
    mirrored(site, tmp_path, "/docs/", scope="prefix", **naming)
    found = tree(tmp_path)
    assert {name.replace(f"@{site.port}", "") for name in found} == names
    first = next(data for name, data in found.items() if name.endswith("index.html"))
    assert b"http://" not in first  # its links are local


def test_beside_rules_include_is_refused_before_anything_is_written(site: Site, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="have no place beside it"):
        mirrored(site, tmp_path, rule=["-*"], include=["/a/*"])
    assert not (tmp_path / FOLDER).exists()


# ── updates ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ({"exclude": ["/docs/*"]}, {"exclude": "none"}, {"docs/a.pdf", "docs/index.html"}),
        ({"rule": ["-*/docs/*"]}, {"rule": "none"}, {"docs/a.pdf", "docs/index.html"}),
        ({"exclude": ["type:application/pdf"]}, {"exclude": "none"}, {"docs/a.pdf", "untold.pdf"}),
        ({"rule": ["-size>100k"]}, {"rule": ["-size>1M"]}, {"big.bin"}),
        ({"accept": ["*.pdf"]}, {"accept": "none"}, {"index.html", "docs/index.html", "look/top.png", "big.bin"}),
        ({}, {"other_host": [OTHER]}, {f"{OTHER}/page.html"}),
    ],
)
def test_an_update_asks_for_what_a_rule_left_out_that_was_lifted(
    site: Site, tmp_path: Path, before: dict[str, Any], after: dict[str, Any], new: set[str]
) -> None:
    found = mirrored(site, tmp_path, **before)
    assert not found & new
    updated = mirrored(site, tmp_path, update=True, **after)
    assert found | new <= updated
    lines = (tmp_path / FOLDER / ".weft" / "refused.jsonl").read_text()
    assert not any(f'"{site.url("/" + name)}"' in lines for name in new)


def test_an_update_by_narrower_rules_removes_what_they_leave_out(site: Site, tmp_path: Path) -> None:
    assert "docs/a.pdf" in mirrored(site, tmp_path)
    found = mirrored(site, tmp_path, update=True, exclude=["type:application/pdf"])
    assert not {"docs/a.pdf", "untold.pdf"} & found
    assert "docs/index.html" in found


def test_rules_are_changed_by_an_update_only(site: Site, tmp_path: Path) -> None:
    mirrored(site, tmp_path)
    with pytest.raises(BadInput, match="--rule can be changed with --update only"):
        mirrored(site, tmp_path, rule=["-*.pdf"])
    with pytest.raises(BadInput, match="--flat cannot be changed"):
        mirrored(site, tmp_path, update=True, flat=True)


def test_an_update_asks_for_what_failed_and_what_robots_txt_forbade(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /secret\n", "text/plain"))
        site.put("/", page('<a href="/secret">s</a><a href="/failed">f</a><a href="/moved">m</a>'))
        site.put("/secret", page('<a href="/secret/2">2</a>'))
        site.put("/secret/2", page("2"))
        site.put("/failed", Answer(b"no", "text/plain", 404))
        site.put("/moved", redirect("/moved"))
        assert mirrored(site, tmp_path) == {"index.html"}
        site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /nothing\n", "text/plain"))
        site.put("/failed", page("here"))
        site.put("/moved", page("here too"))
        updated = mirrored(site, tmp_path, update=True)
        assert updated == {"index.html", "secret.html", "secret/2.html", "failed.html", "moved.html"}


# ── several places to begin; who we are ────────────────────────────────────────────────────────────────


def test_a_mirror_of_several_seeds_is_one_mirror(site: Site, tmp_path: Path) -> None:
    found = mirrored(site, tmp_path, "/old/page.html", "/docs/", depth=0)
    assert found == {"old/page.html", "old/pic.png", "docs/index.html"}


def test_cookies_of_a_browser_s_file_are_sent(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page("hello"))
        jar = tmp_path / "cookies.txt"
        jar.write_text(f"# Netscape HTTP Cookie File\n{OWN}\tFALSE\t/\tFALSE\t4102444800\tsession\tabc\n")
        mirrored(site, tmp_path, cookies=str(jar), archive_secrets=True)
        archived = (gzip.decompress(file.read_bytes()) for file in (tmp_path / FOLDER).rglob("*.warc.gz"))
        assert b"session=abc" in b"".join(archived)


def test_pages_of_errors_become_files_where_a_pattern_names_their_status(tmp_path: Path) -> None:
    with serving(Site()) as site:
        site.put(
            "/", page('<a href="/fine">f</a><a href="/gone">g</a><a href="/broken">b</a><script src="s.js"></script>')
        )
        site.put("/s.js", Answer(b'load("guess.png")', "text/javascript"))
        site.put("/fine", page("fine"))
        site.put("/gone", page('<img src="/sad.png"><a href="/fine">back</a>', status=404))
        site.put("/sad.png", PNG)
        site.put("/broken", Answer(b"broken", "text/plain", 501))
        (tmp_path / "errors").mkdir()
        only = mirrored(site, tmp_path / "errors", accept=["status:!200"])
        assert only == {"gone.html", "broken.txt"}
        assert "/guess.png" in asked(site)  # what is only guessed at is no page in anybody's place
        everything = mirrored(site, tmp_path, accept=["status:*"])
        assert everything == {"index.html", "fine.html", "gone.html", "broken.txt", "sad.png", "s.js"}
        host = f"{OWN}@{site.port}"
        assert tree(tmp_path)[f"{host}/gone.html"] == b'<img src="sad.png"><a href="fine.html">back</a>'
        assert b'href="gone.html"' in tree(tmp_path)[f"{host}/index.html"]

        site.put("/gone", page("is back"))
        site.put("/fine", page("left", status=404))
        mirrored(site, tmp_path, accept=["status:*"], update=True, keep_versions=1)
        after = tree(tmp_path)
        assert after[f"{host}/gone.html"] == b"is back"
        assert after[f"{host}/fine.html"] == b"left"
        assert sorted(data for name, data in after.items() if name.startswith("versions/")) == [
            b'<img src="sad.png"><a href="fine.html">back</a>', b"fine",
        ]  # fmt: skip
        assert files(site, tmp_path) >= {"index.html", "broken.txt", "s.js"}
        mirrored(site, tmp_path, accept=["*"], update=True)
        assert f"{host}/fine.html" not in tree(tmp_path)  # by the rules


@pytest.mark.parametrize("pattern", ["status:", "status:6*", "status:40", "status:4**", "status:ok", "status:1000"])
def test_what_is_no_status_is_refused(pattern: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a status looks like"):
        asyncio.run(weft.mirror("http://127.0.0.1/", output=tmp_path / FOLDER, accept=[pattern], **QUICK))


def test_a_status_says_nothing_of_what_is_visited(tmp_path: Path) -> None:
    for setting in ({"exclude": ["status:404"]}, {"include": ["*.html status:2*"]}, {"rule": ["-status:404"]}):
        with pytest.raises(BadInput, match="a status is a matter of --accept"):
            asyncio.run(weft.mirror("http://127.0.0.1/", output=tmp_path / FOLDER, **(QUICK | setting)))
