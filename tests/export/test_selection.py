"""Which rows an export takes."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.export import Selection
from weft.types import PageRow


def row(url: str = "http://a.example/", status: int = 200, mime: str = "text/html", depth: int = 1) -> PageRow:
    return PageRow(url=url, status=status, fetched_at=0.0, depth=depth, mime=mime)


def test_without_conditions_everything_is_taken() -> None:
    assert Selection().takes(row(status=0, mime=""))


@pytest.mark.parametrize(
    ("given", "taken", "left"),
    [
        (["404"], [404], [200, 400, 0]),
        (["2xx"], [200, 204, 299], [304, 0]),
        (["3XX", "404"], [301, 404], [200, 403]),
        (["0"], [0], [200]),
    ],
)
def test_a_status_is_taken_by_number_or_by_its_first_digit(given: list[str], taken: list[int], left: list[int]) -> None:
    selection = Selection(statuses=given)
    assert all(selection.takes(row(status=status)) for status in taken)
    assert not any(selection.takes(row(status=status)) for status in left)


@pytest.mark.parametrize(
    ("given", "taken", "left"),
    [
        ("text/html", ["text/html", "Text/HTML"], ["text/htmlx", "text/plain", ""]),
        ("Image/*", ["image/png", "image/svg+xml"], ["text/html", "images/x", ""]),
    ],
)
def test_a_media_type_is_taken_by_name_or_by_its_first_half(given: str, taken: list[str], left: list[str]) -> None:
    selection = Selection(media_types=[given])
    assert all(selection.takes(row(mime=mime)) for mime in taken)
    assert not any(selection.takes(row(mime=mime)) for mime in left)


def test_patterns_are_those_of_a_crawl_and_hold_for_seeds_too() -> None:
    selection = Selection(["/docs/*", "re:\\.pdf$"])
    assert selection.takes(row("http://a.example/docs/x"))
    assert selection.takes(row("http://b.example/y.pdf"))
    assert not selection.takes(row("http://a.example/", depth=0))


def test_all_conditions_must_hold() -> None:
    selection = Selection(["*/a"], ["text/html"], ["2xx"])
    assert selection.takes(row("http://a.example/a"))
    assert not selection.takes(row("http://a.example/b"))
    assert not selection.takes(row("http://a.example/a", status=404))
    assert not selection.takes(row("http://a.example/a", mime="text/css"))


@pytest.mark.parametrize("given", ["20", "2x", "xxx", "", "ok", "2000"])
def test_what_is_no_status_is_refused(given: str) -> None:
    with pytest.raises(BadInput, match="is no status"):
        Selection(statuses=[given])


@pytest.mark.parametrize("given", ["html", "text/", "*/*", "", "a/b/c", "te xt/html"])
def test_what_is_no_media_type_is_refused(given: str) -> None:
    with pytest.raises(BadInput, match="is no media type"):
        Selection(media_types=[given])
