"""Markdown, rendered again by a parser of its own, holds what the page holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.markdown_round_trip import BASE_URL, Difference, differences
from tests.html_files import some_html_files
from weft.parse import decode
from weft.parse.markdown import page_markdown
from weft.parse.tree import tree_of

DOCUMENTATION = [Path("/usr/share/doc"), Path("/usr/lib/python3")]


def differences_of(markup: str, *, main_only: bool = False) -> list[Difference]:
    document = tree_of(markup)
    return differences(document, page_markdown(document, BASE_URL, main_only=main_only), main_only=main_only)


INLINE = [
    *("<b>", "</b>", "<i>", "</i>", "<del>", "</del>", "<code>", "</code>", "<q>", "</q>", "<a href=x>", "</a>"),
    *("<a href='y (z'>", "<a href=javascript:>", "<img src=x alt='a]b'>", "<br>", "<sup>2</sup>", "<span> </span>"),
]
BLOCKS = [
    *(
        "<p>",
        "<div>",
        "</div>",
        "<ul>",
        "</ul>",
        "<ol start=7>",
        "</ol>",
        "<li>",
        "<blockquote>",
        "</blockquote>",
        "<h2>",
    ),
    *(
        "</h2>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "<th>",
        "<pre>",
        "</pre>",
        "<hr>",
        "<dl>",
        "<dt>",
        "<dd>",
        "</dl>",
    ),
    *("<details>", "<summary>", "<figcaption>", "<td rowspan=2>", "<td colspan=3>", "</li>", "<p hidden>"),
]
TEXT = [
    *(
        "word",
        " ",
        "\n",
        "*",
        "**",
        "_",
        "__",
        "`",
        "``",
        "~~",
        "#",
        "# ",
        "-",
        "- ",
        "+ ",
        "1.",
        "1. ",
        "2) ",
        ">",
        "=",
        "===",
    ),
    *(
        "---",
        "|",
        "\\",
        "[",
        "]",
        "(",
        ")",
        "!",
        ":",
        "&lt;",
        "&lt;b>",
        "&amp;",
        "&amp;amp;",
        "<!-- -->",
        "。",
        "ä",
        "€",
        "$",
    ),
    *("http://a.b/c_d", "[x](y)", "[x]: y", "\xa0", "\u200b", "\xad", "    "),
]


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from(INLINE * 2 + BLOCKS + TEXT * 2), max_size=30).map("".join), st.booleans())
def test_any_markup_is_there_again(markup: str, main_only: bool) -> None:
    assert differences_of(markup, main_only=main_only) == []


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<p>lost", "words"),
        ("<a href=x>y</a>", "links"),
        ("<ul><li>a", "items"),
        ("<table><tr><th>a<th>b<tr><td>c<td>d", "cells"),
        ("<pre>a\nb", "code"),
        ("<h2>a", "headings"),
        ("<img src=x alt=y>", "images"),
    ],
)
def test_the_judge_sees_what_is_missing(markup: str, kind: str) -> None:
    assert kind in {difference.kind for difference in differences(tree_of(markup), "", main_only=False)}


@pytest.mark.parametrize(
    ("markdown", "kind"),
    [
        ("[](x)", "empty link"),
        ("- ", "empty item"),
        ("#", "empty heading"),
        ("<b>x</b>", "raw HTML"),
        ("# x¶", "pilcrow"),
    ],
)
def test_the_judge_sees_faults(markdown: str, kind: str) -> None:
    assert kind in {difference.kind for difference in differences(tree_of(""), markdown, main_only=False)}


def test_documentation_of_this_machine_is_there_again() -> None:
    found = some_html_files(DOCUMENTATION, 12)
    if found is None:
        pytest.skip("this machine has no documentation in HTML")
    for path in found[1]:
        text, _ = decode(path.read_bytes())
        for main_only in (False, True):
            assert differences_of(text, main_only=main_only) == [], (path, main_only)
