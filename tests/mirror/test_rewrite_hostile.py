"""Time grows with the length of a file, whatever it holds. These take a moment each, and minutes where an expression
tries every length at every place.
"""

from __future__ import annotations

import pytest

from tests.mirror.tree_judge import PAGE, saved
from weft.mirror.rewrite import Syntax, rewrite

_MUCH = 100_000


@pytest.mark.parametrize(
    "piece",
    [
        "<", "<a ", "<a", "</", "</a", "<!", "<!--", "<!-->", "<!-- --", "-", "--!", "<?", '"', "'", "a=", "=",
        "<a b=", '<a b="', "<a b='", '<a b="c"d', "&", "&#", "&#1", "&amp", "&a", "<script>", "<script><!--",
        "<script><!--<script>", "</script", "<style>", "<style>@", "<style>url(", "<style>/*", "<title>", "</title ",
        "<svg>", "<svg><title>", "</svg>", "<svg></p>", "<template>", "<math><mi>", "<svg><style>", "<svg><![CDATA[",
        "<base>", "<base href=x>", '<p class="', '<p class="x" ', "<p title=x style", '<p style="', '<img srcset="',
        '<img srcset="a(,', '<a href="/x">', "<a href=/x>", "<p style=url(/x)>", '<iframe srcdoc="', "<meta charset",
        "<!DOCTYPE a[>", "<?xml-stylesheet ", "<a xlink:href='/x'/>", "<script src=/x integrity=y>", "é",
        '<svg><script type=module>import "/a.js"', '<svg><script type=importmap>{"a":"/a.js"}',
    ],
)  # fmt: skip
def test_a_page_of_one_thing_over_and_over_is_read_in_one_go(piece: str) -> None:
    times = _MUCH // len(piece)
    for medium in (Syntax.HTML, Syntax.XML):
        result = rewrite((piece * times).encode(), medium, "utf-8", PAGE, saved, "utf-8")
        assert result.edits <= 2 * times


@pytest.mark.parametrize(
    "piece",
    [
        "&", "&amp", "&#39", "url(", "\\", "\\75rl(", "'", "/*", "image-set(", "@import ", "a(,", "/x 1x,", "(",
        "<a href=/x>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("attribute", ["style", "srcset", "srcdoc", "src", "data-src"])
def test_so_is_an_attribute(piece: str, attribute: str) -> None:
    element = "iframe" if attribute == "srcdoc" else "img"
    times = _MUCH // 2 // len(piece)
    body = f'<{element} {attribute}="{piece * times}">'.encode()
    assert rewrite(body, Syntax.HTML, "utf-8", PAGE, saved).edits <= times


@pytest.mark.parametrize(
    "piece",
    [
        "url(", "url(a", "\\", "\\\n", "'", '"\\', "/*", "@", "@import ", "image-set(", "image-set('", "(", "url(\\",
        "a(", "-",
    ],
)  # fmt: skip
def test_so_is_a_style_sheet(piece: str) -> None:
    times = _MUCH // len(piece)
    assert rewrite((piece * times).encode(), Syntax.CSS, "utf-8", PAGE, saved).edits <= times


@pytest.mark.parametrize("piece", ['"', '"src":', '"src":"', '\\"', '"src":"/x",', "{"])
def test_so_is_a_manifest(piece: str) -> None:
    times = _MUCH // len(piece)
    assert rewrite((piece * times).encode(), Syntax.MANIFEST, "utf-8", PAGE, saved).edits <= times


def test_so_is_a_page_with_ends_of_what_is_open_a_thousand_times() -> None:
    body = b"<svg><desc>" * 10_000 + b"</math>" * 10_000 + b"<a href=/x>"
    assert rewrite(body, Syntax.HTML, "utf-8", PAGE, saved).edits == 1
