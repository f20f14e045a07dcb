from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import decode

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
    "content_type",
    [
        "text/html; charset=gbk",
        "text/html;charset=GBK",
        'text/html; charset="gbk"',
        "text/html; charset='gbk'",
        'text/html; charset="gbk',
        "text/html; Charset = gbk ; x=y",
        "text/html; x=y; charset=gbk",
        ";charset=gbk",
    ],
)
def test_the_header_is_read_however_it_is_written(content_type: str) -> None:
    assert decode("中".encode("gbk"), content_type) == ("中", "gbk")


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/html",
        "text/html; charset=",
        "text/html; charset=no-such",
        "text/html; charset=\x00",
        "text/html; charset=ü",
        "text/html; charset=\ud800",
        "text/html; charset=" + "x" * 10_000,
        'text/html; charset=""',
        "text/html; notcharset=gbk",
    ],
)
def test_a_label_nobody_knows_is_passed_over(content_type: str | None) -> None:
    assert decode("é".encode(), content_type) == ("é", "utf-8")


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


@pytest.mark.parametrize(
    ("markup", "charset"),
    [
        ('<meta charset="gbk">', "gbk"),
        ("<META CHARSET=GB2312>", "gbk"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=gb18030">', "gb18030"),
        ("<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
    ],
)
def test_without_a_header_the_meta_element_counts(markup: str, charset: str) -> None:
    text = f"<head>{markup}</head>" + CHINESE
    assert decode(text.encode("gbk"), "text/html") == (text, charset)


def test_the_header_goes_before_the_meta_element() -> None:
    assert decode(b"<meta charset=gbk>\xc3\xa9", "text/html; charset=utf-8")[1] == "utf-8"


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


def test_bytes_that_do_not_fit_become_replacement_characters() -> None:
    assert decode(b"a\xffb\xe4\xb8", "text/html; charset=utf-8") == ("a\ufffdb\ufffd", "utf-8")
    assert decode(b"a\xff\xffb", "text/html; charset=gbk")[0].startswith("a\ufffd")
    assert decode(b"a\x00b", "text/html; charset=utf-16")[0].endswith("\ufffd")


@settings(max_examples=300, deadline=None, database=None)
@given(
    st.binary(max_size=200),
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
