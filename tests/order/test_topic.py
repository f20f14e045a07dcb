"""What a topic is made of."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.order.topic import MAX_WORDS, Topic


def words(topic: Topic) -> list[str]:
    return [word for word, _ in topic.words]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("rust", ["rust"]),
        ("Rust, Async  compiler", ["rust", "async", "compiler"]),
        ('rust "Memory  Safety" go', ["rust", "memory safety", "go"]),
        ("rust 'memory safety',“zero cost”", ["rust", "memory safety", "zero cost"]),
        ("don't rock'n'roll", ["don't", "rock'n'roll"]),
        ("rust RUST rust", ["rust"]),
        ("c++ c#", ["c++", "c#"]),
        ("爬虫，搜索引擎、网络", ["爬虫", "搜索引擎", "网络"]),
        ("İstanbul Straße", ["istanbul", "straße"]),
        ("cafe\u0301", ["café"]),
        ('"unfinished phrase', ["unfinished", "phrase"]),
    ],
)
def test_commas_and_spaces_separate_words_and_quotes_keep_a_phrase_whole(given: str, expected: list[str]) -> None:
    assert words(Topic.of_words(given)) == expected


def test_words_that_the_user_gave_weigh_the_same() -> None:
    assert {weight for _, weight in Topic.of_words('a b "c d"').words} == {1.0}


@pytest.mark.parametrize("given", ["", "  ", ", ,", '""', "-- !!"])
def test_a_topic_without_words_is_refused_in_one_sentence(given: str) -> None:
    with pytest.raises(BadInput, match=r"^the topic .* has no words$"):
        Topic.of_words(given)


def test_a_topic_of_more_words_than_can_be_looked_for_is_refused() -> None:
    with pytest.raises(BadInput, match="41 words"):
        Topic.of_words(" ".join(f"word{number}" for number in range(MAX_WORDS + 1)))


def test_the_words_of_a_text_are_the_frequent_ones_without_stop_words() -> None:
    text = "The telescope and the other telescope see the galaxy. A galaxy has stars; the telescope's mirror is large."
    topic = Topic.of_text(text)
    assert words(topic)[:2] == ["telescope", "galaxy"]
    assert not {"the", "other", "see", "has", "and", "large"} & set(words(topic))
    weights = [weight for _, weight in topic.words]
    assert weights[:2] == [1.0, 2 / 3]
    assert weights == sorted(weights, reverse=True)


def test_a_text_has_no_more_than_the_most_telling_words() -> None:
    text = (
        " ".join(f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(500)) + " crawler crawler"
    )
    topic = Topic.of_text(text)
    assert len(topic.words) == MAX_WORDS
    assert words(topic)[0] == "crawler"


def test_a_text_makes_the_same_topic_every_time() -> None:
    text = "alpha beta gamma delta " * 3
    assert Topic.of_text(text) == Topic.of_text(text)


def test_of_chinese_text_pairs_of_characters_are_words_without_those_in_every_text() -> None:
    topic = Topic.of_text("网络爬虫是一种程序。爬虫的下载，网页的下载。这个爬虫很快。")
    assert words(topic)[0] == "爬虫"
    assert "网络" in words(topic)
    assert not any(set("的是这") & set(word) for word in words(topic))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ウェブクローラーは、クローラーとも呼ばれる。", "ロー"),
        ("웹크롤러는 크롤러", "크롤"),
        ("เครื่องมือค้นหา ค้นหาเว็บ", "ค้นห"),
        ("Использование Rust", "использование"),
        ("Rust语言的内存安全", "rust"),
    ],
)
def test_a_text_in_any_script_makes_a_topic(text: str, word: str) -> None:
    assert word in words(Topic.of_text(text))


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(BadInput, match="no words"):
        Topic.of_text("the and of 12 345 — …")
