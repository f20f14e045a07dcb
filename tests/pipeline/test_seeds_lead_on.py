"""A seed as people write it, http and without www, leads to the site where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from weft.folder.reading import CrawlReader
from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import TlsFault

from .crawling import CrawlFiles
from .small_web import Sites, SmallWeb, page, redirect

BARE = "example.test"
WWW = "www.example.test"
ELSEWHERE = "elsewhere.test"
PATHS = ("/", "/a", "/b", "/c")


def site(web: SimWeb) -> Sites:
    """What is at the bare name only leads on. (Pages made by hand are there over http and https alike.)"""
    home = web.url(WWW, "/", "https")
    return {
        (BARE, "/"): redirect(home, 301),
        (WWW, "/"): page("/a", web.url(WWW, "/b", "https"), web.url(ELSEWHERE, "/")),
        (WWW, "/a"): page("/", web.url(BARE, "/")),
        (WWW, "/b"): page("c"),
        (WWW, "/c"): page(),
        (ELSEWHERE, "/"): page(),
    }


def small_web(fault: TlsFault | None = None) -> SmallWeb:
    return SmallWeb((BARE, WWW, ELSEWHERE), site, https=True, tls_faults={WWW: fault} if fault else {})


def whole_site(small: SmallWeb) -> dict[str, int]:
    return {small.url(BARE): 301} | {small.url(WWW, path, "https"): 200 for path in PATHS}


def test_a_seed_that_redirects_to_https_and_www_crawls_the_site_there_and_nothing_else(tmp_path: Path) -> None:
    small = small_web()
    ending, files = small.crawl(tmp_path / "crawl", BARE, scope="host")
    assert ending is Ending.DONE
    assert files.responses() == whole_site(small)
    assert {request.sni for request in small.log if request.scheme == "https"} == {WWW}
    assert ELSEWHERE not in {request.host for request in small.log}


@pytest.mark.parametrize("fault", [None, TlsFault.SELF_SIGNED, TlsFault.EXPIRED, TlsFault.WRONG_HOST])
def test_a_host_named_insecure_is_crawled_whatever_its_certificate_is(fault: TlsFault | None, tmp_path: Path) -> None:
    small = small_web(fault)
    ending, files = small.crawl(tmp_path / "crawl", BARE, scope="host", ca_file="", insecure_hosts=(WWW,))
    assert ending is Ending.DONE
    assert files.responses() == whole_site(small)


def test_insecure_holds_for_the_named_host_only(tmp_path: Path) -> None:
    small = small_web()
    ending, files = small.crawl(tmp_path / "crawl", BARE, scope="host", ca_file="", insecure_hosts=(ELSEWHERE,))
    assert ending is Ending.SEEDS_FAILED  # a redirect is no page
    assert files.responses() == {small.url(BARE): 301}
    assert small.parked == {small.url(WWW, "", "https"): "robots.txt is unreachable (tls-certificate)"}


@pytest.mark.parametrize("ignore_robots", [False, True])
def test_without_trust_the_error_has_its_name(ignore_robots: bool, tmp_path: Path) -> None:
    small = small_web()
    _, files = small.crawl(tmp_path / "crawl", BARE, scope="host", ca_file="", ignore_robots=ignore_robots)
    assert files.responses() == {small.url(BARE): 301}
    if ignore_robots:
        assert files.row(small.url(WWW, "/", "https")).outcome == "tls-certificate"
    else:
        assert small.parked == {small.url(WWW, "", "https"): "robots.txt is unreachable (tls-certificate)"}
    # Nothing was said within a connection that could not be trusted.
    assert {request.path for request in small.log if request.scheme == "https"} == {""}


# ── a scope that grows ──

FIRST, NEW = "first.test", "new.test"
IN_ORDER = {"scope": "host", "connections_per_host": 1, "connections": 1, "fixed": True}


def growing(web: SimWeb) -> Sites:
    """The first seed links into a host that only the redirect of the second one brings into the scope."""
    return {
        (FIRST, "/1"): page(web.url(NEW, "/hidden"), web.url(ELSEWHERE, "/")),
        (FIRST, "/2"): redirect(web.url(NEW, "/")),
        (NEW, "/"): page("/known"),
        (NEW, "/known"): page(),
        (NEW, "/hidden"): page("/behind"),
        (NEW, "/behind"): page(),
        (ELSEWHERE, "/"): page(),
    }


def crawl_growing(folder: Path, **changes: Any) -> tuple[SmallWeb, Ending, CrawlFiles]:
    small = SmallWeb((FIRST, NEW, ELSEWHERE), growing)
    ending, files = small.crawl(folder, (FIRST, "/1", "/2"), **IN_ORDER, **changes)
    return small, ending, files


def test_links_that_were_out_of_scope_before_a_seed_widened_it_are_followed(tmp_path: Path) -> None:
    small, ending, files = crawl_growing(tmp_path / "crawl")
    assert ending is Ending.DONE
    asked = [(request.host, request.path) for request in small.log if not request.is_robots]
    assert asked[:2] == [(FIRST, "/1"), (FIRST, "/2")]  # else the scope had grown before
    assert set(files.responses()) == {
        small.url(FIRST, "/1"), small.url(FIRST, "/2"),
        *(small.url(NEW, path) for path in ("/", "/known", "/hidden", "/behind")),
    }  # fmt: skip
    assert len(asked) == 6


def test_they_are_followed_at_the_depth_at_which_they_were_found(tmp_path: Path) -> None:
    small, _, files = crawl_growing(tmp_path / "crawl", depth=1)
    assert files.row(small.url(NEW, "/hidden")).depth == 1
    assert small.url(NEW, "/behind") not in files.responses()


def test_a_seed_that_leads_to_its_own_host_has_no_page_read_again(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (FIRST, "/1"): page(web.url(ELSEWHERE, "/")),
            (FIRST, "/2"): redirect(web.url(FIRST, "/3")),
            (FIRST, "/3"): page(),
        }

    small = SmallWeb((FIRST, ELSEWHERE), sites)
    _, files = small.crawl(tmp_path / "crawl", (FIRST, "/1", "/2"), **IN_ORDER)
    assert len(files.rows) == 3
    with CrawlReader(tmp_path / "crawl") as reader:
        assert reader.counters.relaxed == 0
