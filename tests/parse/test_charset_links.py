"""Titles and links, from bytes: each charset rightly labelled, and each way to label it wrongly.

A link's query is spelt in the page's charset, as browsers do, so a wrong charset shows there too.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.parse.charset_pages import sources_in
from weft.parse import parse_html

URL = "http://example.org/dir/page.html"


class Written(NamedTuple):
    """A word in a charset: Python's codec, the word, the query that a browser makes of it, the language around it."""

    codec: str
    word: str
    query: str
    language: str = ""


UTF8_WORD = Written("utf-8", "中文", "%E4%B8%AD%E6%96%87", "zh-cn")
WRITTEN = {
    "utf-8": UTF8_WORD,
    "utf-16le": UTF8_WORD._replace(codec="utf-16-le"),  # queries of UTF-16 pages are UTF-8
    "utf-16be": UTF8_WORD._replace(codec="utf-16-be"),
    "gbk": Written("gbk", "中文", "%D6%D0%CE%C4", "zh-cn"),
    "gb18030": Written("gb18030", "中文𠀀", "%D6%D0%CE%C4%952%826", "zh-cn"),
    "big5": Written("big5hkscs", "中文", "%A4%A4%A4%E5", "zh-tw"),
    "shift_jis": Written("cp932", "日本", "%93%FA%96{", "ja"),
    "euc-jp": Written("euc_jp", "日本", "%C6%FC%CB%DC", "ja"),
    "iso-2022-jp": Written("iso2022_jp", "日本", "%1B$BF|K\\%1B(B", "ja"),
    "euc-kr": Written("cp949", "한국", "%C7%D1%B1%B9", "ko"),
    "windows-1250": Written("cp1250", "łódź", "%B3%F3d%9F", "pl"),
    "windows-1251": Written("cp1251", "мир", "%EC%E8%F0", "ru"),
    "windows-1252": Written("cp1252", "été€", "%E9t%E9%80", "fr"),
    "windows-1253": Written("cp1253", "νέα", "%ED%DD%E1", "el"),
    "windows-1254": Written("cp1254", "şık", "%FE%FDk", "tr"),
    "windows-1255": Written("cp1255", "שלום", "%F9%EC%E5%ED"),
    "windows-1256": Written("cp1256", "سلام", "%D3%E1%C7%E3", "ar"),
    "windows-1257": Written("cp1257", "žąsis", "%FE%E0sis"),
    "windows-1258": Written("cp1258", "đư", "%F0%FD"),
    "windows-874": Written("cp874", "ไทย", "%E4%B7%C2"),
    "koi8-r": Written("koi8-r", "мир", "%CD%C9%D2", "ru"),
    "koi8-u": Written("koi8-u", "мир", "%CD%C9%D2", "ru"),
    "iso-8859-2": Written("iso8859-2", "łódź", "%B3%F3d%BC"),
    "iso-8859-3": Written("iso8859-3", "ĝis", "%F8is"),
    "iso-8859-4": Written("iso8859-4", "ēst", "%BAst"),
    "iso-8859-5": Written("iso8859-5", "мир", "%DC%D8%E0", "ru"),
    "iso-8859-6": Written("iso8859-6", "سلام", "%D3%E4%C7%E5"),
    "iso-8859-7": Written("iso8859-7", "νέα", "%ED%DD%E1"),
    "iso-8859-8": Written("iso8859-8", "שלום", "%F9%EC%E5%ED"),
    "iso-8859-10": Written("iso8859-10", "ēst", "%B2st"),
    "iso-8859-13": Written("iso8859-13", "žąsis", "%FE%E0sis"),
    "iso-8859-14": Written("iso8859-14", "ŵy", "%F0y"),
    "iso-8859-15": Written("iso8859-15", "œuf", "%BDuf"),
    "iso-8859-16": Written("iso8859-16", "știre", "%BAtire"),
}


def page(written: Written, meta: str = "") -> bytes:
    """A page with some sentences in its language, if there are any."""
    sentences = "".join(f"<p>{source.sentences}</p>\n" for source in sources_in(written.language)[:3])
    text = (
        f"<html><head>{meta}<title>{written.word}</title></head>\n"
        f'<body>{sentences}<a href="/find?q={written.word}">{written.word}</a> <a href="next">2</a></body></html>'
    )
    return text.encode(written.codec, "xmlcharrefreplace")


def assert_right(written: Written, body: bytes, content_type: str | None) -> None:
    found = parse_html(body, URL, content_type)
    assert found.title == written.word
    assert [link.url for link in found.links] == [
        "http://example.org/find?q=" + written.query,
        "http://example.org/dir/next",
    ]


@pytest.mark.parametrize("charset", WRITTEN)
def test_labelled_by_the_header(charset: str) -> None:
    assert_right(WRITTEN[charset], page(WRITTEN[charset]), f"text/html; charset={charset}")


@pytest.mark.parametrize("charset", WRITTEN)
def test_labelled_by_meta(charset: str) -> None:
    assert_right(WRITTEN[charset], page(WRITTEN[charset], f'<meta charset="{charset}">'), "text/html")


@pytest.mark.parametrize("charset", WRITTEN)
def test_a_header_that_fails_leaves_the_word_to_meta(charset: str) -> None:
    body = page(WRITTEN[charset], f'<meta charset="{charset}">')
    assert_right(WRITTEN[charset], body, "text/html; charset=utf-8")


@pytest.mark.parametrize("mark_charset", ["utf-8", "utf-16le", "utf-16be"])
@pytest.mark.parametrize("label", ["utf-8", "gbk", "iso-8859-1", "utf-16", "no-such"])
def test_a_byte_order_mark_goes_before_any_label(mark_charset: str, label: str) -> None:
    written = WRITTEN[mark_charset]
    body = "\ufeff".encode(written.codec) + page(written, f'<meta charset="{label}">')
    assert_right(written, body, f"text/html; charset={label}")


# The pages that their bytes give away, and every label that is not theirs.
@pytest.mark.parametrize(
    "label",
    [
        *(
            "utf-8",
            "gb2312",
            "gbk",
            "gb18030",
            "big5",
            "shift_jis",
            "euc-jp",
            "euc-kr",
            "iso-2022-jp",
            "utf-16",
            "utf-7",
        ),
        *("hz-gb-2312", "iso-2022-kr", "replacement", "no-such", "none", ""),
    ],
)
@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16le", "utf-16be", "gbk", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr"]
)
def test_a_wrong_label_does_not_harm_a_page_that_reads_well_in_another_charset(charset: str, label: str) -> None:
    assert_right(WRITTEN[charset], page(WRITTEN[charset]), f"text/html; charset={label}")
    assert_right(WRITTEN[charset], page(WRITTEN[charset], f'<meta charset="{label}">'), "text/html")
    both = page(WRITTEN[charset], f'<meta charset="{label}">')
    assert_right(WRITTEN[charset], both, f"text/html; charset={label}")


@pytest.mark.parametrize("label", ["utf-8", "gbk", "big5", "euc-jp", "euc-kr", "utf-16", "utf-7", "no-such"])
@pytest.mark.parametrize(
    "charset", ["windows-1250", "windows-1251", "windows-1253", "windows-1254", "windows-1256", "koi8-r"]
)
def test_a_label_that_fails_leaves_a_page_of_single_bytes_to_its_letters(charset: str, label: str) -> None:
    assert_right(WRITTEN[charset], page(WRITTEN[charset]), f"text/html; charset={label}")


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1252", "latin1", "us-ascii", "x-user-defined"])
def test_utf_8_labelled_as_single_bytes_is_utf_8(label: str) -> None:
    assert_right(UTF8_WORD, page(UTF8_WORD, f'<meta charset="{label}">'), f"text/html; charset={label}")


def test_a_label_of_single_bytes_always_decodes_so_it_is_believed_even_when_wrong() -> None:
    found = parse_html(page(WRITTEN["windows-1251"]), URL, "text/html; charset=windows-1252")
    assert (found.title, found.charset) == ("ìèð", "windows-1252")
    assert found.links[0].url.endswith("?q=%EC%E8%F0")  # the bytes are the page's all the same


@pytest.mark.parametrize("content_type", ["text/html; charset=x-user-defined", "text/html"])
def test_x_user_defined_is_windows_1252(content_type: str) -> None:
    written = WRITTEN["windows-1252"]
    assert_right(written, page(written, "<meta charset=x-user-defined>"), content_type)


@pytest.mark.parametrize(
    ("label", "charset", "query"),
    [
        ("windows-1251", "windows-1251", "%EC"),
        ("gbk", "gbk", "%A7%DE"),
        ("utf-8", "utf-8", "%D0%BC"),
        ("utf-16", "utf-8", "%D0%BC"),
        ("utf-16be", "utf-8", "%D0%BC"),
        ("unicode", "utf-8", "%D0%BC"),
        ("iso-2022-kr", "windows-1252", "%26%231084%3B"),
        ("utf-7", "windows-1252", "%26%231084%3B"),
        ("", "windows-1252", "%26%231084%3B"),
    ],
)
def test_a_page_in_ascii_has_the_charset_of_its_label_because_queries_want_one(
    label: str, charset: str, query: str
) -> None:
    body = f"<meta charset='{label}'><a href='/?q=&#1084;'>".encode()
    for found in (
        parse_html(body, URL, "text/html"),
        parse_html(body.replace(b"meta", b"mata"), URL, f"text/html; charset={label}"),
    ):
        assert found.charset == charset
        assert found.links[0].url == "http://example.org/?q=" + query
