from __future__ import annotations

import pytest

from weft.mirror.extensions import extension_for
from weft.mirror.paths import wanted_path

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0"
GIF = b"GIF89a\1\0\1\0\x80\0\0"
WEBP = b"RIFF\x1a\0\0\0WEBPVP8 "
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
ZIP = b"PK\3\4\x14\0\0\0"
WOFF2 = b"wOF2\0\1\0\0"
TTF = b"\0\1\0\0\0\x11\1\0"
MP4 = b"\0\0\0 ftypisom\0\0\2\0"
PAGE = b"<!DOCTYPE html>\n<title>x</title>"


@pytest.mark.parametrize(
    ("name", "media_type", "saved"),
    [
        ("page", "text/html", "page.html"),
        ("page.html", "text/html", "page.html"),
        ("page.htm", "TEXT/HTML;charset=x", "page.htm"),
        ("page.php", "text/html", "page.php.html"),
        ("page.jpg", "text/html", "page.jpg.html"),
        ("v1.2", "text/html", "v1.2.html"),
        ("page.xhtml", "application/xhtml+xml", "page.xhtml"),
        ("page.html", "application/xhtml+xml", "page.html.xhtml"),  # browsers read it as XML
        ("page.xhtml", "text/html", "page.xhtml.html"),  # and this as HTML
        ("logo", "image/png", "logo.png"),
        ("photo", "image/jpeg", "photo.jpg"),
        ("photo.jpeg", "image/jpeg", "photo.jpeg"),
        ("photo.JPG", "image/jpg", "photo.JPG"),
        ("photo.html", "image/jpeg", "photo.html.jpg"),
        ("drawing", "image/svg+xml", "drawing.svg"),
        ("drawing.php", "image/svg+xml; charset=utf-8", "drawing.php.svg"),
        ("favicon", "image/vnd.microsoft.icon", "favicon.ico"),
        ("style", "text/css", "style.css"),
        ("style.php", "text/css", "style.php.css"),
        ("app", "application/javascript", "app.js"),
        ("app.mjs", "text/javascript", "app.mjs"),
        ("app.ts", "text/javascript", "app.ts.js"),
        ("font", "font/woff2", "font.woff2"),
        ("font.ttf", "application/x-font-ttf", "font.ttf"),
        ("clip", "video/mp4", "clip.mp4"),
        ("clip.webm", "video/webm", "clip.webm"),
        ("song", "audio/mpeg", "song.mp3"),
        ("site.webmanifest", "application/json", "site.webmanifest"),
        ("site", "application/manifest+json", "site.webmanifest"),
        ("manifest.json", "application/manifest+json", "manifest.json"),
        ("data", "application/problem+json", "data.json"),
        ("feed", "application/rss+xml", "feed.xml"),
        ("news.rss", "application/rss+xml", "news.rss"),
        ("news.atom", "application/atom+xml", "news.atom"),
        ("news.atom", "text/xml", "news.atom"),
        ("feed", "text/xml", "feed.xml"),
        ("subtitles", "text/vtt", "subtitles.vtt"),
        ("paper", "application/pdf", "paper.pdf"),
        ("code.wasm", "application/wasm", "code.wasm"),
        ("LICENSE", "text/plain", "LICENSE.txt"),
        ("README.md", "text/plain", "README.md"),
        ("main.c", "text/plain", "main.c"),
        ("app.js", "text/plain", "app.js"),
        ("list.php", "text/plain", "list.php.txt"),
        ("page.html", "text/plain", "page.html.txt"),  # its source is shown
        ("main", "text/x-python", "main.txt"),
        ("main.py", "text/x-python", "main.py"),
        ("x.tar.gz", "application/gzip", "x.tar.gz"),
        ("x.docx", "application/zip", "x.docx"),
        ("x", "application/zip", "x.zip"),
        ("get.php", "application/zip", "get.php.zip"),
        ("x.deb", "application/vnd.debian.binary-package", "x.deb"),
        ("x", "application/x-nobody-knows", "x"),
        ("x.bin", "application/octet-stream", "x.bin"),
        ("x", "application/octet-stream", "x"),
        ("x", "", "x"),
        ("x", "nonsense", "x"),
    ],
)
def test_the_extension_follows_the_media_type(name: str, media_type: str, saved: str) -> None:
    assert wanted_path(f"http://h/{name}", media_type) == f"h/{saved}"


@pytest.mark.parametrize(
    ("media_type", "saved"),
    [
        ("application/rss+xml", "index.xml"),
        ("application/json", "index.json"),
        ("text/plain", "index.txt"),
        ("", "index"),
    ],
)
def test_a_folder_that_answers_with_no_page_has_an_index_of_that_type(media_type: str, saved: str) -> None:
    assert wanted_path("http://h/feed/", media_type) == f"h/feed/{saved}"


@pytest.mark.parametrize(
    ("name", "media_type", "first_bytes", "saved"),
    [
        ("page", "", PAGE, "page.html"),
        ("page", "", b"\xef\xbb\xbf \n<HTML>", "page.html"),
        ("page", "", b"<?xml version='1.0'?>\n<svg xmlns='x'>", "page.svg"),
        ("page", "", b"<rss version='2.0'>", "page.xml"),
        ("page", "application/octet-stream", PAGE, "page"),  # browsers save it
        ("page.html", "", PNG, "page.html.png"),
        ("page.html", "image/png", PNG, "page.html.png"),
        ("page.html", "text/html", PNG, "page.html.png"),
        ("page.html", "text/html", JPEG, "page.html.jpg"),
        ("page.html", "text/html", GIF, "page.html.gif"),
        ("page.html", "text/html", PDF, "page.html.pdf"),
        ("page.html", "text/html", b"GIF89a is a format", "page.html"),
        ("page.html", "text/html", b"BMW", "page.html"),
        ("logo.png", "image/png", PNG, "logo.png"),
        ("logo.png", "image/png", WEBP, "logo.png.webp"),
        ("logo.jpg", "image/png", JPEG, "logo.jpg"),
        ("logo.svg", "image/svg+xml", PNG, "logo.svg.png"),
        ("logo", "image/png", b"anything", "logo.png"),
        ("logo", "application/octet-stream", PNG, "logo.png"),
        ("logo.php", "application/octet-stream", PNG, "logo.php.png"),
        ("logo.bin", "application/octet-stream", PNG, "logo.bin"),
        ("icon", "", b"\0\0\1\0\1\0\x10\x10", "icon.ico"),
        ("font", "application/octet-stream", WOFF2, "font.woff2"),
        ("font.woff", "font/woff", WOFF2, "font.woff.woff2"),
        ("font.ttf", "text/plain", TTF, "font.ttf"),
        ("song.m4a", "audio/mp4", MP4, "song.m4a"),  # one container for sound and film
        ("clip", "", MP4, "clip.mp4"),
        ("x", "application/octet-stream", ZIP, "x.zip"),
        ("x.docx", "application/octet-stream", ZIP, "x.docx"),
        ("get.php", "application/force-download", ZIP, "get.php.zip"),
        ("get.php", "application/force-download", b"?", "get.php"),
    ],
)
def test_the_first_bytes_decide_where_browsers_believe_them(
    name: str, media_type: str, first_bytes: bytes, saved: str
) -> None:
    assert wanted_path(f"http://h/{name}", media_type, first_bytes) == f"h/{saved}"


@pytest.mark.parametrize(
    "media_type", ["text/html", "image/png", "text/plain", "", "font/woff", "x/y", "image/svg+xml"]
)
@pytest.mark.parametrize("first_bytes", [b"", PAGE, PNG, PDF, ZIP, TTF])
@pytest.mark.parametrize("own", ["", "html", "png", "php", "bin", "txt"])
def test_a_right_extension_is_still_right_when_asked_again(media_type: str, first_bytes: bytes, own: str) -> None:
    extension = extension_for(media_type, first_bytes, own)
    assert extension_for(media_type, first_bytes, extension) == extension
