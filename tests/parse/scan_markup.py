"""Markup made to part the scanner from the tree: pieces of every kind, put together by chance."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = [
    *("a", "area", "img", "image", "frame", "iframe", "script", "source", "video", "audio", "embed"),
    *("track", "bgsound", "link", "object", "applet", "use", "feImage", "body", "table", "caption"),
    *("colgroup", "col", "tbody", "thead", "tfoot", "tr", "td", "th", "input", "base", "meta", "title"),
    *("style", "template", "select", "option", "optgroup", "hr", "br", "form", "html", "head"),
    *("noscript", "noframes", "basefont", "textarea", "xmp", "noembed", "svg", "desc", "path", "g"),
    *("circle", "text", "div", "p", "b", "i", "font", "span", "button", "li", "center", "nobr", "math"),
    *("mi", "frameset", "foreignObject", "marquee", "h1", "pre", "plaintext"),
]

ATTRIBUTES = [
    *("href=", "src=", "HREF=", "background=", "longdesc=", "data=", "poster=", "xlink:href=", "data-src="),
    *("data-lazy-src=", "srcset='a 1x, b 2x' ", "imagesrcset='f 1x' ", "data-srcset='e 1x' ", "archive='c d' "),
    *("rel=nofollow ", "rel='a NoFollow' ", "rel=next ", "rel=stylesheet ", "type=image ", "type=hidden "),
    *("type=application/ld+json ", "content='0;url=q' ", "http-equiv=refresh ", "name=robots ", "content=nofollow "),
    *("style='a:url(s)' ", "style=\"b:url('t')\" ", "srcdoc='<a href=i>' ", "shadowrootmode=open ", "class=c ", "/ "),
    *("='x' ", "color=red "),
]

VALUES = [
    *("x", "y ", "z.html", "../up", "../../up2/", "/root", "//h/p", "http://h/q", "http://example.org/r#f", "#frag"),
    *("", "?q=1&r=2", "a&amp;b", "a&copy=1", "&copy", "&copy;", "&notit;", "&#65;", "&#x80", "&#0", "&amp"),
    *("mailto:x", "javascript:1", "a b", "./c", "d/../e", "%2e", "é", "\0", "\r\n", "\r", "k&l", "  s  "),
    *("http://H/up", "https://example.org/", "data:,x", "x#y", "'", '"', "u/v?w#", "../?r", "http://h:80/x", "a:b"),
]

PIECES = [
    *("<!--", "-->", "--!>", "<!-->", "<!--->", "<!x>", "<?pi?>", "</>", "</ x>", "<![CDATA[", "]]>", "<"),
    *("<!DOCTYPE html>", "text", " ", "\n", "\r", "\0", "&amp;", "&lt;a href=no>", "<script", "</script", "é"),
    *("<!--<script>", "'", '"', ">", "=", '{"url":"http://j/k"}', "@import 'w';", "url(v)", "<a href=x"),
    *("<svg><path d=''/></svg>", "<svg><use href=#i></svg>", "<svg><title>t</title></svg>", "<svg><a href=s>"),
    *("<table><tr><td>", "</td></tr></table>", "<select><option>o</select>", "<template><a href=t></template>"),
    *("<title>T &amp; U&copy</title>", "<style>a{b:url(c1)}</style>", "<base href=/bb/>", "<body background=bg>"),
    *("<?xml-stylesheet href='xs'?>", "<a href=l1>", "<a href=l2 rel=nofollow>", "<img src=im>", "<noscript>"),
]

_attribute = st.tuples(
    st.sampled_from(ATTRIBUTES), st.sampled_from(("", '"', "'")), st.sampled_from(VALUES), st.sampled_from(("", " "))
).map(lambda parts: f" {parts[0]}{parts[1]}{parts[2]}{parts[1]}{parts[3]}" if parts[0][-1] == "=" else " " + parts[0])

_start_tag = st.tuples(
    st.sampled_from(TAGS), st.lists(_attribute, max_size=3).map("".join), st.sampled_from((">", ">", ">", "/>", ""))
).map(lambda parts: f"<{parts[0]}{parts[1]}{parts[2]}")

_end_tag = st.tuples(st.sampled_from(TAGS), st.sampled_from((">", ">", ">", " x=y>", ""))).map(
    lambda parts: f"</{parts[0]}{parts[1]}"
)

MARKUP = st.lists(st.one_of(_start_tag, _start_tag, _end_tag, st.sampled_from(PIECES)), max_size=25).map("".join)


def _of_few_tags(tags: list[str]) -> st.SearchStrategy[str]:
    """Pages that stay with a few kinds of elements, so that these meet."""
    start = st.tuples(st.sampled_from(tags), st.lists(_attribute, max_size=2).map("".join)).map(
        lambda parts: f"<{parts[0]}{parts[1]}>"
    )
    end = st.sampled_from(tags).map(lambda tag: f"</{tag}>")
    return st.lists(st.one_of(start, end, st.sampled_from(PIECES)), max_size=25).map("".join)


MARKUP_OF_FEW_TAGS = st.lists(st.sampled_from(TAGS), min_size=2, max_size=7, unique=True).flatmap(_of_few_tags)
ANY_MARKUP = st.one_of(MARKUP, MARKUP_OF_FEW_TAGS)
