from __future__ import annotations

import pytest

from weft.parse import ParsedPage, parse_html
from weft.parse.scan import ScanPage, always_tree, scan_page
from weft.types import Kind

URL = "http://example.org/dir/page.html"
LINK, FRAME, EMBED, REFRESH = Kind.LINK, Kind.FRAME, Kind.EMBED, Kind.REFRESH


def parse(markup: str, url: str = URL) -> ParsedPage:
    return parse_html(markup.encode(), url, "text/html; charset=utf-8")


def links(markup: str) -> list[tuple[str, Kind]]:
    """The links of a page, below http://example.org/dir/ without that."""
    return [(found.url.removeprefix("http://example.org/dir/"), found.kind) for found in parse(markup).links]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<a href=x>", [("x", LINK)]),
        ("<A HREF='x'>", [("x", LINK)]),
        ("<a href='  x\n'>", [("x", LINK)]),
        ("<a href='x&amp;y=1'>", [("x&y=1", LINK)]),
        ("<map><area href=x></map>", [("x", LINK)]),
        ("<svg><a xlink:href=x></a><a href=y></a></svg>", [("x", LINK), ("y", LINK)]),
        ("<noscript><a href=x></noscript>", [("x", LINK)]),
        ("<img src=i longdesc=d>", [("i", EMBED), ("d", LINK)]),
        ("<iframe src=x></iframe>", [("x", FRAME)]),
        ("<frameset><frame src=x><frame src=y></frameset>", [("x", FRAME), ("y", FRAME)]),
        ("<img src=x>", [("x", EMBED)]),
        ("<img src=x srcset='y 1x, z 2x'>", [("x", EMBED), ("y", EMBED), ("z", EMBED)]),
        ("<picture><source srcset='x 100w'></picture>", [("x", EMBED)]),
        ("<video src=x poster=y><source src=z><track src=t></video>", [(u, EMBED) for u in "xyzt"]),
        ("<audio src=x></audio><embed src=y><object data=z></object>", [(u, EMBED) for u in "xyz"]),
        ("<script src=x></script>", [("x", EMBED)]),
        ("<input type=IMAGE src=x>", [("x", EMBED)]),
        ("<input src=x>", []),
        ("<style>@import 'x'; p { background: url( \"y\" ) }</style>", [("x", EMBED), ("y", EMBED)]),
        ("<p style='background: url(x)'>", [("x", EMBED)]),
        ("<body background=x>", [("x", EMBED)]),
        ("<svg><image href=x /><use xlink:href='y#z' /></svg>", [("x", EMBED), ("y", EMBED)]),
        ("<link rel=stylesheet href=x>", [("x", EMBED)]),
        ("<link rel='alternate stylesheet' href=x>", [("x", EMBED)]),
        ("<link rel='shortcut ICON' href=x>", [("x", EMBED)]),
        ("<link rel=preload href=x imagesrcset='y 1x'>", [("x", EMBED), ("y", EMBED)]),
        ("<link rel=manifest href=x>", [("x", EMBED)]),
        ("<link rel=next href=x><link rel=Prev href=y>", [("x", LINK), ("y", LINK)]),
        ("<link rel=canonical href=x><link rel=alternate href=y>", [("x", LINK), ("y", LINK)]),
        ("<link rel=preconnect href=x><link rel=dns-prefetch href=y>", []),
        ("<link rel=pingback href=x><link href=y>", []),
        ("<form action=x><button formaction=y></form>", []),
        ("<a href=x ping=y>", [("x", LINK)]),
        ("<blockquote cite=x></blockquote><q cite=y></q>", []),
        ("<template><a href=x></template><a href=y>", [("y", LINK), ("x", Kind.GUESS)]),
        ("<template><template><a href=x></template></template>", [("x", Kind.GUESS)]),
        ("<p><template shadowrootmode=open><a href=x></template></p>", [("x", LINK)]),
        ("<!-- <a href=x> --><script>'<a href=y>'</script><textarea><a href=z></textarea>", []),
        ("<a href=x#a><a href=x#b><a href=x>", [("x", LINK)]),
        ("<a href=a><img src=b><a href=c>", [("a", LINK), ("b", EMBED), ("c", LINK)]),
    ],
)
def test_each_kind_of_link_is_found_in_the_order_of_the_page(markup: str, expected: list[tuple[str, Kind]]) -> None:
    assert links(markup) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=x", "x"),
        ("5;URL='x y'", "x%20y"),
        ('5; url="x"y', "x"),
        ("0;x", "x"),
        ("0, x", "x"),
        ("0.5; url = x", "x"),
        ("0 url=x", "x"),
        ("\n3\t;\turl\n=\nx", "x"),
        ("0;URL =x", "x"),
        ("0,url=x", "x"),
        ("0 ; url=x", "x"),
        ("0 , x", "x"),
        (".5;x", "x"),
        ("1.2.3;x", "x"),
        ('0;url="x', "x"),
        ('0;"x"', "x"),
        ("0;url=  x  ", "x"),
        ("0;url=x&amp;y=1", "x&y=1"),
        ("0;url=&quot;x&quot;", "x"),
        ("&#48;;url=x", "x"),
        ("0;url", "url"),
        ("0;urlx", "urlx"),
        ("0;url==x", "=x"),
        ("5s;url=x", None),
        ("-1;url=x", None),
        (";url=x", None),
        ("0\xa0;url=x", None),
        ("5", None),
        ("5;", None),
        ("url=x", None),
        ("", None),
        ("0; url=javascript:x()", None),
    ],
)
def test_a_meta_refresh_leads_where_a_browser_would_go(content: str, expected: str | None) -> None:
    markup = f"<meta http-equiv=Refresh content='{content}'>".replace("'x y'", "&#39;x y&#39;")
    assert links(markup) == ([(expected, REFRESH)] if expected else [])


@pytest.mark.parametrize(
    "markup",
    [
        "<body><p>{}</p>",
        "<head><noscript>{}</noscript></head>",
        "<body><noscript>{}</noscript>",
        "<p>moved</p></body></html>{}",
    ],
)
def test_a_meta_refresh_counts_wherever_it_stands(markup: str) -> None:
    assert links(markup.format("<META HTTP-EQUIV=REFRESH CONTENT=0;url=x>")) == [("x", REFRESH)]
    assert links(markup.format("<meta name=x http-equiv=refresh content=0;url=x>")) == [("x", REFRESH)]


def test_a_refresh_in_a_template_leads_nowhere() -> None:
    assert links("<template><meta http-equiv=refresh content=0;url=x></template>") == []


def test_a_refresh_in_the_header_counts_like_one_in_the_page() -> None:
    page = parse_html(b"<base href=/b/>", URL, "text/html", [(b"refresh", b"0; url=x")])
    assert [(found.url, found.kind) for found in page.links] == [("http://example.org/b/x", REFRESH)]


@pytest.mark.parametrize(
    "href",
    [
        *("mailto:a@b", "javascript:void(0)", "tel:1", "data:text/html,x", "ftp://h/x", "about:blank", "x:y"),
        *("http://", "http://[", "http://a b/", "https://h:99999/", "http://256.1.1.1/", "//"),
    ],
)
def test_foreign_schemes_and_broken_urls_are_no_links(href: str) -> None:
    assert links(f'<a href="{href}"><a href=x>') == [("x", LINK)]


@pytest.mark.parametrize("href", ["", "#", "#top", "page.html", "page.html#x", "./page.html", URL, "?"])
def test_a_link_to_the_page_itself_is_left_out(href: str) -> None:
    expected = [("page.html?", LINK)] if href == "?" else []
    assert links(f'<a href="{href}">') == expected


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<img src=x><a href=x>", LINK),
        ("<a href=x><img src=x>", LINK),
        ("<img src=x><iframe src=./x></iframe>", FRAME),
        ("<iframe src=x></iframe><a href='http://example.org/dir/x#y'>", LINK),
        ("<meta http-equiv=refresh content='0;x'><a href=x>", LINK),
        ("<meta http-equiv=refresh content='0;x'><img src=x>", REFRESH),
    ],
)
def test_a_url_found_twice_is_reported_once_as_its_strongest_kind(markup: str, kind: Kind) -> None:
    assert links(markup) == [("x", kind)]


def test_a_url_keeps_its_first_place_when_a_stronger_kind_follows() -> None:
    assert links("<img src=x><a href=y><a href=x>") == [("x", LINK), ("y", LINK)]


@pytest.mark.parametrize(
    ("markup", "nofollow"),
    [
        ("<a href=x>", False),
        ("<a href=x rel=nofollow>", True),
        ("<a href=x rel='noopener NoFollow'>", True),
        ("<a href=x rel=nofollower>", False),
        ("<map><area href=x rel=nofollow></map>", True),
        ("<a href=x rel=nofollow><a href=x rel=nofollow>", True),
        ("<a href=x rel=nofollow><a href=x>", False),
        ("<a href=x><a href=x#y rel=nofollow>", False),
        ("<a href=x rel=nofollow><img src=x>", False),
    ],
)
def test_a_link_is_nofollow_only_if_it_is_so_everywhere_on_the_page(markup: str, nofollow: bool) -> None:
    (found,) = parse(markup).links
    assert found.nofollow == nofollow


@pytest.mark.parametrize("scan", [scan_page, always_tree], ids=["scan", "tree"])
@pytest.mark.parametrize(
    ("markup", "nofollow"),
    [
        ("<a rel=nofollow href='/x.html' data-url='/x.html'>", True),
        ("<a rel=nofollow href='/x.html'></a><script>load('/x.html')</script>", True),
        ("<a href='/x.html'></a><a rel=nofollow href='/x.html'></a><script>load('/x.html')</script>", False),
        ("<a rel=nofollow href='/x.html'></a><a data-bg='/x.html'>", False),
        ("<template><a rel=nofollow href='/x.html'></a></template>", True),
        ("<template><template><a rel=nofollow href='/x.html'></a></template></template>", True),
        ("<a href='/x.html'></a><template><a rel=nofollow href='/x.html'></a></template>", False),
        ("<a rel=nofollow href='/x.html'></a><template><a href='/x.html'></a></template>", True),
        ("<template><a href='/x.html'></a></template>", False),
    ],
)
def test_a_guess_does_not_vouch_for_a_link_and_a_template_is_read_as_a_page(
    markup: str, nofollow: bool, scan: ScanPage
) -> None:
    (found,) = parse_html(markup.encode(), URL, "text/html; charset=utf-8", scan=scan).links
    assert found.nofollow == nofollow


def test_nofollow_of_one_link_says_nothing_of_the_others() -> None:
    markup = "<meta http-equiv=refresh content='0;r'><a href=x rel=nofollow><a href=y><img src=z>"
    assert {found.url[-1]: found.nofollow for found in parse(markup).links} == {
        "r": False,
        "x": True,
        "y": False,
        "z": False,
    }


def test_the_context_says_where_a_link_was() -> None:
    markup = "<a href=a><img srcset='b 1x'><style>p{background:url(c)}</style><link rel=next href=d>"
    assert [found.context for found in parse(markup).links] == ["a/@href", "img/@srcset", "link/@href", "style"]


@pytest.mark.parametrize(
    ("markup", "base"),
    [
        ("<base href=/other/>", "http://example.org/other/"),
        ("<base href=other/>", "http://example.org/dir/other/"),
        ("<base href=https://h/x/y?z#f>", "https://h/x/y?z"),
        ("<base href=//h/>", "http://h/"),
        ("<base href=/a/><base href=/b/>", "http://example.org/a/"),
        ("<base target=x><base href=/b/>", "http://example.org/b/"),
        ("<body><p><base href=/late/>", "http://example.org/late/"),
        ("<base href=''>", URL),
        ("<base href=data:,x><base href=/b/>", URL),
        ("<base href=javascript:x>", URL),
        ("<base href=ftp://h/>", URL),
        ("<base href='http://['>", URL),
        ("<template><base href=/t/></template>", URL),
        ("<template><base href=/t/></template><base href=/b/>", "http://example.org/b/"),
        ("<p><template shadowrootmode=open><base href=/t/></template>", URL),
        ("<svg><base href=/s/></svg>", URL),
        ("<svg><base href=/s/></svg><base href=/b/>", "http://example.org/b/"),
        ("<svg><foreignObject><base href=/f/></foreignObject></svg>", "http://example.org/f/"),
        ("<!-- <base href=/c/> -->", URL),
        ("<a href=early><base href=/b/>", "http://example.org/b/"),
    ],
)
def test_a_base_counts_where_browsers_honour_it(markup: str, base: str) -> None:
    assert parse(markup).base == base


def test_links_are_relative_to_the_base_wherever_it_stands() -> None:
    page = parse("<meta http-equiv=refresh content='0;m'><a href=x><a href=#y><base href=//h/b/c><a href=?q>")
    assert [found.url for found in page.links] == ["http://h/b/m", "http://h/b/x", "http://h/b/c", "http://h/b/c?q"]


@pytest.mark.parametrize("markup", ["<svg><use href='#i' /></svg>", "<p style='fill:url(#i)'>", "<img src='#'>"])
def test_a_part_of_the_page_itself_is_no_link_to_its_base(markup: str) -> None:
    assert parse("<base href=//h/>" + markup).links == []


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title>A &amp; B</title>", "A & B"),
        ("<title>\n  A\t B \n</title>", "A B"),
        ("<title></title>", ""),
        ("<p>none", ""),
        ("<title>first</title><title>second</title>", "first"),
        ("<svg><title>drawing</title></svg><title>page</title>", "page"),
        ("<svg><title>drawing</title></svg>", ""),
        (f"<title>{'x' * 5_000}</title>", "x" * 1_000),
    ],
)
def test_the_title_is_the_first_of_the_page_itself(markup: str, title: str) -> None:
    assert parse(markup).title == title


@pytest.mark.parametrize(
    ("markup", "header", "nofollow", "noindex"),
    [
        ("", b"", False, False),
        ("<meta name=robots content=nofollow>", b"", True, False),
        ("<META NAME=ROBOTS CONTENT='NOINDEX,NOFOLLOW'>", b"", True, True),
        ("<meta name=robots content=none>", b"", True, True),
        ("<meta name=weft content=nofollow>", b"", True, False),
        ("<meta name=otherbot content=nofollow>", b"", False, False),
        ("<meta name=robots content=noindex><meta name=robots content=nofollow>", b"", True, True),
        ("<template><meta name=robots content=none></template>", b"", False, False),
        ("", b"nofollow", True, False),
        ("<meta name=robots content=noindex>", b"nofollow", True, True),
    ],
)
def test_page_and_header_ask_not_to_be_followed(markup: str, header: bytes, nofollow: bool, noindex: bool) -> None:
    page = parse_html(markup.encode(), URL, "text/html", [(b"x-robots-tag", header)])
    assert (page.nofollow, page.noindex) == (nofollow, noindex)


def test_queries_are_encoded_in_the_charset_of_the_page() -> None:
    body = "<meta charset=windows-1252><a href='/é?é'><a href='?&#9731;'>".encode("cp1252")
    page = parse_html(body, URL, "text/html")
    assert page.charset == "windows-1252"
    assert [found.url for found in page.links] == [
        "http://example.org/%C3%A9?%E9",
        "http://example.org/dir/page.html?%26%239731%3B",
    ]


def test_pages_in_utf_16_and_gbk_are_read() -> None:
    markup = "<title>中文</title><a href=x?q=中>"
    utf16 = parse_html(markup.encode("utf-16"), URL, None)
    gbk = parse_html(markup.encode("gbk"), URL, "text/html; charset=gb2312")
    assert (utf16.title, utf16.links[0].url) == ("中文", "http://example.org/dir/x?q=%E4%B8%AD")
    assert (gbk.title, gbk.links[0].url) == ("中文", "http://example.org/dir/x?q=%D6%D0")


def test_the_decoded_text_is_kept_only_if_it_is_asked_for() -> None:
    body = "<!DOCTYPE html><p>é".encode("latin-1")
    assert parse_html(body, URL, "text/html; charset=latin1").text == ""
    assert parse_html(body, URL, "text/html; charset=latin1", keep_text=True).text == "<!DOCTYPE html><p>é"
