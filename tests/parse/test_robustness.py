"""Nothing that a page holds makes the parser raise, or take more than its share of time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import parse_html

URL = "http://example.org/dir/page.html"

PIECES = [
    *("<a href=", "<base href=", "<img srcset='", "<meta name=robots content=", "<template>", "</template>"),
    *("<meta http-equiv=refresh content='", "<svg>", "<math>", "<title>", "<style>", "</style>", "<p style='"),
    *("<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>", "<frameset>", "<iframe src=", "<link rel=next href="),
    *("<select>", "<table>", "<td>", "</p>", "</a>", "<noscript>", "<plaintext>", "<textarea>", "<xmp>", "<?php ?>"),
    *(
        "rel=nofollow",
        "url(",
        "@import ",
        "0;url=",
        "x 1x, ",
        "http://",
        "http://[",
        "//h/",
        "..",
        "%",
        "&#0;",
        "&#xD800;",
    ),
    *("<iframe srcdoc='", "&lt;a href=x&gt;", "<img data-src=", "<source data-srcset='", "<a style='", "image-set('"),
    *(
        "<script type=application/ld+json>",
        '{"url":',
        '"http://h/x"',
        "}",
        "\\",
        "\\2f ",
        "<?xml-stylesheet href='",
        "?>",
    ),
    *("&amp;", "&notit;", "\x00", "\ufeff", "é", "\U0001f600", "'", '"', ">", "<", "/>", " ", "\n", "=", "a" * 50),
]


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_markup_is_parsed(markup: str) -> None:
    page = parse_html(markup.encode("utf-8", "surrogatepass"), URL, "text/html; charset=utf-8")
    urls = [found.url for found in page.links]
    assert len(set(urls)) == len(urls)
    assert all(url.startswith(("http://", "https://")) and url.isascii() for url in urls)


@settings(max_examples=100, deadline=None, database=None)
@given(st.binary(max_size=500), st.one_of(st.none(), st.text(max_size=20)))
def test_any_bytes_are_parsed(body: bytes, content_type: str | None) -> None:
    assert parse_html(body, URL, content_type).base.startswith("http")


NESTED = [
    "div",
    "a href=y",
    "b",
    "svg",
    "svg><a href=y",
    "template",
    "table",
    "ul><li",
    "object",
    "p",
    "math",
    "select",
]


@pytest.mark.parametrize("tag", NESTED)
def test_elements_nested_200_000_deep_are_parsed(tag: str) -> None:
    body = f"<{tag}>".encode() * 200_000 + b"</select><a href=x>"
    urls = {found.url for found in parse_html(body, URL, "text/html").links}
    assert urls <= {"http://example.org/dir/x", "http://example.org/dir/y"}
    assert bool(urls) == (tag != "template")


def test_a_page_of_100_000_links_gives_them_all() -> None:
    body = b"".join(b'<a href="p/%d">x</a>' % number for number in range(100_000))
    page = parse_html(body, URL, "text/html")
    assert len(page.links) == 100_000
    assert page.links[-1].url == "http://example.org/dir/p/99999"


def test_a_page_of_100_000_nofollow_links_gives_them_all() -> None:
    body = b"".join(b'<a rel=nofollow href="p/%d">x</a>' % number for number in range(100_000))
    assert all(found.nofollow for found in parse_html(body, URL, "text/html").links)


@pytest.mark.parametrize("element", ["base", "base href=x", "meta name=x content=y", "title", "template"])
def test_an_element_repeated_100_000_times_is_parsed(element: str) -> None:
    body = f"<{element}></{element.split()[0]}>".encode() * 100_000 + b"<a href=/end>"
    assert parse_html(body, URL, "text/html").links[-1].url == "http://example.org/end"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00" * 100_000,
        b"<" * 100_000,
        b"&" * 100_000,
        b"<a " * 100_000,
        b"<a" + b" x=y" * 100_000 + b">",
        b"<!--" * 100_000,
        b'<a href="' + b"x" * 1_000_000 + b'">',
        b'<a href="' + b"../" * 300_000 + b'">',
        b'<a href="' + b" " * 1_000_000 + b'">',
        b'<img src="data:image/png;base64,' + b"A" * 1_000_000 + b'">',
        b'<meta http-equiv=refresh content="' + b" " * 1_000_000 + b'">',
        b'<meta http-equiv=refresh content="' + b"1" * 1_000_000 + b'">',
        b'<meta http-equiv=refresh content="1' + b" " * 1_000_000 + b'x">',
        b"<title>" + b"x " * 500_000,
        b'<img srcset="' + b"a 1x," * 100_000 + b'">',
        b"<style>" + b"url(" * 250_000,
        b"<style>image-set(" + b"url(" * 250_000,
        b"<style>" + b"image-set(" * 100_000,
        b"<style>" + b"image-set('" * 100_000,
        b"<p style='" + b"url(\\" * 200_000,
        b"<iframe srcdoc='" + b"<" * 1_000_000,
        b"<iframe srcdoc='" + b"&amp;lt;a" * 100_000,
        b"<img data-srcset='" + b"x (" * 300_000 + b"'>",
        b"<script type=application/ld+json>" + b"{" * 1_000_000,
        b"<script type=application/ld+json>" + b"[" * 1_000_000,
        b'<script type=application/ld+json>{"url":"' + b"http://" * 150_000 + b'"}</script>',
        b"<?xml?>" + b"<?xml-stylesheet href=" * 50_000,
    ],
    ids=lambda body: repr(body[:32]),
)
def test_a_page_made_to_hurt_is_parsed(body: bytes) -> None:
    page = parse_html(body, URL, "text/html")
    assert len(page.title) <= 1_000
    assert len(page.links) <= 1
