"""Stretches of text around words: every word that a reader sees is in one of them, and once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from weft.order.topic import Topic
from weft.page.judge import TopicJudge
from weft.page.linked_text import MAX_LINKS, REACH_CHARS, LinkedText, href_in, stretches
from weft.page.needles import in_characters
from weft.page.topic_words import TopicWords
from weft.page.unseen import blanked

WORDS = TopicWords(Topic.of_words("crawler"))
FILLER = "<p>" + "nothing of interest. " * 50

# Each with the number of times that a reader sees the word.
FRAGMENTS = {
    "<p>A crawler.</p>": 1,
    "<b>Crawlers</b> and <i>crawlers</i> ": 2,
    "<a href=x>the <b>crawler</b></a> ": 1,
    '<a href="x"><img src=i alt="a crawler"></a> ': 1,
    '<img src=i alt="a crawler"> ': 0,
    '<a href="x" title="a > crawler">y</a> ': 0,
    "<p class='crawler'>x</p>": 0,
    "<p title=don't>crawler </p>": 1,
    "<script>if (a < b) crawler('<a href=z>')</script>": 0,
    "<style>crawler > a { }</style>": 0,
    "<!-- crawler <a href=z> -->": 0,
    "<a href=crawler>x</a\n> ": 0,
    "2 < 3 crawlers > 1 ": 1,
    "crawl<b>er</b> ": 0,
    "İ爬虫 ": 0,
    "<br/>": 0,
    "</a> ": 0,
    f"<p data-x='{'crawler ' * 300}'>": 0,
    FILLER: 0,
}


def seen(html: str) -> int:
    data = html.encode().lower()
    page, _ = blanked(data, data.decode())
    around = stretches(page, in_characters(data, WORDS.find(data)), WORDS.may_be_at)
    return sum(len(WORDS.occurrences(LinkedText(page, start, end).text)) for start, end in around)


@given(st.lists(st.sampled_from(list(FRAGMENTS)), max_size=40))
def test_every_word_that_a_reader_sees_is_found_once(fragments: list[str]) -> None:
    assert seen("".join(fragments)) == sum(map(FRAGMENTS.__getitem__, fragments))


@given(
    st.lists(
        st.sampled_from([*"<>\"'=/! \n\x01\x02é爬", "<a", " href=", "crawler", "</a>", "<img alt=", "<!--", "-->"])
    )
)
def test_whatever_a_page_holds_its_judgement_is_within_bounds(parts: list[str]) -> None:
    judgement = TopicJudge(Topic.of_words("crawler")).judge("".join(parts), str)
    assert 0 <= judgement.relevance < 1
    assert all(0 < worth <= 1 for worth in judgement.worths.values())


def test_a_tag_that_never_ends_is_no_text() -> None:
    assert seen("crawler <p unfinished crawler") == 1


def test_words_far_apart_in_text_without_tags_count_once() -> None:
    assert seen("<p>crawler " + "plain text " * 300 + "crawler") == 2


def test_no_more_links_are_looked_at_than_a_bound() -> None:
    text = LinkedText("crawler " + "<a href=x></a>" * (MAX_LINKS + 1), 0, 1_000_000)
    assert len(list(text.links([(at, 0) for at in range(len(text.text))]))) == MAX_LINKS


def test_words_far_apart_have_stretches_of_their_own_that_do_not_overlap() -> None:
    page = ("crawler" + FILLER * 5) * 10
    data = page.encode()
    found = list(stretches(page, WORDS.find(data), WORDS.may_be_at))
    assert len(found) == 10
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert sum(end - start for start, end in found) < 10 * (3 * REACH_CHARS)


def test_an_href_is_read_wherever_it_stands_in_its_tag() -> None:
    assert href_in(' href="x#y">', 0) == "x"
    assert href_in(" data-href=no HREF = 'x y' >", 0) == "x y"
    assert href_in("/href=x>", 0) == "x"
    assert href_in(" title='href=no > href=no' href=x>", 0) == "x"
    assert href_in("><b href=no>", 0) == ""
    assert href_in(" href=never-closed", 0) == ""
