"""The rows of `graph` and `links` after kills, crashes, a repair and an update: as if nothing had happened."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crawls import resuming, wait_for_writes
from tests.faults.repairs import lose_database
from tests.mirror.mirrors import FOLDER, mirror
from tests.mirror.site_server import Site, page, serving
from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.folder.repair import repair
from weft.folder.site_rows import links_of, site_rows, targets_of
from weft.page.link_marks import IN_GRAPH, Place
from weft.pipeline.crawl import Crawl
from weft.types import LinkNotes
from weft.url import url_id

from .crawling import resume
from .live_site import Answer, Handler, LiveSite, html, redirect, served
from .test_orders import random_web

PAGES = 160

Rows = dict[bytes, tuple[list[bytes], LinkNotes]]


def rows_in(folder: Path) -> Rows:
    """What each page leads to, and what is said of it; without what an order gave to links."""
    with CrawlReader(folder) as reader:
        return {node: (targets_of(edges), said) for node, edges, said in site_rows(reader.database)}


def talking_site(seed: int) -> Handler:
    """Pages whose links have anchors, rels and places of their own; some lead outside or redirect."""
    web = random_web(seed, PAGES, 12)
    paths = list(web)

    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        if path.startswith("/to/"):
            return redirect(path.removeprefix("/to"))
        chance = random.Random(path)
        links = "".join(
            f"<a href={chance.choice(('', '/to'))}{to} {chance.choice(('', 'rel=nofollow', 'rel=ugc'))}>to {to}</a>"
            f"<iframe src={chance.choice(paths)}></iframe><a href=http://{chance.randrange(9)}.outside.test/>out</a>"
            for to in web[path]
        )
        return html(f"<h1>{path}</h1><p>{'word ' * chance.randrange(9)}{links}", path)

    return answer


def undisturbed(site: LiveSite, folder: Path, **settings: Any) -> Rows:
    site.crawl(folder, links=True, **settings)
    rows = rows_in(folder)
    assert len(rows) > PAGES * 0.9
    assert sum(len(targets) for targets, _ in rows.values()) > PAGES * 4
    return rows


def crawl_with_kills(site: LiveSite, folder: Path, kills: int, **settings: Any) -> None:
    Crawl.create(folder, site.config(connections_per_host=1, links=True, **settings)).folder.close()
    chance = random.Random(kills)
    for _ in range(kills):
        with resuming(folder) as run:
            if not wait_for_writes(folder, run, chance.randrange(1, PAGES // kills)):
                break
            run.kill()
    with resuming(folder) as run:
        assert run.wait() == 0, run.errors


POINTS = ("commit", "commit-written", "answered", "sync-written")


@pytest.mark.parametrize("order", ["bfs", pytest.param("opic", marks=pytest.mark.large)])
@pytest.mark.parametrize("kills", [pytest.param(4), pytest.param(30, marks=pytest.mark.large)])
def test_rows_after_kills_are_those_of_a_crawl_that_was_not_disturbed(tmp_path: Path, kills: int, order: str) -> None:
    with served(talking_site(7)) as site:
        expected = undisturbed(site, tmp_path / "whole", order=order)
        crawl_with_kills(site, tmp_path / "killed", kills, order=order)
    assert rows_in(tmp_path / "killed") == expected


@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=() if point == "commit-written" else pytest.mark.large) for point in POINTS]
)
def test_rows_after_a_crash_at_any_point_are_the_same(tmp_path: Path, point: str) -> None:
    with served(talking_site(8)) as site:
        expected = undisturbed(site, tmp_path / "whole")
        folder = tmp_path / "crashed"
        Crawl.create(folder, site.config(links=True)).folder.close()
        for after in (3, 20):
            with resuming(folder, crash_at=f"{point}:{after}") as run:
                run.wait()
        with resuming(folder) as run:
            assert run.wait() == 0, run.errors
    assert rows_in(folder) == expected


def test_after_a_repair_the_rows_are_made_again_from_the_archive(tmp_path: Path) -> None:
    with served(talking_site(9)) as site:
        expected = undisturbed(site, tmp_path / "crawl")
        lose_database(tmp_path / "crawl")
        repair(tmp_path / "crawl")
        assert rows_in(tmp_path / "crawl") == {}
        asked = len(site.asked)
        resume(tmp_path / "crawl")
        assert len(site.asked) == asked, "no server is asked twice"
    assert rows_in(tmp_path / "crawl") == expected


def said_by(folder: Path, url: str) -> LinkNotes:
    return rows_in(folder)[url_id(url)[:8]][1]


def test_in_an_update_the_last_answer_that_counts_wins(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/a">first</a><a href="/b">b</a>'))
        site.put("/a", page('<a href="/">home</a>'))
        site.put("/b", page("<h1>B</h1>"))
        mirror(site, tmp_path, "--links")
        folder = crawl_in(tmp_path / FOLDER)
        before = rows_in(folder)
        mirror(site, tmp_path, "--update")
        assert rows_in(folder) == before, "304s change nothing"
        site.put("/a", page('<h1>New</h1><a href="/">back</a>'))
        del site.answers["127.0.0.1", "/b"]
        mirror(site, tmp_path, "--update")
        after = rows_in(folder)
        changed = {url_id(site.url(path))[:8] for path in ("/a", "/b")}
        assert {node for node in before if before[node] != after[node]} == changed
        assert said_by(folder, site.url("/a")).anchors == "back"
        assert said_by(folder, site.url("/a")).facts.h1 == "New"
        assert said_by(folder, site.url("/b")).facts.h1 == ""


def test_without_links_there_are_no_rows_of_links(tmp_path: Path) -> None:
    with served(talking_site(1)) as site:
        site.crawl(tmp_path / "crawl", graph=True, max_pages=20)
    assert all(said == LinkNotes() for _, said in rows_in(tmp_path / "crawl").values())


def test_links_that_do_not_pass_are_kept_by_their_urls(tmp_path: Path) -> None:
    pages = {
        "/": "<a href=/a>a</a><a href=http://x.test/ rel=nofollow>x</a><a href=/no>no</a>",
        "/a": "<a href=/deep>deep</a><a href=/a>self</a>",
    }
    with served(lambda path, headers: html(pages[path])) as site:
        site.crawl(tmp_path / "crawl", links=True, depth=1, exclude=("/no",))
        rows = rows_in(tmp_path / "crawl")
        home, a = (rows[url_id(site.origin + path)[:8]] for path in ("/", "/a"))
        assert [(one.url, one.mark, one.anchor) for one in home[1].outside] == [
            ("http://x.test/", Place.ANCHOR | 8, "x"),
            (site.origin + "/no", Place.ANCHOR, "no"),
        ]
        assert home[0] == [url_id(site.origin + "/a")[:8]]
        assert a[0] == [url_id(site.origin + "/deep")[:8]], "the graph has it, but no other row its URL"
        assert [(one.url, one.mark, one.anchor) for one in a[1].outside] == [(site.origin + "/deep", IN_GRAPH, "deep")]


def test_a_sitemap_a_feed_and_a_redirect_say_where_their_links_stand(tmp_path: Path) -> None:
    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        if path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{site.origin}/{name}</loc></url>" for name in ("a", "b"))
            return 200, {"Content-Type": "application/xml"}, f"<urlset>{urls}</urlset>"
        if path == "/feed":
            item = f"<rss><channel><item><link>{site.origin}/a</link></item></channel></rss>"
            return 200, {"Content-Type": "application/rss+xml"}, item
        return redirect("/b") if path == "/a" else html("<a href=/feed>feed</a>")

    with served(answer) as site:
        site.crawl(tmp_path / "crawl", links=True, sitemaps=True)
        rows = rows_in(tmp_path / "crawl")
        marks = {path: rows[url_id(site.origin + path)[:8]][1].marks for path in ("/sitemap.xml", "/feed", "/a", "/")}
    assert marks == {
        "/sitemap.xml": bytes([Place.SITEMAP] * 2),
        "/feed": bytes([Place.OTHER]),
        "/a": bytes([Place.REDIRECT]),
        "/": bytes([Place.ANCHOR]),
    }


def test_every_link_of_a_row_has_its_own_anchor(tmp_path: Path) -> None:
    names = [f"/{number}" for number in range(60)]
    with served(lambda path, headers: html("".join(f"<a href={name}>to {name}</a>" for name in names))) as site:
        site.crawl(tmp_path / "crawl", links=True, max_pages=3)
        with CrawlReader(tmp_path / "crawl") as reader:
            for _, edges, said in site_rows(reader.database):
                found = {target: anchor for target, _, anchor in links_of(edges, said)}
                own = {url_id(site.origin + name)[:8]: f"to {name}" for name in names}
                assert found.items() <= own.items()
                assert len(found) >= 59
