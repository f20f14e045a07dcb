from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import BadUrl
from weft.url import LinkResolver, canonicalize

BASE = "http://example.org/dir/sub/page.html?old=1"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.ORG/Path", "http://example.org/Path"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("http://example.org:/", "http://example.org/"),
        ("http://example.org:0080/", "http://example.org/"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org/a#b", "http://example.org/a"),
        ("http://example.org/?#", "http://example.org/?"),
        ("http://example.org/?a#b?c#d", "http://example.org/?a"),
        ("http://user:pass@example.org/", "http://example.org/"),
        ("http://user@example.org:81/x@y", "http://example.org:81/x@y"),
        ("http://a@b@example.org/", "http://example.org/"),
        ("http://@example.org/", "http://example.org/"),
        ("http://example.org/?mail=a@b.c", "http://example.org/?mail=a@b.c"),
        ("  http://example.org/ \n", "http://example.org/"),
        ("\x00\x1fhttp://example.org/\x1f", "http://example.org/"),
        ("ht\ntp://exam\tple.org/a\r\nb", "http://example.org/ab"),
        ("http:\\\\example.org\\a\\b?c\\d", "http://example.org/a/b?c\\d"),
        ("http:example.org/a", "http://example.org/a"),
        ("http:////example.org/a", "http://example.org/a"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://example.org/a/%2e%2E/b", "http://example.org/b"),
        ("http://example.org/a/.%2e", "http://example.org/"),
        ("http://example.org/a//b/", "http://example.org/a//b/"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ('http://example.org/a"<>`{}', "http://example.org/a%22%3C%3E%60%7B%7D"),
        ("http://example.org/%7ea%7E%zz%", "http://example.org/%7ea%7E%zz%"),
        ("http://example.org/é", "http://example.org/%C3%A9"),
        ("http://example.org/?é", "http://example.org/?%C3%A9"),
        ("http://example.org/?a b'\"<>|", "http://example.org/?a%20b%27%22%3C%3E|"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ＥＸＡＭＰＬＥ。org/", "http://example.org/"),
        ("http://ex%41mple.org/", "http://example.org/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
        ("http://017700000001/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::1]/"),
        ("http://[::ffff:1.2.3.4]:80/", "http://[::ffff:102:304]/"),
    ],
)
def test_an_absolute_url_is_written_as_a_browser_writes_it(text: str, canonical: str) -> None:
    assert canonicalize(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("http://example.org./", "http://example.org/"),
        ("http://EXAMPLE.org.", "http://example.org/"),
        ("https://me@example.org.:8443/a.:b/c.", "https://example.org:8443/a.:b/c."),
        ("http://example.org%2E/", "http://example.org/"),
        ("http://example。org。/", "http://example.org/"),
        ("ftp://a./b", "ftp://a/b"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://example.org/a.:b./", "http://example.org/a.:b./"),
        ("http://a../", "http://a../"),  # no name: it is not looked up
        ("http://./", "http://./"),
    ],
)
def test_a_host_is_written_without_a_dot_at_its_end_as_name_servers_know_only_one(text: str, canonical: str) -> None:
    assert canonicalize(text) == canonical
    assert LinkResolver("http://other.test/").resolve(text) == (canonical if text[0] == "h" else None)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", "http://example.org/dir/sub/page.html?old=1"),
        ("#top", "http://example.org/dir/sub/page.html?old=1"),
        ("?", "http://example.org/dir/sub/page.html?"),
        ("?a=b", "http://example.org/dir/sub/page.html?a=b"),
        ("other.html", "http://example.org/dir/sub/other.html"),
        ("./other.html", "http://example.org/dir/sub/other.html"),
        (".", "http://example.org/dir/sub/"),
        ("..", "http://example.org/dir/"),
        ("../../../../x", "http://example.org/x"),
        ("/x", "http://example.org/x"),
        ("//other.example/x", "http://other.example/x"),
        ("///other.example/x", "http://other.example/x"),
        ("\\\\other.example\\x", "http://other.example/x"),
        ("http:x", "http://example.org/dir/sub/x"),
        ("https:x", "https://x/"),
        ("https://other.example", "https://other.example/"),
        ("a:b/c", None),
        ("./a:b/c", "http://example.org/dir/sub/a:b/c"),
    ],
)
def test_a_relative_url_is_resolved_as_a_browser_resolves_it(text: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(BadUrl):
            canonicalize(text, BASE)
    else:
        assert canonicalize(text, BASE) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org",
        "/path",
        "//example.org/",
        "http://",
        "http:///",
        "http://exa mple.org/",
        "http://a<b/",
        "http://example.org:99999/",
        "http://example.org:port/",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        "http://[::1/",
        "http://[::g]/",
        "http://%00/",
        "http://\ud800/",
        "ftps://example.org/",
        "mailto:someone@example.org",
        "javascript:void(0)",
        "data:text/html,<a href=x>",
        "file:///etc/passwd",
        "ws://example.org/",
    ],
)
def test_what_is_no_http_url_is_refused_in_one_sentence_that_shows_it(text: str) -> None:
    with pytest.raises(BadUrl) as caught:
        canonicalize(text)
    message = str(caught.value)
    assert "\n" not in message
    assert repr(text) in message


def test_a_very_long_bad_url_is_not_repeated_whole() -> None:
    with pytest.raises(BadUrl) as caught:
        canonicalize("x" * 100_000)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("charset", "query", "encoded"),
    [
        ("utf-8", "é中", "%C3%A9%E4%B8%AD"),
        ("windows-1252", "é€", "%E9%80"),
        ("Windows-1252", "é", "%E9"),
        ("windows-1251", "Ж", "%C6"),
        ("koi8-r", "Ж", "%F6"),
        ("iso-8859-2", "ł", "%B3"),
        ("iso-8859-8-i", "א", "%E0"),
        ("gbk", "中文", "%D6%D0%CE%C4"),
        ("gb18030", "𠀀", "%952%826"),
        ("big5", "中文", "%A4%A4%A4%E5"),
        ("big5", "功", "%A5\\"),  # the second byte is a backslash, which a query keeps
        ("shift_jis", "日本①", "%93%FA%96{%87@"),  # ① is in the web's Shift_JIS only
        ("euc-jp", "日本", "%C6%FC%CB%DC"),
        ("iso-2022-jp", "日本", "%1B$BF|K\\%1B(B"),
        ("euc-kr", "한똠", "%C7%D1%8Cc"),  # the second one is in windows-949 only
        ("windows-1252", "☃", "%26%239731%3B"),
        ("windows-1252", "a☃☃b", "a%26%239731%3B%26%239731%3Bb"),
        ("iso-2022-jp", "日☃", "%1B$BF|%1B(B%26%239731%3B"),
        ("utf-16le", "é", "%C3%A9"),
        ("utf-16be", "é", "%C3%A9"),
        ("replacement", "é", "%C3%A9"),
        ("no-such-charset", "é", "%C3%A9"),
    ],
)
def test_a_query_is_encoded_in_the_charset_of_its_page(charset: str, query: str, encoded: str) -> None:
    assert canonicalize(f"http://h/?q={query}", query_charset=charset) == f"http://h/?q={encoded}"
    assert canonicalize(f"?q={query}#{query}", "http://h/", charset) == f"http://h/?q={encoded}"


def test_the_path_is_utf8_whatever_the_charset_of_the_page() -> None:
    assert canonicalize("/é?é", "http://h/", "windows-1252") == "http://h/%C3%A9?%E9"
    assert canonicalize("/é", "http://h/", "windows-1252") == "http://h/%C3%A9"


def test_what_is_escaped_already_is_not_escaped_again_in_a_page_charset() -> None:
    assert canonicalize("?é%C3%A9%", "http://h/", "windows-1252") == "http://h/?%E9%C3%A9%"


def test_space_around_a_link_and_line_ends_in_it_are_dropped_in_a_page_charset_too() -> None:
    assert canonicalize(" ?a=é\n\tb c ", "http://h/", "windows-1252") == "http://h/?a=%E9b%20c"


def test_a_question_mark_in_the_fragment_begins_no_query() -> None:
    assert canonicalize("x#é?é", "http://h/", "windows-1252") == "http://h/x"


@settings(max_examples=150, deadline=None, database=None)
@given(st.text(), st.sampled_from(["utf-8", "windows-1252", "gbk", "iso-2022-jp"]))
def test_any_text_gives_a_canonical_url_or_bad_url(text: str, charset: str) -> None:
    try:
        url = canonicalize(text, BASE, charset)
    except BadUrl:
        return
    assert url.isascii()
    assert "#" not in url
    assert url.startswith(("http://", "https://"))


@settings(max_examples=150, deadline=None, database=None)
@given(st.text(alphabet="/.?#:@%&=a0~'\\|^é \t[]-_;+"))
def test_a_canonical_url_is_its_own_canonical_form(text: str) -> None:
    try:
        url = canonicalize(text, BASE)
    except BadUrl:
        return
    assert canonicalize(url) == url


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ftp://example.org", "ftp://example.org/"),
        ("FTP://me:secret@Example.org:21/a b/../c;type=i#x", "ftp://example.org/c;type=i"),
        ("ftp://h:2121/%E9", "ftp://h:2121/%E9"),
    ],
)
def test_ftp_is_as_good_a_url_as_any_when_the_user_says_it(text: str, canonical: str) -> None:
    assert canonicalize(text) == canonical


@pytest.mark.parametrize("text", ["ftp://example.org/", " FTP://example.org/"])
def test_a_page_of_the_web_leads_to_no_ftp_server(text: str) -> None:
    with pytest.raises(BadUrl):
        canonicalize(text, "http://example.org/")
    assert canonicalize(text, "ftp://example.net/") == "ftp://example.org/"


def test_a_url_of_a_scheme_that_links_may_not_have_is_told_so() -> None:
    with pytest.raises(BadUrl, match=r"is not an http or https URL$"):
        canonicalize("ftp://example.org/", BASE)
    with pytest.raises(BadUrl, match=r"is not an http, https or ftp URL$"):
        canonicalize("gopher://example.org/")
