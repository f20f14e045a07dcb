from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import decode
from weft.parse.charset.labels import _charset_in_meta, charset_in_markup, charset_of_header, whatwg_name


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
    ("label", "charset"),
    [
        ("UTF8", "utf-8"),
        (" utf-8 ", "utf-8"),
        ("latin1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("gb_2312-80", "gbk"),
        ("x-x-big5", "big5"),
        ("windows-31j", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf-16", "utf-16le"),
        ("utf-7", None),
        ("utf-32", None),
        ("no-such", None),
        ("中", None),
        ("", None),
    ],
)
def test_a_label_stands_for_the_charset_that_browsers_take(label: str, charset: str | None) -> None:
    assert whatwg_name(label) == charset


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("utf-16", "utf-8"),
        ("utf-16be", "utf-8"),
        ("ucs-2", "utf-8"),
        ("x-user-defined", "windows-1252"),
        ("replacement", None),
        ("iso-2022-kr", None),
        ("hz-gb-2312", None),
        ("utf-7", None),
    ],
)
def test_a_label_that_can_be_read_does_not_mean_a_charset_in_which_it_could_not(
    label: str, charset: str | None
) -> None:
    assert charset_of_header(f"text/html; charset={label}") == charset
    assert charset_in_markup(f"<meta charset={label}>".encode()) == charset


@pytest.mark.parametrize(
    "markup",
    [
        '<meta charset="gbk">',
        "<meta charset='gbk'>",
        "<META CHARSET=GB2312>",
        "<meta/charset=gbk />",
        "<meta\n\tcharset = gbk >",
        '<meta name="x" charset=" gbk " content="y">',
        '<meta http-equiv="Content-Type" content="text/html; charset=gbk">',
        "<META HTTP-EQUIV=CONTENT-TYPE CONTENT=text/html;charset=gbk>",
        "<meta content='text/html;charset=gbk' http-equiv='content-type'/>",
        '<meta http-equiv=content-type content="text/html; charset = gbk; x">',
        """<meta http-equiv=content-type content="text/html; charset='gbk'">""",
        """<meta http-equiv=content-type content='text/html; charset="gbk"'>""",
        '<meta http-equiv="content-type" content="charset=gbk">',
        "<!-- <meta charset=big5> --><meta charset=gbk>",
        "<!--><meta charset=gbk>-->",
        "<meta name=keywords content='a > b, charset'><meta charset=gbk>",
        "<meta charset=no-such><meta charset=gbk>",
        "<title>charset=big5</title><meta charset=gbk>",
        "<metal charset=big5><meta charset=gbk>",
        "<meta http-equiv=refresh content='0;url=/?charset=big5'><meta charset=gbk>",
        "<meta name=description content='charset=big5'><meta charset=gbk>",
        "<meta data-charset=big5><meta charset=gbk>",
        "<meta charset=gbk charset=big5>",
        '<?xml version="1.0" encoding="big5"?><meta charset=gbk>',
        '<?xml version="1.0" encoding="gbk"?>',
        "<?xml version='1.0' encoding = 'GB2312' ?>",
        '<?xml version="1.0" encoding="gbk"?><meta charset=no-such>',
        " " * 2000 + "<meta charset=gbk>",
        "<script>/* charset */</script>" + " " * 2000 + "<meta charset=gbk>",
    ],
)
def test_a_page_names_its_charset_in_many_ways(markup: str) -> None:
    assert charset_in_markup(markup.encode()) == "gbk"


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "charset=gbk",
        "<!-- <meta charset=gbk> -->",
        "<!-- <meta charset=gbk>",
        "<meta name=charset content=gbk>",
        "<meta content='text/html; charset=gbk'>",
        "<meta name=description content='charset=gbk'>",
        "<meta http-equiv=refresh content='0;url=/?charset=gbk'>",
        '<meta charset="gbk',
        "<meta charset=gbk/>",
        "<meta charset>",
        "<meta charset=>",
        "<meta charset=中>",
        "<?xml version='1.0'?>",
        "x<?xml version='1.0' encoding='gbk'?>",
        " " * 5000 + "<meta charset=gbk>",
    ],
)
def test_what_is_not_a_charset_declaration_is_none(markup: str) -> None:
    assert charset_in_markup(markup.encode()) is None


@pytest.mark.parametrize("hurtful", [b"<meta ", b"<!--", b"<meta '", b'<meta charset="', b"<?xml ", b"charset=", b"< "])
def test_a_head_made_to_hurt_is_read(hurtful: bytes) -> None:
    assert charset_in_markup(hurtful * 100_000) is None


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ('text/html; x="a;charset=big5"; charset=gbk', "gbk"),
        ('text/html; x="a\\";charset=big5"; charset=gbk', "gbk"),
        ('text/html; x="a;charset=big5', None),
        ("text/html; charset=; charset=gbk", "gbk"),
        ('text/html; charset="g\\bk"', "gbk"),
        ("text/html; charset=gbk; charset=big5", "gbk"),
        ('text/html; "charset=big5"; charset=gbk', "gbk"),
    ],
)
def test_quotes_in_the_header_are_passed_over_whole(content_type: str, charset: str | None) -> None:
    assert charset_of_header(content_type) == charset


@pytest.mark.parametrize(
    ("markup", "charset"),
    [
        (b"<p title='<meta charset=big5>'><meta charset=gbk>", "gbk"),
        (b'<p title="a>b"><meta charset=gbk>', "gbk"),
        (b"</p title='<meta charset=big5>'><meta charset=gbk>", "gbk"),
        (b"<!x '<meta charset=big5><meta charset=gbk>", "gbk"),
        (b"<?x <meta charset=big5><meta charset=gbk>", "gbk"),
        (b"</ <meta charset=big5><meta charset=gbk>", "gbk"),
        (b"<!--><meta charset=gbk>-->", "gbk"),
        (b"<!---><meta charset=gbk>-->", "gbk"),
        (b"<!-- <meta charset=big5> --><meta charset=gbk>", "gbk"),
        (b"<!-- <meta charset=gbk>", None),
        (b"<metaa charset=gbk>", None),
        (b"<meta/charset=gbk>", "gbk"),
        (b"<meta charset = 'gbk' >", "gbk"),
        (b"<meta charset='gbk", None),
        (b"<meta charset=gbk", None),
        (b"<p x='<meta charset=gbk>", None),
        (b"<meta charset=big5 charset=gbk>", "big5"),
        (b"<meta charset=no-such><meta charset=gbk>", "gbk"),
        (b"<meta content='text/html; charset=gbk'>", None),
        (b"<meta content='text/html; charset=gbk' http-equiv=Content-Type>", "gbk"),
        (b"<meta http-equiv=refresh content='charset=gbk'>", None),
        (b"<meta http-equiv=content-type content='charset charset = gbk;x'>", "gbk"),
        (b"<meta http-equiv=content-type content='charset=\"gbk\"'>", "gbk"),
        (b"<meta http-equiv=content-type content='charset=\"gbk'>", None),
        (b"<meta http-equiv=content-type content='charset=big5' charset=gbk>", "gbk"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta = charset=gbk>", "gbk"),
        (b"<1><meta charset=gbk>", "gbk"),
        (b"<title>a</title><meta charset=gbk>", "gbk"),
        (b"<title>a -- b</title><meta charset=gbk>", "gbk"),
        (b"<title><!-- </title><meta charset=gbk>", None),
        (b"<title>' </title><meta charset=gbk>", "gbk"),
        (b"<!-- <title>a</title><meta charset=gbk>", None),
        (b"<!-- <title>--></title><meta charset=gbk>", "gbk"),
        (b"<!--<title>--</title>--><meta charset=gbk>", "gbk"),
        (b"<p x='<title>a</title><meta charset=gbk>", None),
        (b"<p x='<title>'></title><meta charset=gbk>", "gbk"),
        (b"<p x=<title>a</title><meta charset=gbk>", "gbk"),
        (b"<meta <title>charset=big5</title><meta charset=gbk>", "gbk"),
    ],
)
def test_markup_is_looked_through_by_the_letter_of_the_standard(markup: bytes, charset: str | None) -> None:
    assert charset_in_markup(markup + b" " * 10) == charset
    assert charset_in_markup(markup.upper() + b" " * 10) == charset


PIECES = (
    "<",
    ">",
    "<!--",
    "-->",
    "--",
    '"',
    "'",
    "=",
    "<p x=",
    "</p",
    "<meta ",
    " charset=big5 ",
    "<title>",
    "</title>",
    "a",
    "<!x",
    "<?",
)


@settings(max_examples=500, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text("ab -&!/?=<>\"'", max_size=6))
def test_the_text_of_a_title_changes_nothing(before: str, title: str) -> None:
    markup = f"{before}<title>{title}</title><meta charset=gbk>".encode()
    assert charset_in_markup(markup) == _charset_in_meta(markup)
