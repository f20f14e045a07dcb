"""A file stays in its own charset, and says so itself when only the server did."""

from __future__ import annotations

import pytest

from tests.mirror.tree_judge import PAGE, SITE, saved
from weft.mirror.rewrite import Rewritten, Syntax, rewrite


def done(body: bytes, charset: str, medium: Syntax = Syntax.HTML, header: str | None = None) -> Rewritten:
    return rewrite(body, medium, charset, PAGE, saved, header)


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("utf-8", "utf-8"),
        ("utf-16le", "utf-16-le"),
        ("utf-16be", "utf-16-be"),
        ("shift_jis", "cp932"),
        ("euc-jp", "euc_jp"),
        ("iso-2022-jp", "iso2022_jp"),
        ("gbk", "gbk"),
        ("gb18030", "gb18030"),
        ("big5", "big5"),
    ],
)
def test_a_page_stays_in_its_charset(charset: str, codec: str) -> None:
    # 表 and 十 have the bytes of \\ and | or of letters as their second ones, in some of these.
    page = "<p title='表十能'>表十能<a href='/表.html#十'>能</a><p style=\"b:url('/表')\">表</p>"
    meant = (
        "<p title='表十能'>表十能<a href='../%25E8%25A1%25A8.html#%E5%8D%81'>能</a>"
        "<p style=\"b:url('../%25E8%25A1%25A8')\">表</p>"
    )
    assert done(page.encode(codec), charset).body == meant.encode(codec)


@pytest.mark.parametrize(
    ("charset", "sent", "saved_as"),
    [
        ("utf-8", b"<a href='/?\xc3\xa9'>\xc3\xa9", b"<a href='../%3F%25C3%25A9'>\xc3\xa9"),
        ("windows-1252", b"<a href='/?\xe9'>\xe9", b"<a href='../%3F%25E9'>\xe9"),
        ("windows-1252", b"<a href='/\xe9?&eacute;'>", b"<a href='../%25C3%25A9%3F%25E9'>"),
        ("koi8-r", b"<a href='/?\xc1&#x430;'>\xc1", b"<a href='../%3F%25C1%25C1'>\xc1"),
    ],
)
def test_a_query_is_asked_for_in_the_charset_of_the_page(charset: str, sent: bytes, saved_as: bytes) -> None:
    assert done(sent, charset).body == saved_as


def test_bytes_that_are_broken_stay_broken() -> None:
    body = b"\xc3<a title='\xe9\xc3' href='/x'>\x80\xff"
    assert done(body, "utf-8").body == body.replace(b"/x", b"../x")


def test_an_odd_last_byte_of_utf_16_stays() -> None:
    assert done("<a href=/x>".encode("utf-16-le") + b"a", "utf-16le").body == "<a href=../x>".encode("utf-16-le") + b"a"


def test_characters_beyond_the_basic_plane_take_two_units_of_utf_16() -> None:
    body = "\ufeff𝒳𝒳<a href='/𝒳'>".encode("utf-16-le")
    assert done(body, "utf-16le").body == "\ufeff𝒳𝒳<a href='../%25F0%259D%2592%25B3'>".encode("utf-16-le")


def test_a_set_of_characters_that_begins_in_a_link_of_iso_2022_jp_still_ends_there() -> None:
    body = b"<a href='/\x1b$B%F\x1b(J'>\\<a href=/\x1b(B>"
    kept = done(body, "iso-2022-jp").body
    assert kept == b"<a href='../%25E3%2583%2586\x1b(J'>\\<a href=../\x1b(B>"


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("<!doctype html><html><head><title>é", '<!doctype html><html><head><meta charset="windows-1252"><title>é'),
        ("<HTML lang=de>\n<head >é", '<HTML lang=de>\n<head ><meta charset="windows-1252">é'),
        ("<!-- é --><!DOCTYPE html>\n<p>", '<!-- é --><!DOCTYPE html><meta charset="windows-1252">\n<p>'),
        ("<html><header>é", '<html><meta charset="windows-1252"><header>é'),
        ("é", '<meta charset="windows-1252">é'),
        ("<head><meta charset=utf-8>é", '<head><meta charset="windows-1252"><meta charset=utf-8>é'),
    ],
)
def test_a_page_says_its_charset_itself_if_only_the_header_did(sent: str, saved_as: str) -> None:
    result = done(sent.encode("latin-1"), "windows-1252", header="ISO-8859-1")
    assert result.changed
    assert result.body == saved_as.encode("latin-1")


@pytest.mark.parametrize(
    ("body", "charset", "header"),
    [
        (b"<head>ASCII", "windows-1252", "latin1"),
        (b"<head>\xe9", "windows-1252", None),
        (b"<head><meta charset=latin1>\xe9", "windows-1252", "windows-1252"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=latin1'>\xe9", "windows-1252", "latin1"),
        (b"\xef\xbb\xbf\xc3\xa9", "utf-8", "utf-8"),
        (b"\xc3\xa9", "utf-8", "latin1"),
        (b"\xc3\xa9", "utf-8", "no-such-charset"),
        ("\ufeffé".encode("utf-16-le"), "utf-16le", "utf-16"),
    ],
)
def test_nothing_is_noted_where_the_page_says_so_itself_or_the_header_is_wrong(
    body: bytes, charset: str, header: str | None
) -> None:
    result = done(body, charset, header=header)
    assert result.body is body
    assert not result.changed


def test_utf_16_gets_a_byte_order_mark() -> None:
    assert done("é".encode("utf-16-le"), "utf-16le", header="utf-16").body == b"\xff\xfe\xe9\x00"
    assert done("é".encode("utf-16-be"), "utf-16be", header="utf-16be").body == b"\xfe\xff\x00\xe9"


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        (b"a{}\xe9", b'@charset "windows-1252";a{}\xe9'),
        (b'@charset "utf-8";a{}\xe9', b'@charset "windows-1252";a{}\xe9'),
        (b'@charset "latin1";a{}\xe9', b'@charset "latin1";a{}\xe9'),
        (b"a{}", b"a{}"),
    ],
)
def test_so_does_a_style_sheet(sent: bytes, saved_as: bytes) -> None:
    assert done(sent, "windows-1252", Syntax.CSS, "latin1").body == saved_as


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        (b"<svg>\xe9", b'<?xml version="1.0" encoding="windows-1252"?><svg>\xe9'),
        (b"<?xml version='1.0'?>\xe9", b"<?xml version='1.0' encoding=\"windows-1252\"?>\xe9"),
        (b'<?xml version="1.0" encoding="utf-8"?>\xe9', b'<?xml version="1.0" encoding="windows-1252"?>\xe9'),
        (b'<?xml version="1.0" encoding="latin1"?>\xe9', b'<?xml version="1.0" encoding="latin1"?>\xe9'),
    ],
)
def test_so_does_a_drawing(sent: bytes, saved_as: bytes) -> None:
    assert done(sent, "windows-1252", Syntax.XML, "latin1").body == saved_as


def test_the_links_of_a_sheet_in_shift_jis_are_not_misread_for_an_escape() -> None:
    body = "a{b:url('/表.png')}".encode("cp932")
    assert b"\\" in body
    result = rewrite(body, Syntax.CSS, "shift_jis", SITE + "d/a.css", saved)
    assert result.body == b"a{b:url('../%25E8%25A1%25A8.png')}"
