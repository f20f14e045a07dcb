"""Links in places that a page's ordinary ones do not stand in: srcset, lazy loading, srcdoc, SVG."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import parse_html
from weft.parse.page_links import MAX_SRCDOC_DEPTH, MAX_SRCDOCS
from weft.parse.scan import ScanPage, always_tree, scan_page
from weft.parse.value_spans import srcset_urls
from weft.types import Kind

URL = "http://example.org/dir/page.html"
LINK, FRAME, EMBED, REFRESH = Kind.LINK, Kind.FRAME, Kind.EMBED, Kind.REFRESH


def links(markup: str, content_type: str = "text/html; charset=utf-8") -> list[tuple[str, Kind]]:
    """The links of a page, below http://example.org/dir/ without that."""
    page = parse_html(markup.encode(), URL, content_type)
    return [(found.url.removeprefix("http://example.org/dir/"), found.kind) for found in page.links]


SRCSETS = [
    ("a 1x, b 2x", ["a", "b"]),
    ("a,b", ["a,b"]),
    ("a, b", ["a", "b"]),
    ("a 1x,b 2x", ["a", "b"]),
    ("/w_1,h_2/a.jpg 1x,/w_2,h_3/b.jpg 2x", ["/w_1,h_2/a.jpg", "/w_2,h_3/b.jpg"]),
    ("data:image/png;base64,AA== 1x, b 2x", ["data:image/png;base64,AA==", "b"]),
    ("\n\ta\t100w\n,\n\tb 50h 20w\n", ["a", "b"]),
    ("a,,, b", ["a", "b"]),
    (",a 1x,", ["a"]),
    ("a,", ["a"]),
    ("a 1x 2y z, b", ["a", "b"]),
    (", ,", []),
    ("", []),
]


@pytest.mark.parametrize(("srcset", "expected"), [*SRCSETS, ("a (1x, 2x) 3x, b", ["a", "b"]), ("a (b, c", ["a"])])
def test_a_comma_in_a_srcset_ends_a_url_only_before_a_space(srcset: str, expected: list[str]) -> None:
    assert list(srcset_urls(srcset)) == expected


@pytest.mark.parametrize(("srcset", "expected"), SRCSETS)
@pytest.mark.parametrize(
    "markup", ["<img srcset='{}'>", "<link rel=preload imagesrcset='{}'>", "<img data-srcset='{}'>"]
)
def test_every_srcset_is_read_by_the_same_rules(markup: str, srcset: str, expected: list[str]) -> None:
    page = parse_html(markup.format(srcset).encode(), "http://example.org/", "text/html")
    relative = [href.removeprefix("/") for href in expected if not href.startswith("data:")]
    assert [found.url for found in page.links] == [f"http://example.org/{href}" for href in relative]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img data-src=x>", [("x", EMBED)]),
        ("<IMG DATA-SRC=x>", [("x", EMBED)]),
        ("<img src=grey.gif data-src=x>", [("grey.gif", EMBED), ("x", EMBED)]),
        ("<img data-original=x data-srcset='y 1x, z 2x'>", [("y", EMBED), ("z", EMBED), ("x", EMBED)]),
        ("<img data-lazy-src=x data-lazy-srcset='y 1x'>", [("x", EMBED), ("y", EMBED)]),
        ("<picture><source data-srcset='x 1x'></picture>", [("x", EMBED)]),
        ("<video data-poster=x data-src=y></video>", [("y", EMBED), ("x", EMBED)]),
        ("<audio data-src=x></audio><embed data-src=y>", [("x", EMBED), ("y", EMBED)]),
        ("<iframe data-src=x></iframe>", [("x", FRAME)]),
        ("<a href=x><img data-src=x></a>", [("x", LINK)]),
        ("<img data-src=''><img data-src='{\"a\":1}'><img data-src=data:,x>", []),
        ("<div data-src=x><span data-original=y></span></div>", []),
        ("<template><img data-src=x></template>", [("x", EMBED)]),
    ],
)
def test_what_a_script_would_load_later_is_found(markup: str, expected: list[tuple[str, Kind]]) -> None:
    assert links(markup) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<a href=x><img src=y>", [("x", LINK), ("y", EMBED)]),
        ("<base href=//h/><a href=x>", [("http://h/x", LINK)]),
        ("<base href=sub/><a href=x>", [("sub/x", LINK)]),
        ("<a href=''><a href='#top'>", []),
        ("<meta http-equiv=refresh content='0;x'>", [("x", REFRESH)]),
        ("<style>a{b:url(x)}</style>", [("x", EMBED)]),
        ('<script type=application/ld+json>{"url":"http://h/x"}</script>', [("http://h/x", LINK)]),
        ("<img data-src=x>", [("x", EMBED)]),
        ("<template><a href=x></template>", [("x", Kind.GUESS)]),
        ("<meta name=robots content=nofollow><a href=x>", [("x", LINK)]),  # it does not speak for the page
        ("just text", []),
    ],
)
def test_the_page_within_an_iframe_is_read_for_links(content: str, expected: list[tuple[str, Kind]]) -> None:
    assert links(f'<iframe srcdoc="{escape(content)}"></iframe>') == expected


def test_the_base_of_a_page_is_the_base_of_the_pages_within_it() -> None:
    page = parse_html(b"<base href=//h/b/><iframe SRCDOC='<a href=x>'></iframe><a href=y>", URL, "text/html")
    assert [found.url for found in page.links] == ["http://h/b/y", "http://h/b/x"]


def test_the_base_within_an_iframe_does_not_reach_out_of_it() -> None:
    assert links("<iframe srcdoc='<base href=//h/>'></iframe><iframe srcdoc='<a href=x>'></iframe>") == [("x", LINK)]


def test_pages_within_pages_are_read_to_a_bounded_depth() -> None:
    markup = "<a href=deepest>"
    for level in range(10, 0, -1):
        markup = f'<a href=level{level}><iframe srcdoc="{escape(markup)}"></iframe>'
    assert [href for href, _ in links(markup)] == [f"level{level + 1}" for level in range(MAX_SRCDOC_DEPTH + 1)]


def test_only_so_many_pages_within_a_page_are_read() -> None:
    assert len(links("".join(f"<iframe srcdoc='<a href=x{n}>'></iframe>" for n in range(1_000)))) == MAX_SRCDOCS


def test_a_link_is_nofollow_only_if_it_is_so_in_the_pages_within_too() -> None:
    markup = """<a href=x rel=nofollow><a href=y><iframe srcdoc='<a href=x><a href=z rel=nofollow>'></iframe>"""
    found = parse_html(markup.encode(), URL, "text/html").links
    assert {link.url[-1]: link.nofollow for link in found} == {"x": False, "y": False, "z": True}
    markup = """<a href=y><iframe srcdoc='<a href=y rel=nofollow><a href=z rel=nofollow>'></iframe>"""
    found = parse_html(markup.encode(), URL, "text/html").links
    assert {link.url[-1]: link.nofollow for link in found} == {"y": False, "z": True}


SVG = """<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="sheet.css"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
  <!ENTITY ns "http://ns.example/">
]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
  <style><![CDATA[@import "import.css"; a > b { fill: url(fill.svg#x) }]]></style>
  <script xlink:href="script.js"/>
  <a xlink:href="old.html"><text>1</text></a>
  <a href="new.html"><text>2</text></a>
  <image xlink:href="image.png"/><use href="symbols.svg#s"/><use xlink:href="#here"/>
  <filter><feImage href="filter.png"/></filter>
  <rect style="fill: url(style.svg#y)"/>
  <script><![CDATA[if (a < b) document.write('<a href="no.html">')]]></script>
</svg>"""


def test_a_drawing_is_read_like_a_page() -> None:
    assert links(SVG, "image/svg+xml") == [
        ("script.js", EMBED),
        ("old.html", LINK),
        ("new.html", LINK),
        ("image.png", EMBED),
        ("symbols.svg", EMBED),
        ("filter.png", EMBED),
        ("import.css", EMBED),
        ("fill.svg", EMBED),
        ("style.svg", EMBED),
        ("sheet.css", EMBED),
    ]


def test_a_drawing_within_a_page_has_the_same_links() -> None:
    drawing = SVG[SVG.index("<svg") :]
    assert links(f"<!doctype html><p>{drawing}</p>") == links(SVG, "image/svg+xml")[:-1]


@settings(max_examples=100, deadline=None, database=None)
@given(st.text(alphabet=" ,()x\t\n'\"é", max_size=60))
def test_any_srcset_is_read(srcset: str) -> None:
    assert sum(map(len, srcset_urls(srcset))) <= len(srcset)


@pytest.mark.parametrize("piece", [",", " ", "(", ")", "x", "x,", "x (", ", ", ",,x"])
def test_a_srcset_of_a_megabyte_is_read_once(piece: str) -> None:
    times = 1_000_000 // len(piece)
    assert len(list(srcset_urls(piece * times))) <= times


@pytest.mark.parametrize(
    "piece",
    [
        "<style>a{b:url(x)}</style>",
        "<p style='a:url(x)'>",
        "<img data-src=x>",
        "<iframe srcdoc='<a href=x>'></iframe>",
        "<script type=application/ld+json>{}</script>",
    ],
)
def test_a_page_of_20_000_odd_places_is_read(piece: str) -> None:
    assert links(piece * 20_000) in ([("x", EMBED)], [("x", LINK)], [])


def test_a_style_element_of_50_000_urls_is_read_once() -> None:
    css = "".join(f"a{{b:url(x{number})}}" for number in range(50_000))
    assert len(links(f"<style>{css}</style>")) == 50_000


@pytest.mark.parametrize("scan", [scan_page, always_tree])  # the latter has the tree read
def test_what_a_page_shows_and_links_to_is_a_link_or_by_wish_what_it_needs(scan: ScanPage) -> None:
    body = (
        b"<a href=a.png><img src=a.png></a><iframe src=f></iframe><a href=f>x</a>"
        b"<a href=s.png style='a:url(s.png)'>x</a><a href=l.png><img data-src=l.png></a><a href=only>x</a>"
    )
    expected = {"a.png": Kind.EMBED, "f": Kind.FRAME, "s.png": Kind.EMBED, "l.png": Kind.EMBED, "only": Kind.LINK}
    base = "http://example.org/"
    for needs_first, kinds in (False, dict.fromkeys(expected, Kind.LINK)), (True, expected):
        page = parse_html(body, base, "text/html", needs_first=needs_first, scan=scan)
        assert {found.url.removeprefix(base): found.kind for found in page.links} == kinds
        assert [found.url.removeprefix(base) for found in page.links] == list(expected)
