"""Pages that only a sitemap names are found, if that is asked for."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from weft.pipeline.engine import Ending
from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour, Fixed

from .crawling import CrawlFiles
from .small_web import Sites, SmallWeb, page, redirect, text

SITE = "site.test"
OTHER = "other.test"
XML = "application/xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{entries}</urlset>'.encode()


def index(*urls: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex {NAMESPACE}>{entries}</sitemapindex>'.encode()


def feed(url: str) -> bytes:
    return f'<?xml version="1.0"?><rss version="2.0"><channel><item><link>{url}</link></item></channel></rss>'.encode()


def xml(body: bytes) -> Fixed:
    return Fixed(body, content_type=XML)


def named_in_robots_txt(web: SimWeb) -> Sites:
    """robots.txt names an index and a feed; the index leads to a sitemap of each kind."""
    url = {path: web.url(SITE, path) for path in ("/plain", "/packed", "/text", "/feed", "/deeper", "/forbidden")}
    robots = (
        f"User-agent: *\nDisallow: /forbidden\nSitemap: {web.url(SITE, '/index.xml')}\n"
        f"Sitemap: {web.url(SITE, '/feed.xml')}\nSitemap: {web.url(SITE, '/forbidden.xml')}\n"
    )
    sitemaps = [web.url(SITE, path) for path in ("/plain.xml", "/packed.xml.gz", "/list.txt")]
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): page("/linked"),
        (SITE, "/linked"): page(),
        (SITE, "/robots.txt"): text(robots),
        (SITE, "/index.xml"): xml(index(*sitemaps)),
        (SITE, "/plain.xml"): xml(urlset(url["/plain"], url["/forbidden"], web.url(OTHER, "/"))),
        (SITE, "/packed.xml.gz"): Fixed(gzip.compress(urlset(url["/packed"])), content_type="application/x-gzip"),
        (SITE, "/list.txt"): text(url["/text"] + "\n"),
        (SITE, "/feed.xml"): Fixed(feed(url["/feed"]), content_type="application/rss+xml"),
        (SITE, "/plain"): page("/deeper"),
        (OTHER, "/"): page(),
    }
    return pages | {(SITE, path): page() for path in url if path != "/plain"}


FOUND_BY_SITEMAP = {"/plain", "/packed", "/text", "/feed", "/deeper"}
SITEMAPS = {"/index.xml", "/plain.xml", "/packed.xml.gz", "/list.txt", "/feed.xml"}


def paths(small: SmallWeb, files: CrawlFiles, host: str = SITE, scheme: str = "http") -> set[str]:
    origin = small.url(host, "", scheme)
    assert set(files.responses().values()) <= {200, 301, 302, 404}
    return {url.removeprefix(origin) for url in files.responses() if url.startswith(origin)}


def test_pages_that_only_sitemaps_name_are_fetched_if_that_is_asked_for(tmp_path: Path) -> None:
    small = SmallWeb((SITE, OTHER), named_in_robots_txt)
    ending, files = small.crawl(tmp_path / "crawl", SITE, sitemaps=True, scope="host")
    assert ending is Ending.DONE
    assert paths(small, files) == {"/", "/linked"} | FOUND_BY_SITEMAP | SITEMAPS
    # Neither what is forbidden nor what is out of scope was asked for, though sitemaps name it.
    assert {request.host for request in small.log} == {SITE}
    assert not [request for request in small.log if request.path.startswith("/forbidden")]


def test_without_the_setting_no_sitemap_is_asked_for(tmp_path: Path) -> None:
    small = SmallWeb((SITE, OTHER), named_in_robots_txt)
    _, files = small.crawl(tmp_path / "crawl", SITE, scope="host")
    assert paths(small, files) == {"/", "/linked"}
    assert {request.path for request in small.log} == {"/robots.txt", "/", "/linked"}


@pytest.mark.parametrize("robots", [text("User-agent: *\nDisallow: /no"), Fixed(b"", 404)], ids=["rules", "missing"])
def test_where_robots_txt_names_no_sitemap_the_usual_place_is_looked_at(robots: Fixed, tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/robots.txt"): robots,
            (SITE, "/"): page(),
            (SITE, "/sitemap.xml"): xml(urlset(web.url(SITE, "/hidden"))),
            (SITE, "/hidden"): page(),
        }

    small = SmallWeb((SITE,), sites)
    _, files = small.crawl(tmp_path / "crawl", SITE, sitemaps=True)
    assert paths(small, files) == {"/", "/sitemap.xml", "/hidden"}


def test_only_sitemaps_of_the_seeds_sites_are_looked_at(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/"): page(web.url(OTHER, "/")),
            (OTHER, "/"): page(),
            (OTHER, "/sitemap.xml"): xml(urlset(web.url(OTHER, "/hidden"))),
        }

    small = SmallWeb((SITE, OTHER), sites)
    small.crawl(tmp_path / "crawl", SITE, sitemaps=True)
    assert {request.path for request in small.log if request.host == OTHER} == {"/robots.txt", "/"}


def test_the_sitemap_of_the_site_that_a_seed_leads_to_is_looked_at(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        www = web.url(f"www.{SITE}", "/", "https")
        return {
            (SITE, "/"): redirect(www, 301),
            (f"www.{SITE}", "/"): page(),
            (f"www.{SITE}", "/sitemap.xml"): xml(urlset(f"{www}hidden")),
            (f"www.{SITE}", "/hidden"): page(),
        }

    small = SmallWeb((SITE, f"www.{SITE}"), sites, https=True)
    _, files = small.crawl(tmp_path / "crawl", SITE, sitemaps=True, scope="host")
    assert paths(small, files, f"www.{SITE}", "https") == {"/", "/sitemap.xml", "/hidden"}


def test_sitemap_indexes_that_name_each_other_end(tmp_path: Path) -> None:
    def sites(web: SimWeb) -> Sites:
        return {
            (SITE, "/"): page(),
            (SITE, "/sitemap.xml"): xml(index(web.url(SITE, "/sitemap.xml"), web.url(SITE, "/other.xml"))),
            (SITE, "/other.xml"): xml(index(web.url(SITE, "/sitemap.xml"))),
        }

    small = SmallWeb((SITE,), sites)
    ending, files = small.crawl(tmp_path / "crawl", SITE, sitemaps=True)
    assert ending is Ending.DONE
    assert paths(small, files) == {"/", "/sitemap.xml", "/other.xml"}
