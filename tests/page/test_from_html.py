"""A page made from HTML, without a server, is what the same response would have been."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import weft
from weft.errors import BadInput, BadUrl
from weft.types import Kind, Outcome

HTML = "<html lang=de><title>Käse &amp; Brot</title><a href=next#top>on</a><img src=/a.png><p>Größe: 3 €"


def test_a_page_from_html_has_all_that_a_fetched_one_has() -> None:
    page = weft.Page.from_html(HTML, url="https://Example.org:443/shop/#x", headers={"ETag": "1", "X-Two": "ä"})
    assert (page.url, page.status, page.outcome) == ("https://example.org/shop/", 200, Outcome.RESPONSE)
    assert (page.title, page.language, page.charset) == ("Käse & Brot", "de", "utf-8")
    assert page.links == ["https://example.org/shop/next"]
    assert page.requisites == ["https://example.org/a.png"]
    assert page.text.endswith("Größe: 3 €")
    assert page.html == HTML
    assert page.document.select("p")[0].text == "Größe: 3 €"
    assert (page.headers["etag"], page.headers["x-two"], page.media_type) == ("1", "ä", "text/html")
    assert (page.depth, page.via, page.kind) == (0, "", Kind.SEED)
    assert abs((datetime.now(UTC) - page.fetched_at).total_seconds()) < 3600


@pytest.mark.parametrize(
    ("html", "headers", "charset"),
    [
        ("é", None, "utf-8"),
        ("é", {"content-type": "text/html; charset=latin-1"}, "utf-8"),
        ("<meta charset=latin-1>é", None, "utf-8"),
        ("é".encode("latin-1"), {"Content-Type": "text/html; charset=latin-1"}, "windows-1252"),
        ("<meta charset=latin-1>é".encode("latin-1"), None, "windows-1252"),
        ("<meta charset=utf-8>é".encode(), {}, "utf-8"),
        ("é", {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked", "Content-Length": "7"}, "utf-8"),
    ],
)
def test_a_text_is_taken_as_it_is_and_bytes_by_the_charset_that_they_have(
    html: str | bytes, headers: dict[str, str] | None, charset: str
) -> None:
    page = weft.Page.from_html(html, headers=headers)
    assert page.is_html
    assert page.html.endswith("é")
    assert page.charset == charset


def test_what_is_no_html_keeps_its_media_type() -> None:
    page = weft.Page.from_html('{"a": 1}', status=404, headers={"Content-Type": "application/json"})
    assert (page.status, page.media_type, page.is_html, page.html) == (404, "application/json", False, '{"a": 1}')


def test_half_a_character_does_no_harm() -> None:
    assert weft.Page.from_html("a\ud800b").html == "a?b"


@pytest.mark.parametrize(
    "wrong",
    [
        {"html": 7},
        {"html": "", "url": "no url"},
        {"html": "", "url": "mailto:a@example.org"},
        {"html": "", "status": 0},
        {"html": "", "status": "200"},
        {"html": "", "headers": [("a", "b")]},
        {"html": "", "headers": {"a": 1}},
    ],
)
def test_what_makes_no_page_is_told_in_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises((BadInput, BadUrl)):
        weft.Page.from_html(**wrong)


@pytest.mark.parametrize(
    ("body", "is_text"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<p>", False),
        (b"PK\x03\x04\x14\0\0\0<p>", False),
        (b"BMW is a make of cars.", True),  # a bitmap begins so, too
        (b"\0<p>an odd page", True),
    ],
)
def test_a_file_that_is_served_as_a_page_has_no_text(body: bytes, is_text: bool) -> None:
    page = weft.Page.from_html(body, headers={"Content-Type": "text/html"})
    assert (page.is_html, bool(page.text), bool(page.html), bool(page.markdown())) == (is_text,) * 4
