"""The fast path must give exactly what ada gives: every test here compares the two."""

from __future__ import annotations

import itertools

import pytest
from ada_url import join_url
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.url import LinkResolver
from weft.url.canonical import reduce_href, schemes_from

BASES = [
    "http://example.org/",
    "http://example.org/api/java.base/java/lang/String.html",
    "http://example.org/a/b/",
    "https://example.org/a//b/?x=/y/z",
    "https://example.org:8443/wiki/Main_Page?",
    "https://example.org//",
    "http://example.org//a//",
    "http://example.org/a;b/@c:d/e%20f",
    "http://[2001:db8::1]/x/y",
    "http://127.0.0.1:8080/x?y=1&z=../..",
    "ftp://h/pub/",
    "ftp://example.org:2121/pub/list?a",
]

# Of the shapes that stand on real pages.
PLAIN_AND_ODD = """
index.html  ../util/List.html  ../../java.desktop/java/awt/Component.html#repaint(long,int)  #method.summary
package-summary.html#package.description  ../../../../../../../../too/far.html  ../  ../..  ..  .  ./  ./a  a/./b
/  /index.html  /wiki/Sp%C3%A9cial:Search  /wiki/Category:Foo  Category:Foo  /w/index.php?title=Foo&action=edit
?page=2  ?  ?a=b/../c  ?C=N;O=D  /search?q=a+b%20c&lang=en#results  a?b?c  a?b=http://x.org/y
//cdn.example.net/lib/jquery.min.js  http://example.org/x  http://example.org  https://example.org/a/../b
https://www.example.com/a.html?x=1#y  https://www.example.com/.well-known/x  https://www.example.com//x
https://WWW.Example.com/a  https://user@example.com/a  http://example.com:80/a  http://1.2.3/a  http://xn--a/b
mailto:a@b.org  javascript:void(0)  JavaScript:x()  tel:+49-1  data:image/png;base64,iVBORw0KGgo=  ftp://a/b
file.tar.gz  .htaccess  a/.git/config  a/..b  a/...  ...  a..b  a.  %2e%2e/x  a/%2E/b  a%2fb  100%  a%zz  a~b
foo(bar)!*'.html  foo,bar;v=1.2  a=b&c  a@b  $x  a|b  a^b  a`b  {id}  [x]  a\\b  \\\\h\\x  a//b  /a//b  ..//x
 é.html  日本語/ページ  ?q=é  //  ///x  http:  http:x  https:x  http:/x  http://  :  :a  a:  1:b  a/b:c  #  ##  ?#
https://example.org:443/x  https://example.org:8443/x  https://example.org?x  https://example.org#x
"""
WITH_SPACE = [
    "",
    " ",
    "a b.html",
    " a.html ",
    "a\tb",
    "a\nb.html\n",
    "java\nscript:x",
    "\x00a",
    "a\x00b",
    "#a b\nc",
    "?\n",
]
LINKS = PLAIN_AND_ODD.split() + WITH_SPACE


def by_ada(base: str, href: str) -> str | None:
    try:
        return reduce_href(join_url(base, href), schemes_from(base))
    except ValueError:
        return None


@pytest.mark.parametrize("base", BASES)
def test_every_shape_of_link_resolves_as_by_ada(base: str) -> None:
    resolver = LinkResolver(base)
    for href in LINKS:
        assert resolver.resolve(href) == by_ada(base, href), href


def test_a_link_resolves_the_same_the_second_time() -> None:
    resolver = LinkResolver(BASES[1])
    first = [resolver.resolve(href) for href in LINKS]
    assert [resolver.resolve(href) for href in LINKS] == first


PIECES = [
    *"/.?#:@%&=a;Z0-_~!$'()*+,\\|^`{}[]<>\" \t\né",
    *("..", "../", "./", "//", "%2e", "%2E", "%2", "%20", "http:", "https://", "https://example.org/", "HTTP://"),
    *("http://example.org", "example.org", "?q", "data:", "x:y", "/../", ".a", "a.", "..."),
]


@settings(max_examples=1_500, deadline=None, database=None)
@given(
    st.sampled_from(BASES),
    st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), min_size=1, max_size=3),
)
def test_links_put_together_from_odd_pieces_resolve_as_by_ada(base: str, hrefs: list[str]) -> None:
    resolver = LinkResolver(base)
    for href in hrefs:
        assert resolver.resolve(href) == by_ada(base, href)


def test_every_short_string_of_the_characters_that_matter_resolves_as_by_ada() -> None:
    resolver = LinkResolver("http://h/a/b?c")
    for length in range(5):
        for characters in itertools.product("./?#:a%\\", repeat=length):
            href = "".join(characters)
            assert resolver.resolve(href) == by_ada("http://h/a/b?c", href), href


@pytest.mark.parametrize(
    "href", ["javascript:x", "mailto:x@y", "data:,x", "http://[", "https://a b/", "http://\ud800/"]
)
def test_a_broken_or_foreign_link_is_none(href: str) -> None:
    assert LinkResolver("http://h/").resolve(href) is None


def test_the_query_is_encoded_in_the_charset_of_the_page() -> None:
    resolver = LinkResolver("http://h/a/b", "windows-1252")
    assert resolver.resolve("é?é") == "http://h/a/%C3%A9?%E9"
    assert resolver.resolve("http://other/?é") == "http://other/?%E9"
    assert resolver.resolve("?☃") == "http://h/a/b?%26%239731%3B"


def test_a_megabyte_of_data_url_is_no_link() -> None:
    assert LinkResolver("http://h/").resolve("data:image/png;base64," + "A" * 1_000_000) is None


@pytest.mark.parametrize(("base", "url"), [("ftp://h/pub/", "ftp://a/b"), ("http://h/pub/", None)])
def test_only_what_came_by_ftp_leads_to_ftp(base: str, url: str | None) -> None:
    assert LinkResolver(base).resolve("ftp://a/b") == url
    assert LinkResolver(base).resolve(" FTP://a/x/../b#c") == url
