"""A page becomes the same whether its links are found in C or in Python, byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.html_files import some_html_files
from tests.mirror.nasty_pages import NASTY_PAGES
from tests.parse.scan_markup import ANY_MARKUP
from weft.mirror.paths import relative_link
from weft.mirror.rewrite import KnownLinks, Local, Remote, Rewritten, Syntax, Target, rewrite
from weft.mirror.scan import MARKER

pytestmark = pytest.mark.skipif(MARKER is None, reason="the C part was not built")

URL = "http://site.test/dir/page.html"
FILE = "site.test/dir/page.html"
REAL_PAGES = [
    Path("/usr/share/doc/openjdk-17-jre-headless/api"),
    Path("/usr/share/doc/openjdk-17-doc/api"),
    Path("/usr/share/doc"),
]


def seen_from(file: str) -> Target:
    def target(url: str) -> Local | Remote:
        """Of three URLs one was saved under its own name, one under another, one not at all."""
        _, _, path = url.partition("//")
        match sum(url.encode()) % 3:
            case 0:
                return Local(relative_link(file, path.replace("?", "@") or "index.html"))
            case 1:
                return Local(relative_link(file, f"{path}it's & <other>.html"))
            case _:
                return Remote(url)

    return target


def both_ways(
    body: bytes, charset: str, url: str = URL, shared: tuple[KnownLinks, KnownLinks] | None = None
) -> tuple[Rewritten, Rewritten]:
    known = shared or (None, None)
    target = seen_from(url.partition("//")[2])
    in_c = rewrite(body, Syntax.HTML, charset, url, target, charset, known[0])
    in_python = rewrite(body, Syntax.HTML, charset, url, target, charset, known[1], marker=None)
    return in_c, in_python


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(NASTY_PAGES, ANY_MARKUP))
def test_any_markup_becomes_the_same(page: str) -> None:
    in_c, in_python = both_ways(page.encode(), "utf-8")
    assert in_c == in_python


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(NASTY_PAGES, ANY_MARKUP), min_size=2, max_size=4))
def test_so_it_does_among_other_pages_of_its_folder(pages: list[str]) -> None:
    shared = KnownLinks(), KnownLinks()
    for number, page in enumerate([*pages, *pages]):
        in_c, in_python = both_ways(page.encode(), "utf-8", f"http://site.test/dir/{number}.html", shared)
        assert in_c == in_python


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(NASTY_PAGES, st.sampled_from(("windows-1252", "shift_jis", "gb18030", "euc-jp", "iso-2022-jp", "utf-16le")))
def test_so_it_does_in_any_charset(page: str, charset: str) -> None:
    body = page.encode("utf-16-le" if charset == "utf-16le" else "utf-8")
    in_c, in_python = both_ways(body, charset)
    assert in_c == in_python


@settings(max_examples=150, deadline=None, database=None)
@given(st.binary(max_size=300))
def test_any_bytes_become_the_same(body: bytes) -> None:
    in_c, in_python = both_ways(body, "utf-8")
    assert in_c == in_python


def test_real_pages_become_the_same() -> None:
    found = some_html_files(REAL_PAGES, 80)
    if found is None:
        pytest.skip("no documentation is installed")
    folder, files = found
    for path in files:
        url = "http://site.test/" + path.relative_to(folder).as_posix()
        in_c, in_python = both_ways(path.read_bytes(), "utf-8", url)
        assert in_c == in_python


# What C has rules of its own for.
TRICKY = [
    "<script>x='i.png?1'</script><script type=module>x='i.png?1'</script><script src=a.js>x='i.png?1'</script>",
    "<script>x?1:'i.png?1'<!--<script>x='i.png?2'</script>'j.png?3'--></script><script>.?'k.png?1'</script>",
    "<svg><script>x='i.png?1'<script>y='i.png?2'</script></svg><script>z='i.png?3'",
    "<svg><script/><a href=/x>'i.png?1'</script></svg><script type=' Module '>x='abc.html?q=1#f'</script>",
    "<svg><style>a{b:url(/x)}</style><![CDATA[<a href=/no>]]><a href=/y></a></svg><![CDATA[<a href=/z>]]>",
    "<svg><style><!-- url(/x) --><![CDATA[a{b:url(/y)}]]>c{d:url(/&amp;)}</style><title><a href='/z'></title></svg>",
    "<svg><style>a{b:url(/x)}<![CDATA[c{d:url(/y)}",
    "<svg><p><a href=/x></svg><style>a{b:url(/y)}</style>",
    "<svg><font size=1><style>a{b:url(/x)}</style>",
    "<svg><font><style>a{b:url(/&amp;)}</style></font></svg>",
    "<math><annotation-xml encoding=text/html><style>a{b:url(/x)}</style></annotation-xml></math>",
    "<math><annotation-xml><style>a{b:url(/&amp;x)}</style></annotation-xml></math>",
    "<math><mi><style>a{b:url(/x)}</style></mi><style>a{b:url(/y)}</style></math>",
    "<svg/><style>a{b:url(/x&amp;)}</style><svg><style/><a href=/y></svg>",
    "<svg><desc><svg></desc><style>a{b:url(/&amp;)}</style></svg></svg>",
    "<template><base href=/t/></template><svg><base href=/s/></svg><a href=x>",
    "<a href=x><base><base href=/b/><base href=/c/><a href=x><a href='#f'><a href=''><img src=''>",
    "<form method=post><button formaction=/x></form><form><button formaction=/x>",
    "<form method=post></form><form><input formaction='/x' type=image src='/y'>",
    "<meta http-equiv=Refresh content='0;url=/x'><meta http-equiv=x content='0;url=/x'>",
    "<script src='/x' integrity=y></script><script src='/z' crossorigin></script><script src='/w'></script>",
    "<script><!-- <script> </script> --> </script><a href='/x'><script><!--></script><a href='/y'>",
    "<img src='/x' longdesc='/y' SRC='/z'><img src='/x' src='/y'><a href='/x' href='/y'>",
    "<p style='a:url(/x)'><p style='a:b'><p style=a:url(/x) class=c><path fill=url(/y#z)><g mask='\\75rl(/x)'>",
    "<div fill='u&#114;l(/x)'><div cursor=\"image-set('/x' 1x)\"><DIV STYLE=a:URL(/x)>",
    "<plaintext><a href=/x>", "<xmp><a href=/x></xmp ><a href=/y>", "<title></titlex><a href=/x></title/><a href=/y>",
    "<a href='/x'", "<a href='/x", "<a href=/x b=\"", "<a href =", "<", "</", "<!", "<!--", "<!-- -- --!><a href='/x'>",
    "<a href='?x'><a href='%41'><a href='a:b'><a href='./x'><a href='//h/x'><a href='x#'><a href='x#a b'>",
    "<link rel=preconnect href='/x'><link rel=canonical href='/x'><link href='/x' rel=stylesheet integrity=x >",
    "<é href='/x'><É style='a:url(/x)'><a é='x' href='/é'>", "<a\x00 href='/x'><a href='/\x00'>",
    "<img src='data:image/png;base64,AAAA'><img src=' data:,x'><img src=DATA:,x><base href=/b/><img src='data:,x'>",
    f"<a href='/{'x' * 2000}'><a href='/x' title='{'x' * 2000}' style='a:url(/y)'><img src='/x#{'y' * 1100}'>",
    "</p/><a href='/x'></ p><a href='/y'></><a href='/z'></a href='/w'>",
]  # fmt: skip


@pytest.mark.parametrize("page", TRICKY)
def test_tricky_pages_become_the_same(page: str) -> None:
    shared = KnownLinks(), KnownLinks()
    for _ in range(2):
        in_c, in_python = both_ways(page.encode(), "utf-8", shared=shared)
        assert in_c == in_python
