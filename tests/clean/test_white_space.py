"""Empty text goes, and no words are glued together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import Element, Node, Text

from tests.clean.algorithm_1 import BLOCKS, BOXES
from weft.clean import PRESETS, Cleaner, Rules
from weft.parse.tree import tree_of

CLEANER = Cleaner()


def cleaned_body(markup: str, rules: Rules = PRESETS["paper"]) -> str:
    return Cleaner(rules).clean(f"<body>{markup}").content.partition("<body>")[2].removesuffix("</body></html>")


@pytest.mark.parametrize(
    ("markup", "left"),
    [
        # What a reader sees of white space stays
        ("<b>big</b> <i>fish</i>", "<b>big</b> <i>fish</i>"),
        ("<b>big</b>\n  <i>fish</i>", "<b>big</b>\n  <i>fish</i>"),
        ("<b>big</b><i> </i><b>fish</b>", "<b>big</b><i> </i><b>fish</b>"),
        ("<p>&nbsp;</p>", "<p>&nbsp;</p>"),
        ("<pre><b>a</b>\n\n<i>b</i>\n</pre>", "<pre><b>a</b>\n\n<i>b</i>\n</pre>"),
        ("<pre><div> </div></pre>", "<pre><div> </div></pre>"),
        # Indentation goes
        ("\n <ul>\n  <li>a</li>\n  <li>b</li>\n </ul>\n", "<ul><li>a</li><li>b</li></ul>"),
        ("<p> <b>a</b> </p>", "<p><b>a</b></p>"),
        ("<p>a</p> <b>b</b> <p>c</p>", "<p>a</p><b>b</b><p>c</p>"),
        ("<dl>\n<dt>a</dt> <dd>b</dd>\n</dl>\n<table>\n<caption>c</caption>\n</table>",
         "<dl><dt>a</dt><dd>b</dd></dl><table><caption>c</caption></table>"),
        # Around what is deleted
        ("<p>a</p> <!-- x --> <script></script>\n<p>b</p>", "<p>a</p><p>b</p>"),
        ("<b>a</b> <!-- x --> <!-- y --> <p>b</p>", "<b>a</b><p>b</p>"),
        ("<b>a</b> <img> <i>b</i>", "<b>a</b>  <i>b</i>"),
        # What broke a line
        ("one<br>two", "one\ntwo"),
        ("<b>one</b><br><br><i>two</i>", "<b>one</b>\n\n<i>two</i>"),
        ("<p>one<br></p><br><p>two</p>", "<p>one</p><p>two</p>"),
        ("<pre>one<br>two</pre>", "<pre>one\ntwo</pre>"),
        ("<td>Name<form>given<input>family</form>or alias", "Name\ngiven family\nor alias"),
        # What was seen as a box within a line
        ("one<img>two<img> three <img>four", "one two  three four"),
        ("<b>one</b><select><option>x</select><i>two</i>", "<b>one</b> <i>two</i>"),
        ("one<b><img>two</b><a><img></a>three", "one<b> two</b><a> </a>three"),
        ("<p><img>one<img></p><img><p>two<script></script>three</p>", "<p>one</p><p>twothree</p>"),
        ("<div><form><p>all of it</p></form></div>", "<div><p>all of it</p></div>"),
    ],
)  # fmt: skip
def test_empty_text_is_what_a_reader_does_not_see(markup: str, left: str) -> None:
    assert cleaned_body(markup) == left


@pytest.mark.parametrize(
    "rules",
    [Rules(kill=("nav",)), Rules(drop=("nav",)), Rules(drop=(".x",)), Rules(drop=("nav",), keep=("b",))],
)
def test_a_killed_block_leaves_a_line_break_between_words(rules: Rules) -> None:
    assert cleaned_body("one<nav class=x>menu</nav>two", rules) == "one\ntwo"


def test_empty_text_stays_if_the_rules_say_so() -> None:
    assert cleaned_body("<p> </p> <p>a</p>", Rules(empty_text=True)) == "<p> </p> <p>a</p>"


def words_seen(node: Node) -> str:
    """What a reader sees, with white space around blocks and boxes."""
    if isinstance(node, Text):
        return node.data
    inside = "".join(words_seen(child) for child in node.children)
    return f" {inside} " if isinstance(node, Element) and node.tag in BLOCKS | BOXES else inside


_WORDS = st.sampled_from(("one", "two", "three", " ", "\n", "  four "))
_INLINE = st.sampled_from(
    (
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<a href=x>",
        "</a>",
        "<span>",
        "</span>",
        "<!-- c -->",
        "<br>",
        "<x-y>",
        "<img>",
        "<input>",
    )
)
_BLOCK_TAGS = st.sampled_from(
    ("<p>", "</p>", "<div>", "</div>", "<form>", "</form>", "<ul><li>", "</ul>", "<h2>", "</h2>", "<hr>", "<pre>",
     "</pre>", "<table><tr><td>", "<td>", "</table>", "<section>", "</section>")
)  # fmt: skip


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.one_of(_WORDS, _INLINE, _BLOCK_TAGS), max_size=30).map("".join))
def test_a_reader_sees_the_same_words_after_as_before(markup: str) -> None:
    before = words_seen(tree_of(markup)).split()
    assert words_seen(CLEANER.delete(tree_of(markup))).split() == before


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.one_of(_WORDS, _INLINE, _BLOCK_TAGS), max_size=30).map("".join))
def test_no_words_are_glued_whatever_is_unwrapped(markup: str) -> None:
    rules = Rules(
        unwrap=("div", "p", "li", "ul", "td", "tr", "section", "h2", "b", "form"), kill=("hr", "img", "input")
    )
    before = words_seen(tree_of(markup)).split()
    assert words_seen(Cleaner(rules).delete(tree_of(markup))).split() == before
