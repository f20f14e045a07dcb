"""What a body is, by its first bytes."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.media import detected_type


def zipped(*names: str, **files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


OFFICE = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("first_bytes", "named"),
    [
        (b"<!DOCTYPE html><title>x", "text/html"),
        (b"\xef\xbb\xbf\n <HTML>", "text/html"),
        (b"<!-- made by x --><html lang=de>", "text/html"),
        (b"junk before <html><body>", "text/html"),
        ("\ufeff<html>".encode("utf-16-le"), "text/html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', "application/xhtml+xml"),
        (b'<?xml version="1.0"?><!-- x --><rss version="2.0">', "application/rss+xml"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"),
        (b"<rdf:RDF xmlns:rdf='x'>", "application/rdf+xml"),
        (b"<svg xmlns='x'>", "image/svg+xml"),
        (b'<?xml version="1.0"?><urlset>', "application/xml"),
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (zipped("a.txt"), "application/zip"),
        (zipped("[Content_Types].xml", "word/document.xml"), OFFICE + "wordprocessingml.document"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), OFFICE + "spreadsheetml.sheet"),
        (zipped("[Content_Types].xml", "ppt/presentation.xml"), OFFICE + "presentationml.presentation"),
        (zipped("META-INF/MANIFEST.MF"), "application/java-archive"),
        (zipped(mimetype="application/epub+zip"), "application/epub+zip"),
        (zipped(mimetype="application/vnd.oasis.opendocument.text"), "application/vnd.oasis.opendocument.text"),
        (b'{"a": 1}', "application/json"),
        (b'[\n {"a": 1}]', "application/json"),
        (b"[1, 2]", "application/json"),
        (b"{not json}", "text/plain"),
        (b"{\\rtf1\\ansi", "application/rtf"),
        (b"BEGIN:VCALENDAR\r\n", "text/calendar"),
        (b"WEBVTT\n", "text/vtt"),
        (b"User-agent: *\nDisallow:", "text/plain"),
        ("Grüße".encode("latin-1"), "text/plain"),
        (b"\0" * 257 + b"ustar", "application/x-tar"),
        (b"\x01\x02\x03", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_a_type_is_seen_in_the_first_bytes(first_bytes: bytes, named: str) -> None:
    assert detected_type(first_bytes) == named


@pytest.mark.parametrize(
    ("first_bytes", "said", "named"),
    [
        (b"body { color: red }", "text/css; charset=utf-8", "text/css"),
        (b"var a = 1", "application/x-javascript", "text/javascript"),
        (b"a,b\n", "text/csv", "text/csv"),
        (b'{"@id": 1}', "application/ld+json", "application/ld+json"),
        (b"%PDF-1.7", "text/html", "application/pdf"),
        (b"<!doctype html>", "image/jpeg", "text/html"),
        (b"Not found", "text/html", "text/plain"),
        (b"var a = '<html>'", "text/javascript", "text/javascript"),
        (b"plain words", "image/png", "text/plain"),
        (b"plain words", "application/json", "text/plain"),
        (b"\x01\x02", "text/plain", "application/octet-stream"),
    ],
)
def test_the_server_may_say_only_which_kind_of_text_it_is(first_bytes: bytes, said: str, named: str) -> None:
    assert detected_type(first_bytes, said) == named


@given(st.binary(max_size=3_000), st.none() | st.text(max_size=40))
def test_there_is_always_an_answer(first_bytes: bytes, said: str | None) -> None:
    assert "/" in detected_type(first_bytes, said)
