"""Pages made of whatever is nasty, put together by chance."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests.parse.scan_markup import ATTRIBUTES, PIECES, TAGS

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
NASTY_PAGES = st.lists(st.one_of(_PIECES, _TAG_AND_VALUE), max_size=14).map("".join)


def nasty_page(chance: random.Random) -> str:
    """The same without hypothesis, for very many pages: of a few kinds of pieces each, so that these meet."""
    tags = chance.sample(_TAGS, chance.randint(2, 20))
    pieces: list[str] = []
    for _ in range(chance.randint(1, 25)):
        kind = chance.random()
        if kind < 0.4:
            pieces += (chance.choice(tags), chance.choice(_VALUES), chance.choice((">", " >", "/>", "")))
        elif kind < 0.6:
            attributes = (f" {chance.choice(ATTRIBUTES)}{chance.choice(_VALUES)}" for _ in range(chance.randint(0, 3)))
            pieces += (f"<{chance.choice(TAGS)}", *attributes, chance.choice((">", "/>", "")))
        elif kind < 0.7:
            pieces.append(f"</{chance.choice(TAGS)}>")
        else:
            pieces.append(chance.choice(chance.choice((tags, _VALUES, _CSS, _REST, PIECES))))
    return "".join(pieces)
