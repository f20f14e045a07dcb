"""What first bytes show, and what they do not."""

from __future__ import annotations

import pytest

from weft.media.signatures import has_binary_byte, type_by_markup, type_by_signature


@pytest.mark.parametrize(
    ("first_bytes", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "image/avif"),
        (b"\0\0\0\x18ftypmp42", "video/mp4"),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01\x42\x82\x84webm", "video/webm"),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01", "video/x-matroska"),
        (b"PK\x03\x04\x14\0", "application/zip"),
        (b"PK\x05\x06\0\0", "application/zip"),  # with nothing in it
        (b"\x7fELF\x02\x01\x01\0", "application/octet-stream"),
        (b"SQLite format 3\0", "application/octet-stream"),
        (b"PKZIP was a program\n", ""),
        (b"<!doctype html>", ""),
        (b"Read me first\n", ""),
        (b"", ""),
    ],
)
def test_a_signature_names_the_type_of_what_is_no_text(first_bytes: bytes, media_type: str) -> None:
    assert type_by_signature(first_bytes) == media_type


@pytest.mark.parametrize(
    ("first_bytes", "media_type"),
    [
        (b"\xef\xbb\xbf\n<!DOCTYPE html>", "text/html"),
        (b"<p>", "text/html"),
        (b"<?xml version='1.0'?><svg xmlns=''>", "image/svg+xml"),
        (b"<?xml version='1.0'?><rss>", "application/xml"),
        (b"<paragraph>", ""),
        (b"<", ""),
    ],
)
def test_markup_is_known_by_how_it_begins(first_bytes: bytes, media_type: str) -> None:
    assert type_by_markup(first_bytes) == media_type


def test_a_byte_that_no_text_has_counts_only_where_it_is_looked_for() -> None:
    assert has_binary_byte(b"text\0")
    assert not has_binary_byte(b"text\0", within=4)
    assert not has_binary_byte(b"\t\n\f\r \x1b[0m text \xe9\xff")
