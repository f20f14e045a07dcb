"""Every kind of link that a page can hold, with the bytes that it becomes.

The mirror: all of http://site.test/ was saved under its own path, with %3F for a question mark; nothing else was. The
page is http://site.test/d/p.html.
"""

from __future__ import annotations

import pytest

from tests.mirror.tree_judge import PAGE, saved
from weft.mirror.rewrite import Local, Remote, Syntax, rewrite
from weft.mirror.scan import MARKER
from weft.mirror.syntax import syntax_of
from weft.parse.lazy import LAZY_PLACE_OF
from weft.parse.link_kinds import PLACES


def kept(page: str, medium: Syntax = Syntax.HTML) -> str:
    result = rewrite(page.encode(), medium, "utf-8", PAGE, saved)
    assert result.changed is (result.body != page.encode())
    assert result.changed is (result.edits > 0)
    return result.body.decode()


def stays(page: str, medium: Syntax = Syntax.HTML) -> None:
    body = page.encode()
    result = rewrite(body, medium, "utf-8", PAGE, saved)
    assert result.body is body
    assert not result.changed


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<a href="/x.html">', '<a href="../x.html">'),
        ('<a href="http://site.test/x.html#f">', '<a href="../x.html#f">'),
        ('<a href="//site.test/x.html">', '<a href="../x.html">'),
        ('<a href="//other.test/x">', '<a href="http://other.test/x">'),
        ('<a href="http://site.test/d/p.html#f">', '<a href="../d/p.html#f">'),
        ('<area href="/x.html">', '<area href="../x.html">'),
        ('<link rel=stylesheet href="/a.css">', '<link rel=stylesheet href="../a.css">'),
        ('<link rel="shortcut icon" href="/i.ico">', '<link rel="shortcut icon" href="../i.ico">'),
        ('<link rel=preload as=font href="/f.woff2">', '<link rel=preload as=font href="../f.woff2">'),
        ('<link rel=modulepreload href="/m.js">', '<link rel=modulepreload href="../m.js">'),
        ('<link rel=manifest href="/m.json">', '<link rel=manifest href="../m.json">'),
        ('<link rel=alternate hreflang=de href="/de">', '<link rel=alternate hreflang=de href="../de">'),
        ('<link rel=preload imagesrcset="/a 1x, /b 2x">', '<link rel=preload imagesrcset="../a 1x, ../b 2x">'),
        ('<img src="/a.png">', '<img src="../a.png">'),
        ('<img srcset="/a.png 1x,/b.png 2x">', '<img srcset="../a.png 1x,../b.png 2x">'),
        ('<img srcset="/a,b.png, /c.png 2x">', '<img srcset="../a%2Cb.png, ../c.png 2x">'),
        ('<img srcset="data:image/gif;base64,R0l 1x, /c 2x">', '<img srcset="data:image/gif;base64,R0l 1x, ../c 2x">'),
        ('<img longdesc="/l.html">', '<img longdesc="../l.html">'),
        ('<img data-src="/a.png">', '<img data-src="../a.png">'),
        ('<div data-bg="/a.png">', '<div data-bg="../a.png">'),
        ('<div data-bg="url(/a.png)">', '<div data-bg="url(../a.png)">'),
        ('<a ping="/p q">', '<a ping="http://site.test/p http://site.test/d/q">'),
        ('<meta property=og:image content="/i.png">', '<meta property=og:image content="http://site.test/i.png">'),
        (
            '<script type="module">import "/a.js"; fetch("/b.json")</script>',
            '<script type="module">import "../a.js"; fetch("/b.json")</script>',
        ),
        (
            '<script type=importmap>{"imports": {"/a.js": "/a.js", "b": "c.js", "d/": "/d/"}}</script>',
            '<script type=importmap>{"imports": {"/a.js": "../a.js", "b": "c.js", "d/": "/d/"}}</script>',
        ),
        ('<img data-srcset="/a.png 2x">', '<img data-srcset="../a.png 2x">'),
        ('<img data-original="/a.png">', '<img data-original="../a.png">'),
        ('<img data-lazy-src="/a.png">', '<img data-lazy-src="../a.png">'),
        ('<iframe data-src="/f.html"></iframe>', '<iframe data-src="../f.html"></iframe>'),
        ('<source srcset="/a.webp" data-srcset="/b 1x">', '<source srcset="../a.webp" data-srcset="../b 1x">'),
        ('<script src="/s.js"></script>', '<script src="../s.js"></script>'),
        ('<iframe src="/f.html"></iframe>', '<iframe src="../f.html"></iframe>'),
        ('<frame src="/f.html">', '<frame src="../f.html">'),
        ('<video src="/v.mp4" poster="/p.jpg">', '<video src="../v.mp4" poster="../p.jpg">'),
        ('<audio src="/a.ogg">', '<audio src="../a.ogg">'),
        ('<track src="/t.vtt">', '<track src="../t.vtt">'),
        ('<embed src="/e.swf">', '<embed src="../e.swf">'),
        ('<object data="/o.pdf" archive="/a /b">', '<object data="../o.pdf" archive="../a ../b">'),
        ('<applet archive="/a.jar, /b.jar">', '<applet archive="../a.jar, ../b.jar">'),
        ('<input type=image src="/i.png">', '<input type=image src="../i.png">'),
        ('<body background="/b.png">', '<body background="../b.png">'),
        ('<td background="/b.png">', '<td background="../b.png">'),
        ('<blockquote cite="/c.html">', '<blockquote cite="../c.html">'),
    ],
)
def test_a_link_to_what_was_saved_is_relative_and_any_other_absolute(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    "page",
    [
        "",
        "no markup",
        '<a href="">',
        "<a href>",
        '<a href="#f">',
        '<a href=" #f">',
        "<a href=\"javascript:go('/x')\">",
        '<a href="mailto:a@site.test">',
        '<a href="tel:+49">',
        '<a href="data:text/html,<a href=/x>">',
        '<a href="ftp://site.test/x">',
        '<a href="about:blank">',
        '<a href="http://[broken">',
        '<a href="HTTP://Other.test:80/a b">',
        '<img data-src="{&quot;a&quot;: 1}">',
        '<div data-bg="http://other.test/x.png">',
        '<script>import("/a.js")</script>',
        '<script type=module src="../d/a.js">import "/a.js"</script>',
        '<script type="text/javascript">import "/a.js"</script>',
        '<div data-src="/x.png">',
        '<link rel=canonical href="http://site.test/x">',
        '<form action=""><button formaction=""></form>',
        '<meta name=refresh content="0; url=/x">',
        '<meta http-equiv=refresh content="5">',
        '<script>"<a href=/x>"</script>',
        "<script><!-- <script> </script> <a href=/x> --></script>",
        "<script>document.write('<img src=\"/x\">')",
        "<textarea><a href=/x></textarea>",
        "<title><a href=/x></title>",
        "<xmp><a href=/x></xmp><noembed><a href=/x></noembed><noframes><a href=/x></noframes>",
        "<iframe><a href=/x></iframe>",
        "<!-- <a href=/x> -->",
        "<!--[if IE]><a href=/x><![endif]-->",
        "<!-- <a href=/x>",
        "<!doctype html><p title='<a href=/x>'></p title='<a href=/x>'>",
        "<? <a href=/x",
        "<a href=/x",
        "<a href='/x>",
        "<plaintext><a href=/x>",
        "< a href=/x>",
        '<a title="x" title="/x" name=href>/x</a>',
        '<svg><use href="#x"/><linearGradient xlink:href="#y"/><path fill="url(#z)"/></svg>',
        "<style>/* url(/x) */ a { content: 'url(/x)' } @namespace url(/x);</style>",
        '<p style="mask:url(#m)">',
    ],
)
def test_what_is_no_link_or_leads_nowhere_else_stays(page: str) -> None:
    stays(page)


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("<A HREF=/x.html>", "<A HREF=../x.html>"),
        ("<a\n\thref\n =\n '/x.html'>", "<a\n\thref\n =\n '../x.html'>"),
        ("<a/href=/x.html>", "<a/href=../x.html>"),
        ("<a href=/x/>", "<a href=../x/>"),
        ("<img src=/a.png/>", "<img src=../a.png/>"),
        ('<a class="c"href="/x">', '<a class="c"href="../x">'),
        ('<a title=it\'s href="/x>y">', '<a title=it\'s href="../x%253Ey">'),
        ('<a =x href="/x">', '<a =x href="../x">'),
        ('<a href="/x" href="/y">', '<a href="../x" href="/y">'),
        ('<a href=" \n/x\n.html ">', '<a href="../x.html">'),
        ('<a href="/a b.html">', '<a href="../a%2520b.html">'),
        ('<a href="/?a=1&amp;b=2">', '<a href="../%3Fa%3D1%26b%3D2">'),
        ('<a href="//o.test/?a=1&amp;b=2">', '<a href="http://o.test/?a=1&amp;b=2">'),
        ('<a href="//o.test/?a=1&copy=2&lt">', '<a href="http://o.test/?a=1&amp;copy=2%3C">'),
        ("<a href='//o.test/it&#39;s'>", "<a href='http://o.test/it&#39;s'>"),
        ("<a href=//o.test/it's>", "<a href=http://o.test/it&#39;s>"),
        ("<a href=&#47x>", "<a href=../x>"),
        ('<a href="x.html">in a<b class="y">b</b></a><p>', '<a href="../d/x.html">in a<b class="y">b</b></a><p>'),
        ("<noscript><img src=/a></noscript>", "<noscript><img src=../a></noscript>"),
        ("<template><img src=/a></template>", "<template><img src=../a></template>"),
        ("<!--><a href=/x>-->", "<!--><a href=../x>-->"),
        ("<!-- --!><a href=/x>", "<!-- --!><a href=../x>"),
        ("<![if !IE]><a href=/x><![endif]>", "<![if !IE]><a href=../x><![endif]>"),
        ("<script></script ><a href=/x>", "<script></script ><a href=../x>"),
        ("<title></titles></TITLE><a href=/x>", "<title></titles></TITLE><a href=../x>"),
        ("<svg><title><a href=/x></title>", "<svg><title><a href=../x></title>"),
        ("<p>a < b <a href=/x>", "<p>a < b <a href=../x>"),
    ],
)
def test_odd_spellings_are_read_as_browsers_read_them(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("0; url=/x", "0; url=../x"),
        ("0;URL='/x'", "0;URL='../x'"),
        ("5 , /x", "5 , ../x"),
        (".5 ; Url = /x", ".5 ; Url = ../x"),
        ("1 /x", "1 ../x"),
        ("0;url=&quot;/x&quot;y", "0;url=&quot;../x&quot;y"),
        ("0;url=&quot/x&quot", "0;url=&quot;../x&quot"),
    ],
)
def test_a_refresh_leads_to_the_file_in_every_spelling(sent: str, saved_as: str) -> None:
    assert kept(f'<meta http-equiv="Refresh" content="{sent}">') == f'<meta http-equiv="Refresh" content="{saved_as}">'


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<base href="/b/"><a href="x">', '<base href=""><a href="../b/x">'),
        ("<a href=x><base target=_top href=/b/>", '<a href=../b/x><base target=_top href="">'),
        (
            '<base href="/b/"><a href=""><a href="#f"><a href>',
            '<base href=""><a href="../b/"><a href="../b/#f"><a href="../b/">',
        ),
        (
            '<base href="/b/"><use href="#x"><p style="fill:url(#y)">',
            '<base href=""><use href="#x"><p style="fill:url(#y)">',
        ),
        ('<base href="/b/"><form action=""><img src="">', '<base href=""><form action=""><img src="">'),
        (
            '<base target=a><base href="/b/"><base href="/c/"><a href=x>',
            '<base target=a><base href=""><base href=""><a href=../b/x>',
        ),
        ('<base href="//o.test/b/"><a href=x>', '<base href=""><a href=http://o.test/b/x>'),
        ('<base href="data:,"><a href="/x">', '<base href=""><a href="../x">'),
        ('<template><base href="/b/"></template><a href=/x>', '<template><base href="/b/"></template><a href=../x>'),
        ('<base href="/b/"><iframe srcdoc="<a href=x>">', '<base href=""><iframe srcdoc="<a href=../b/x>">'),
        (
            '<base href="/b/"><iframe srcdoc="<base href=c/><a href=x>">',
            '<base href=""><iframe srcdoc="<base href=&quot;&quot;><a href=../b/c/x>">',
        ),
    ],
)
def test_a_base_is_obeyed_and_then_emptied(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<form action="/search.html">', '<form action="../search.html">'),
        ('<form action="//o.test/s">', '<form action="http://o.test/s">'),
        ('<form method=POST action="/login">', '<form method=POST action="http://site.test/login">'),
        ('<form method=post><button formaction="/a">', '<form method=post><button formaction="http://site.test/a">'),
        (
            '<form method=post></form><form><input formaction="/a">',
            '<form method=post></form><form><input formaction="../a">',
        ),
        (
            '<form><button formmethod=post formaction="/a">',
            '<form><button formmethod=post formaction="http://site.test/a">',
        ),
    ],
)
def test_a_form_leads_to_a_file_only_if_it_asks_by_get(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        (
            '<script src="/s.js" integrity="sha384-x" crossorigin="anonymous"></script>',
            '<script src="../s.js"></script>',
        ),
        ("<script integrity=sha384-x crossorigin src=/s.js></script>", "<script src=../s.js></script>"),
        ('<link rel=stylesheet href=/a.css integrity="x"/>', "<link rel=stylesheet href=../a.css />"),
        ('<link integrity="x"rel=stylesheet integrity=y href=/a.css>', "<link rel=stylesheet href=../a.css>"),
        ('<img crossorigin srcset="/a 1x, //o.test/b 2x">', '<img srcset="../a 1x, http://o.test/b 2x">'),
        ('<script src="//o.test/s.js" integrity=x>', '<script src="http://o.test/s.js" integrity=x>'),
    ],
)
def test_what_is_loaded_from_the_disk_is_not_checked_and_not_asked_for_by_cors(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


def test_a_canonical_address_is_absolute() -> None:
    assert kept('<link rel="canonical" href="/x">') == '<link rel="canonical" href="http://site.test/x">'


def test_hints_to_connect_to_a_host_are_emptied() -> None:
    assert kept('<link rel=preconnect href="//o.test">') == '<link rel=preconnect href="">'
    assert kept("<link rel=dns-prefetch href=//o.test>") == '<link rel=dns-prefetch href="">'
    assert kept('<link rel="preconnect icon" href="/i">') == '<link rel="preconnect icon" href="../i">'


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("<a href='/x'>", "<a href='../x'>"),
        ("<a href='/x?a&amp;amp;b'>", "<a href='../x%3Fa%26b'>"),
        ("<a href='//o.test/?a&amp;amp;b'>", "<a href='http://o.test/?a&amp;amp;b'>"),
        ("<a href=&quot;/x&quot;>", "<a href=&quot;../x&quot;>"),
        ("&lt;a href=/x&gt;", "&lt;a href=../x&gt;"),
        ("<link rel=preconnect href=//o.test>", "<link rel=preconnect href=&quot;&quot;>"),
        (
            "<iframe srcdoc=&quot;<a href=&amp;quot;/x&amp;quot;>&quot;>",
            "<iframe srcdoc=&quot;<a href=&amp;quot;../x&amp;quot;>&quot;>",
        ),
    ],
)
def test_a_page_in_an_attribute_is_a_page(sent: str, saved_as: str) -> None:
    assert kept(f'<iframe srcdoc="{sent}"></iframe>') == f'<iframe srcdoc="{saved_as}"></iframe>'


def test_pages_in_pages_have_a_bottom() -> None:
    page = "<a href=/x>"
    for _ in range(12):
        page = "<iframe srcdoc='" + page.replace("&", "&amp;").replace("'", "&#39;") + "'>"
    stays(page)


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<svg><use href="/s.svg#x"/></svg>', '<svg><use href="../s.svg#x"/></svg>'),
        ('<svg><image xlink:href="/i.png"/></svg>', '<svg><image xlink:href="../i.png"/></svg>'),
        ('<svg><a xlink:href="/x">t</a></svg>', '<svg><a xlink:href="../x">t</a></svg>'),
        ('<svg><image mask="url(/f.svg#b)"/></svg>', '<svg><image mask="url(../f.svg#b)"/></svg>'),
        ('<svg><rect filter="url(/f.svg#b)"/></svg>', '<svg><rect filter="url(../f.svg#b)"/></svg>'),
        ("<svg><style>a{b:url(&quot;/x&quot;)}</style></svg>", "<svg><style>a{b:url(&quot;../x&quot;)}</style></svg>"),
        ("<svg><style><![CDATA[a{b:url(/x)}]]></style></svg>", "<svg><style><![CDATA[a{b:url(../x)}]]></style></svg>"),
    ],
)
def test_links_of_drawings_keep_their_fragments(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


def test_a_link_that_leads_to_its_file_as_it_stands_is_not_touched() -> None:
    page = '<a href="x.html"><a href="./x.html"><a href=" x.html#a b "><a href="ä.html"><a href="y.html?">'.encode()

    def target(url: str) -> Local | Remote:
        return Local(url.removeprefix("http://site.test/d/").removesuffix("?"))

    result = rewrite(page, Syntax.HTML, "utf-8", PAGE, target)
    assert result.body == page.replace(b"y.html?", b"y.html")


def test_a_redirect_may_bring_a_fragment_unless_the_link_has_one() -> None:
    result = rewrite(b"<a href=/a><a href=/b#own>", Syntax.HTML, "utf-8", PAGE, lambda _: Local("x.html#there"))
    assert result.body == b"<a href=x.html#there><a href=x.html#own>"


def test_a_name_that_looks_like_a_scheme_or_is_not_ascii_is_written_so_that_it_works() -> None:
    result = rewrite(b"<a href=/a>", Syntax.HTML, "utf-8", PAGE, lambda _: Local("c:é.html"))
    assert result.body == b"<a href=./c:%C3%A9.html>"


def test_each_url_is_asked_for_once_and_without_its_fragment() -> None:
    asked: list[str] = []

    def target(url: str) -> Remote:
        asked.append(url)
        return Remote(url)

    rewrite(b"<a href=/x#1><a href='/x#1'><a href=/x><img src=/x>", Syntax.HTML, "utf-8", PAGE, target)
    assert asked == ["http://site.test/x"] * 2  # once for each way in which it is written


@pytest.mark.parametrize(
    ("media_type", "medium"),
    [
        ("text/html", Syntax.HTML),
        ("Image/SVG+xml", Syntax.XML),
        ("application/xhtml+xml", Syntax.XML),
        ("text/css", Syntax.CSS),
        ("application/manifest+json", Syntax.MANIFEST),
        ("text/javascript", Syntax.SCRIPT),
        ("application/json", None),
    ],
)
def test_the_type_says_what_has_links(media_type: str, medium: Syntax | None) -> None:
    assert syntax_of(media_type) is medium


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('import a from "/a.js"', 'import a from "../a.js"'),
        ("import('./b.js?v=1')", "import('../d/b.js%3Fv%3D1')"),
        (
            'export * from "http://other.test/x.js"; import "/a.js"',
            'export * from "http://other.test/x.js"; import "../a.js"',
        ),
        ('new URL("/a.png", import.meta.url)', 'new URL("../a.png", import.meta.url)'),
        ('importScripts("/a.js")', 'importScripts("../a.js")'),
    ],
)
def test_what_a_script_imports_becomes_local(sent: str, saved_as: str) -> None:
    assert kept(sent, Syntax.SCRIPT) == saved_as


@pytest.mark.parametrize(
    "script",
    ['fetch("/a.json")', 'x = "/a.js"', '// import "/a.js"', 'import "/a/" + b', "import 'lodash'", 'import "./a.js"'],
)
def test_what_is_not_surely_an_address_stays(script: str) -> None:
    stays(script, Syntax.SCRIPT)


def test_every_attribute_in_which_the_crawler_finds_links_is_changed() -> None:
    for element, attribute in [*PLACES, *LAZY_PLACE_OF]:
        page = f'<{element} {attribute}="/x">'
        assert kept(page) == page.replace("/x", "../x")


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<script type=module><script type=module>import "/a.js"', '<script type=module>import "../a.js"'),
        ("<script type=module>import \"/a<p style='b:url(/x)'>.js\"", 'import "../a'),
        (
            '<script type=module>import "/a.js"</script><script type=module>import "/b.js"',
            'import "../a.js"</script><script type=module>import "../b.js"',
        ),
    ],
)
def test_a_script_in_a_drawing_is_changed_once_although_its_text_is_markup_too(sent: str, saved_as: str) -> None:
    page = kept(f"<svg>{sent}</script></svg>")
    assert saved_as in page
    assert page.count("../") == saved_as.count("../")


def test_an_import_from_the_same_folder_is_not_taken_for_a_package() -> None:
    result = rewrite(b'import "/d/b.js?v=1"', Syntax.SCRIPT, "utf-8", PAGE, lambda url: Local("b@v=1.js"))
    assert result.body == b'import "./b@v=1.js"'


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('a.src = "i/on.png?v=3"; b = r + "i/on.png?v=3"', 'a.src = "i/on@v=3.png"; b = r + "i/on@v=3.png"'),
        ('fetch("./i/on.png?v=3#x")', 'fetch("./i/on@v=3.png#x")'),
        ("x = ['../j/on.png?v=3', 'i/off.png?v=3', 'i/on.png']", None),
        ('x = "/s/i/on.png?v=3"; y = "see i/on.png?v=3"', None),
    ],
)
@pytest.mark.parametrize("folder", ["", "js/", "js/lib/"])
def test_a_name_with_a_query_becomes_that_of_its_file_whatever_it_is_relative_to(
    sent: str, saved_as: str | None, folder: str
) -> None:
    def target(url: str) -> Local | Remote:
        is_it = url == "http://site.test/s/i/on.png?v=3"
        return Local("../" * folder.count("/") + "i/on@v=3.png") if is_it else Remote(url)

    if folder and "./" in sent:  # from the script, and not found there
        saved_as = None
    result = rewrite(sent.encode(), Syntax.SCRIPT, "utf-8", f"http://site.test/s/{folder}a.js", target)
    assert result.body.decode() == (sent if saved_as is None else saved_as)


@pytest.mark.parametrize(
    ("sent", "is_changed"),
    [
        ('<script>a.src = "i/on.png?v=3"</script>', True),
        ("<p>é</p><SCRIPT type=text/javascript>a.src = 'i/on.png?v=3'</SCRIPT>", True),
        ('<script></script><script type=module>import "./b.js"; fetch("i/on.png?v=3")</script>', True),
        ('<script type="application/json">{"icon": "i/on.png?v=3"}</script>', True),
        ('<script type="text/x-template">"i/on.png?v=3"</script>', False),
        ('<script src=b.js>"i/on.png?v=3"</script>', False),
        ('<p>"i/on.png?v=3"</p><script>"i/off.png?v=3"</script>', False),
        ('<svg><script>a.src = "i/on.png?v=3"</script></svg>', True),
    ],
)
@pytest.mark.parametrize(("charset", "codec"), [("utf-8", "utf-8"), ("utf-16le", "utf-16-le"), ("gbk", "gbk")])
@pytest.mark.parametrize("folder", ["", "p/"])
def test_a_name_with_a_query_in_a_script_of_a_page_becomes_that_of_its_file(
    sent: str, is_changed: bool, charset: str, codec: str, folder: str
) -> None:
    def target(url: str) -> Local | Remote:
        if url.endswith("/b.js"):
            return Local("b.js")
        is_it = url == "http://site.test/i/on.png?v=3"
        return Local("../" * folder.count("/") + "i/on@v=3.png") if is_it else Remote(url)

    page = f"http://site.test/{folder}p.html"
    for marker in (None, MARKER):
        result = rewrite(sent.encode(codec), Syntax.HTML, charset, page, target, marker=marker)
        assert result.body.decode(codec) == (sent.replace("on.png?v=3", "on@v=3.png") if is_changed else sent)


def test_a_name_with_a_query_stays_where_files_lie_in_other_folders_than_on_the_web() -> None:
    script = b'x = "i/on.png?v=3"'
    result = rewrite(script, Syntax.SCRIPT, "utf-8", "http://site.test/a.js", lambda url: Local("on@v=3.png"))
    assert result.body == script


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
def test_a_name_with_a_query_keeps_a_fragment_beyond_ascii(charset: str) -> None:
    script = 'a.src = "icons.svg?v=2#größe"'.encode(charset)
    result = rewrite(script, Syntax.SCRIPT, charset, "http://site.test/a.js", lambda url: Local("icons@v=2.svg"))
    assert result.body.decode(charset) == 'a.src = "icons@v=2.svg#gr%C3%B6%C3%9Fe"'


def test_half_of_a_pair_of_surrogates_in_a_fragment_becomes_what_browsers_make_of_it() -> None:
    assert kept(r'{"src": "/q.png#\ud800"}', Syntax.MANIFEST) == '{"src": "../q.png#%EF%BF%BD"}'
