"""What is taken for a page's article, rule by rule, and that no page is too strange for it."""

from __future__ import annotations

import time

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parse.article.pages import AROUND, CHINESE, KEPT, TEXT
from weft.parse.article import article_of
from weft.parse.article.blocks import blocks_of

SMALL_PRINT = "Use of this text is subject to the terms of its license, and to those of the bridge. "


def article(markup: str) -> str:
    return " ".join(article_of(turbohtml.parse(markup, positions=False)).text.split())


@pytest.mark.parametrize("kind", AROUND)
def test_what_stands_around_an_article_goes(kind: str) -> None:
    markup = AROUND[kind]
    text = article(markup)
    assert "ballast" not in text.lower()
    assert text.count("voted for the bridge") == markup.count("voted for the bridge")


@pytest.mark.parametrize("kind", KEPT)
def test_what_is_of_the_article_stays(kind: str) -> None:
    markup, words = KEPT[kind]
    text = article(markup)
    assert [word for word in words if word not in text] == []
    assert text.count("voted for the bridge") == markup.count("voted for the bridge")


def test_the_headline_comes_first() -> None:
    assert article(KEPT["a headline outside the text"][0]).startswith("Headline")


@pytest.mark.parametrize("anchor", ["<a id=x/>", "<a name=x>", "<a id=x></a>"])
def test_an_anchor_is_no_link_though_all_that_follows_is_in_it(anchor: str) -> None:
    section = (
        f"<div><div><h2>{anchor}Heading</h2></div><p>They voted for the bridge, and then they went home.</p></div>"
    )
    text = article(f"<body><div>{section * 5}</div><ul><li><a href=y>elsewhere</a></ul>")
    assert (text.count("Heading"), text.count("voted"), text.count("elsewhere")) == (5, 5, 0)


def test_a_picture_does_not_repeat_what_a_line_says() -> None:
    caption = "The new bridge over the river, in the last evening of May"
    pictures = f'<img src=1 alt="{caption}"><img src=2 title="{caption}"><img src=3 alt="A map of both banks">'
    page = f"<div>{TEXT}<figure>{pictures}<figcaption>{caption}. Photo: Jane Doe</figcaption></figure>{TEXT}</div>"
    images = article_of(turbohtml.parse(page, positions=False)).select("img")
    assert [(image.attr("alt"), image.attr("title")) for image in images] == [
        ("", None),
        (None, ""),
        ("A map of both banks", None),
    ]


@pytest.mark.parametrize(
    ("picture", "stays"),
    [
        ("<a href=/><img src=logo.png></a>", False),
        ("<a href=http://shop.example/x><img src=banner.png></a>", False),
        ("<a href=large.JPG?w=9><img src=small.jpg></a>", True),
        ("<a href=/post/old-bridge/><img src=/files/Old-Bridge-150x150.png></a>", True),
        ("<img src=bridge.jpg>", True),
    ],
)
@pytest.mark.parametrize("page", ["<div>{}<h1>Bridge</h1>{text}</div>", "<div>{text}{}</div>"])
def test_a_picture_at_an_edge_that_leads_elsewhere_goes(page: str, picture: str, stays: bool) -> None:
    markup = page.format(f"<div>{picture}</div>", text=TEXT)
    assert bool(article_of(turbohtml.parse(markup, positions=False)).select("img")) is stays


def test_a_linked_picture_among_the_text_stays() -> None:
    markup = f"<div>{TEXT}<p><a href=/x><img src=bridge.jpg></a></p>{TEXT}</div>"
    assert article_of(turbohtml.parse(markup, positions=False)).select("img")


def test_a_day_and_a_time_alone_are_no_text() -> None:
    line = "[06月24日 11時30分]"
    assert line not in article(f"<div><h1>橋</h1><p>{line}</p>{CHINESE * 4}</div>")
    assert line in article(f"<div><h1>橋</h1><p>{line}に始まりました。</p>{CHINESE * 4}</div>")


def test_text_beside_blocks_is_a_block_of_its_own() -> None:
    body = turbohtml.parse("<div>Share <b>it</b><p>It rained.</p> Back</div>", positions=False).select_one("body")
    assert body is not None
    assert [block.text for block in blocks_of(body) if block.text] == ["Share it", "It rained.", "Back"]


def test_a_footer_is_not_the_article_of_a_page_of_names() -> None:
    names = "".join(f"<li>org.bridge.<a href=n{number}>Name{number}</a>" for number in range(40))
    text = article(f"<main><h1>All names</h1><ul>{names}</ul></main><footer><p>{SMALL_PRINT * 3}</p></footer>")
    assert "Name39" in text
    assert "license" not in text


def test_an_empty_page_is_itself() -> None:
    assert article("") == ""


PIECES = [
    *("<article>", "</article>", "<main>", "<nav>", "</nav>", "<div>", "<div class=comments>", "<div id=sidebar>"),
    *("</div>", "<p>", "<p class=byline>", "<h1>", "</h1>", "<h2>", "<li>", "<ul>", "</ul>", "<table>", "<td>", "<b>"),
    *("<a href=x>", "</a>", "<figcaption>", "<br>", "<img src=x>", "word ", "Read more ", "1 May 2020 ", "桥。"),
    "A sentence, with more words. " * 9,
]


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_a_page_with_text_has_an_article_of_its_text(markup: str) -> None:
    whole = turbohtml.parse(markup, positions=False).text.split()
    found = article(markup).split()
    assert bool(found) == bool(whole)
    assert len(found) <= len(whole)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_blocks_are_a_tree_that_holds_all_text(markup: str) -> None:
    body = turbohtml.parse(markup, positions=False).select_one("body")
    assert body is not None
    blocks = blocks_of(body)
    for block in blocks[1:]:
        parent = blocks[block.parent]
        assert parent.number < block.number < block.end <= parent.end
    assert sum(len(block.text.replace(" ", "")) for block in blocks) == len("".join(body.text.split()))


@pytest.mark.parametrize(
    ("tag", "times"),
    [
        ("div", 100_000),
        *((tag, 10_000) for tag in ("div class=comments", "article", "section><p>word. ", "ul><li", "nav")),
    ],
)
def test_depth_costs_no_more_than_length(tag: str, times: int) -> None:
    assert cpu_of(f"<{tag}>" * times + "x") < 8 * (1 + times / 10_000) * cpu_of("<p>x</p>" * 10_000)


@pytest.mark.parametrize("sibling", ["<p>x", "<div class=share>x</div>", "<article><p>word, word.</article>"])
def test_siblings_cost_in_proportion(sibling: str) -> None:
    few, many = 4_000, 32_000
    assert cpu_of(sibling * many) < 4 * (many / few) * cpu_of(sibling * few)


def cpu_of(markup: str) -> float:
    page = turbohtml.parse(markup, positions=False)
    began = time.process_time()
    article_of(page)
    return time.process_time() - began
