"""What the scanner takes upon itself and what it leaves to the tree."""

from __future__ import annotations

import subprocess
import sys

import pytest

from weft.parse import parse_html
from weft.parse.lazy import LAZY_PLACE_OF
from weft.parse.link_kinds import PLACES
from weft.parse.scan import ScanPage, Skipped, always_tree, has_scanner, reported_urls, scan_page
from weft.types import Kind
from weft.url import LinkResolver

URL = "http://example.org/dir/page.html"

needs_scanner = pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")


@needs_scanner
@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<!DOCTYPE html><html lang=en><head><title>t</title><link rel=stylesheet href=s></head><body><a href=x>y</a>",
        "<table><caption>c</caption><tr><th><a href=x>y</a><td><table><tr><td></table></table>",
        "<table><form><tr><td><input type=text></form></table>",
        "<p><select><optgroup><option>x</select>",
        "<svg viewBox='0 0 1 1'><title>icon</title><path d='M0 0'/><use href='#i'></use><g><circle r=1></g></svg>",
        "<svg><style>a { fill: red }</style><path d='x'></svg>",
        "<template><div><a href=x></a></div></template>",
        "<noscript><img src=x></noscript><iframe src=y></iframe><script>'<a href=z>'</script>",
        "<a href='x'><div><b><a href='y'></b></div>",
        "<textarea><frameset></textarea><!-- <frameset> -->",
        "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><rect/></svg>",
    ],
)
@pytest.mark.parametrize("embeds", [True, False])
def test_ordinary_pages_need_no_tree(markup: str, embeds: bool) -> None:
    assert scan_page(markup, embeds) is not None


@needs_scanner
@pytest.mark.parametrize(
    "markup",
    [
        "<frameset><frame src=x></frameset>",
        "<math><mi>x</mi></math>",
        "<plaintext>",
        "<table><a href=x></table>",
        "<table><tr><div><svg></svg></table>",
        "<select><a href=x></select>",
        "<select></div></select>",
        "<svg><script>x</script></svg>",
        "<svg><foreignObject><p></foreignObject></svg>",
        "<svg><p></svg>",
        "<svg></p></svg>",
        "<svg><![CDATA[x]]></svg>",
        "<svg><title><b></title></svg>",
        "<template shadowrootmode=open></template>",
        "<template><col></template>",
        "\ud800",
    ],
)
@pytest.mark.parametrize("embeds", [True, False])
def test_pages_of_which_only_a_tree_is_sure_are_left_to_it(markup: str, embeds: bool) -> None:
    assert scan_page(markup, embeds) is None


@needs_scanner
def test_the_scanner_knows_every_place_where_links_stand() -> None:
    from weft.parse import _scan

    beside = {("link", "href"), ("input", "src")}  # whose place depends on more
    by_tree = {("frame", attribute) for attribute in ("src", "longdesc")}
    known = {("feImage" if tag == "feimage" else tag, attribute) for tag, attribute in _scan.PLACES}
    assert known - beside == PLACES.keys() - by_tree
    assert list(_scan.LAZY_PLACES) == list(LAZY_PLACE_OF)


PAGE = (
    b"<base href=/b/><link rel=stylesheet href=s.css><link rel=next href=n><a href=x>"
    b"<img src=i longdesc=d srcset='j 1x'>"
    b"<style>a{b:url(k)}</style><p style='a:url(l)'><iframe src=f data-src=g srcdoc='<a href=h><img src=m>'></iframe>"
    b'<script src=e></script><img data-src=o><script type=application/ld+json>{"url":"http://h/1","image":"http://h/2"}'
    b"</script><img src=x><video src=v><a href=v>"
)


@pytest.mark.parametrize("scan", [scan_page, always_tree])
def test_without_embeds_a_page_has_the_links_that_lead_to_pages(scan: ScanPage) -> None:
    page = parse_html(PAGE, URL, "text/html", embeds=False, scan=scan)
    assert [found.url.removeprefix("http://example.org/b/") for found in page.links] == [
        *("n", "x", "d", "f", "v", "g", "http://h/1", "h")
    ]
    assert Kind.EMBED not in {found.kind for found in page.links}
    everything = parse_html(PAGE, URL, "text/html", scan=scan)
    assert {found for found in everything.links if found.kind is not Kind.EMBED} == set(page.links)


@pytest.mark.parametrize("scan", [scan_page, always_tree])
def test_leads_are_the_links_that_a_crawl_follows(scan: ScanPage) -> None:
    body = b"<a href=x rel=nofollow><a href=y><img src=z><a href=w rel=nofollow><a href=w>"
    page = parse_html(body, URL, "text/html", scan=scan)
    start = "http://example.org/dir/"
    assert page.leads(3, embeds=False, nofollow=False) == [(start + "y", Kind.LINK, 3), (start + "w", Kind.LINK, 3)]
    assert [lead[0][-1] for lead in page.leads(3, embeds=True, nofollow=True)] == ["x", "y", "z", "w"]
    assert [lead[0][-1] for lead in page.leads(3, embeds=True, nofollow=False)] == ["y", "z", "w"]


@needs_scanner
def test_links_repeated_100_000_times_are_given_once() -> None:
    markup = "<a href=same>" * 100_000 + "".join(f"<a href=p/{n}>" for n in range(1_000))
    assert scan_page(markup, False) is not None
    assert len(parse_html(markup.encode(), URL, "text/html").links) == 1_001


WITHOUT_SCANNER = """
import sys
sys.modules["weft.parse._scan"] = None  # what an installation without a compiler is like
from weft.parse import parse_html
from weft.parse.scan import has_scanner
assert not has_scanner()
print([found.url for found in parse_html(b"<a href=x><img src=y>", "http://h/", "text/html").links])
"""


def test_pages_are_read_where_the_scanner_was_not_built() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SCANNER], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "['http://h/x', 'http://h/y']\n"


HREFS_WITH_SPACES = {
    "/a #x": "/a%20",
    " /a #x ": "/a%20",
    "/a?b #x": "/a?b%20",
    "/a\t#x": "/a",
    "/a  #": "/a%20%20",
    "/a ": "/a",
    "http://h.example/a #x": "http://h.example/a%20",
}


@pytest.mark.parametrize("scan", [scan_page, always_tree])
def test_a_space_before_the_fragment_belongs_to_the_url(scan: ScanPage) -> None:
    for href, expected in HREFS_WITH_SPACES.items():
        body = f'<a href="{href}"><img src="{href}">'.encode()
        page = parse_html(body, "http://example.org/dir/page", scan=scan)
        url = expected if expected.startswith("http") else "http://example.org" + expected
        assert [found.url for found in page.links] == [url]
        assert LinkResolver("http://example.org/dir/page").resolve(href) == url


@pytest.mark.parametrize("scan", [scan_page, always_tree])
def test_a_template_in_a_drawing_is_an_element_like_any_other(scan: ScanPage) -> None:
    body = b"<svg><template><a href=live>1</a></template></svg><template><a href=inert>2</a></template>"
    page = parse_html(body, "http://example.org/", scan=scan)
    found = [(found.url, found.kind) for found in page.links]
    assert found == [("http://example.org/live", Kind.LINK), ("http://example.org/inert", Kind.GUESS)]


def test_a_template_in_a_drawing_needs_no_tree() -> None:
    if has_scanner():
        assert scan_page("<svg><template><a href=live>1</a></template></svg>", False) is not None


@needs_scanner
def test_links_that_were_reported_at_this_depth_or_nearer_are_skipped() -> None:
    reported = reported_urls(100, 10_000)
    assert reported is not None
    text = (
        '<a href=one><a href="/two#x"><a href="http://b.example/thr%C3%A9e"><a href="//b.example/thrée"><a href=four>'
    )
    url = "http://a.example/"
    nearer, same, deeper = "http://a.example/one", "http://b.example/thr%C3%A9e", "http://a.example/four"
    for told, depth in ((nearer, 1), (same, 2), (deeper, 3)):
        reported.add(told, depth)
    page = parse_html(text.encode(), url, "text/html; charset=utf-8", skipped=Skipped(reported, 2))
    assert list(page.places) == ["http://a.example/two", deeper]
