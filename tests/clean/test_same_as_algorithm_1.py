"""The fast deletion gives the tree that the paper's algorithm gives, on real pages and on broken ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clean.algorithm_1 import PlainNode, algorithm_1, plain_tree
from tests.clean.real_pages import real_pages
from tests.parse.scan_markup import ANY_MARKUP, TAGS
from weft.clean import Cleaner, Rules
from weft.parse import decode
from weft.parse.tree import tree_of

CLEANER = Cleaner()


def both_trees(markup: str) -> tuple[PlainNode, PlainNode]:
    return plain_tree(CLEANER.delete(tree_of(markup))), algorithm_1(plain_tree(tree_of(markup)))


def assert_same_on_real_pages(wanted: int, max_bytes: int) -> None:
    count = 0
    for body in real_pages(wanted, max_bytes):
        fast, plain = both_trees(decode(body, "text/html")[0])
        assert fast == plain, body[:200]
        count += 1
    if not count:
        pytest.skip("no documentation is installed")


def test_real_pages_give_the_same_tree() -> None:
    assert_same_on_real_pages(200, 60_000)


@pytest.mark.large
def test_2000_real_pages_give_the_same_tree() -> None:
    assert_same_on_real_pages(2_000, 2_000_000)


# Pages in which what is deleted meets what stays, and white space is everywhere.
_MEETING = st.lists(
    st.sampled_from(
        (
            *(
                "<b>",
                "</b>",
                "<i>",
                "</i>",
                "<br>",
                "<form>",
                "</form>",
                "<p>",
                "</p>",
                "<div>",
                "</div>",
                "<table><td>",
            ),
            *(
                " ",
                "\n",
                "\t\f\r",
                "\v",
                "&nbsp;",
                "a",
                "<!-- -->",
                "<?php ?>",
                "<pre>",
                "</pre>",
                "<img>",
                "<svg>",
                "</svg>",
            ),
            *(
                "<select>",
                "</select>",
                "<li>",
                "<button>",
                "</button>",
                "<script></script>",
                "<textarea>",
                "</textarea>",
            ),
            *("<title>", "</title>", "<template shadowrootmode=open>", "</template>", "<frameset>", "<!DOCTYPE html>"),
        )
    ),
    max_size=40,
).map("".join)
_PAGES = st.one_of(_MEETING, ANY_MARKUP)


@settings(max_examples=200, deadline=None, database=None)
@given(_PAGES)
def test_any_markup_gives_the_same_tree(markup: str) -> None:
    fast, plain = both_trees(markup)
    assert fast == plain


_SOME_TAGS = st.frozensets(st.sampled_from([*TAGS, "body", "ul", "section", "td"]), max_size=5)


@settings(max_examples=150, deadline=None, database=None)
@given(_PAGES, _SOME_TAGS, _SOME_TAGS)
def test_other_rules_give_the_same_tree_too(markup: str, kill: frozenset[str], unwrap: frozenset[str]) -> None:
    unwrap -= kill | {"html"}
    fast = Cleaner(Rules(kill=tuple(kill), unwrap=tuple(unwrap))).delete(tree_of(markup))
    deleted = frozenset(tag.lower() for tag in kill) | {"#comment", "#doctype"}
    unwrapped = frozenset(tag.lower() for tag in unwrap)
    assert plain_tree(fast) == algorithm_1(plain_tree(tree_of(markup)), deleted, unwrapped)


def test_the_papers_example_keeps_body_and_loses_head() -> None:
    fast, plain = both_trees("<html><head></head><body>text</body></html>")
    assert fast == plain
    assert [child.name for child in fast.children[0].children] == ["body"]
