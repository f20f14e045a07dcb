from __future__ import annotations

import pytest

from weft.media import Medium, is_html, may_lead, media_type, medium_of
from weft.parse.charset.labels import label_of_header
from weft.types import Fetched, Timing


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/html", True),
        ("Text/HTML; charset=utf-8", True),
        (" text/html ;x", True),
        ("text/html, text/html", True),
        ("text/plain, text/html; charset=utf-8", True),
        ("text/html; charset=utf-8, text/html,", True),
        ('text/html; x="a,b"', True),
        ("text/html, text/plain", False),
        ("application/xhtml+xml", True),
        ("text/plain", False),
        ("application/pdf", False),
        ("image/png", False),
        ("text/css", False),
        ("application/json", False),
    ],
)
def test_the_word_of_the_server_counts_whatever_the_bytes(content_type: str, expected: bool) -> None:
    assert is_html(content_type, b"<!doctype html>") == expected
    assert is_html(content_type, b"%PDF-1.7") == expected


@pytest.mark.parametrize("content_type", [None, "", "html", "*/*", "unknown/unknown", "; charset=x"])
@pytest.mark.parametrize(
    ("first_bytes", "expected"),
    [
        (b"<!DOCTYPE html>", True),
        (b"\xef\xbb\xbf \r\n<HTML lang=en>", True),
        (b"<html>", True),
        (b"<!-- hello --><p>", True),
        (b"<p>", True),
        (b"<a href=x>", True),
        (b"<abc>", False),
        (b"<!doctype htmlx", False),
        (b"<?xml version='1.0'?><feed>", False),
        (b"plain text <html>", False),
        (b"%PDF-1.7", False),
        (b"\x89PNG\r\n", False),
        (b"", False),
    ],
)
def test_without_a_word_the_first_bytes_decide(content_type: str | None, first_bytes: bytes, expected: bool) -> None:
    assert is_html(content_type, first_bytes) == expected
    assert may_lead(content_type)


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [(None, ""), ("", ""), ("text/html", "text/html"), ("Text/HTML ; charset=x", "text/html")],
)
def test_the_media_type_is_the_type_alone(content_type: str | None, expected: str) -> None:
    assert media_type(content_type) == expected


PAGE, FEED, STYLE_SHEET = Medium.PAGE, Medium.FEED, Medium.STYLE_SHEET
RSS = b'<?xml version="1.0"?>\n<rss version="2.0"><channel>'
SVG = b'<svg xmlns="http://www.w3.org/2000/svg">'


@pytest.mark.parametrize(
    ("content_type", "first_bytes", "expected"),
    [
        ("text/html", b"<!doctype html>", PAGE),
        ("text/html", b"", PAGE),
        ("text/html", b'<?xml version="1.0"?><html>', PAGE),
        ("text/html; charset=utf-8", RSS, FEED),  # a common mistake; browsers look, too
        ("text/html", b"<p>how to write <rss>", PAGE),
        ("application/xhtml+xml", b"<html>", PAGE),
        ("text/css", b"<rss>", STYLE_SHEET),
        ("image/svg+xml", SVG, PAGE),
        ("image/svg+xml", b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY z "w">]>' + SVG, PAGE),
        ("application/rss+xml", RSS, FEED),
        ("application/rss+xml; charset=utf-8", b"<!-- a > b --><!-- - -->" + RSS, FEED),
        ("application/atom+xml", b"<feed xmlns='http://www.w3.org/2005/Atom'>", FEED),
        ("application/atom+xml", b"<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'>", FEED),
        ("application/rdf+xml", b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", FEED),
        ("text/xml", RSS, FEED),
        ("text/xml", b"\xef\xbb\xbf\r\n" + RSS, FEED),
        ("application/xml", RSS.decode().encode("utf-16"), FEED),
        ("application/xml", SVG, PAGE),
        ("application/xml", b"<html>", PAGE),
        ("text/xml", b"<urlset>", None),
        ("text/xml", b"<rssfeeds>", None),
        ("application/rss+xml", b"Database error", None),
        ("application/feed+json", b"{", FEED),
        ("application/json", b'{"version": "https://jsonfeed.org/version/1.1"', FEED),
        ("application/json", b'{"version":"https:\\/\\/jsonfeed.org\\/version\\/1"', FEED),
        ("application/json", b'{"version": 3}', Medium.DATA),
        (None, b"<p>", PAGE),
        (None, RSS, FEED),
        (None, SVG, PAGE),
        (None, b"%PDF-1.7", None),
        ("text/plain", RSS, None),
        ("image/png", b"<!doctype html>", None),
    ],
)
def test_type_and_first_bytes_say_what_to_read_a_response_as(
    content_type: str | None, first_bytes: bytes, expected: Medium | None
) -> None:
    assert medium_of(content_type, first_bytes) is expected
    assert may_lead(content_type) or expected is None


@pytest.mark.parametrize("content_type", ["text/plain", "image/png", "application/pdf", "video/mp4", "font/woff2"])
def test_what_cannot_lead_anywhere_is_not_even_unpacked(content_type: str) -> None:
    assert not may_lead(content_type)


@pytest.mark.parametrize("piece", [b"<!--", b"<!", b"<?", b"<![", b" ", b"]>", b"<!-- -", b"\0", b"<a:"])
def test_any_first_bytes_are_looked_at(piece: bytes) -> None:
    assert medium_of("text/xml", piece * 100_000) is None


def test_of_two_headers_the_last_type_and_the_first_charset_count() -> None:
    headers = ((b"content-type", b"text/plain; charset=koi8-r"), (b"server", b"x"), (b"content-type", b"text/html"))
    fetched = Fetched("http://a.test/", "", 0.0, b"", 200, b"", headers, b"", None, 0, False, None, Timing())
    assert fetched.media_type == "text/html"
    assert label_of_header((fetched.header(b"content-type") or b"").decode()) == "koi8-r"
    assert fetched.header(b"server") == b"x"
    assert fetched.header(b"location") is None
