from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import decode

PIECES = [
    *(
        b"<meta charset=",
        b"<meta http-equiv=content-type content='text/html;charset=",
        b"<!--",
        b"-->",
        b"'",
        b'"',
        b">",
    ),
    *(b"utf-16", b"gbk", b"big5", b"replacement", b"x-user-defined", b"no-such", b"<?xml encoding='", b"<html lang=ja"),
    *(b"\0", b"\0<", b"<\0", b"\x1b$B", b"\x1b(B", b"\xff", b"\xe4\xb8\xad", b"\xd6\xd0", b"\x82\xa0", b"a" * 1100),
]
CHINESE = "中文网页内容测试,这是一个很长的句子"
JAPANESE = "日本語のページです。これはテスト"
RUSSIAN = "Привет, мир, как твои дела"


@pytest.mark.parametrize(
    ("text", "codec", "label", "charset"),
    [
        ("grüß €", "utf-8", "utf-8", "utf-8"),
        ("grüß €", "utf-8", "UTF8", "utf-8"),
        ("grüß €", "cp1252", "iso-8859-1", "windows-1252"),
        ("grüß €", "cp1252", "latin1", "windows-1252"),
        ("grüß €", "utf-16-le", "utf-16", "utf-16le"),
        ("grüß €", "utf-16-be", "utf-16be", "utf-16be"),
        (CHINESE, "gbk", "gb2312", "gbk"),
        (CHINESE + "𠀀", "gb18030", "gb18030", "gb18030"),
        ("中文網頁", "big5", "big5-hkscs", "big5"),
        (JAPANESE, "shift_jis", "x-sjis", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
        ("한국어 페이지", "cp949", "ks_c_5601-1987", "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r", "koi8-r"),
        ("Ελληνικά", "cp1253", "windows-1253", "windows-1253"),
        ("Türkçe ş", "cp1254", "iso-8859-9", "windows-1254"),
        ("עברית", "cp1255", "windows-1255", "windows-1255"),
        ("العربية", "cp1256", "windows-1256", "windows-1256"),
        ("Łódź", "cp1250", "windows-1250", "windows-1250"),
    ],
)
def test_the_charset_of_the_header_counts(text: str, codec: str, label: str, charset: str) -> None:
    assert decode(text.encode(codec), f"text/html; charset={label}") == (text, charset)


@pytest.mark.parametrize(
    ("mark", "codec", "charset"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "utf-16be"),
    ],
)
def test_a_byte_order_mark_goes_before_the_header_and_is_taken_off(mark: bytes, codec: str, charset: str) -> None:
    assert decode(mark + "é".encode(codec), "text/html; charset=gbk") == ("é", charset)


def test_the_header_goes_before_the_meta_element() -> None:
    text = f"<meta charset=iso-8859-2>{RUSSIAN}"
    assert decode(text.encode("koi8-r"), "text/html; charset=koi8-r") == (text, "koi8-r")


@pytest.mark.parametrize(
    ("text", "codec", "charset"),
    [
        ("élève", "utf-8", "utf-8"),
        (CHINESE, "gbk", "gbk"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (RUSSIAN, "cp1251", "windows-1251"),
        ("élève café", "cp1252", "windows-1252"),
    ],
)
def test_without_any_word_the_bytes_decide(text: str, codec: str, charset: str) -> None:
    assert decode(text.encode(codec)) == (text, charset)


def test_nothing_at_all_is_windows_1252_as_in_browsers() -> None:
    assert decode(b"") == ("", "windows-1252")
    assert decode(b"plain") == ("plain", "windows-1252")


@pytest.mark.parametrize(
    ("sound", "charset", "codec"),
    [
        ("日本語のページです。" * 4, "utf-8", "utf-8"),
        ("中文网页内容测试的" * 4, "gbk", "gbk"),
        ("日本語のページです。" * 4, "shift_jis", "cp932"),
        ("日本語のページです。" * 4, "euc-jp", "euc_jp"),
        ("中文網頁的內容測試" * 4, "big5", "big5hkscs"),
        ("한국어로 된 페이지입니다" * 4, "euc-kr", "cp949"),
        ("Ελληνικά γράμματα" * 4, "windows-1253", "cp1253"),
    ],
)
def test_one_broken_byte_in_a_page_does_not_make_its_label_wrong(sound: str, charset: str, codec: str) -> None:
    body = b"<p>" + sound.encode(codec) + b"<br>\xff<br>" + sound.encode(codec)
    assert decode(body, f"text/html; charset={charset}") == (f"<p>{sound}<br>\ufffd<br>{sound}", charset)


@pytest.mark.parametrize("charset", ["utf-8", "gbk", "euc-jp", "big5"])
def test_a_label_is_wrong_when_most_of_what_it_says_is_broken(charset: str) -> None:
    text = "élève à Besançon, déjà là où l'été finit"
    assert decode(text.encode("cp1252"), f"text/html; charset={charset}") == (text, "windows-1252")


def test_a_page_labelled_utf_8_with_some_bytes_from_elsewhere_is_utf_8() -> None:
    body = "It’s the café’s “naïve” menu: ".encode() + b"p\xe2t\xe9"
    assert decode(body, "text/html; charset=utf-8") == ("It’s the café’s “naïve” menu: p\ufffdt\ufffd", "utf-8")
    assert decode(body, "text/html; charset=iso-8859-1")[1] == "windows-1252"


def test_a_page_nearly_all_valid_utf_8_is_utf_8_whatever_its_label() -> None:
    sound = "日本語のページです。" * 3
    body = sound.encode() + b"<br>\xe6\x97<br>"
    for label in ("gbk", "iso-8859-1", "shift_jis", "no-such"):
        assert decode(body, f"text/html; charset={label}") == (f"{sound}<br>\ufffd<br>", "utf-8")


def test_a_character_cut_off_at_the_end_is_no_error() -> None:
    assert decode("für Müller – 中".encode()[:-1], "text/html; charset=gbk") == ("für Müller – \ufffd", "utf-8")
    assert decode("für 中".encode()[:-2], "text/html; charset=utf-8") == ("für \ufffd", "utf-8")
    # But without a whole one before it, it proves nothing: this is more likely an é.
    assert decode(b"caf\xe9", "text/html; charset=utf-8") == ("café", "windows-1252")


def test_a_short_page_keeps_its_label_though_it_does_not_read_like_anything() -> None:
    assert decode("龘靐".encode("gbk"), "text/html; charset=gbk") == ("龘靐", "gbk")
    assert decode("東京都港区".encode("cp932"), "text/html; charset=shift_jis") == ("東京都港区", "shift_jis")
    assert decode("ﾃｽﾄ".encode("cp932"), "text/html; charset=shift_jis") == ("ﾃｽﾄ", "shift_jis")


def test_letters_of_other_scripts_say_nothing_against_a_label() -> None:
    text = "日本語の文章を引用します。" + RUSSIAN * 3
    assert decode(text.encode("gbk"), "text/html; charset=gbk") == (text, "gbk")


@pytest.mark.parametrize("label", ["utf-8", "gbk", "iso-8859-1", "utf-16le", "utf-16be", "utf-16"])
@pytest.mark.parametrize(("codec", "charset"), [("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be")])
def test_utf_16_shows_in_its_zero_bytes(codec: str, charset: str, label: str) -> None:
    text = f"<html><title>{JAPANESE}\u3000\u3000</title>" + "語" * 100
    assert decode(text.encode(codec), f"text/html; charset={label}") == (text, charset)


@pytest.mark.parametrize(
    "body",
    [
        b"<p>\0</p>",
        b"\0<p>a\0b\0",
        b"<p>" + b"\0" * 101 + b"</p>",
        b"<p>" + b"a\0\0b" * 50,
        "<p>é".encode() + b"\0x" * 3 + b"some more text that is not wide",
    ],
)
def test_a_page_with_zero_bytes_is_not_utf_16_for_that(body: bytes) -> None:
    assert decode(body, "text/html; charset=utf-8") == (body.decode(), "utf-8")


@pytest.mark.parametrize("label", ["iso-2022-jp", "utf-8", "shift_jis", "no-such"])
def test_iso_2022_jp_shows_in_its_escape_sequences(label: str) -> None:
    body = JAPANESE.encode("iso2022_jp")
    assert decode(body, f"text/html; charset={label}") == (JAPANESE, "iso-2022-jp")


@pytest.mark.parametrize("body", [b"\x1b[31mred\x1b[0m", b"\x1b$)C\x0e\x30\x21\x0f", b"\x1b$B\x0e\x0e", b"\x1b"])
def test_other_escape_sequences_are_ascii(body: bytes) -> None:
    assert decode(body, "text/html; charset=utf-8") == (body.decode(), "utf-8")


def test_a_page_is_read_in_its_language_where_letters_alone_do_not_tell() -> None:
    text = '<html lang="{}"><p>Az óváros múzeumában új kiállítás nyílt, a belépés ingyenes: gyűjtők és nézők is jönnek.'
    hungarian = text.format("hu-HU")
    assert decode(hungarian.encode("cp1250"))[0] == hungarian


@settings(max_examples=100, deadline=None, database=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join),
    ),
    st.one_of(
        st.none(),
        st.text(max_size=30),
        st.sampled_from(["utf-8", "utf-16", "gbk", "big5", "iso-2022-jp", "x-user-defined", "replacement", "x"]).map(
            "text/html; charset={}".format
        ),
    ),
)
def test_any_bytes_under_any_header_give_text(body: bytes, content_type: str | None) -> None:
    text, charset = decode(body, content_type)
    assert isinstance(text, str)
    assert charset == charset.lower()
