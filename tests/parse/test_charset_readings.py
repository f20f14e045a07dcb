from __future__ import annotations

import pytest

from tests.parse.charset_pages import CODECS, sources_in
from weft.parse.charset.readings import READS_WELL, best_reading, share_of_frequent

AT_HOME = [
    ("zh-cn", "gbk"),
    ("zh-tw", "gbk"),
    ("zh-tw", "big5"),
    ("ja", "shift_jis"),
    ("ja", "euc-jp"),
    ("ko", "euc-kr"),
]
EAST_ASIAN = ["gbk", "big5", "shift_jis", "euc-jp", "euc-kr"]


@pytest.mark.parametrize(("language", "charset"), AT_HOME)
def test_a_text_reads_well_in_its_charset_and_in_no_other(language: str, charset: str) -> None:
    for source in sources_in(language):
        body = source.sentences.encode(CODECS[charset])
        shares = {other: share_of_frequent(body.decode(f"whatwg-{other}"), other) for other in EAST_ASIAN}
        assert shares.pop(charset) >= READS_WELL
        assert max(shares.values()) < READS_WELL
        assert best_reading(body) == charset


@pytest.mark.parametrize("charset", ["windows-1250", "windows-1251", "windows-1253", "windows-1256", "koi8-r"])
def test_text_of_single_bytes_reads_well_in_no_charset_of_east_asia(charset: str) -> None:
    language = {"windows-1250": "cs", "windows-1253": "el", "windows-1256": "ar"}.get(charset, "ru")
    for source in sources_in(language):
        assert best_reading(source.sentences.encode(CODECS[charset])) is None


def test_what_is_to_displace_a_label_must_read_twice_as_well() -> None:
    body = "이다는의에가뷁쀓꿻쒦쫇튱핧햏홝휅힄뙈".encode("cp949")  # six frequent syllables of eighteen
    assert best_reading(body) == "euc-kr"
    assert best_reading(body, better_than=0.15) == "euc-kr"
    assert best_reading(body, better_than=0.2) is None


def test_a_few_frequent_characters_may_come_about_by_chance() -> None:
    assert best_reading("의견".encode("cp949")) is None


def test_nothing_is_known_about_charsets_of_single_bytes_and_texts_in_ascii() -> None:
    assert share_of_frequent("été", "windows-1252") == 1
    assert share_of_frequent("plain", "gbk") == 1
    assert share_of_frequent("Привет", "gbk") == 1
