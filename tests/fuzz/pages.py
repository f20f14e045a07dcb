"""What pages hold: charsets, markup, style sheets, feeds, JSON-LD, sitemaps, directives."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.properties import Property, mixed_bytes, mixed_text
from tests.fuzz.urls import LINKS
from weft.media import medium_of
from weft.parse import decode, parse_css, parse_feed, parse_html, parse_sitemap, robots_directives
from weft.parse.css import css_urls
from weft.parse.json_ld import json_ld_links
from weft.parse.language import page_language
from weft.parse.markdown import page_markdown
from weft.parse.parsed_page import ParsedPage
from weft.parse.simhash import simhash
from weft.parse.text import page_text
from weft.parse.tree import tree_of
from weft.url import canonicalize

URL = "http://example.org/dir/page.html"

CONTENT_TYPES = st.sampled_from(
    [
        None,
        "",
        "text/html",
        *(
            f"text/html; charset={name}"
            for name in ("utf-8", "utf-16", "shift_jis", "gbk", "big5", "iso-2022-jp", "x\x00y")
        ),
        "text/html; charset=windows-1252; charset=utf-8",
        "application/xml",
        "text/css",
        ';;="',
    ]
)
MARKUP_PIECES = (
    "<a href=", "<base href=", "<img srcset='", "<meta name=robots content=", "<template>", "</template>", "<svg>",
    "<meta http-equiv=refresh content='", "0;url=", "<title>", "<style>", "</style>", "<p style='", "<script>",
    "<!--", "<script type=application/ld+json>", "</script>", "-->", "<![CDATA[", "]]>", "<iframe srcdoc='",
    "<table>", "<td>", "<plaintext>", "<textarea>", "<select>", "</p>", "rel=nofollow ", "url(", "@import ", "//h/",
    "http://h/x", "../y", '{"url":', '"http://h/x"', "}", "\\", "\\2f ", "<?xml-stylesheet href='", "?>", "&amp;",
    "&#0;", "&#xD800;", "x 1x, ", "\x00", "\ufeff", "é", "😀", "'", '"', ">", "<", "/>", " ", "\n", "=", "lang=de ",
    "<pre>", "<li>", "data-src=",
)  # fmt: skip
CSS_PIECES = (
    "url(", "url('", 'url("', ")", "@import ", "image-set(", "'", '"', "\\", "\\a ", "\\22 ", "/*", "*/", ";", "{",
    "}", "x.png", "http://h/a", "//h/b", "data:x", "\n", " ", "1x", "type(", ",", "\x00", "é", "@namespace ", "src(",
    "#",
)  # fmt: skip
FEED_PIECES = (
    "<?xml version='1.0'?>", "<rss>", "<channel>", "<item>", "</item>", "<link>", "</link>", "<guid>", "</guid>",
    "<feed ", "xml:base='", "<entry>", "</entry>", "<link href='", "rel='next' ", "/>", ">", "<enclosure url='",
    "<![CDATA[", "]]>", "<!DOCTYPE x [", "<!ENTITY a 'b'>", "]>", "&a;", "&amp;", "http://h/x", "../y", "'",
    "<urlset>", "<url><loc>", "</loc>", "<sitemapindex>", "<sitemap>", "<lastmod>", "2024-01-01", "<priority>", "1e9",
    '{"items":[', '{"url":"/a"}', "]", "}", "\x00", "é", " ", "\n", "http://h/z\n", "</", "<!--", "-->", "<a:url>",
    "<content src='", "#",
)  # fmt: skip
JSON_PIECES = (
    "{", "}", "[", "]", '"url":', '"@id":', '"http://h/x"', '"../y"', ",", ":", '"', "\\", "\\u0000", "\\ud800",
    "null", '"image":', '"mainEntityOfPage":', '"@graph":', "1e999", "true", "/* x */", "//\n", "\x00", "é", " ",
    "<!--", '"@type":',
)  # fmt: skip
CHARSET_PIECES = (
    b"<", b">", b"=", b'"', b"abc", b" ", b"\x81", b"\x8f", b"\xa4", b"\xe3\x81\x82", b"\xff", b"\xfe", b"\xc3\xa9",
    b"\xe9", b"\xdc\xd4\xcf", b"\xfd\xf2\xee", b"\x93\xfa\x96{", b"\xc6\xfc\xcb\xdc", b"\x80", b"\x9f",
    b"\xd6\xd0\xb9\xfa", b"\xa4\xa4\xb0\xea", b"\xc7\xd1\xb1\xb9", b"<meta charset=gbk>", b"<meta charset=x>",
    b"<?xml encoding='euc-jp'?>", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\x1b$B", b"\x1b(B", b"\x00<", b"<\x00",
)  # fmt: skip
# In no charset of the web are these part of a longer character.
PLAIN_BYTES = b'<>="'


def text_loses_no_ascii(given: tuple[bytes, str | None]) -> None:
    """What markup is made of is there as often as it was, and the text can be written again."""
    body, content_type = given
    text, charset = decode(body, content_type)
    text.encode()
    assert charset == charset.lower()
    if body.isascii() and b"\x1b" not in body and b"\x00" not in body:
        assert text == body.decode("ascii")
    wide = charset.startswith("utf-16") or charset in ("iso-2022-jp", "replacement")
    if not wide:
        for byte in PLAIN_BYTES:
            assert text.count(chr(byte)) == body.count(byte), chr(byte)


def _assert_canonical(page: ParsedPage) -> None:
    urls = [found.url for found in page.links]
    assert len(set(urls)) == len(urls)
    for url in urls:
        assert canonicalize(url) == url
    assert len(page.title) <= 1_000


def any_page_gives_canonical_links(given: tuple[bytes, str | None]) -> None:
    """Whatever it is taken for."""
    body, content_type = given
    medium_of(content_type, body)
    for parser in (parse_html, parse_css, parse_feed):
        _assert_canonical(parser(body, URL, content_type))


def any_markup_gives_canonical_links(markup: str) -> None:
    """And text, Markdown and a language."""
    _assert_canonical(parse_html(markup.encode(), URL, "text/html; charset=utf-8"))
    document = tree_of(markup)
    text = page_text(document)
    page_language(document, text)
    assert 0 <= simhash(text) < 2**64
    page_markdown(document, URL).encode()


def any_style_sheet_gives_canonical_links(css: str) -> None:
    """As a file and as an element."""
    _assert_canonical(parse_css(css.encode(), URL, "text/css"))
    list(css_urls(css))


def any_feed_gives_canonical_links(text: str) -> None:
    """And so does any sitemap."""
    body = text.encode()
    _assert_canonical(parse_feed(body, URL, "application/xml"))
    for content_type in ("application/xml", "text/plain"):
        sitemap = parse_sitemap(body, URL, content_type)
        urls = [page.url for page in sitemap.pages] + sitemap.sitemaps
        assert [canonicalize(url) for url in urls] == urls


def any_json_ld_is_read(text: str) -> None:
    """As far as it can be."""
    for href, _ in json_ld_links(text):
        assert isinstance(href, str)


def any_directives_are_read(given: tuple[str, bytes]) -> None:
    """In a header and in a meta element."""
    content, header = given
    robots_directives([(b"x-robots-tag", header)], [("robots", content), (content, "noindex")], "weft")


def a_link_in_a_page_is_the_link(href: str) -> None:
    """A link that is written as HTML wants it gives what its text gives."""
    escaped = href.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    if "\x00" in href or "\r" in href:
        return  # markup cannot say these
    page = parse_html(f'<!DOCTYPE html><a href="{escaped}">x</a>'.encode(), URL, "text/html; charset=utf-8")
    body = parse_html(f'<!DOCTYPE html>é<a href="{escaped}">x</a>'.encode(), URL, "text/html; charset=utf-8")
    assert [found.url for found in page.links] == [found.url for found in body.links]


PAGE_PROPERTIES = (
    Property(
        "charset: text loses no ASCII", st.tuples(mixed_bytes(CHARSET_PIECES), CONTENT_TYPES), text_loses_no_ascii
    ),
    Property(
        "pages: any bytes give canonical links",
        st.tuples(mixed_bytes((*CHARSET_PIECES, b"<a href=", b"url(", b"<link>")), CONTENT_TYPES),
        any_page_gives_canonical_links,
    ),
    Property(
        "pages: any markup gives canonical links", mixed_text(MARKUP_PIECES, 40), any_markup_gives_canonical_links
    ),
    Property("pages: the link is the link", LINKS, a_link_in_a_page_is_the_link),
    Property("css: canonical links", mixed_text(CSS_PIECES, 30), any_style_sheet_gives_canonical_links),
    Property("feeds, sitemaps: canonical links", mixed_text(FEED_PIECES, 30), any_feed_gives_canonical_links),
    Property("JSON-LD: is read", mixed_text(JSON_PIECES, 30), any_json_ld_is_read),
    Property(
        "directives: are read",
        st.tuples(
            mixed_text(["noindex", "nofollow", "none", ":", ",", "weft", "unavailable_after:", "max-snippet:", " "]),
            mixed_bytes([b"noindex", b"weft:", b",", b"\xff", b":"]),
        ),
        any_directives_are_read,
    ),
)
