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
from weft.pipeline.same_pages import is_same_as_above, leads_deeper
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
        ([("/", "x"), ("/a/", "x")], False),  # a copy
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
    assert is_same_as_above(made[-1], known.get) is is_same


def test_redirects_on_the_way_up_are_followed_no_further_than_is_honest() -> None:
    known: dict[bytes, PageRow] = {}
    last = PageRow(f"{ORIGIN}/a/b/", 200, 0.0, 3, digest="x", via=f"{ORIGIN}/r")
    known[url_id(f"{ORIGIN}/r")] = PageRow(f"{ORIGIN}/r", 301, 0.0, 3, via=f"{ORIGIN}/r")
    assert not is_same_as_above(last, known.get)


def test_what_a_page_needs_and_what_is_elsewhere_is_spared() -> None:
    (below,) = rows(("/a/b.html", "x"))

    def leads(path: str, kind: Kind = Kind.LINK) -> bool:
        url = ORIGIN + path
        return leads_deeper(below, FoundLink(url_id(url), HOST, Link(url, 1, kind)))

    assert leads("/a/c/")
    assert leads("/a/c")
    assert not leads("/c/")
    assert not leads("/a/c.png", Kind.EMBED)


def test_a_site_that_answers_everywhere_ends_and_tells_why(tmp_path: Path) -> None:
    custom: dict[tuple[str, str], Behaviour] = {(HOST, "/robots.txt"): text(""), (HOST, "*"): Trap(TrapKind.SAME)}
    with SimProcess(WebSpec(hosts=1, pages=1), custom) as sim:
        config = quick_config(sim, seeds=(sim.web.url(HOST, "/"),), max_pages=2_000)
        ending, files = crawl_all(tmp_path / "crawl", config)
        assert (ending, len(files.rows)) == (Ending.DONE, 1 + 10 + 10 * 10)
        refused = [json.loads(line) for line in (files.folder / "refused.jsonl").read_bytes().splitlines()]
        assert Counter(line["rule"] for line in refused) == {SAME_PAGE: 10**3}
        config = quick_config(sim, seeds=config.seeds, max_pages=2_000, traps=f"-{SAME_PAGE}")
        assert crawl_all(tmp_path / "other", config)[0] is Ending.LIMIT


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
            assert (Ending(summary.exit), summary.files) == (Ending.DONE, 1 + 3 + 9)
