"""Pages of the torture site that are made to be looked at: every case is a box of its own colour, of more than a
hundredth of the window, so that a picture that is lost or taken for another makes a page look different.

    /looks/kinds.html       a box for each kind of link to a picture
    /looks/names.html       a box for each kind of name that a picture may have
    /looks/moves-….html     pages that move on by themselves
    /looks/in-….html        pages in a charset of their own
    …                       and a few pages with a rule for the whole page
"""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib
from collections.abc import Iterable
from html import escape

from .site_server import OTHER, Answer, Site, page, redirect

BOX_PX = 100
START = "/looks/"
_STYLE = f"""<style>body {{ margin: 0; font: 16px monospace }}
.box, .box > :not(style, script) {{ display: block; width: {BOX_PX}px; height: {BOX_PX}px; border: 0; margin: 0 }}
.box {{ float: left; overflow: hidden; position: relative }}</style>"""

# Each one shows {at}, which is /looks/i/NAME.png; {port} and {other} are the server's.
KINDS = {
    "img-src": '<img src="{at}">',
    "img-spaces": "<img src=\n {at} >",
    "img-single": "<img src='{at}'>",
    "img-entities": '<img src="&#47;looks&sol;i/img-entities.png">',
    "img-whole": '<img src="HTTP://127.0.0.1:{port}{at}">',
    "img-host": '<img src="//127.0.0.1:{port}{at}">',
    "img-backslash": r'<img src="\looks\i\img-backslash.png">',
    "img-dots": '<img src="./x/../%2e/i/img-dots.png">',
    "img-fragment": '<img src="{at}#part">',
    "srcset": '<img srcset="{at}" src="/looks/never.png">',
    "srcset-wide": '<img sizes=100px srcset="/looks/i/second.png 9000w, {at} 100w">',
    "source": '<picture><source srcset="{at} 1x,/looks/i/second.png 2x"><img src="data:," class=inner></picture>',
    "poster": '<video poster="{at}"></video>',
    "object": '<object data="{at}" type="image/png"></object>',
    "embed": '<embed src="{at}">',
    "input": '<input type=image src="{at}">',
    "background": '<table background="{at}"><tr><td></table>',
    "td": '<table cellspacing=0><tr><td width=100 height=100 background="{at}"></table>',
    "lazy": '<img data-src="{at}" src="data:,">',
    "lazy-set": '<img data-srcset="{at} 1x, /looks/i/second.png 2x" src="data:,">',
    "style": "<div style='background: url({at})'></div>",
    "style-entities": '<div style="background:url(&quot;{at}&quot;)"></div>',
    "style-numbers": '<div style="background&#58;url&#x28;&#39;{at}&#39;&#41;"></div>',
    "style-set": "<div style='background:image-set(\"{at}\" 1x)'></div>",
    "style-element": "<style>#style-element {{ background: URL( {at} ) }}</style><div id=style-element></div>",
    "svg-image": '<svg><image href="{at}" width="100" height="100"/></svg>',
    "svg-xlink": '<svg><image xlink:href="{at}" width="100" height="100"/></svg>',
    "svg-gradient": '<svg><linearGradient id=g><stop stop-color="#c0f"/></linearGradient>'
    '<rect width="100" height="100" fill="url(#g)"/></svg>',
    "svg-use": '<svg><symbol id=part><rect width=100 height=100 fill=teal></symbol><use href="#part"/></svg>',
    "svg-file": '<img src="/looks/drawn.svg#part">',
    "svg-object": '<object data="/looks/showing.svg"></object>',
    "frame": '<iframe src="/looks/framed.html"></iframe>',
    "srcdoc": "<iframe srcdoc='&lt;body style=margin:0&gt;&lt;img src=\"{at}\"&gt;'></iframe>",
    "srcdoc-style": '<iframe srcdoc="<body style=&quot;margin:0;background:url({at})&quot;>"></iframe>',
    "script": '<script src="/looks/draw.js" integrity="{integrity}" crossorigin></script>',
    "other-host": '<img src="http://{other}/looks/far.png">',
    "shown-and-linked": '<a href="http://{other}/looks/far-too.png"><img src="http://{other}/looks/far-too.png"></a>',
    "redirect": '<img src="/looks/moved">',
    "css": "<div id=css></div>",
    "css-escape": "<div id=css-escape></div>",
    "css-quoted": "<div id=css-quoted></div>",
    "css-set": "<div id=css-set></div>",
    "css-import": "<div id=css-import></div>",
    "css-import-string": "<div id=css-import-string></div>",
    "css-query": "<div id=css-query></div>",
    "css-changed": "<div id=css-changed></div>",
    "css-svg": "<div id=css-svg></div>",
    "font": "<div style='font: bold 90px far'>MiW</div>",
}

# These show something else.
_WITHOUT_PICTURE = (
    "svg-gradient",
    "svg-use",
    "svg-file",
    "svg-object",
    "css-svg",
    "script",
    "other-host",
    "font",
    "shown-and-linked",
)

_SHEET = rb"""@import "by-string.css" screen; @import url( 'import.css' );
@font-face { font-family: far; src: url("http://%(other)s/fonts/f.woff2") }
#css { background: url(i/css.png) } #css-escape { background: url(\2flooks\/i\2f css-\65scape.png) }
#css-quoted { background: url("/looks/i/css-\
quoted.png") } #css-set { background: -webkit-image-set(url(i/css-set.png) 1x) }
#css-svg { background: url(drawn.svg) } .no { content: "url(/looks/no.png)" } /* url(/looks/no.png) */
"""

# What stands in a page, and the path that is asked for. Each picture has a colour of its own.
NAMES = {
    "n/no-extension": "/looks/n/no-extension",
    "n/wrong.html": "/looks/n/wrong.html",
    "n/script.php?id=1&amp;b": "/looks/n/script.php?id=1&b",
    "n/script.php?id=2&amp;b": "/looks/n/script.php?id=2&b",
    "n/script.php": "/looks/n/script.php",
    "n/folder/": "/looks/n/folder/",
    "n/q?": "/looks/n/q?",
    "n/a:b%7Cc*d.png": "/looks/n/a:b%7Cc*d.png",
    "n/%3Ca%3E%22.png": "/looks/n/%3Ca%3E%22.png",
    "n/con": "/looks/n/con",
    "n/AUX.png": "/looks/n/AUX.png",
    "n/com1.tar.png": "/looks/n/com1.tar.png",
    "n/Case.png": "/looks/n/Case.png",
    "n/case.png": "/looks/n/case.png",
    "n/CASE/a.png": "/looks/n/CASE/a.png",
    "n/clash": "/looks/n/clash",
    "n/clash/a.png": "/looks/n/clash/a.png",
    f"n/{'y' * 300}.png": f"/looks/n/{'y' * 300}.png",
    f"n/{'y' * 300}z.png": f"/looks/n/{'y' * 300}z.png",
    f"n/q.png?{'w' * 300}": f"/looks/n/q.png?{'w' * 300}",
    "n/%2e%2e/%2E%2e/looks/up.png": "/looks/up.png",
    "n/..%2f..%2fout.png": "/looks/n/..%2f..%2fout.png",
    "n/..%5c..%5cout.png": "/looks/n/..%5c..%5cout.png",
    "n/disposed?7": "/looks/n/disposed?7",
    "n/a%23b.png": "/looks/n/a%23b.png",
    "n/a%3Fb.png": "/looks/n/a%3Fb.png",
    "n/100%25.png": "/looks/n/100%25.png",
    "n/bad%zz.png": "/looks/n/bad%zz.png",
    "n/a b.png": "/looks/n/a%20b.png",
    "n/a+b&amp;c;d=e,f.png": "/looks/n/a+b&c;d=e,f.png",
    "n/dot.": "/looks/n/dot.",
    "n/.hidden.png": "/looks/n/.hidden.png",
    "n/-dash.png": "/looks/n/-dash.png",
    "n/~tilde.png": "/looks/n/~tilde.png",
    "n/é.png": "/looks/n/%C3%A9.png",
    "n/e&#x301;.png": "/looks/n/e%CC%81.png",
    "n/日本.png": "/looks/n/%E6%97%A5%E6%9C%AC.png",
    "n/%E9.png": "/looks/n/%E9.png",
    "n/%F0%9F%90%8D.png": "/looks/n/%F0%9F%90%8D.png",
    "n//double.png": "/looks/n//double.png",
    "n/quote'.png": "/looks/n/quote'.png",
    "n/(a).png": "/looks/n/(a).png",
}

# How a page says that it moves on at once.
MOVES = (
    '<meta http-equiv="refresh" content="0;url=/looks/end.html">',
    "<META HTTP-EQUIV=REFRESH CONTENT=\"0; URL='/looks/end.html' \">",
    '<meta content=" 0 ,  url = &quot;/looks/end.html&quot;" http-equiv=" refresh">',
    '<meta http-equiv="refresh" content="0 /looks/end.html">',
    "<meta http-equiv=refresh content=0;/looks/end.html#part>",
    '<meta http-equiv="refresh" content="0;&#10;url=end.html">',
    '<base href="/looks/n/"><meta http-equiv="refresh" content="0; ../end.html">',
    '<meta http-equiv="refresh" content="0;url=/looks/moved-page">',
)

# Beneath a base that is /looks/i/ or in there.
BASED = (
    '<img src="img-src.png">',
    '<img srcset="srcset.png 1x">',
    '<div style="background:url(style.png)"></div>',
    "<style>#s { background: url(style-element.png) }</style><div id=s></div>",
    KINDS["svg-gradient"],
    "<iframe srcdoc='<body style=margin:0><img src=srcdoc.png>'></iframe>",
)
BASED_LINKS = """<a href="#here">a</a><a href="">b</a><a href="?q">c</a><a href="../end.html#x">d</a>
<form action=""></form>"""

LINKS = """<map name=m><area href=end.html shape=default></map>
<a href="./n/../end.html">a</a><a href="//127.0.0.1:{port}/looks/end.html#part">b</a><a href=" end.html ">c</a>
<a href="/looks/moved-page#part">d</a><a href="/looks/end.html?">e</a><a href="#">f</a><a href="">g</a>
<a href="mailto:a@b.c">h</a><a href="javascript:void(0)">i</a><a href="tel:1">j</a>
<a href="http://{other}/page.html">k</a><a href="/looks/nothing.html">l</a>
<form action="/looks/end.html" method=get><button formaction="/looks/kinds.html">m</button></form>
<form action="/looks/post" method=post></form>"""

XHTML = """<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><link rel="stylesheet" href="/looks/sheet.css"/></head>
<body style="margin:0"><div id="css" style="width:100px;height:100px"></div>
<p><img src="/looks/i/img-src.png" alt="a &amp; b"/></p></body></html>"""

MANIFEST = r"""{"name": "x", "start_url": "/looks/", "icons": [{"src": "\/looks\/i\/app-icon.png", "sizes": "100x100"}],
 "screenshots": [{"src": "i/app-shot.png"}]}"""

_TEXTS = {
    "utf-8": ("é日本", "Grüße, 日本語"),
    "utf-16-le": ("é日本", "Grüße, 日本語"),
    "utf-16-be": ("é日本", "Grüße, 日本語"),
    "iso-2022-jp": ("日本", "これは日本語の文章です。表示、能力、十分"),
    "shift_jis": ("日本", "これは日本語の文章です。表示、能力、十分"),
    "euc-jp": ("日本", "これは日本語の文章です。"),
    "windows-1252": ("é", "Grüße – “schön” €"),
    "windows-1251": ("я", "Назад на главную страницу"),
    "gb18030": ("中文", "这是中文网页的内容"),
    "big5": ("中文", "這是中文網頁的內容"),
    "euc-kr": ("한국", "이것은 한국어 문장입니다"),
}
_MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


def picture(name: str) -> bytes:
    """A PNG of one colour, which depends on the name."""
    line = b"\0" + zlib.crc32(name.encode()).to_bytes(4)[:3] * BOX_PX
    size = struct.pack(">IIBBBBB", BOX_PX, BOX_PX, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", size), (b"IDAT", zlib.compress(line * BOX_PX)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4) for kind, data in chunks
    )


def put_looks(site: Site) -> None:
    """Put all of it on a site that has its port."""
    _put_kinds(site)
    _put_names(site)
    _put_moves(site)
    _put_charsets(site)
    _put_whole_pages(site)
    shown = sorted(path for host, path in site.answers if path.startswith(START) and path.endswith("html"))
    links = "".join(f'<a href="{escape(path)}">{path}</a><br>' for path in shown if "/n/" not in path)
    site.put(START, page(f"<!DOCTYPE html><meta charset=utf-8>{_STYLE}{links}"))


def _png(name: str, **changes: object) -> Answer:
    return Answer(picture(name), "image/png", **changes)  # type: ignore[arg-type]


def _boxes(markup: Iterable[str]) -> str:
    return "".join(f"<div class=box>{one}</div>\n" for one in markup)


def _integrity(body: bytes) -> str:
    return "sha384-" + base64.b64encode(hashlib.sha384(body).digest()).decode()


def _put_kinds(site: Site) -> None:
    other = f"{OTHER}:{site.port}"
    draw = b"document.currentScript.parentNode.style.background = '#fc0';"
    changed = b"#css-changed { background: url(/looks/i/css-changed.png) }"
    known = {"port": site.port, "other": other, "integrity": _integrity(draw)}
    boxes = [markup.format(at=f"/looks/i/{name}.png", **known) for name, markup in KINDS.items()]
    late = (
        "<script>for (const i of document.querySelectorAll('[data-src], [data-srcset]'))"
        " { i.src = i.dataset.src ?? i.src; i.srcset = i.dataset.srcset ?? '' }</script>"
    )
    head = (
        f'{_STYLE}<style>.inner {{ width: 100% }}</style><link rel=stylesheet href="/looks/sheet.css">'
        f'<link rel=stylesheet href="/looks/sheet?v=1"><link rel="icon" href="/looks/i/icon.png">'
        '<link rel=manifest href="/looks/app.webmanifest"><link rel="alternate manifest" href="/looks/app.php">'
        f'<link rel=stylesheet href="/looks/changed.css" integrity="{_integrity(changed)}" crossorigin=anonymous>'
    )
    site.put("/looks/kinds.html", page(f"<!DOCTYPE html><meta charset=utf-8>{head}{_boxes(boxes)}{late}"))
    for name in {*KINDS, "icon", "second", "showing", "app-icon", "app-shot"}.difference(_WITHOUT_PICTURE):
        site.put(f"/looks/i/{name}.png", _png(name))
    site.put("/looks/draw.js", Answer(draw, "text/javascript"))
    site.put("/looks/sheet.css", Answer(_SHEET % {b"other": other.encode()}, "text/css"))
    for sheet, box in ("import", "css-import"), ("by-string", "css-import-string"):
        site.put(f"/looks/{sheet}.css", Answer(f"#{box} {{ background: url(i/{box}.png) }}".encode(), "text/css"))
    site.put("/looks/sheet?v=1", Answer(b"#css-query { background: url(i/css-query.png) }", "text/css; charset=utf-8"))
    site.put("/looks/changed.css", Answer(changed, "text/css", headers=(("Access-Control-Allow-Origin", "*"),)))
    site.put("/looks/app.webmanifest", Answer(MANIFEST.encode(), "application/manifest+json"))
    site.put("/looks/app.php", Answer(MANIFEST.encode(), "application/json"))
    svg = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
    drawn = svg.format('<g id="part"><rect width="100" height="100" fill="#39c"/></g>')
    showing = svg.format('<a href="/looks/end.html"><image xlink:href="/looks/i/showing.png" width="100"/></a>')
    site.put("/looks/drawn.svg", Answer(drawn.encode(), "image/svg+xml"))
    site.put("/looks/showing.svg", Answer(showing.encode(), "image/svg+xml"))
    site.put("/looks/framed.html", page('<!DOCTYPE html><body style="margin:0"><img src="i/frame.png">'))
    site.put("/looks/far.png", _png("far"), OTHER)
    site.put("/looks/far-too.png", _png("far-too"), OTHER)
    site.put("/looks/moved", redirect("/looks/i/redirect.png"))


def _put_names(site: Site) -> None:
    boxes = _boxes([f'<img src="{link}">' for link in NAMES])
    site.put("/looks/names.html", page(f"<!DOCTYPE html><meta charset=utf-8>{_STYLE}{boxes}"))
    for path in NAMES.values():
        site.put(path, _png(path))
    disposition = (("Content-Disposition", 'inline; filename="../../A picture.png"'),)
    site.put("/looks/n/disposed?7", _png("disposed", headers=disposition))


def _put_moves(site: Site) -> None:
    for number, markup in enumerate(MOVES):
        site.put(f"/looks/moves-{number}.html", page(f"<!DOCTYPE html><title>moves</title>{markup}"))
    site.put("/looks/moved-page", redirect("/looks/end.html", 301))
    site.put(
        "/looks/end.html", page(f"<!DOCTYPE html>{_STYLE}<div class=box><img src='i/img-src.png'></div><p id=part>end")
    )


def _put_charsets(site: Site) -> None:
    """Pages whose links are not ASCII: a path is always UTF-8, a query is in the page's charset."""
    for codec, (letters, text) in _TEXTS.items():
        query_codec = "utf-8" if codec.startswith("utf") else codec
        label = codec.replace("-le", "").replace("-be", "")
        boxes = _boxes([f'<img src="{start}">' for start in (f"c/{letters}-{codec}.png", f"c/q-{codec}?{letters}")])
        html = (
            f'<!DOCTYPE html><meta charset="{label}"><title>{text}</title>{_STYLE}{boxes}'
            f'<p>{text} <a href="/looks/end.html">{text}</a>'
        )
        body = _MARKS.get(codec, b"") + html.encode(codec)
        site.put(f"/looks/in-{codec}.html", Answer(body, "text/html"))
        unlabelled = html.replace(f'<meta charset="{label}">', "").encode(codec)
        if codec not in _MARKS:
            site.put(f"/looks/in-header-{codec}.html", Answer(unlabelled, f"text/html; charset={label}"))
        path = "".join(f"%{byte:02X}" for byte in letters.encode())
        query = "".join(chr(byte) if 0x21 <= byte < 0x7F else f"%{byte:02X}" for byte in letters.encode(query_codec))
        site.put(f"/looks/c/{path}-{codec}.png", _png(f"{codec} path"))
        site.put(f"/looks/c/q-{codec}?{query}", _png(f"{codec} query"))


def _put_whole_pages(site: Site) -> None:
    bases = {"base": "/looks/i/", "base-whole": site.url("/looks/i/x.html"), "base-relative": "i/"}
    for name, base in bases.items():
        head = f'<!DOCTYPE html><title>x</title><base href="{base}"><base href="/never/">{_STYLE}'
        site.put(f"/looks/{name}.html", page(head + _boxes(BASED) + BASED_LINKS))
    links = LINKS.format(port=site.port, other=f"{OTHER}:{site.port}")
    site.put("/looks/links.html", page(f"<!DOCTYPE html>{_STYLE}{links}"))
    site.put("/looks/strict.xhtml", Answer(XHTML.encode(), "application/xhtml+xml"))
