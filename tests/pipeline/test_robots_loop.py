from __future__ import annotations

from pathlib import Path

from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import Raw, TlsFault

from .small_web import Sites, SmallWeb, page, redirect, text

SITE, SECURE = "site.test", "secure.test"


def test_a_robots_txt_that_redirects_to_a_bad_certificate_of_its_own_host_parks_its_authority(tmp_path: Path) -> None:
    """The redirect is an answer, but it is no sign that the host can be crawled."""

    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/"): page(web.url(SECURE, "/a", "http")),
            (SECURE, "/robots.txt"): redirect(web.url(SECURE, "/robots.txt", "https")),
        }

    web = SmallWeb((SITE, SECURE), sites, tls_faults={SECURE: TlsFault.EXPIRED}, https=True)
    ending, _ = web.crawl(tmp_path, SITE, max_time_s=8.0)
    assert ending is Ending.LIMIT
    assert list(web.parked) == [web.url(SECURE, "")]
    asked = [request for request in web.log if request.host == SECURE]
    assert len(asked) <= 6


def test_a_robots_txt_that_redirects_by_bytes_that_are_not_utf8_is_asked_for_by_these_bytes(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        moved = b"HTTP/1.1 301 Moved\r\nLocation: /r\xe9gles.txt\r\nContent-Length: 0\r\n\r\n"
        return {
            (SITE, "/"): page("/secret", "/open"),
            (SITE, "/robots.txt"): Raw(moved),
            (SITE, "/r%E9gles.txt"): text("User-agent: *\nDisallow: /secret\n"),
            (SITE, "/open"): page(),
        }

    web = SmallWeb((SITE,), sites)
    web.crawl(tmp_path, SITE)
    assert {request.path for request in web.log} == {"/robots.txt", "/r%E9gles.txt", "/", "/open"}


def test_a_robots_txt_that_redirects_in_a_circle_is_asked_for_once_and_is_none(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/"): page("/open"),
            (SITE, "/robots.txt"): redirect("/rules.txt"),
            (SITE, "/rules.txt"): redirect("/robots.txt"),
            (SITE, "/open"): page(),
        }

    web = SmallWeb((SITE,), sites)
    web.crawl(tmp_path, SITE)
    assert [request.path for request in web.log] == ["/robots.txt", "/rules.txt", "/", "/open"]
