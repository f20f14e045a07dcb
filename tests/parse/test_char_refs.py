"""Character references mean what they mean to the tree's tokenizer."""

from __future__ import annotations

from html.entities import html5

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse.char_refs import attribute_value, text_content

FOLLOWERS = ["", ";", "=", "x", "1", " ", "&", ";=", "-", ";;"]
NUMBERS = ["0", "9", "13", "65", "128", "129", "159", "160", "55296", "57343", "64976", "65535", "1114111", "1114112"]
NUMBERS += ["x0", "xD", "x41", "X80", "xd800", "x10FFFF", "x110000", "x" + "F" * 40, "0" * 40 + "65", "9" * 40, "x", ""]

PIECES = st.sampled_from(
    [
        "&",
        "&amp",
        "&amp;",
        "&copy",
        "&notit;",
        "&not",
        "it;",
        "&#",
        "&#x",
        "1",
        "41",
        ";",
        "=",
        "a",
        " ",
        "\r\n",
        "\r",
        "\x00",
    ]
)


def assert_same(raw: list[str]) -> None:
    document = turbohtml.parse("".join(f'<p title="{text}"></p>' for text in raw))
    assert [attribute_value(text) for text in raw] == [element.attr("title") for element in document.select("p")]
    document = turbohtml.parse("<body>" + "".join(f"<title>{text}</title>" for text in raw))
    assert [text_content(text) for text in raw] == [element.text for element in document.select("title")]


@pytest.mark.parametrize("follower", FOLLOWERS)
def test_every_named_reference_is_read_as_the_tree_reads_it(follower: str) -> None:
    assert_same([f"{before}&{name.removesuffix(';')}{follower}" for name in html5 for before in ("", "a")])


@pytest.mark.parametrize("follower", FOLLOWERS)
def test_every_numbered_reference_is_read_as_the_tree_reads_it(follower: str) -> None:
    assert_same([f"&#{number}{follower}" for number in NUMBERS])


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_references_in_a_row_are_read_as_the_tree_reads_them(raw: str) -> None:
    assert_same([raw])
