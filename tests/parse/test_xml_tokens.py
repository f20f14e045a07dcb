from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse.char_refs import without_references
from weft.parse.xml_tokens import MAX_TOKEN_CHARS, Token, attributes_of, xml_tokens

PIECES = [
    *("<a>", "</a>", "<A B='1'>", "<x:loc>", "</X:Loc >", "<e/>", "<a b='>' c=\"x\">", "<a b='>", "<!-- c -->", "<!--"),
    *("-->", "<![CDATA[", "]]>", "]]", "<?xml ?>", "<!DOCTYPE [", "]>", "<", ">", "text", "&amp;", "&", ";", '"', "\n"),
]


def written_out(tokens: Iterable[Token]) -> list[tuple[str, str, str]]:
    """As if each closing tag stood for itself, which depends on where a piece ends."""
    found: list[tuple[str, str, str]] = []
    for name, rest, text, is_closed in tokens:
        found.append((name, rest, text.strip()))
        if is_closed:
            found.append(("/" + name, ">", ""))
    return found


def normal(tokens: Iterable[Token]) -> list[tuple[str, str, str]]:
    return [
        (name, ">" if name.startswith("/") else rest, "" if name.startswith("/") else text)
        for name, rest, text in written_out(tokens)
    ]


def test_a_tag_comes_with_its_text_and_its_end() -> None:
    assert list(xml_tokens(["<A x='1>0'>one<b/>two<c>three</C>four<!-- no --> five<![CDATA[<six>]]></a>"])) == [
        ("a", " x='1>0'>", "one", False),
        ("b", "/>", "two", False),
        ("c", ">", "three", True),
        ("", "", " five", False),
        ("", "", "<six>", False),
        ("/a", ">", "", False),
    ]


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.integers(1, 5))
def test_where_the_pieces_end_does_not_matter(text: str, piece_chars: int) -> None:
    pieces = [text[start : start + piece_chars] for start in range(0, len(text), piece_chars)]
    assert normal(xml_tokens(pieces)) == normal(xml_tokens([text]))


@pytest.mark.parametrize("start", ["<a>", "<!--", "<![CDATA[", "<a b='", ""])
def test_a_token_that_is_too_long_ends_the_reading(start: str) -> None:
    long = start + "x" * MAX_TOKEN_CHARS
    names = [token[0] for token in xml_tokens(["<url><loc></loc></url>", long, "</a><b></b>"])]
    assert names[:2] == ["url", "loc"]
    assert not {"a", "b"} & set(names)


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (">", {}),
        (""" REL="next" href='a"b'/>""", {"rel": "next", "href": 'a"b'}),
        (" rel = next href=/a/b>", {"rel": "next", "href": "/a/b"}),
        (' a="1&amp;2" b x:c="&lt;">', {"a": "1&2", "x:c": "<"}),
        (' a="1>', {}),
    ],
)
def test_attributes_are_read_however_they_are_quoted(rest: str, expected: dict[str, str]) -> None:
    assert attributes_of(rest) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&amp;amp;", "&amp;"),
        ("&lt;&gt;&quot;&apos;&eacute;", "<>\"'é"),
        ("&#233;&#xE9;&#XE9;", "ééé"),
        ("a&b &; &# &#x; &#xZ; &copy=1 &nosuchname;", "a&b &; &# &#x; &#xZ; &copy=1 &nosuchname;"),
        ("&#0;&#xDFFF;&#x110000;", "&#0;&#xDFFF;&#x110000;"),
    ],
)
def test_only_whole_references_are_replaced(text: str, expected: str) -> None:
    assert without_references(text) == expected
