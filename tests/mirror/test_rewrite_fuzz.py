"""Pages made of whatever is nasty, judged by the trees of the page before and after."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mirror.tree_judge import PAGE, same_but_links, saved
from weft.mirror.rewrite import Medium, rewrite

_TAGS = (
    "<a href=", "<A HREF = ", "<img src=", "<img srcset=", "<p style=", "<script src=", "<link rel=stylesheet href=",
    "<base href=", "<svg>", "</svg>", "<use href=", "<image xlink:href=", "<foreignObject>", "</foreignObject>",
    "<math>", "</math>", "<desc>", "<style>", "</style>", "<style>@import ", "<script>", "</script>", "<title>",
    "</title>", "<textarea>", "</textarea>", "<iframe srcdoc=", "<iframe>", "</iframe>", "<noscript>", "</noscript>",
    "<template>", "</template>", "<!--", "-->", "--!>", "<!>", "<!doctype html>", "<?xml", "<![CDATA[", "]]>", "</",
    "<", ">", "/>", "<meta http-equiv=refresh content=", "<form action=", "<form method=post action=",
    "<button formaction=", "<td background=", "<video poster=", "<object data=", "<xmp>", "</xmp>", "<noframes>",
    "<p title=", "</p ", "</a>", "<link rel=canonical href=", "<blockquote cite=", "<img data-src=",
    "<source data-srcset=", '<b class="x">', '<div id="y" class="z">', "<applet archive=", "<font size=1>", "<font>",
)  # fmt: skip
_VALUES = (
    '"/x.html"', "'y.html#f'", "z.html", '"http://site.test/q?a=1&amp;b=2"', '"?a=1&copy=2&lt=3"', "//other.test/x",
    '"mailto:a@b"', '"javascript:x"', '""', "''", "#f", '"#f"', '"a.png 1x, /b.png 2x"', '"/c.png, ,, d.png 3w"',
    '"background:url(/i.png)"', '"a:url(&quot;/i.png&quot;)"', '\'a:url("/it&#39;s.png")\'',
    '"a:url(&quot/i.png&quot)"', '"0; url=/r.html"', '"0;URL=\'r.html\'"', "5;/r", '" /s p.html\n"', '"/a&#x20;b"',
    '"/&eacute;?&eacute;"', "/u'q", '"<a href=\'/in.html?a&amp;amp;b\'>"', '\'<img srcset="/a 1x">\'', '"/x', "'/x",
    '"data:text/html,<a href=/x>"', "x/?a=b/", "&#47;x", "&#x2Fy", '"/\x00"', '"http://[bad"', '"../../up.html"',
    '"./same.html"', '"a\\b.html"',
)  # fmt: skip
_CSS = (
    "url(/i.png)", "url( '/i.png' )", 'url("a\\27 b.png")', "@import '/a.css';", "/*", "*/", "image-set('/x' 1x)",
    "'", '"', "{", "}",
)  # fmt: skip
_REST = (
    " href=", " src=", ' integrity="x"', " crossorigin", " HREF='/second'", " target=_top", " ", "\n", "/", "=", ">",
    "text", "é", "&amp;", "a=b", " rel=canonical", " xlink:href=", "\t", "\r\n", "\x0c",
)  # fmt: skip

_PIECES = st.one_of(*(st.sampled_from(pieces) for pieces in (_TAGS, _VALUES, _CSS, _REST)))
_TAG_AND_VALUE = st.tuples(
    st.sampled_from(_TAGS), st.sampled_from(_VALUES), st.sampled_from((">", " >", "/>", ""))
).map("".join)
_PAGES = st.lists(st.one_of(_PIECES, _TAG_AND_VALUE), max_size=14).map("".join)


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(_PAGES)
def test_a_page_is_the_same_but_its_links_and_these_lead_where_they_led(page: str) -> None:
    kept = rewrite(page.encode(), Medium.PAGE, "utf-8", PAGE, saved).body.decode()
    same_but_links(page, kept)


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("utf-16le", "utf-16-le"), ("shift_jis", "cp932"), ("iso-2022-jp", "iso2022_jp"), ("gb18030", "gb18030")],
)
@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(page=_PAGES)
def test_the_charset_makes_no_difference(charset: str, codec: str, page: str) -> None:
    page = page.replace("é", "表").replace("?&eacute;", "")  # a query depends on the charset
    in_utf_8 = rewrite(page.encode(), Medium.PAGE, "utf-8", PAGE, saved)
    other = rewrite(page.encode(codec), Medium.PAGE, charset, PAGE, saved)
    assert other.body.decode(codec) == in_utf_8.body.decode()
    assert other.edits == in_utf_8.edits
