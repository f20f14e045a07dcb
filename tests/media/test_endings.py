"""Types and endings say the same in both directions."""

from __future__ import annotations

import pytest

from weft.media.endings import DEMANDED, ending_for_nameless, fitting_endings, type_by_name, usual_name


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("a/b.html", "text/html"),
        ("A.JPEG", "image/jpeg"),
        ("feed.rss", "application/rss+xml"),
        ("app.webmanifest", "application/manifest+json"),
        ("clip.webm", "video/webm"),
        ("x.tar.gz", "application/gzip"),
        ("notes.log", "text/plain"),
        ("folder.png/readme", ""),
        ("x.unheard-of", ""),
        (".png", "image/png"),
        ("", ""),
    ],
)
def test_a_name_tells_the_type(path: str, media_type: str) -> None:
    assert type_by_name(path) == media_type


def test_a_file_that_is_named_by_its_type_is_taken_for_that_type_or_one_that_fits_it() -> None:
    """What a mirror names, a pack and a server must understand."""
    for ending in DEMANDED:
        named = type_by_name(f"x.{ending}")
        assert not named or ending in fitting_endings(named)


@pytest.mark.parametrize(
    ("media_type", "ending"),
    [
        ("text/html", "html"),
        ("application/vnd.api+json", "json"),
        ("application/soap+xml", "xml"),
        ("text/plain", ""),
        ("application/zip", ""),
        ("application/unheard-of", ""),
    ],
)
def test_a_type_demands_an_ending_unless_any_fits(media_type: str, ending: str) -> None:
    assert "".join(fitting_endings(media_type)[:1]) == ending


def test_an_archive_without_a_name_of_its_own_gets_the_usual_ending() -> None:
    assert ending_for_nameless("application/gzip") == "gz"
    assert ending_for_nameless("application/json") == ""


def test_types_go_by_one_name() -> None:
    assert usual_name("application/x-javascript") == "text/javascript"
    assert usual_name("application/x-gzip") == "application/gzip"
    assert usual_name("text/html") == "text/html"
