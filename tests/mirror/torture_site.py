"""A site with every case that a mirror must get right: names, kinds of links, charsets, codings, other hosts."""

from __future__ import annotations

import base64
import gzip
import hashlib

from .site_server import OTHER, Answer, Site, page, redirect

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
LONG = "long-" + "x" * 300
SCRIPT = b"document.title += '/not/a/link.html'; var u = \"http://127.0.0.1/x\";"

HOME = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Home</title>
<link rel="stylesheet" href="/css/main.css?v=2"><link rel="icon" href="/favicon.ico">
<link rel="manifest" href="/site.webmanifest">
<link rel="preload" as="image" imagesrcset="/i/a.png 1x, /i/b.png 2x">
<style>body {{ background: url("/i/style.png") }} .x {{ background: image-set("/i/set.png" 1x) }}</style>
<script src="/js/app.js" integrity="sha384-{integrity}"></script>
<script>var link = "/never/touched.html"; document.write('<a href="/neither">');</script>
</head><body background="/i/body.png">
<!-- <a href="/in/a/comment.html">x</a> -->
<a href="/">home</a> <a href="./sub/">subfolder</a> <a href="sub/page">no extension</a> <a href=unquoted.html>x</a>
<a href="/shop.php?id=3&amp;lang=en">query</a> <a href="/shop.php?id=4">another</a> <a href="/empty?">empty query</a>
<a href="/d">a file</a> <a href="/d/x">in a folder of that name</a>
<a href="/Case.html">one</a> <a href="/case.html">other</a> <a href="/CASE/a">folder</a> <a href="/case/b">folder</a>
<a href="/con">device</a> <a href="/aux.html">device</a> <a href="/a%3Cb%3E%3A%22c.html">forbidden</a>
<a href="/caf%C3%A9/men%C3%BC.html">letters</a> <a href="/%2e%2e/%2e%2e/up.html">up</a>
<a href="/..%2f..%2fescape">out</a>
<a href="/{long}">long</a> <a href="/{long}2.html">long too</a>
<a href="/download?f=7">attachment</a> <a href="/image-in-disguise.html">image</a>
<a href="/r1">redirect</a> <a href="/r301#part">with fragment</a> <a href="/loop1">loop</a>
<a href="/frames.html">frames</a> <a href="/base.html">base</a> <a href="/refresh.html">refresh</a>
<a href="/drawing.svg">svg</a> <a href="/x.xhtml">xhtml</a> <a href="/xml.html">served as xhtml</a>
<a href="/cyrillic.html">1251</a> <a href="/japanese.html">sjis</a> <a href="/wide.html">utf-16</a>
<a href="/unlabelled.html">only the header tells</a> <a href="/zipped.html">gzip</a> <a href="/typeless">no type</a>
<a href="/plain.txt">text</a> <a href="/unchanged.html">unchanged</a> <a href="/nofollow.html">nofollow</a>
<a href="/missing.html">404</a> <a href="http://{other}/page.html">out of scope</a> <a href="mailto:a@b.c">mail</a>
<a href="#top">here</a> <a href="?">query of this</a> <a href="javascript:void(0)">script</a>
<img src="/i/a.png" srcset="/i/a.png 1x, /i/b.png 2x, data:image/gif;base64,R0lGODlhAQABAAAAACw= 3x">
<img src="http://{other}/i/far.png"> <img src="http://{other}/i/moved.png"> <img data-src="/i/lazy.png" src="data:,">
<img src="/i/failing.png"> <picture><source srcset="/i/pic.png"></picture>
<video poster="/i/poster.png" src="/media/v.mp4"><track src="/media/t.vtt"></video>
<object data="/media/o.pdf"></object> <input type="image" src="/i/input.png">
<div style="background:url(&quot;/i/inline.png&quot;)">x</div> <table background="/i/table.png"></table>
<svg><image xlink:href="/i/svg.png"/><use href="/sprite.svg#icon"/></svg>
<iframe src="/framed.html"></iframe> <iframe srcdoc="&lt;img src=&quot;/i/srcdoc.png&quot;&gt;"></iframe>
<form action="/search"><input name="q"></form> <form method="post" action="/post"></form>
</body></html>"""

CSS = rb"""@import "print.css" print; @import url(/css/deep/x.css);
@font-face { src: url("http://%(other)s/fonts/f.woff2") }
a { background: url( '../i/css.png' ) } b { background: url(\2e\2e/i/escaped.png) }
c { background: image-set("../i/set1.png" 1x, url(../i/set2.png) 2x) } /* url(/no.png) */ d { content: "url(/no.png)" }
"""

IMAGES = (
    "a b style set body lazy pic poster input inline table svg srcdoc css escaped set1 set2 deep nofollow framed based"
)


def fill(site: Site) -> None:
    """Put all of it on a site that has its port."""
    other = f"{OTHER}:{site.port}"
    integrity = base64.b64encode(hashlib.sha384(SCRIPT).digest()).decode()
    site.put("/", page(HOME.format(other=other, long=LONG, integrity=integrity)))
    for name in IMAGES.split():
        site.put(f"/i/{name}.png", Answer(PNG + name.encode(), "image/png"))
    site.put("/i/failing.png", Answer(b"", "text/plain", 403))
    site.put("/css/main.css?v=2", Answer(CSS % {b"other": other.encode()}, "text/css"))
    site.put("/css/print.css", Answer(b"p { color: red }", "text/css"))
    site.put("/css/deep/x.css", Answer(b"p { background: url(../../i/deep.png) }", "text/css"))
    site.put("/js/app.js", Answer(SCRIPT, "text/javascript"))
    site.put("/favicon.ico", Answer(b"\0\0\1\0 icon", "image/x-icon"))
    site.put("/site.webmanifest", Answer(b'{"start_url": "/", "icons": []}', "application/manifest+json"))
    site.put("/media/v.mp4", Answer(b"\0\0\0\x18ftypmp42" + bytes(2_000_000), "video/mp4"))
    site.put("/media/t.vtt", Answer(b"WEBVTT\n", "text/vtt"))
    site.put("/media/o.pdf", Answer(b"%PDF-1.4\n", "application/pdf"))
    site.put("/sprite.svg", Answer(b'<svg xmlns="http://www.w3.org/2000/svg"><g id="icon"/></svg>', "image/svg+xml"))
    _put_other_host(site)
    _put_pages(site)
    _put_charsets(site)


def _put_other_host(site: Site) -> None:
    site.put("/i/far.png", Answer(PNG + b"far", "image/png"), OTHER)
    site.put("/i/moved.png", redirect("/i/moved-here.png"), OTHER)
    site.put("/i/moved-here.png", Answer(PNG + b"moved", "image/png"), OTHER)
    site.put("/fonts/f.woff2", Answer(b"wOF2 font", "font/woff2"), OTHER)
    site.put("/page.html", page("<p>not to be fetched"), OTHER)


def _put_pages(site: Site) -> None:
    back = '<p><a href="/">home</a>'
    for path in (
        "/sub/ /sub/page /unquoted.html /shop.php?id=3&lang=en /shop.php?id=4 /empty? /d /d/x /Case.html /case.html"
        " /CASE/a /case/b /con /aux.html /a%3Cb%3E%3A%22c.html /caf%C3%A9/men%C3%BC.html /up.html /..%2f..%2fescape"
        f" /{LONG} /{LONG}2.html /end.html /frame-a.html /?"
    ).split():
        site.put(path, page(f"<!DOCTYPE html><title>{path[:40]}</title>{back}"))
    site.put("/typeless", page(f"<!DOCTYPE html><title>x</title>{back}", content_type=""))
    disposition = (("Content-Disposition", "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.txt"),)
    site.put("/download?f=7", Answer(b"some text", "text/plain", headers=disposition))
    site.put("/image-in-disguise.html", Answer(PNG, "image/png"))
    site.put("/r1", redirect("/r2"))
    site.put("/r2", redirect(site.url("/end.html"), 307))
    site.put("/r301", redirect("end.html", 301))
    site.put("/loop1", redirect("/loop2"))
    site.put("/loop2", redirect("/loop1"))
    site.put("/frames.html", page('<frameset><frame src="frame-a.html"></frameset>'))
    site.put("/framed.html", page('<img src="i/framed.png"><a href="/sub/">x</a>'))
    site.put(
        "/base.html", page('<base href="/i/" target=_top><img src="based.png"><a href="../sub/">x</a><a href="">y</a>')
    )
    site.put("/refresh.html", page('<meta http-equiv="Refresh" content=" 5 ; URL = \'/end.html\' ">x'))
    site.put("/plain.txt", Answer(b'<a href="/">no page', "text/plain"))
    site.put("/unchanged.html", page("<!DOCTYPE html>\r\n<a href=\"sub/page.html#x\">x</a> <a href='end.html'>y</a>\n"))
    site.put("/sub/page.html", page("<p>another"))
    site.put(
        "/nofollow.html", page('<meta name=robots content=nofollow><img src="/i/nofollow.png"><a href="/hidden">x</a>')
    )
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<a xlink:href="/end.html#z"><image href="/i/a.png"/></a></svg>'
    )
    site.put("/drawing.svg", Answer(svg.encode(), "image/svg+xml"))
    xhtml = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{back}</p></body></html>'
    site.put("/x.xhtml", Answer(xhtml.encode(), "application/xhtml+xml"))
    site.put("/xml.html", Answer(xhtml.encode(), "application/xhtml+xml"))


def _put_charsets(site: Site) -> None:
    link = '<p><a href="/end.html">{}</a>'
    russian = "<meta charset=windows-1251><title>Привет</title>" + link.format("Назад на главную страницу")
    site.put("/cyrillic.html", Answer(russian.encode("windows-1251"), "text/html"))
    japanese = "<meta charset=shift_jis><title>日本語</title>" + link.format("これは日本語の文章です。表示、能力、十分")
    site.put("/japanese.html", Answer(japanese.encode("shift_jis"), "text/html"))
    wide = "<title>wide</title>" + link.format("zurück")
    site.put("/wide.html", Answer(b"\xff\xfe" + wide.encode("utf-16-le"), "text/html"))
    unlabelled = "<!DOCTYPE html><title>München</title>" + link.format("zurück nach München, schöne Grüße")
    site.put("/unlabelled.html", Answer(unlabelled.encode("iso-8859-1"), "text/html; charset=ISO-8859-1"))
    zipped = gzip.compress(b"<!DOCTYPE html><title>zipped</title>" + link.format("x").encode(), mtime=0)
    site.put("/zipped.html", Answer(zipped, headers=(("Content-Encoding", "gzip"),)))
