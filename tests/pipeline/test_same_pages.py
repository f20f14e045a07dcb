"""Sites that answer every path with the same page end; copies of a site in a folder of its own are crawled whole."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.mirror.site_server import Answer, Site, serving
from tests.mirror.site_server import page as answer
from weft.api.mirror import Mirroring
from weft.api.summary import crawl_to_end
from weft.filter.traps import SAME_PAGE
from weft.pipeline.engine import Ending
from weft.pipeline.same_pages import SAME_IN_A_ROW, leads_deeper, page_above, same_in_a_row
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Trap, TrapKind
from weft.types import FoundLink, Kind, Link, PageRow
from weft.url import url_id

from .crawling import crawl_all, quick_config
from .small_web import Sites, SmallWeb, page, redirect, text

HOST = "site.test"
ORIGIN = f"http://{HOST}"


def rows(*pages: tuple[str, str]) -> list[PageRow]:
    """Each found on the one before; a digest that is a number is a redirect's status."""
    made: list[PageRow] = []
    for path, digest in pages:
        status = int(digest) if digest.isdigit() else 200
        via = made[-1].url if made else ""
        made.append(PageRow(ORIGIN + path, status, 0.0, len(made), digest="" if status > 200 else digest, via=via))
    return made


@pytest.mark.parametrize(
    ("pages", "is_same"),
    [
        ([("/", "x"), ("/a/", "x"), ("/a/b/", "x")], True),
        ([("/", "y"), ("/a/", "x"), ("/a/b/c", "x"), ("/a/b/d/c?q=/", "x")], True),
        ([("/", "x"), ("/a", "301"), ("/a/", "x"), ("/a/b", "301"), ("/a/b/", "x")], True),
        ([("/", "x"), ("/a/", "x"), ("/a/b/", "x"), ("/a/b/y.css", "x")], True),
        ([("/", "x"), ("/y.html", "x"), ("/a/", "x"), ("/a/y.html", "x"), ("/a/b/", "x")], True),
        ([("/", "x"), ("/a/", "x")], False),  # a copy
        ([("/", "x"), ("/y.html", "x"), ("/a/", "x"), ("/a/y.html", "x")], False),
        ([("/", "x"), ("/a/", "y"), ("/a/b/", "x")], False),  # frames: the same in each folder
        ([("/", "x"), ("/a/", "x"), ("/b/", "x")], False),
        ([("/", "x"), ("/a.html", "x"), ("/b.html", "x")], False),
        ([("/", ""), ("/a/", ""), ("/a/b/", "")], False),
    ],
)  # fmt: skip
def test_three_same_pages_in_a_row_each_below_the_one_before_are_everywhere(
    pages: list[tuple[str, str]], is_same: bool
) -> None:
    made = rows(*pages)
    known = {url_id(row.url): row for row in made}
    assert (same_in_a_row(made[-1], known.get) >= SAME_IN_A_ROW) is is_same


def test_redirects_on_the_way_up_are_followed_no_further_than_is_honest() -> None:
    known: dict[bytes, PageRow] = {}
    last = PageRow(f"{ORIGIN}/a/b/", 200, 0.0, 3, digest="x", via=f"{ORIGIN}/r")
    known[url_id(f"{ORIGIN}/r")] = PageRow(f"{ORIGIN}/r", 301, 0.0, 3, via=f"{ORIGIN}/r")
    assert page_above(last, known.get) is None


def test_what_a_page_needs_and_what_is_elsewhere_is_spared() -> None:
    (below,) = rows(("/a/b.html", "x"))

    def leads(path: str, kind: Kind = Kind.LINK) -> bool:
        url = ORIGIN + path
        return leads_deeper(below, FoundLink(url_id(url), HOST, Link(url, 1, kind)))

    assert leads("/a/c/")
    assert leads("/a/c")
    assert not leads("/c/")
    assert not leads("/a/c.png", Kind.EMBED)
    assert not leads("/a/c/", Kind.REFRESH)


def test_a_site_that_answers_everywhere_ends_and_tells_why(tmp_path: Path) -> None:
    custom: dict[tuple[str, str], Behaviour] = {(HOST, "/robots.txt"): text(""), (HOST, "*"): Trap(TrapKind.SAME)}
    with SimProcess(WebSpec(hosts=1, pages=1), custom) as sim:
        config = quick_config(sim, seeds=(sim.web.url(HOST, "/"),), max_pages=2_000)
        ending, files = crawl_all(tmp_path / "crawl", config)
        assert (ending, len(files.rows)) == (Ending.DONE, 1 + 10 + 10 * 10 * (1 + 1))  # one link of each is followed
        refused = [json.loads(line) for line in (files.folder / "refused.jsonl").read_bytes().splitlines()]
        by_rule = Counter(line["rule"] for line in refused)
        assert by_rule[SAME_PAGE] + by_rule["repeated-segment"] == len(refused) == 10 * 10 * (9 + 10)
        assert by_rule[SAME_PAGE] > 1_800
        config = quick_config(sim, seeds=config.seeds, max_pages=2_000, traps=f"-{SAME_PAGE}")
        assert crawl_all(tmp_path / "other", config)[0] is Ending.LIMIT


def test_what_such_a_site_answers_for_files_of_its_pages_is_no_way_on(tmp_path: Path) -> None:
    everywhere = page("a/", "b/", "contact.html", head="<script src='app.js'></script>")
    custom: dict[tuple[str, str], Behaviour] = {(HOST, "/robots.txt"): text(""), (HOST, "*"): everywhere}
    with SimProcess(WebSpec(hosts=1, pages=1), custom) as sim:
        config = quick_config(sim, seeds=(sim.web.url(HOST, "/"),), max_pages=500, requisites=True)
        ending, files = crawl_all(tmp_path / "crawl", config)
    assert ending is Ending.DONE
    folders = 1 + 2 + 2 * 2 * (1 + 1)
    assert len(files.rows) == 3 * folders - 8  # without contact.html of those where links are left out


def test_a_copy_of_a_site_in_its_folder_is_crawled_whole(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        pages: dict[tuple[str, str], Behaviour] = {}
        for folder in ("/", "/v2/"):
            pages |= {(HOST, folder): page("one.html", "two.html", "v2/"), (HOST, f"{folder}one.html"): page()}
            pages[HOST, f"{folder}two.html"] = redirect(f"{folder}three.html")
            pages[HOST, f"{folder}three.html"] = page(f"{folder}four.html")
            pages[HOST, f"{folder}four.html"] = page()
        return pages

    ending, files = SmallWeb((HOST,), sites).crawl(tmp_path / "crawl", HOST)
    assert ending is Ending.DONE
    assert sum(row.status == 200 for row in files.rows) == 2 * 4


@pytest.mark.parametrize("hides", [False, True], ids=["found at once", "found by a redirect"])
def test_folders_of_the_same_folders_are_crawled_whole(hides: bool, tmp_path: Path) -> None:
    """Files are spread over folders by the first digits of their names; the lists of folders are all the same."""

    def sites(web: SimWeb) -> Sites:
        pages: dict[tuple[str, str], Behaviour] = {}
        for folder in ("/", "/0/", "/1/", "/0/0/", "/0/1/", "/1/0/", "/1/1/"):
            pages[HOST, folder] = page("0/", "1/")
        for folder in ("/0/0/", "/0/1/", "/1/0/", "/1/1/"):
            for last in "01":
                below = pages[HOST, f"{folder}{last}/"] = page(f"{last}.html")
                pages[HOST, f"{folder}{last}/{last}.html"] = page()
                if hides:
                    pages[HOST, f"{folder}{last}/"] = redirect(f"{folder}{last}/list.html")
                    pages[HOST, f"{folder}{last}/list.html"] = below
        return pages

    ending, files = SmallWeb((HOST,), sites).crawl(tmp_path / "crawl", HOST)
    assert ending is Ending.DONE
    assert sum(row.status == 200 for row in files.rows) == 7 + 8 + 8
    assert not (files.folder / "refused.jsonl").read_bytes()


def test_what_was_left_out_is_visited_if_another_page_links_to_it(tmp_path: Path) -> None:
    """For a while everything was answered by the same page; the site map comes after."""

    def sites(web: SimWeb) -> Sites:
        same = page("a/", "b/", "/late1.html")
        pages: dict[tuple[str, str], Behaviour] = dict.fromkeys(
            ((HOST, path) for path in ("/", "/a/", "/b/", "/a/a/", "/a/b/", "/b/a/", "/b/b/")), same
        )
        below = [f"/{one}/{two}/{three}/" for one in "ab" for two in "ab" for three in "ab"]
        for path in below:
            pages[HOST, path] = same  # so that none of them tells that it is honest
        for number in range(1, 6):
            pages[HOST, f"/late{number}.html"] = page(f"late{number + 1}.html")
        pages[HOST, "/late6.html"] = page(*below)
        return pages

    ending, files = SmallWeb((HOST,), sites).crawl(tmp_path / "crawl", HOST)
    assert ending is Ending.DONE
    assert sum(row.status == 200 for row in files.rows) == 7 + 8 + 6


class Everywhere(dict[tuple[str, str], Answer]):
    """The same answer, whatever is asked for but robots.txt."""

    def get(self, key: tuple[str, str], default: Answer | None = None) -> Answer:  # type: ignore[override]
        assert default is not None
        return default if key[1] == "/robots.txt" else answer("<a href='a/'>a</a><a href='b/'>b</a><a href='c/'>c</a>")


def test_an_update_of_such_a_mirror_finds_nothing_more(tmp_path: Path) -> None:
    quick = {"allow_private": True, "delay_s": 0, "workers": 1, "user_agent": "test", "max_pages": 500}
    with serving(Site(Everywhere())) as site:
        for update in (False, True, True):
            mirroring = Mirroring(tmp_path / "out", (site.url("/"),), quick, {}, update=update)
            assert mirroring.crawl is not None
            with closing(mirroring):
                summary = mirroring.finish(asyncio.run(crawl_to_end(mirroring.crawl)))
            assert (Ending(summary.exit), summary.files) == (Ending.DONE, 1 + 3 + 9 * 2)
