"""A seed as people write it, http and without www, leads to the site where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import TlsFault

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
