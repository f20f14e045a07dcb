from __future__ import annotations

import pytest

from weft.parse import is_html, may_be_html, media_type


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/html", True),
        ("Text/HTML; charset=utf-8", True),
        (" text/html ;x", True),
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
    assert may_be_html(content_type) == expected


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
    assert may_be_html(content_type)


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [(None, ""), ("", ""), ("text/html", "text/html"), ("Text/HTML ; charset=x", "text/html")],
)
def test_the_media_type_is_the_type_alone(content_type: str | None, expected: str) -> None:
    assert media_type(content_type) == expected
