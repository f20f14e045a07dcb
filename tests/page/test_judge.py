"""How pages and links are judged by a topic."""

from __future__ import annotations

import pytest

from weft.order.topic import Topic
from weft.page.judge import Judgement, TopicJudge
from weft.url import LinkResolver

FILLER = "nothing of interest here. " * 40


def judge(html: str, topic: str = "crawler", base: str = "http://h/d/") -> Judgement:
    return TopicJudge(Topic.of_words(topic)).judge(html, LinkResolver(base).resolve)


def relevance(html: str, topic: str = "crawler") -> float:
    return judge(html, topic).relevance


def test_a_page_without_the_words_is_worth_nothing() -> None:
    assert judge("<p>Cats <a href=x>and dogs</a>") == Judgement(0.0, {})
    assert judge("") == Judgement(0.0, {})


def test_more_words_make_a_page_more_relevant_and_never_more_than_wholly() -> None:
    scores = [relevance("<p>" + "crawler " * count + FILLER) for count in (0, 1, 2, 10, 1000)]
    assert scores == sorted(scores)
    assert scores[0] == 0 < scores[1]
    assert scores[-1] < 1


def test_the_same_word_in_a_longer_page_says_less() -> None:
    assert relevance("crawler " + FILLER * 50) < relevance("crawler " + FILLER)


def test_a_page_with_all_words_of_the_topic_beats_one_that_repeats_a_single_one() -> None:
    topic = "crawler frontier robots"
    assert relevance("crawler frontier robots", topic) > relevance("crawler " * 50, topic)


def test_a_heavier_word_says_more() -> None:
    judged = TopicJudge(Topic((("crawler", 1.0), ("web", 0.2))))
    assert judged.judge("crawler", str).relevance > judged.judge("web", str).relevance > 0


@pytest.mark.parametrize(
    "html",
    [
        "<p class=crawler>x",
        '<a href="crawler.html">x</a>',
        '<p data-x="a > b crawler">x',
        "<script>let crawler = '<b>crawler'</script>",
        "<STYLE>.crawler { }</STYLE>",
        "<!-- crawler > crawler -->",
        "<script>never closed crawler",
        "<!-- never closed crawler",
        '<p data-json="' + "x" * 5_000 + ' crawler ">x',
        '<img alt="a crawler" src=x>',
        '<a href=x><img src="a crawler.png" alt=other></a>',
        "<p unfinished crawler",
        "trawlers scrawler crawlerish",
    ],
)
def test_what_a_reader_does_not_see_does_not_count(html: str) -> None:
    assert judge(html) == Judgement(0.0, {})


@pytest.mark.parametrize(
    "html",
    [
        "<P>CRAWLER",
        "<title>Crawlers</title>",
        "a crawler's life",
        "2 < 3 crawler > 4",
        "<!--> crawler <!-- x -->",
        "<script></script>crawler",
        "<script>a</script ><!-- b --><style>c</style> crawler",
        "it's <p class='x'>it's a crawler",
        "&nbsp;crawler&nbsp;",
        "crawler",
        "使用crawler下载",
        "crawler2",
        "İİİ <p title=İ>crawler",
        "<p data-x='" + "x" * 5_000 + "'>" + FILLER * 10 + "crawler",
    ],
)
def test_what_a_reader_sees_counts_once(html: str) -> None:
    assert relevance(html) > 0


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("crawler", "crawlers"),
        ("crawlers", "crawler"),
        ("program", "programming"),
        ("compile", "compiling compiled"),
        ("library", "libraries"),
        ("libraries", "library"),
        ('"memory safety"', "Memory\n    safety"),
        ('"memory safety"', "memory&nbsp;safety"),
        ('"memory safety"', "memory <b>safety</b>"),
        ("straße", "STRAßE"),
        ("москва", "Москва"),
        ("москва", "МОСКВА"),
        ("café", "caf&eacute;"),
        ("café", "CAF&Eacute;"),
        ("café", "caf&#233;"),
        ("at&t", "AT&amp;T"),
        ("c++", "C++"),
        ("爬虫", "网络爬虫程序"),
        ("爬虫", "&#29228;&#34411;"),
        ("爬虫", "&#x722C;&#x866B;"),
        ("크롤러", "웹크롤러는"),
        ("クローラ", "ウェブクローラー"),
        ("ค้นหา", "เครื่องมือค้นหาเว็บ"),
        ("java javascript", "java"),
        ("compile compiler", "compiler"),
    ],
)
def test_a_word_is_known_in_its_forms(topic: str, text: str) -> None:
    assert relevance(f"<p>{text}</p>", topic) > 0


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("rust", "trust rusty rustic"),
        ("java", "javascript"),
        ("go", "gopher ago"),
        ('"web crawler"', "web of crawlers"),
    ],
)
def test_a_word_is_not_found_inside_others(topic: str, text: str) -> None:
    assert relevance(text, topic) == 0


def test_both_a_word_and_a_longer_one_that_begins_with_it_are_found() -> None:
    for topic in ("compile compiler", "compile compiler frontier robots"):  # looked for one by one, and all at once
        assert relevance("compiler", topic) > relevance("compiled", topic) > 0


# ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def worths(html: str, topic: str = "crawler") -> dict[str, float]:
    return {url.removeprefix("http://h/d/"): round(worth, 3) for url, worth in judge(html, topic).worths.items()}


@pytest.mark.parametrize(
    "link",
    [
        "<a href=x>a crawler</a>",
        "<A HREF=x>A CRAWLER</A>",
        '<a class="b" href="x">a <b><i>crawler</i></b></a>',
        "<a\n  href='x'\n>crawler</a>",
        '<a href = " x " >crawler</a>',
        '<a title="a > b" href=x>crawler</a>',
        '<a title="a < b" href=x>crawler</a>',
        '<a href=x><img src=i alt="My crawler"></a>',
        "<a href=x><img alt=crawler></a>",
        "<a href=x><IMG TITLE='the Crawler'></a>",
        "<a href=x>crawler ",
        "<a href=x>one <!-- <a href=y> --> crawler</a>",
        "<a href='x#part'>crawler</a>",
        "<a href=x>crawler</a\n>",
        "<a href=x><article>one</article> crawler</a>",
        "\x01\x02<a href=x>\x02crawler\x01</a>",
        "<a title=don't href=x>crawler</a>",
        "<a\thref=x>crawler</a>",
    ],
)
def test_a_link_whose_words_are_of_the_topic_is_worth_most(link: str) -> None:
    assert worths(f"<p>{FILLER}{link}{FILLER}") == {"x": 1.0}


def test_a_link_near_words_of_the_topic_is_worth_something() -> None:
    html = f"<a href=x>x</a> {FILLER} <a href=near>near</a> the crawler <a href=next>next</a> {FILLER}<a href=y>y</a>"
    assert worths(html) == {"near": 0.2, "next": 0.2}


def test_nearness_is_counted_in_characters_of_text() -> None:
    markup = '<span class="some very long list of classes"></span>' * 15
    assert worths(f"crawler {markup} <a href=x>here</a>") == {"x": 0.2}
    assert worths(f"crawler {'x ' * 150} <a href=x>here</a>") == {}


def test_more_words_of_the_topic_make_a_link_worth_more() -> None:
    found = worths(f"<a href=x>crawler</a>{FILLER}<a href=y>crawler frontier</a>", "crawler frontier robots")
    assert found == {"x": 0.467, "y": 0.733}


def test_a_word_that_is_repeated_in_a_link_counts_once() -> None:
    assert worths("<a href=x>crawler crawler crawlers</a>", "crawler frontier robots") == {"x": 0.467}


def test_three_words_of_a_long_topic_are_full_marks_for_a_link() -> None:
    topic = " ".join(f"word{letter}" for letter in "abcdefghij")
    assert worths("<a href=x>worda wordb wordc wordd</a>", topic) == {"x": 1.0}


def test_of_several_links_to_one_url_the_best_counts() -> None:
    html = f"<a href=x>logo</a> crawler {FILLER} <a href=./x>crawler</a> {FILLER} <a href=/d/x>more</a> crawler"
    assert worths(html) == {"x": 1.0}


def test_links_are_resolved_and_character_references_in_them_are_read() -> None:
    assert judge('<a href="../q?a=1&amp;b=2#f">crawler</a>').worths == {"http://h/q?a=1&b=2": 1.0}


def test_broken_links_and_anchors_without_target_have_no_worth() -> None:
    assert (
        worths("<a href='mailto:a@b'>crawler</a> <a name=x>crawler</a> <a href>crawler</a> <abbr>crawler</abbr>") == {}
    )


def test_what_looks_like_a_link_in_a_script_is_none() -> None:
    assert worths("crawler <script>document.write('<a href=x>crawler</a>')</script>") == {}


def test_an_anchor_that_is_closed_no_more_counts_for_the_next_one() -> None:
    assert worths(f"<a href=x>one</a>{FILLER}<a href=y>crawler</a>") == {"y": 1.0}


def test_a_chinese_page_is_judged_like_any() -> None:
    html = f"<p>{'无关的内容。' * 60}<a href=x>网络爬虫入门</a>{'无关的内容。' * 60}<a href=y>天气</a>"
    assert worths(html, "爬虫") == {"x": 1.0}


def test_offsets_stay_right_behind_letters_whose_lower_case_is_longer() -> None:
    assert worths(f"{'İ' * 500} <a href=İx>crawler</a>") == {"%C4%B0x": 1.0}


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_the_beginning_of_a_very_long_text_is_looked_at() -> None:
    assert relevance("x " * 5_000_000 + "crawler") == 0


def test_words_far_into_a_long_text_are_found_at_their_place() -> None:
    assert worths("é " * 300_000 + "<a href=x>crawler</a>") == {"x": 1.0}


@pytest.mark.parametrize(
    "unit",
    [
        "<", ">", "<a ", "<a href=", '<a href="', "crawler", "crawler ", "<crawler", "<a href=x>crawler", "<!--",
        "<!-->", "<script>", "<script></script>", "crawler<script>", "crawler <img alt='", "<a b=\"<a c='crawler ",
        "&nbsp;", "<a x", "<a =", "crawler= ", "<img crawler=",
    ],
)  # fmt: skip
def test_a_hostile_page_is_judged_with_bounded_work(unit: str) -> None:
    calls = 0

    def resolve(href: str) -> str:
        nonlocal calls
        calls += 1
        return f"{href}{calls}"

    judgement = TopicJudge(Topic.of_words('crawler "crawler nbsp"')).judge(unit * (1_000_000 // len(unit)), resolve)
    assert 0 <= judgement.relevance < 1
    assert calls <= 2_000
