"""The scanner and the tree agree on every page: links, their order, kinds and places, title, base, directives."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.html_files import some_html_files
from tests.parse.scan_markup import ANY_MARKUP
from weft.parse import ParsedPage, parse_html
from weft.parse.scan import always_tree, has_scanner, scan_page

pytestmark = pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")

URL = "http://example.org/dir/page.html?p"
REAL_PAGES = [
    Path("/usr/share/doc/openjdk-17-jre-headless/api/java.base"),
    Path("/usr/share/doc/openjdk-17-doc/api/java.base"),
    Path("/usr/share/doc"),
]


def all_of(page: ParsedPage) -> tuple[object, ...]:
    """Everything about a page; dictionaries are equal whatever their order, lists are not."""
    return page.links, page.title, page.base, page.charset, page.nofollow, page.noindex, page.noarchive


def assert_same(body: bytes, content_type: str | None, embeds: bool, url: str = URL) -> None:
    scanned = parse_html(body, url, content_type, embeds=embeds)
    by_tree = parse_html(body, url, content_type, embeds=embeds, scan=always_tree)
    assert all_of(scanned) == all_of(by_tree)


@settings(max_examples=200, deadline=None, database=None)
@given(ANY_MARKUP, st.booleans())
def test_any_markup_is_read_alike(markup: str, embeds: bool) -> None:
    assert_same(markup.encode(), "text/html; charset=utf-8", embeds)


@settings(max_examples=100, deadline=None, database=None)
@given(ANY_MARKUP, st.sampled_from(("windows-1252", "utf-16", "shift_jis", "no-such")), st.booleans())
def test_markup_in_any_charset_is_read_alike(markup: str, charset: str, embeds: bool) -> None:
    assert_same(markup.encode("utf-8"), f"text/html; charset={charset}", embeds)
    assert_same(markup.encode("utf-16"), None, embeds)
    assert_same(markup.encode("cp1252", "ignore"), f"text/html; charset={charset}", embeds)


@settings(max_examples=100, deadline=None, database=None)
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_read_alike(body: bytes, embeds: bool) -> None:
    assert_same(body, None, embeds)


HREFS = st.text(alphabet="ab./?#%2eE:@&=~-_ h\\\t\n0é", max_size=16)
STARTS = st.sampled_from(
    ("", "../", "../../", "/", "//", "//h/", "http://h/", "http://example.org/", "HTTP://H/", "./")
)
BASES = st.sampled_from(
    ("http://h/", "http://h/a/b/c.html", "https://h:8443/x/y?z/w", "http://h/a?b#c", "http://[::1]/a/", "/up/", "é", "")
)


@settings(max_examples=100, deadline=None, database=None)
@given(BASES, st.lists(st.tuples(STARTS, HREFS).map("".join), max_size=12))
def test_links_are_resolved_alike(base: str, hrefs: list[str]) -> None:
    links = "".join(f'<a href="{escape(href)}"><img src="{escape(href)}">' for href in hrefs)
    body = f'<meta charset=utf-8><base href="{base}">{links}'.encode()
    assert scan_page(body.decode(), True) is not None
    assert_same(body, "text/html", True)


ASKED = ("nofollow", "NoIndex", "none", "noarchive", "nocache", "no", "annotations", "index, follow")
WRITTEN = ("{}", "max-snippet:1, {}", "none-such:{}", "'{}'", "no{}", "&#110;{}", "&#x4e;o&#102;ollow {}", "n\0{}")


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("asked", ASKED)
def test_what_meta_elements_ask_for_is_read_alike(asked: str, written: str) -> None:
    content = escape(written.format(asked), quote=False).replace("&amp;", "&")
    for name in ("name=robots", "name=' WEFT '", "name=otherbot", "property=robots", "http-equiv=robots"):
        assert_same(f'<meta {name} content="{content}"><a href=x>'.encode(), None, False)
    for refresh in ("refresh", "REFRESH", "r&#101;fresh", "re\0fresh", "refreshed"):
        assert_same(f'<meta http-equiv="{refresh}" content="0;url={content}"><a href=x>'.encode(), None, False)


def test_real_pages_are_read_alike() -> None:
    found = some_html_files(REAL_PAGES, 60)
    if found is None:
        pytest.skip("no documentation is installed")
    folder, files = found
    for path in files:
        url = "http://example.org/" + path.relative_to(folder).as_posix()
        for embeds in (True, False):
            assert_same(path.read_bytes(), "text/html", embeds, url)


# What once told the two apart, or might.
TRICKY = [
    "<template style=url(s)><a href=x></template><a href=y>",
    "<style style=url(s)>a{b:url(t)}</style>",
    "<table><td><title></title><col><title>second</title>",
    "<table><tr><td><a href=x></td></tr><a href=y></table>",
    "<table><tr><div><script src=x></script></div><td><a href=y>",
    "<table background=x><tr background=y><td background=z></table><td background=w><tr style='a:url(v)'>",
    "<table><th><a href=x></td><a href=y></th><a href=z></table>",
    "<table><tbody><td></thead><a href=x></tbody><a href=y></table>",
    "<table><caption><a href=x></td><a href=y></caption><tr><td><table><td><a href=z></table><a href=w></table>",
    "<table><form style='a:url(x)'><tr><td><form style='a:url(y)'></table>",
    "<a href=x><div><a href=y>text</div><a href=x rel=nofollow>",
    "<a href=1><table><tr><td><a href=2></td></tr></a></table><a href=3>",
    "<p><a href=x></p><table>text<tr><td><a href=y></table>",
    "<select><option>x</option><a href=y></select><a href=z>",
    "<select><option style='a:url(x)'><optgroup><hr><script src=y></script></select><a href=z>",
    "<svg><title>a</title><desc>b</desc><style>c{d:url(e)}</style><a xlink:href=f><use href=g#h /></a></svg><a href=i>",
    "<svg><title><a href=x></title></svg><title>page</title>",
    "<svg><path d=x><g></svg><a href=y>",
    "<svg><p><a href=x></svg><svg><![CDATA[<a href=y>]]></svg>",
    "<svg><feImage href=x /><image href=y /></svg><image href=z src=w><feimage href=v>",
    "<template><template><a href=x></template><a href=y></template><a href=z>",
    "<template><col><textarea><a href=x></template><a href=y>",
    "<template><a href=x><marquee></template>text",
    "<template><b style='a:url(x)'><object></template>text<template><a href=y></a><table><td></template>text",
    "<template><tr><a href=x><td><table></td></template>text",
    "<noscript></x><noscript style='a:url(x)'>",
    "<template shadowrootmode=open><a href=x></template>",
    "<head><noscript><img src=x><link rel=next href=y></noscript><title>t</title><body background=z>",
    "text<link rel=stylesheet href=x><body background=y>",
    "<a href=x><body background=y style='a:url(z)'>",
    "<p><html style='a:url(x)'><head style='a:url(y)'>",
    "<script><!--<script></script><a href=x></script><a href=y>",
    "<script><!--<script>--></script><a href=x>",
    "<script><!-->'<a href=n>'</script><a href=x>",
    "<textarea><a href=x></textarea ><a href=y></textarea/><title>a</title/x='>'><a href=z>",
    "<title>&copy=&notit;&#x80;&#0;&amp\0\r\n &AMP;</title>",
    "<a href='&copy=1&copyx&copy;&copy &notit;&#x80;&#xD800;&#99999999;&apos;&amp&lt'>",
    "<a href=x href=y HREF=z><a/href=u><a href = 'v'w=x><a href=\"t\"rel=nofollow>",
    "<a href='x>y'><a title='>' href=z><a =href=w><a href=><a href>",
    "<!-- <a href=x> --!><a href=y><!--><a href=z>--><!---><a href=w><!-- <!--> <a href=v>",
    "<a\0 href=x><a hr\0ef=y><a href=z\0><\0a href=w>",
    "<frameset><frame src=x></frameset>",
    "<plaintext><a href=x>",
    "<math><a href=x></math><a href=y>",
    "<link rel='shortcut icon' href=x><link rel=next href=y><link href=z><link rel=alternate href=''>",
    "<img srcset='a 1x, b 2x' src=c longdesc=d data-src=e data-srcset='f 1x, g'>"
    "<iframe data-src=h src=i srcdoc='<a href=j>'>",
    "<object data=x archive='y z'></object><applet archive=w></applet><input type=IMAGE src=v><input src=u>",
    "<a rel='x\x0bnofollow' href=y><a rel='nofollow\xa0' href=z><a rel='nofollowing' href=w>",
    '<script type="application/LD+json">{"url": "http://h/x", "image": "http://h/y"}</script>',
    "<base target=x><a href=y><base href=''><base href=/z/>",
    "<meta name=robots content=nofollow><meta http-equiv=REFRESH content='0;url=x'><meta name=y>",
]


@pytest.mark.parametrize("embeds", [True, False])
@pytest.mark.parametrize("markup", TRICKY)
def test_tricky_markup_is_read_alike(markup: str, embeds: bool) -> None:
    assert_same(markup.encode(), "text/html; charset=utf-8", embeds)
    assert_same(f"<!DOCTYPE html><html><head><title>t</title></head><body><p>{markup}".encode(), "text/html", embeds)
