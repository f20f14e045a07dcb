from __future__ import annotations

import pytest

from weft.media import Medium, may_lead, medium_of
from weft.parse import parse_manifest
from weft.types import Kind

URL = "https://example.org/app/site.webmanifest"
MANIFEST = b"""{"name": "x", "start_url": "/?from=home", "icons": [
  {"sizes": "192x192", "src": "i\\/192.png"}, {"src": "https://cdn.example/512.png#x"}],
 "screenshots": [{"src": "/wide.png", "form_factor": "wide"}],
 "shortcuts": [{"url": "/new", "icons": [{"src": "new.png"}]}]}"""


def test_a_manifest_leads_to_its_pictures_and_to_no_page() -> None:
    page = parse_manifest(MANIFEST, URL, "application/manifest+json")
    assert [(found.url, found.kind, found.context) for found in page.links] == [
        ("https://example.org/app/i/192.png", Kind.EMBED, "icons/src"),
        ("https://cdn.example/512.png", Kind.EMBED, "icons/src"),
        ("https://example.org/wide.png", Kind.EMBED, "screenshots/src"),
        ("https://example.org/app/new.png", Kind.EMBED, "icons/src"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b"\xff\xfe{", b"[" * 100_000, b'{"icons": "x.png"}', b'{"icons": ["x.png", 1]}'),
        *(b'{"icons": [{"src": 1}, {"src": " "}, {}]}', b'{"icons": {"src": "x"}}', b'{"shortcuts": [[{"icons": 1}]]}'),
    ],
)
def test_what_is_no_manifest_leads_nowhere(body: bytes) -> None:
    assert parse_manifest(body, URL).links == []


def test_a_byte_order_mark_is_passed_over() -> None:
    assert len(parse_manifest(b"\xef\xbb\xbf" + MANIFEST, URL).links) == 4


def test_half_a_character_and_a_line_break_in_a_text_hide_no_picture() -> None:
    body = b'{"name": "\\ud83d", "description": "a\nb", "icons": [{"src": "a\\ud83d.png"}, {"src": "b.png"}]}'
    assert [found.url for found in parse_manifest(body, URL).links] == ["https://example.org/app/b.png"]


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/manifest+json", b"{}", Medium.MANIFEST),
        ("application/manifest+json; charset=utf-8", MANIFEST, Medium.MANIFEST),
        ("application/json", MANIFEST, Medium.MANIFEST),
        ("application/json", b'{"icons": [{"sizes": "1x1", "type": "image/png", "src": "x"}]}', Medium.MANIFEST),
        ("application/json", b'{"icons": ["a.png"], "src": "x"}', Medium.DATA),
        ("application/json", b'{"version": "https://jsonfeed.org/version/1", "icons": [{"src": "x"}]}', Medium.FEED),
        ("text/plain", MANIFEST, None),
    ],
)
def test_a_manifest_is_known_by_its_type_or_its_icons(content_type: str, body: bytes, expected: Medium | None) -> None:
    assert medium_of(content_type, body) is expected
    assert may_lead(content_type) == (content_type != "text/plain")


def test_looking_for_icons_takes_time_in_proportion() -> None:
    assert medium_of("application/json", b'"icons":[{' * 10_000) is Medium.DATA
