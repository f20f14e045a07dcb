from __future__ import annotations

from pathlib import Path

from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import TlsFault

from .small_web import Sites, SmallWeb, page, redirect

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
