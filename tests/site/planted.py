"""A site with a planted fault of each kind, honest look-alikes beside them.

    site.test      http, the site itself, with a sitemap and a robots.txt
    secure.test    https, a second host of the site, without a sitemap
    other.test     somebody else's

A page is a list of what refers to other URLs on it, as it is written and as it should be read; so the referrers of a
fault are told from the pages. What is a fault is written by hand in `expected`. Nothing here knows how weft finds it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Final

import msgspec

from weft.simweb import SimWeb
from weft.simweb.behaviour import Behaviour, Broken, Delayed, Fault, Fixed

SITE, SECURE, OTHER, NOWHERE = "site.test", "secure.test", "other.test", "nowhere.test"
HOSTS: Final = (SITE, SECURE, OTHER)
SEEDS: Final = ("/", "/start", "/thanks")  # of SITE; and the home page of SECURE
SLOW_S: Final = 1.3
SPACED: Final = "/sub/gone%20with%20space?a=1&b=2"
PROSE: Final = "<p>Enough words to read, so that nobody takes this page for one that only a script would fill. " * 3

# What is no link, or none that a server could be asked for.
NO_LINKS: Final = """
<a href="mailto:me@site.test">write</a> <a href="javascript:go('/gone-script')">go</a> <a href="tel:1">call</a>
<a href="data:text/plain,x">data</a> <a href="#part">part</a> <a>none</a> <!-- <a href="/gone-comment">x</a> -->
<script>var x = '<a href="/gone-in-script">x</a>'</script><textarea><a href="/gone-in-text">x</a></textarea>
"""


class Ref(msgspec.Struct, frozen=True):
    """Something on a page that refers to a URL: as it is written, and as it should be read."""

    to: str  # a path of the site, or a whole URL; what the server is asked for
    anchor: str
    html: str
    place: str = "link"
    rel: str = ""


class Page(msgspec.Struct, frozen=True):
    """A page as an owner wants it, but for what is said here."""

    refs: tuple[Ref, ...] = ()
    title: str | None = None  # None: one of its own
    description: str | None = None
    h1: str | None = None
    head: str = ""
    body: str = ""
    prose: str = PROSE
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    in_sitemap: bool = True


def text(to: str, anchor: str) -> Ref:
    """A plain link."""
    return Ref(to, anchor, f'<p><a href="{to}">{anchor}</a>')


def written(to: str, anchor: str, html: str, place: str = "link", rel: str = "") -> Ref:
    """A link in other words; `@` stands for its URL."""
    return Ref(to, anchor, html.replace("@", to), place, rel)


def image_link(to: str, alt: str) -> Ref:
    """A link whose only words are those of its image."""
    return written(to, alt, f'<p><a href="@"><img src="/logo.png" alt="{alt}"></a>')


def relation(to: str, rel: str, more: str = "") -> Ref:
    """A link in the head of a page."""
    return Ref(to, "", f'<link rel="{rel}"{more} href="{to}">', "relation")


def version(code: str, to: str) -> Ref:
    """The page in another language."""
    return relation(to, "alternate", f' hreflang="{code}"')


class PlantedSite:
    """The site at the ports of a web."""

    def __init__(self, web: SimWeb) -> None:
        self._web = web
        self.secure = web.url(SECURE, "/", "https").rstrip("/")
        self.other = web.url(OTHER, "/").rstrip("/")
        self.nowhere = web.url(NOWHERE, "/")
        self.base = web.url(SITE, "/").rstrip("/")
        self.pages: dict[str, Page] = dict(self._pages())
        self.redirects = self._redirects()

    def url(self, to: str) -> str:
        """The URL of a path."""
        return to if "://" in to else self.base + to

    def behaviours(self) -> dict[tuple[str, str], Behaviour]:
        """For a SimWeb."""
        served: dict[tuple[str, str], Behaviour] = {
            self._place(to): self._html(to, page) for to, page in self.pages.items()
        }
        for to, target in self.redirects.items():
            served[SITE, to] = Fixed(b"", 301, headers=(("Location", target),))
        served |= {
            (SITE, "/gone"): _missing(404),
            (SITE, "/removed"): _missing(410),
            (SITE, "/crash"): _missing(500),
            (SITE, "/cut"): Broken(Fault.RESET_BEFORE_HEAD),
            (SITE, "/login"): _missing(401),
            (SITE, "/logo.png"): Fixed(b"\x89PNG\r\n\x1a\n", content_type="image/png"),
            (SITE, "/app.js"): Fixed(b"start()", content_type="text/javascript"),
            (SITE, "/paper.pdf"): Fixed(bytes(1_200_000), content_type="application/pdf"),
            (SITE, "/film.zip"): Fixed(bytes(10_100_000), content_type="application/zip"),
            (SITE, "/slow"): Delayed(SLOW_S, self._html("/slow", self.pages["/slow"])),
            (SITE, "/packed"): self._packed(),
            (SITE, "/robots.txt"): Fixed(b"User-agent: *\nDisallow: /private/\n", content_type="text/plain"),
            (SITE, "/sitemap.xml"): Fixed(self._sitemap().encode(), content_type="application/xml"),
            (SECURE, "/robots.txt"): _missing(404),
            (OTHER, "/"): Fixed(b"<!DOCTYPE html><title>Other</title>"),
            (OTHER, "/fine"): Fixed(b"<!DOCTYPE html><title>Other</title>"),
            (OTHER, "/moved"): Fixed(b"", 301, headers=(("Location", "/fine"),)),
            (OTHER, "/lost"): Fixed(b"", 302, headers=(("Location", "/nothing-there"),)),
            (OTHER, "/nothing"): _missing(404),
            (OTHER, "/nothing-there"): _missing(410),
            (OTHER, "/no/entry"): _missing(404),
            (OTHER, "/robots.txt"): Fixed(b"User-agent: *\nDisallow: /no/\n", content_type="text/plain"),
        }
        return served

    def _place(self, to: str) -> tuple[str, str]:
        return (SECURE, to.removeprefix(self.secure)) if to.startswith(self.secure) else (SITE, to)

    def _html(self, to: str, page: Page) -> Fixed:
        name = to.strip("/") or "home"
        title = f"<title>The page {name}</title>" if page.title is None else page.title
        description = (
            f'<meta name="description" content="What {name} is about">'
            if page.description is None
            else page.description
        )
        h1 = f"<h1>Heading of {name}</h1>" if page.h1 is None else page.h1
        in_head = "".join(ref.html for ref in page.refs if ref.place in ("relation", "refresh"))
        in_body = "\n".join(ref.html for ref in page.refs if ref.place not in ("relation", "refresh"))
        return Fixed(
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{title}{description}{in_head}{page.head}\n'
            f"</head><body>{h1}\n{page.prose}\n{in_body}\n{page.body}</body></html>\n".encode(),
            page.status,
            headers=page.headers,
        )

    def _packed(self) -> Fixed:
        plain = self._html("/packed", self.pages["/packed"])
        return msgspec.structs.replace(
            plain, body=gzip.compress(plain.body, mtime=0), headers=(("Content-Encoding", "gzip"),)
        )

    def named_in_sitemap(self) -> list[str]:
        """What the sitemap names."""
        own = [to for to, page in self.pages.items() if page.in_sitemap and "://" not in to]
        return [*own, "/gone-from-the-map"]

    def _sitemap(self) -> str:
        named = "".join(f"<url><loc>{self.url(to)}</loc></url>" for to in self.named_in_sitemap())
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</urlset>'

    def referrers(self, url: str) -> set[tuple[str, str, str, str]]:
        """URL, anchor, place and rel of whatever refers to a URL, but itself."""
        found = {
            (self.url(to), ref.anchor, ref.place, ref.rel)
            for to, page in self.pages.items()
            for ref in page.refs
            if self.url(ref.to) == url != self.url(to)
        }
        found |= {
            (self.url(to), "", "redirect", "") for to, target in self.redirects.items() if self.url(target) == url
        }
        if url in map(self.url, self.named_in_sitemap()):
            found.add((self.url("/sitemap.xml"), "", "sitemap", ""))
        return {one for one in found if one[0] != url}

    def _redirects(self) -> dict[str, str]:
        return {
            "/start": "/",  # a seed, and nobody's link
            "/old": "/new",
            "/one": "/two", "/two": "/three", "/three": "/faq",
            "/round-1": "/round-2", "/round-2": "/round-3", "/round-3": "/round-1",
            "/to-the-round": "/round-2",
            "/myself": "/myself",
            "/to-gone": "/gone-behind-a-redirect",
            "/out-1": "/out-2", "/out-2": f"{self.other}/fine",
        }  # fmt: skip

    def _pages(self) -> Iterator[tuple[str, Page]]:
        yield from self._hubs()
        yield from self._head_faults()
        yield from self._text_faults()
        yield from self._weight_faults()
        yield from self._secure_pages()

    def _hubs(self) -> Iterator[tuple[str, Page]]:
        """The pages that refer to the faults, each in words of its own."""
        listed = (
            "news", "team", "about", "faq", "hidden", "hidden-by-header", "c-broken", "c-redirect",
            "c-noindex", "c-chain", "c-link", "c-end", "c-outside", "c-secure", "c-self", "c-unvisited",
            "h-code", "h-broken", "h-redirect", "h-return", "h-self", "h-en", "h-de", "t-none", "t-blank",
            "t-svg", "t-same-1", "t-same-2", "t-twin", "t-noindex", "d-none", "d-blank", "d-og", "d-same-1",
            "d-same-2", "d-twin", "h1-none", "h1-comment", "h1-same-1", "h1-same-2", "h1-three", "h1-image",
            "no-alt", "decorated", "app", "short", "data-only", "slow", "large", "packed", "limit",
            "deep-1", "unmapped", "refresh",
        )  # fmt: skip
        yield "/", Page((
            *(text(f"/{name}", f"To {name}") for name in listed),
            text("/gone", "Our prices"), text("/crash", "Shop"), text("/login", "Members"), text("/one", "First"),
            text("/old", "Old news"), text("/round-1", "Merry-go-round"), text("/private/plans", "Plans"),
            text("/film.zip", "The film"), text("/paper.pdf", "The paper"), text("/to-gone", "Moved"),
            text(f"{self.secure}/", "Secure"), text(f"{self.other}/nothing", "Friends"),
            text(f"{self.other}/fine", "Others"), text(self.nowhere, "Nowhere"), text("/", "Home"),
        ), body=NO_LINKS)  # fmt: skip
        yield "/news", Page((
            image_link("/gone", "Price list"), image_link("/old", "Archive"), text("/removed", "Removed"),
            written("/round-1", "again & again", '<p><a href="@">again &amp; again</a>'),
            written("/private/plans", "Secret plans", '<p><a href="@"><span>Secret</span> <em>plans</em></a>'),
            written(f"{self.other}/nothing", "Partner", '<p><a href="@" rel="sponsored">Partner</a>', rel="sponsored"),
            written("/gone-frame", "", '<iframe src="@"></iframe>', "frame"),
            written("/gone.png", "", '<img src="@" alt="A chart">', "embed"),
            written("/logo.png", "", '<img src="@" alt="">', "embed"),
            text("/myself", "Me"), text("/film.zip", "Film"), text("/out-1", "Out"), text("/c-chain", "Chain"),
            text("/h-code", "Codes"), text("/t-none", "Untitled"), text("/app", "App"),
            text(f"{self.other}/lost", "Lost"),
            text("/unmapped", "Unmapped"), text("/cut", "Cut"), text("/slow", "Patience"),
            # What stands in the head, too, is a link all the same.
            written("/next", "Next", '<link rel="next" href="@"><p><a href="@">Next</a>'),
            written("/next-hidden", "On", '<link rel="prev" href="@"><p><a href="@">On</a>'),
        ))  # fmt: skip
        yield "/team", Page((
            written("/gone", "See all prices here", '<p><a href="@">See <b>all <i>prices</i></b>\n  here</a>'),
            text("/one", "One"), text("/two", "Two"), text("/hidden", "Hidden"), text("/to-the-round", "Round"),
            written("/gone.png", "", '<img src="@" alt="">', "embed"),
            written("/gone-area", "The north", '<map name=m><area href="@" alt="The north"></map>'),
            written("/no-alt", "Pictures", '<p><a href="@" title="x">Pictures</a>'),
            text("/t-same-1", "Same"), text("/large", "Large"), text("/c-broken", "Canonical"),
            text(f"{self.secure}/mixed", "Mixed"), text(f"{self.other}/moved", "Moved"),
        ), in_sitemap=True)  # fmt: skip
        yield "/about", Page((
            written("/gone", "Café & prices <new>", '<p><a href="@">Caf&eacute; &amp; prices &lt;new&gt;</a>'),
            written("/crash", "Shop", '<p><a href="@" rel="nofollow ugc">Shop</a>', rel="nofollow ugc"),
            Ref(SPACED, "spaces", '<p><a href="sub/gone with space?a=1&amp;b=2#x"> spaces\n</a>'),
            written("/gone.css", "", '<link rel="stylesheet" href="@">', "embed"),
            text("/h1-none", "No heading"), text("/d-none", "No words"),
            text(f"{self.other}/no/entry", "No entry"), text("/hidden-by-header", "Hidden"),
        ))  # fmt: skip
        yield "/faq", Page((
            # Twice on one page: once, with the first words that there are.
            written("/gone", "Prices?", '<p><a href="@"></a> <a href="@">Prices?</a> <a href="@#x">again</a>'),
            text("/faq", "This page"), text("/faq#part", "part"),
        ))  # fmt: skip
        yield "/new", Page((text("/", "Home"),))  # only a redirect leads to it
        yield (
            "/refresh",
            Page((written("/gone-refresh", "", '<meta http-equiv="refresh" content="30; url=@">', "refresh"),)),
        )

    def _head_faults(self) -> Iterator[tuple[str, Page]]:
        no_index = '<meta name="robots" content="noindex, follow">'
        yield "/hidden", Page(head=no_index, in_sitemap=False, title="")
        yield "/hidden-by-header", Page(headers=(("X-Robots-Tag", "noindex"),), in_sitemap=False, description="")
        yield "/next", Page()
        yield "/next-hidden", Page(head=no_index, in_sitemap=False)
        yield "/thanks", Page(head=no_index, in_sitemap=False)  # a seed, and nobody's link
        yield "/c-broken", Page((relation("/gone-canonical", "canonical"),))
        yield "/c-redirect", Page((relation("/old", "canonical"),))
        yield "/c-noindex", Page((relation("/hidden", "canonical"),))
        yield "/c-chain", Page((relation("/c-link", "canonical"),))
        yield "/c-link", Page((relation("/c-end", "canonical"),))
        yield "/c-end", Page((relation("/c-end", "canonical"),))
        yield "/c-outside", Page((relation(f"{self.other}/fine", "canonical"),))
        yield "/c-secure", Page((relation(f"{self.secure}/fine", "canonical"),))
        itself = f"{self.base}/c-self#top".replace(SITE, SITE.upper())
        yield "/c-self", Page(head=f'<link rel="CANONICAL" href="{itself}">')
        yield "/c-unvisited", Page((relation("/private/plans", "canonical"),))
        yield "/h-en", Page(self._versions())
        yield "/h-de", Page(self._versions())
        yield "/h-code", Page((
            version("en-UK", "/h-code"), version("german", "/h-code"), version("zh-Hant-TW", "/h-code"),
            version("es-419", "/h-code"), version("EN-gb", "/h-code"),
        ))  # fmt: skip
        yield "/h-broken", Page((version("en", "/h-broken"), version("de", "/gone-version")))
        yield "/h-redirect", Page((version("en", "/h-redirect"), version("de", "/old")))
        yield (
            "/h-return",
            Page((version("en", "/h-return"), version("fr", "/faq"), version("it", f"{self.other}/fine"))),
        )
        yield "/h-self", Page((version("de", f"{self.other}/fine"),))

    def _versions(self) -> tuple[Ref, ...]:
        return version("en", "/h-en"), version("de-AT", "/h-de"), version("x-default", "/h-en")

    def _text_faults(self) -> Iterator[tuple[str, Page]]:
        yield "/t-none", Page(title="")
        yield "/t-blank", Page(title="<title> \n </title>")
        yield "/t-svg", Page(title="", body="<svg><title>A picture</title></svg>")
        yield "/t-same-1", Page(title="<title>The same &amp; title</title>")
        yield "/t-same-2", Page(title="<title>\nThe same  &#38; title </title>")
        yield "/t-twin", Page((relation("/t-same-1", "canonical"),), title="<title>The same &amp; title</title>")
        yield (
            "/t-noindex",
            Page(
                title="<title>The same &amp; title</title>",
                head='<meta name="robots" content="none">',
                in_sitemap=False,
            ),
        )
        yield "/d-none", Page(description="")
        yield "/d-blank", Page(description='<meta name="description" content="  ">')
        yield "/d-og", Page(description='<meta property="og:description" content="For others">')
        yield "/d-same-1", Page(description='<meta name="Description" content="All the same">')
        yield "/d-same-2", Page(description='<META content=" All  the same" NAME=description>')
        yield (
            "/d-twin",
            Page((relation("/d-same-1", "canonical"),), description='<meta name=description content="All the same">'),
        )
        yield "/h1-none", Page(h1="<h2>Only this</h2>")
        yield "/h1-comment", Page(h1="<!-- <h1>Not shown</h1> -->")
        yield "/h1-image", Page(h1='<h1><a href="/"><img src="/logo.png" alt="The house"></a></h1>')
        yield "/h1-same-1", Page(h1="<h1>The <em>same</em> heading</h1>")
        yield "/h1-same-2", Page(h1="<h1 class=x>The same\nheading</h1>")
        yield "/h1-three", Page(h1="<h1>First</h1><h1>Second</h1><section><h1>Third</h1></section>")
        images = '<img src="/logo.png"><img src=/logo.png title=x>'
        described = '<img src="/logo.png" alt=""><img src=/logo.png alt><img alt="A &quot;logo&quot;" src=/logo.png>'
        yield "/no-alt", Page(body=images + described)
        yield "/decorated", Page(body=f"{described}<!-- {images} --><svg><image href='/logo.png'/></svg>")
        yield "/app", Page(h1="<h1>App</h1>", prose='<div id="app"></div><script src="/app.js"></script>')
        yield "/short", Page(h1="<h1>Short</h1>", prose="<p>Few words.")
        yield (
            "/data-only",
            Page(h1="<h1>Data</h1>", prose='<p>Few words.<script type="application/ld+json">{}</script>'),
        )

    def _weight_faults(self) -> Iterator[tuple[str, Page]]:
        yield "/slow", Page()
        yield "/large", Page(prose=PROSE + "<p>x</p>\n" * 120_000)
        yield "/packed", Page(prose=PROSE + "<p>x</p>\n" * 120_000)
        yield "/limit", Page(prose=PROSE + "<p>x</p>\n" * 105_000)
        yield "/deep-1", Page((text("/deep-2", "Down"), text("/", "Up")))
        yield "/deep-2", Page((text("/deep-3", "Down"), text("/deep-1", "Up")))
        yield "/deep-3", Page((text("/deep-4", "Down"), text("/deep-4-too", "Down, too"), text("/", "Up")))
        yield "/deep-4", Page((text("/deep-5", "Down"), text("/deep-3", "Up")))
        yield "/deep-4-too", Page((image_link("/deep-5", "The bottom"), text("/deep-3", "Up")))
        yield "/deep-5", Page((text("/deep-4", "Up"),))
        yield "/alone", Page((text("/", "Home"),))
        yield "/alone-by-itself", Page((text("/alone-by-itself", "Me"),))
        yield "/alone-by-relation", Page()
        yield "/unmapped", Page((relation("/alone-by-relation", "next"),), in_sitemap=False)

    def _secure_pages(self) -> Iterator[tuple[str, Page]]:
        """https, on a host of its own."""
        secure, base = self.secure, self.base
        yield f"{secure}/", Page((
            text(f"{secure}/mixed", "To mixed"), text(f"{secure}/mixed-frame", "To frame"),
            text(f"{secure}/fine", "Fine"), text(f"{base}/gone", "insecure"),
        ))  # fmt: skip
        yield f"{secure}/mixed", Page((
            written(f"{base}/logo.png", "", '<img src="@" alt="">', "embed"),
            written(f"{base}/app.js", "", '<script src="@"></script>', "embed"),
        ))  # fmt: skip
        yield f"{secure}/mixed-frame", Page((written(f"{base}/faq", "", '<iframe src="@"></iframe>', "frame"),))
        # Links, canonical URLs and versions are not loaded.
        yield (
            f"{secure}/fine",
            Page((text(f"{base}/faq", "Insecure, but only a link"), relation(f"{base}/news", "next"))),
        )


def _missing(status: int) -> Fixed:
    return Fixed(
        b"<!DOCTYPE html><html><head><title>The page home</title></head><body><h1>Sorry</h1></body></html>", status
    )
