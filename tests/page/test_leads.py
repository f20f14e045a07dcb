"""Where each kind of response leads."""

from __future__ import annotations

import pytest

from weft.config import CrawlConfig
from weft.fetch import replay
from weft.mirror.note import mirror_note
from weft.order.topic import Topic
from weft.page.large_pages import MAX_TREE_BYTES
from weft.page.leads import Leads, Reader
from weft.page.link_finder import LinkFinder
from weft.parse.scan import has_scanner
from weft.parse.sitemap import MAX_SITEMAP_BYTES
from weft.types import Kind, Link, Unread

URL = "http://a.example/dir/page"
# Without it the beginning of a large page is read: test_contents.py.
needs_scanner = pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")


def leads(response: bytes, link: Link | None = None, config: CrawlConfig | None = None) -> Leads:
    return Reader(config or CrawlConfig()).leads_of(link or Link(URL, 2), replay(URL, response))


def page(body: bytes, *headers: bytes, content_type: bytes = b"text/html; charset=utf-8") -> bytes:
    lines = (b"HTTP/1.1 200 OK", b"Content-Type: " + content_type, *headers, b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def test_a_page_leads_to_its_links_one_step_away() -> None:
    found = leads(page(b"<!DOCTYPE html><title>T</title><a href=x>1</a><iframe src=/f></iframe><img src=i.png>"))
    assert found.urls == [
        ("http://a.example/dir/x", Kind.LINK, 3),
        ("http://a.example/f", Kind.FRAME, 3),
    ]
    assert (found.title, found.charset, found.mime) == ("T", "utf-8", "text/html")


def test_what_a_page_needs_to_look_right_is_followed_only_if_asked_for() -> None:
    found = leads(page(b"<!DOCTYPE html><img src=i.png>"), config=CrawlConfig(requisites=True))
    assert found.urls == [("http://a.example/dir/i.png", Kind.EMBED, 3)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_costs_no_depth(status: int) -> None:
    response = b"HTTP/1.1 %d X\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n" % status
    found = leads(response, Link(URL, 2, redirects=4))
    assert found.urls == [("http://a.example/there", Kind.REDIRECT, 2)]
    assert found.redirects == 5


def test_where_a_seed_leads_is_a_seed() -> None:
    response = b"HTTP/1.1 301 X\r\nLocation: https://www.a.example/\r\nContent-Length: 0\r\n\r\n"
    assert leads(response, Link(URL, 0, Kind.SEED)).urls == [("https://www.a.example/", Kind.SEED, 0)]


@pytest.mark.parametrize("location", [b"mailto:x@y", b"http://", b"javascript:void(0)"])
def test_a_redirect_to_nowhere_leads_nowhere(location: bytes) -> None:
    assert leads(b"HTTP/1.1 302 X\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n").urls == []


def test_a_sitemap_leads_to_pages_one_step_away_and_to_other_sitemaps() -> None:
    sitemap = Link("http://a.example/sitemap.xml", 0, Kind.SITEMAP)
    index = b"<sitemapindex><sitemap><loc>http://a.example/s2.xml</loc></sitemap></sitemapindex>"
    urlset = b"<urlset><url><loc>http://a.example/p</loc></url></urlset>"
    assert leads(page(index, content_type=b"text/xml"), sitemap).urls == [("http://a.example/s2.xml", Kind.SITEMAP, 0)]
    assert leads(page(urlset, content_type=b"text/xml"), sitemap).urls == [("http://a.example/p", Kind.LINK, 1)]


def test_a_page_that_asks_not_to_be_followed_leads_nowhere() -> None:
    assert leads(page(b"<!DOCTYPE html><meta name=robots content=nofollow><a href=x>1</a>")).urls == []
    assert leads(page(b"<!DOCTYPE html><a href=x>1</a>", b"X-Robots-Tag: none")).urls == []


def test_a_page_may_address_the_crawler_by_its_own_name() -> None:
    body = b"<!DOCTYPE html><meta name=mybot content='noindex, nofollow'><a href=x>1</a>"
    assert len(leads(page(body)).urls) == 1
    found = leads(page(body), config=CrawlConfig(user_agent="MyBot/2.0 (+http://a.example)"))
    assert (found.urls, found.noindex) == ([], True)


def test_rel_nofollow_is_obeyed_only_if_asked_for() -> None:
    body = page(b"<!DOCTYPE html><a rel=nofollow href=x>1</a>")
    assert len(leads(body).urls) == 1
    assert leads(body, config=CrawlConfig(obey_rel_nofollow=True)).urls == []


@pytest.mark.parametrize("content_type", [b"image/png", b"application/pdf", b"text/plain", b"application/json"])
def test_other_media_lead_nowhere(content_type: bytes) -> None:
    found = leads(page(b"<a href=x>1</a>", content_type=content_type))
    assert (found.urls, found.mime) == ([], content_type.decode())


def test_a_style_sheet_is_read_only_in_a_crawl_that_fetches_what_pages_need() -> None:
    sheet = page(b"@import 'x.css';a{b:url(/y.png)}", content_type=b"text/css")
    found = leads(sheet, config=CrawlConfig(requisites=True))
    assert found.urls == [("http://a.example/dir/x.css", Kind.EMBED, 3), ("http://a.example/y.png", Kind.EMBED, 3)]
    assert found.mime == "text/css"
    assert leads(sheet).urls == []


RSS = b"<?xml version='1.0'?><rss><channel><item><link>x</link><enclosure url='x.mp3'/></item></channel></rss>"
ATOM = b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='x'/></entry></feed>"
JSON_FEED = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "x"}]}'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (RSS, b"application/rss+xml"),
        (RSS, b"text/xml; charset=utf-8"),
        (RSS, b"application/xml"),
        (RSS, b"text/html"),
        (ATOM, b"application/atom+xml"),
        (JSON_FEED, b"application/feed+json"),
        (JSON_FEED, b"application/json"),
    ],
)
def test_a_feed_leads_to_the_pages_of_its_entries_one_step_away(body: bytes, content_type: bytes) -> None:
    assert leads(page(body, content_type=content_type)).urls == [("http://a.example/dir/x", Kind.LINK, 3)]


def test_what_the_entries_of_a_feed_bring_along_is_followed_only_if_asked_for() -> None:
    found = leads(page(RSS, content_type=b"application/rss+xml"), config=CrawlConfig(requisites=True))
    assert found.urls == [("http://a.example/dir/x", Kind.LINK, 3), ("http://a.example/dir/x.mp3", Kind.EMBED, 3)]


def test_a_feed_that_asks_not_to_be_followed_leads_nowhere() -> None:
    assert leads(page(RSS, b"X-Robots-Tag: nofollow", content_type=b"application/rss+xml")).urls == []


@pytest.mark.parametrize("content_type", [b"image/svg+xml", b"application/xml"])
def test_a_drawing_leads_to_its_links(content_type: bytes) -> None:
    body = b"<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/><image href='y.png'/></svg>"
    assert leads(page(body, content_type=content_type)).urls == [("http://a.example/dir/x", Kind.LINK, 3)]


@pytest.mark.parametrize("body", [b"<urlset/>", b"<links><link>x</link></links>", b"no XML at all"])
def test_other_xml_leads_nowhere(body: bytes) -> None:
    assert leads(page(body, content_type=b"text/xml")).urls == []


def test_a_page_without_a_type_is_known_by_its_first_bytes() -> None:
    body = b"<!DOCTYPE html><a href=x>1</a>"
    assert len(leads(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body).urls) == 1


@needs_scanner
def test_a_page_too_large_for_a_tree_has_its_links_read() -> None:
    found = leads(page(b"<!DOCTYPE html><a href=x>1</a>" + b" " * MAX_TREE_BYTES + b"<a href=y>2</a>"))
    assert list(found.all_urls()) == [
        ("http://a.example/dir/x", Kind.LINK, 3),
        ("http://a.example/dir/y", Kind.LINK, 3),
    ]
    assert found.unread is None


@needs_scanner
def test_a_page_of_too_many_elements_for_a_tree_has_its_links_read() -> None:
    found = leads(page(b"<!DOCTYPE html>" + b"<p>" * 500_000 + b"<a href=x>"))
    assert list(found.all_urls()) == [("http://a.example/dir/x", Kind.LINK, 3)]


@needs_scanner
def test_a_page_of_zeros_has_its_links_read() -> None:
    found = leads(page(b"<!DOCTYPE html><a href=x>" + bytes(2_000_000) + b"<a href=y>"))
    assert len(list(found.all_urls())) == 2


@needs_scanner
def test_a_long_page_that_asks_not_to_be_followed_leads_nowhere() -> None:
    body = b"<!DOCTYPE html><a href=x>1</a>" + b" " * MAX_TREE_BYTES + b"<meta name=robots content=nofollow>"
    assert list(leads(page(body)).all_urls()) == []


@pytest.mark.parametrize(
    ("start", "entry", "content_type"),
    [
        (b"<rss><channel>", b"<item><link>http://a.example/dir/%d</link></item>", b"application/rss+xml"),
        (b"", b"a{b:url(%d)}\n", b"text/css"),
    ],
)
def test_of_a_feed_or_a_style_sheet_that_is_too_large_the_beginning_is_read_and_that_is_said(
    start: bytes, entry: bytes, content_type: bytes
) -> None:
    body = start + entry % 1 + entry % 2 + b" " * MAX_TREE_BYTES + entry % 3
    found = leads(page(body, content_type=content_type), config=CrawlConfig(requisites=True))
    assert [url for url, _, _ in found.urls] == ["http://a.example/dir/1", "http://a.example/dir/2"]
    assert (found.unread, found.links_read_bytes) == (Unread.TOO_LARGE, MAX_TREE_BYTES)


def test_of_a_sitemap_that_is_too_large_the_beginning_is_read_and_that_is_said() -> None:
    link = Link("http://a.example/sitemap.xml", 0, Kind.SITEMAP)
    entry = b"<url><loc>http://a.example/%d</loc></url>"
    body = b"<urlset>" + entry % 1 + b" " * MAX_SITEMAP_BYTES + entry % 2 + b"</urlset>"
    found = leads(page(body, content_type=b"text/xml"), link)
    assert (found.urls, found.unread) == ([("http://a.example/1", Kind.LINK, 1)], Unread.TOO_LARGE)


def test_entries_of_a_sitemap_that_name_no_url_are_said() -> None:
    link = Link("http://a.example/sitemap.xml", 0, Kind.SITEMAP)
    body = b"<urlset><url><loc>http://a.example/1</loc></url><url><loc></loc></url><url></url></urlset>"
    found = leads(page(body, content_type=b"text/xml"), link)
    assert (len(found.urls), found.unread, found.empty_entries) == (1, Unread.EMPTY_ENTRIES, 2)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        (b"/caf\xe9?q=\xe4", "http://a.example/caf%E9?q=%E4"),
        (b"/caf\xc3\xa9", "http://a.example/caf%C3%A9"),
        (b"/caf%e9\xff x", "http://a.example/caf%e9%FF%20x"),
        (b"http://b.example/\xb0#\xb0", "http://b.example/%B0"),
    ],
)
def test_bytes_of_a_redirect_that_are_not_utf8_are_kept_as_they_are(location: bytes, url: str) -> None:
    response = b"HTTP/1.1 302 X\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"
    assert leads(response).urls == [(url, Kind.REDIRECT, 2)]
    note = mirror_note(replay(URL, response))
    assert note is not None
    assert note.redirect == url


# ── a topic ──────────────────────────────────────────────────────────────────────────────────────────────────────────

TOPIC = Topic.of_words("crawler")


def judged(response: bytes, link: Link | None = None) -> Leads:
    return Reader(CrawlConfig(topic_words=TOPIC.words)).leads_of(link or Link(URL, 2), replay(URL, response))


def test_with_a_topic_a_page_and_its_links_are_judged() -> None:
    found = judged(page(b"<!DOCTYPE html><base href=/b/><p>A crawler. <a href='x?a&amp;b'>a crawler</a>"))
    assert found.urls == [("http://a.example/b/x?a&b", Kind.LINK, 3)]
    assert found.worths == {"http://a.example/b/x?a&b": 1.0}
    assert 0 < found.relevance < 1


def test_a_page_is_judged_by_its_text_in_whatever_charset_it_came() -> None:
    body = "<!DOCTYPE html><p>网络爬虫是下载网页的程序，也叫网络蜘蛛。<a href='?q=爬虫'>爬虫</a>".encode("gbk")
    reader = Reader(CrawlConfig(topic_words=Topic.of_words("爬虫").words))
    found = reader.leads_of(Link(URL, 0), replay(URL, page(body, content_type=b"text/html; charset=gbk")))
    assert found.urls == [(f"{URL}?q=%C5%C0%B3%E6", Kind.LINK, 1)]
    assert found.worths == {f"{URL}?q=%C5%C0%B3%E6": 1.0}


def test_the_worth_of_a_link_is_kept_by_the_url_that_the_link_has_among_the_leads() -> None:
    body = """<!DOCTYPE html><a href="HTTP://B.example:80/é/../ü?q=ä#f">crawler</a> <a href=" y	z ">crawler</a>
        <a href=//c.example>crawler</a> <a href='#top'>crawler</a> <a href=?q>crawler</a>"""
    found = judged(page(body.encode()))
    assert {url for url, _, _ in found.urls} == found.worths.keys()


def test_redirects_sitemaps_and_feeds_are_not_judged() -> None:
    redirect = judged(b"HTTP/1.1 301 X\r\nLocation: /crawler\r\nContent-Length: 7\r\n\r\ncrawler")
    sitemap = judged(
        page(b"<urlset><url><loc>http://a.example/crawler</loc></url></urlset>"), Link(URL, 0, Kind.SITEMAP)
    )
    feed = judged(page(b"<rss><item><title>crawler</title><link>/x</link></item></rss>", content_type=b"text/xml"))
    for found in (redirect, sitemap, feed):
        assert found.urls
        assert (found.relevance, found.worths) == (0.0, {})


@needs_scanner
def test_a_page_that_is_read_in_parts_is_not_judged() -> None:
    found = judged(page(b"<!DOCTYPE html><a href=x>crawler</a>" + b"<p>crawler" * (MAX_TREE_BYTES // 9)))
    assert found.is_long
    assert (found.relevance, found.worths) == (0.0, {})


def test_without_a_topic_nothing_is_judged() -> None:
    found = leads(page(b"<!DOCTYPE html><a href=x>crawler</a>"))
    assert (found.relevance, found.worths) == (0.0, {})


def test_a_page_without_its_reported_links_leads_to_what_the_sieve_would_leave() -> None:
    config = CrawlConfig(seeds=("http://a.example/",), scope="host")
    body = b"<a href=/1><a href=/2?d=x><a href=http://b.example/><a href=/3 rel=nofollow><a href=//a.example/%7Eb>"
    links = [Link(f"http://a.example/page{number}", depth) for number, depth in enumerate((3, 2, 2, 4))]
    told: list[list[tuple[list[str], object]]] = []
    for is_skipping in (True, False):
        finder = LinkFinder(config, list(config.seeds), lambda found, refused: None)
        reader = Reader(config, skipped=finder.skipped) if is_skipping else Reader(config)
        told.append([])
        for link in links:
            fetched = replay(link.url, page(body))
            found = finder.find(link, fetched, reader.leads_of(link, fetched))
            told[-1].append(([one.link.url for one in found.links], found.refused))
    assert told[0] == told[1]
    assert [len(urls) for urls, _ in told[0]] == [4, 4, 0, 0]


def test_all_links_of_a_day_of_a_calendar_are_read() -> None:
    config = CrawlConfig(seeds=("http://a.example/",))
    finder = LinkFinder(config, list(config.seeds), lambda found, refused: None)
    assert finder.skipped(Link("http://a.example/events/2045-07/", 2)) is None
    assert (finder.skipped(Link("http://a.example:60887/2.html", 2)) is not None) == has_scanner()
