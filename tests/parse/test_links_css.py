from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import parse_css, parse_html
from weft.parse.css import css_urls
from weft.types import Kind

URL = "http://example.org/dir/page.html"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a { b: url(x) }", ["x"]),
        ("a{b:url( x )}", ["x"]),
        ("a{b:URL(x)}", ["x"]),
        ("a{b:url('x')}", ["x"]),
        ('a{b:url( "x y" )}', ["x y"]),
        ("a{b:url(x),url(y)}", ["x", "y"]),
        ("a{b:url('x(1).png')}", ["x(1).png"]),
        ('a{b:url("it\'s")}', ["it's"]),
        ("@font-face{src:url(x.eot?#iefix) format('eot'),url(y.woff2)}", ["x.eot?#iefix", "y.woff2"]),
        ("a{--x:url(x)}@media print{b{c:url(y)}}", ["x", "y"]),
        ("a{b:cross-fade(url(x), url(y))}", ["x", "y"]),
        # the end of the text closes everything
        ("a{b:url(x", ["x"]),
        ("a{b:url('x", ["x"]),
        ("@import 'x", ["x"]),
        # no URLs
        ("a{b:url()}", []),
        ("a{b:url('')}", []),
        ("a{b:url(#x)}", []),
        ("a{b:myurl(x) my-url(x) éurl(x)}", []),
        ("a{b:url (x)}", []),
        ("a{b:'url(x)'}", []),
        ('a{b:"url(x)"}', []),
        ("a{b:src('x')}", []),
        # broken ones end at their bracket, strings at the end of the line
        ("a{b:url(x y);c:url(z)}", ["z"]),
        ("a{b:url(x'y);c:url(z)}", ["z"]),
        ("a{b:url(x(y);c:url(z)}", ["z"]),
        ("a{b:url('x\n);c:url(z)}", ["z"]),
        ("a{b:'x\n;c:url(z)}", ["z"]),
    ],
)
def test_a_url_is_found_as_browsers_find_it(css: str, expected: list[str]) -> None:
    assert list(css_urls(css)) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("@import 'x';", ["x"]),
        ('@import "x" screen;', ["x"]),
        ('@import"x"', ["x"]),
        ("@IMPORT 'x'", ["x"]),
        ("@import url(x);", ["x"]),
        ("@import url('x') layer(y) supports(a: b);", ["x"]),
        ("@import/* */'x';", ["x"]),
        ("@import /* 'y' */ \n 'x';", ["x"]),
        ("<!-- @import 'x'; -->", ["x"]),
        ("@charset 'utf-8';@import 'x';", ["x"]),
        ("@imported 'x';", []),
        ("@import;'x'", []),
        ("@namespace url(http://www.w3.org/1999/xhtml);@import 'x';", ["x"]),
        ("@namespace svg 'http://www.w3.org/2000/svg';a{b:url(x)}", ["x"]),
        ("@-moz-document url(http://h/),url-prefix('y'){a{b:url(x)}}", ["x"]),
    ],
)
def test_an_import_is_found_in_both_forms_and_a_namespace_is_none(css: str, expected: list[str]) -> None:
    assert list(css_urls(css)) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{b:image-set('x' 1x, \"y\" 2x)}", ["x", "y"]),
        ("a{b:image-set(url(x) 1x, 'y' 2x)}", ["x", "y"]),
        ("a{b:-webkit-image-set(url(x) 1x)}", ["x"]),
        ("a{b:IMAGE-SET('x' 1x)}", ["x"]),
        ("a{b:image-set('x' type('image/avif'), 'y' type(\"image/png\"))}", ["x", "y"]),
        ("a{b:image-set(linear-gradient(rgb(0,0,0), red) 1x, 'x' 2x);c:'y'}", ["x"]),
        ("a{b:image-set(/* 'y' ) */ 'x' 1x)}", ["x"]),
        ("a{b:image-set('x' 1x;} c{d:'y';e:url(z)}", ["x", "z"]),
        ("a{b:my-image-set('x' 1x)}", []),
    ],
)
def test_strings_in_an_image_set_are_urls(css: str, expected: list[str]) -> None:
    assert list(css_urls(css)) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (r"a{b:url(\2f x)}", ["/x"]),
        (r"a{b:url(\00002Fx)}", ["/x"]),
        (r"a{b:url('\2f x')}", ["/x"]),
        ("a{b:url(\\2f\r\nx)}", ["/x"]),
        (r"a{b:url(x\(1\).png)}", ["x(1).png"]),
        (r"a{b:url(x\ y)}", ["x y"]),
        (r"a{b:url('x\'y')}", ["x'y"]),
        ("a{b:url('x\\\ny')}", ["xy"]),
        ("a{b:url('x\\\r\ny')}", ["xy"]),
        (r"a{b:url(\0 x)}", ["\ufffdx"]),
        (r"a{b:url(\d800 x)}", ["\ufffdx"]),
        (r"a{b:url(\110000x)}", ["\ufffdx"]),
        (r"a{b:u\72l(x)}", ["x"]),
        (r"a{b:\75 rl(x)}", ["x"]),
        (r"a{b:\55\52\4C(x)}", ["x"]),
        (r"a{b:u\rl(x)}", ["x"]),
        (r"@\69mport 'x'", ["x"]),
        (r"@im\port 'x'", ["x"]),
        (r"a{b:image-s\65t('x' 1x)}", ["x"]),
        (r".a\"b{c:url(x)}", ["x"]),
        (r".\'{c:url(x)}", ["x"]),
        ("a{b:url(x\\", []),
    ],
)
def test_escapes_are_undone_in_urls_and_in_names(css: str, expected: list[str]) -> None:
    assert list(css_urls(css)) == expected


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("/* url(x) */", []),
        ("/* url(x) * / */a{b:url(y)}", ["y"]),
        ("/**/a{b:url(x)}/***/c{d:url(y)}/*/ url(z) */", ["x", "y"]),
        ("/* url(x)", []),
        ("a{b:'/*';c:url(x);d:'*/'}", ["x"]),
        ("a{b:url(/*x*/)}", ["/*x*/"]),  # there are no comments in it
        ("a{b:url(//h/x)}", ["//h/x"]),
    ],
)
def test_comments_are_passed_over(css: str, expected: list[str]) -> None:
    assert list(css_urls(css)) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<style>@import 'x';a{b:url(y)}</style>", ["x", "y"]),
        ("<STYLE>a{b:image-set('x' 1x)}</STYLE>", ["x"]),
        (r"<style>a{b:url(\78)}</style>", ["x"]),
        (r"<style>a{b:url(x);c:url(\79)}</style>", ["x", "y"]),
        (r"""<style>.\"{a:url(x)} b{c:url('y')}</style>""", ["x", "y"]),
        (r"""<style>.before\:content-\[\'\'\]{a:url(x)} b{c:url('y')}</style>""", ["x", "y"]),
        (r"""<style>a{b:"\"";c:'\'';d:url(x)}</style>""", ["x"]),
        ("<style>a{fill:url(#x);b:url()}</style>", []),
        ("<style>@namespace url(http://www.w3.org/1999/xhtml);</style>", []),
        ("<style>a{b:'&lt;url(x)'}</style>", []),
        ("<svg><style>a&gt;b{c:url(x)}</style></svg>", ["x"]),
        ("<svg><style><![CDATA[a>b{c:url(x)}]]></style></svg>", ["x"]),
        ("<p style='a:url(x)'>", ["x"]),
        ('<p style="a:url(&quot;x&quot;)">', ["x"]),
        (r"<p style='a:url(\78)'>", ["x"]),
        ("<p style=\"a:url(x);a:image-set('y' 1x)\">", ["x", "y"]),
        ('<style>p{a:b}</style><p style="a:image-set(\'y\' 1x)"><p style="a:url(x)">', ["x", "y"]),
        ("<template><style>a{b:url(x)}</style><p style='a:url(y)'></template>", ["x", "y"]),
    ],
)
def test_the_css_of_a_page_is_relative_to_its_base(markup: str, expected: list[str]) -> None:
    page = parse_html(f"<base href=//h/>{markup}".encode(), URL, "text/html")
    assert [found.url for found in page.links] == [f"http://h/{href}" for href in expected]
    assert {found.kind for found in page.links} <= {Kind.EMBED}


def test_a_style_sheet_is_relative_to_itself() -> None:
    body = b"@import '../a.css';b{c:url(d.png);e:url(//h/f#g);h:url(data:,x);i:url(d.png);j:url(sheet.css)}"
    page = parse_css(body, "http://example.org/css/sheet.css?v=1", "text/css")
    assert [(found.url, found.kind, found.context) for found in page.links] == [
        ("http://example.org/a.css", Kind.EMBED, "style"),
        ("http://example.org/css/d.png", Kind.EMBED, "style"),
        ("http://h/f", Kind.EMBED, "style"),
        ("http://example.org/css/sheet.css", Kind.EMBED, "style"),
    ]
    assert not page.nofollow


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("a{b:url(é)}".encode(), "text/css"),
        (b"\xef\xbb\xbf" + "a{b:url(é)}".encode(), None),
        ("a{b:url(é)}".encode("latin-1"), "text/css; charset=iso-8859-1"),
        (b'@charset "windows-1252";' + "a{b:url(é)}".encode("cp1252"), "text/css"),
        ("a{b:url(é)}".encode("utf-16"), "text/css"),
    ],
)
def test_a_style_sheet_is_read_in_its_charset(body: bytes, content_type: str | None) -> None:
    assert [found.url for found in parse_css(body, URL, content_type).links] == ["http://example.org/dir/%C3%A9"]


def test_a_header_may_ask_not_to_follow_a_style_sheet() -> None:
    assert parse_css(b"", URL, "text/css", [(b"x-robots-tag", b"nofollow")]).nofollow


PIECES = [
    "url(",
    "URL( ",
    "image-set(",
    "@import",
    "@namespace",
    "/*",
    "*/",
    "'",
    '"',
    "\\",
    "\n",
    "\r\n",
    ")",
    "(",
    "x",
]
PIECES += ["{", "}", ";", "\\75", "\\2f ", "rl(", "é", "\ud800", "\0", "-", "#", "http://[", '@charset "x";']


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_css_is_read(css: str) -> None:
    hrefs = list(css_urls(css))
    assert sum(map(len, hrefs)) <= len(css)
    urls = [found.url for found in parse_css(css.encode("utf-8", "replace"), URL, "text/css").links]
    assert all(url.startswith(("http://", "https://")) for url in urls)


@settings(max_examples=200, deadline=None, database=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_as_css(body: bytes) -> None:
    assert parse_css(body, URL, None).base == URL


@pytest.mark.parametrize("piece", [*PIECES, "url('", "@import '", "@import/*", "image-set('", "url(\\", "url(x", "'\n"])
def test_much_of_one_thing_is_read_once(piece: str) -> None:
    """Were any of these read again from each of its pieces, this would take many minutes."""
    times = 300_000 // len(piece)
    assert len(list(css_urls(piece * times + "\n'*/\"){}a{b:url(end)}"))) <= times + 1
