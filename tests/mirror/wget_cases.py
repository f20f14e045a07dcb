"""The recursive cases of wget's and wget2's own test suites, as weft can say them: what is served, and what is saved.

Each line stands for one or more cases (`count`) of a file of theirs. The sites are ours, of the same shape. Options are
given to `--from-wget`, unless weft's own words say it better. `expected` are the files by weft's rules for names.
"""

from __future__ import annotations

from codecs import encode
from dataclasses import dataclass

from .site_server import OWN, Answer, Site, page, redirect

Files = frozenset[str]


@dataclass(frozen=True)
class Case:
    """One case, or several that come to the same."""

    name: str  # the file it is in
    options: str  # of wget
    site: str
    start: str
    expected: str
    count: int = 1
    own: tuple[str, ...] | None = None  # weft's flags, where these are not those that --from-wget prints
    keeps: str = ""  # a text that stands in the first file
    change: str = ""  # a second run is an update, after this page has changed
    is_quick: bool = False

    @property
    def files(self) -> Files:
        return frozenset(self.expected.split())


@dataclass(frozen=True)
class Missing:
    """Cases that weft cannot express."""

    name: str
    options: str
    why: str
    count: int = 1


PIC = Answer(b"not much of a picture", "image/jpeg")
PNG = Answer(b"\x89PNG\r\n\x1a\n", "image/png")
TEXT = Answer(b"some text\n", "text/plain")


def fill(site: Site, name: str) -> None:
    """Serve one of the sites."""
    site.answers.clear()
    site.log.clear()
    _SITES[name](site)


def _pictures(site: Site) -> None:
    site.put("/index.html", page('<a href="two.html">2</a><a href="pic_a.jpeg">a</a><a href="pic_aa.jpeg">aa</a>'))
    site.put("/two.html", page('<a href="pic_b.jpeg">b</a><a href="pic_bb.JpEg">bb</a><a href="pic_c.png">c</a>'))
    for name in ("a.jpeg", "aa.jpeg", "b.jpeg", "bb.JpEg"):
        site.put(f"/pic_{name}", PIC)
    site.put("/pic_c.png", PNG)


def _folders(site: Site) -> None:
    site.put("/index.html", page('<a href="/one/two.html">2</a><a href="/nothing">n</a>'))
    site.put("/one/two.html", page('<a href="/other/three.html">3</a>'))
    site.put("/other/three.html", page('<a href="/one/pub/text.txt">t</a>'))
    site.put("/one/pub/text.txt", TEXT)


def _levels(site: Site) -> None:
    site.put("/index.html", page('<a href="/t0.txt">t</a><a href="/s1/p.html">p</a>'))
    for level in range(1, 4):
        deeper = "/".join(f"s{number}" for number in range(1, level + 2))
        here = deeper.rpartition("/")[0]
        site.put(f"/{here}/p.html", page(f'<a href="/t{level}.txt">t</a><a href="/{deeper}/p.html">p</a>'))
        site.put(f"/t{level}.txt", TEXT)
    site.put("/s1/s2/s3/s4/p.html", page("the end"))
    site.put("/t0.txt", TEXT)


def _cut(site: Site) -> None:
    site.put("/one.html", page('<a href="sub/two.html">2</a>'))
    site.put("/sub/two.html", page("two"))


def _arguments(site: Site) -> None:
    site.put(
        "/one.html", page('<a href="/two.html?n=1">1</a><a href="/two.html?n=2">2</a><a href="/s/three.html?n=3">3</a>')
    )
    for path in ("/two.html", "/two.html?n=1", "/two.html?n=2", "/s/three.html", "/s/three.html?n=3"):
        site.put(path, page(f"this is {path}"))


def _tags(site: Site) -> None:
    site.put("/index.html", page('<a href="two.html">2</a>'))
    site.put("/two.html", page('<a href="a.jpeg">a</a><img src="b.jpeg" data-500px="c.jpeg" data-highres="d.jpeg">'))
    for name in "abcd":
        site.put(f"/{name}.jpeg", PIC)


def _clash(site: Site) -> None:
    site.put("/index.html", page('<a href="/sub">s</a><a href="sub/">d</a><a href="sub/index.html">i</a>'))
    site.put("/sub", page("a file"))
    site.put("/sub/", page("in the folder"))
    site.put("/sub/index.html", page("in the folder"))


def _robots(site: Site) -> None:
    site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /closed/\n", "text/plain"))
    site.put("/index.html", page('<a href="/open.html">o</a><a href="/closed/page.html">c</a>'))
    site.put("/open.html", page("open"))
    site.put("/closed/page.html", page("closed"))


def _meta_robots(site: Site) -> None:
    site.put("/index.html", page('<a href="/free.html">f</a><a href="/none.html">n</a>'))
    site.put("/free.html", page('<a href="/a.html">a</a>'))
    site.put("/none.html", page('<meta name="robots" content="noindex,nofollow"><a href="/b.html">b</a>'))
    site.put("/a.html", page("a"))
    site.put("/b.html", page("b"))


def _parent(site: Site) -> None:
    site.put(
        "/first/", page('<a href="/first/in.html">i</a><a href="/first/low/er.html">l</a><a href="/up.html">u</a>')
    )
    for path in ("/first/in.html", "/first/low/er.html", "/up.html"):
        site.put(path, page(path))


def _needs(site: Site) -> None:
    style = '<style>p{background:url("/look/css.png")}</style><link rel=stylesheet href="/look/s.css">'
    site.put("/index.html", page(f'{style}<img src="/look/a.png"><a href="/other.html">o</a>'))
    site.put("/look/s.css", Answer(b'@import "t.css"; p{background:url(in.png)}', "text/css"))
    site.put("/look/t.css", Answer(b"p{background:url('t.png')}", "text/css"))
    for name in ("a", "css", "in", "t"):
        site.put(f"/look/{name}.png", PNG)
    site.put("/other.html", page("other"))
    site.put("/low/index.html", page('<img src="/look/a.png"><img src="b.png"><a href="/other.html">o</a>'))
    site.put("/low/b.png", PNG)


def _based(site: Site) -> None:
    site.put("/index.html", page('<base href="/deep/er/"><a href="a.html">a</a><a href="../b.html">b</a>'))
    site.put("/deep/er/a.html", page("a"))
    site.put("/deep/b.html", page("b"))


def _php(site: Site) -> None:
    site.put("/index.php", page('<a href="sub.php">s</a><a href="/gone.php">g</a>'))
    site.put("/sub.php", page("sub"))


def _lazy(site: Site) -> None:
    site.put("/lazy.html", page('<img data-src="a.png"><img src="b.png" data-srcset="c.png 2x">'))
    for name in "abc":
        site.put(f"/{name}.png", PNG)


def _letters(site: Site) -> None:
    latin = '<meta charset="iso-8859-1"><a href="f/été.html">e</a><a href="/plain.html">p</a>'
    site.put("/index.html", Answer(latin.encode("latin-1"), "text/html; charset=iso-8859-1"))
    site.put("/f/%C3%A9t%C3%A9.html", page('<a href="/f/caf%C3%A9.html">c</a>'))
    site.put("/f/caf%C3%A9.html", page("c"))
    site.put("/plain.html", page("p"))


def _moved(site: Site) -> None:
    site.put("/index.html", page('<a href="/a/go">g</a><a href="/odd">o</a>'))
    site.put("/a/go", redirect("/b/there.html"))
    site.put("/b/there.html", page('<a href="/a/more.html">m</a>'))
    site.put("/a/more.html", page("more"))
    site.put("/odd", redirect("http://[::1"))


def _basic(site: Site) -> None:
    site.put("/index.html", page('<a href="/a/one.html">1</a><a href="/b/two.html">2</a>'))
    site.put("/a/one.html", page('<a href="/a/three.html">3</a>'))
    site.put("/b/two.html", page("2"))
    site.put("/a/three.html", page("3"))


def _long(site: Site) -> None:
    path = "/" + "/".join(f"folder-of-some-length-{chr(97 + number)}" for number in range(18))
    site.put("/index.html", page(f'<a href="{path}/file.html">f</a><a href="/{"n" * 300}.html">n</a>'))
    site.put(f"{path}/file.html", page("f"))
    site.put(f"/{'n' * 300}.html", page("n"))


def _odd_links(site: Site) -> None:
    site.put("/index.html", page('<a href="a%20b.html">1</a><a href="c+d.html?x=%2F">2</a><a href="e:f.html">3</a>'
                                 '<a href="./g;h.html#x">4</a>'))  # fmt: skip
    for path in ("/a%20b.html", "/c+d.html?x=%2F", "/g;h.html"):
        site.put(path, page(path))


def _errors(site: Site) -> None:
    site.put("/index.html", page('<a href="/fine.html">f</a><a href="/gone">g</a><a href="/broken">b</a>'))
    site.put("/fine.html", page("fine"))
    site.put("/broken", Answer(b"broken", "text/plain", 501))


def _more_errors(site: Site) -> None:
    """Of 200, 404 and 501 one on the first page and one behind it."""
    site.put("/index.html", page('<a href="200_a">a</a><a href="404_a">b</a><a href="501_a">c</a>'))
    site.put("/200_a", page('<a href="200_b">a</a><a href="404_b">b</a><a href="501_b">c</a>'))
    site.put("/200_b", TEXT)
    for status in (404, 501):
        for letter in "ab":
            site.put(f"/{status}_{letter}", Answer(f"content of {letter}".encode(), "text/plain", status))


def _error_beside(site: Site) -> None:
    site.put("/a/x.html", page('<a href="/b/y.html"></a>'))
    site.put("/b/y.html", Answer(b"404 page content", "text/plain", 404))


def _turned(site: Site) -> None:
    """Links that only a function can read: each letter stands for the thirteenth behind it."""
    url = encode(site.url("/"), "rot13")
    body = f"2: rot13({url}frpbaq.ugzy) 3: rot13({url}guveq.ugzy)"
    site.put("/turned.html", page(body))
    site.put("/mixed.html", page(f'{body} <a href="/fourth.html">4</a>'))
    for name in ("second", "third", "fourth"):
        site.put(f"/{name}.html", page(name))
    site.put("/index.html", page('<a href="/second.html">2</a><a href="/third.html">3</a>'))


def _over_tls(site: Site) -> None:
    linked = f'<a href="sub.html">s</a><a href="missing.xhtml">m</a><a href="//{OWN}:{site.port}/missing2.html">2</a>'
    site.put("/index.html", page(linked))
    site.put("/sub.html", page("sub"))


def _secure(site: Site) -> None:
    site.put(
        "/index.html", page(f'<a href="/plain.html">p</a><a href="https://127.0.0.1:{site.port + 1}/x.html">s</a>')
    )
    site.put("/plain.html", page("p"))


def _foreign(site: Site) -> None:
    """Hosts of other letters, which only a proxy knows."""
    first, second = "xn--bcher-kva.test", "xn--caf-dma.test"
    site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /closed\n", "text/plain"), first)
    linked = (
        '<meta charset="iso-8859-1"><a href="http://café.test/x.html">c</a><a href="/closed">n</a><a href="/go">g</a>'
    )
    site.put("/", Answer(linked.encode("latin-1"), "text/html; charset=iso-8859-1"), first)
    site.put("/closed", page("closed"), first)
    site.put("/go", Answer(b"", status=302, headers=(("Location", f"http://{second}/there.html"),)), first)
    site.put("/x.html", page("x"), second)
    site.put("/there.html", page("there"), second)


_SITES = {
    "pictures": _pictures, "folders": _folders, "levels": _levels, "cut": _cut, "arguments": _arguments,
    "tags": _tags, "clash": _clash, "robots": _robots, "meta-robots": _meta_robots, "parent": _parent,
    "needs": _needs, "based": _based, "php": _php, "lazy": _lazy, "letters": _letters, "moved": _moved,
    "basic": _basic, "long": _long, "odd-links": _odd_links, "errors": _errors, "secure": _secure, "foreign": _foreign,
    "more-errors": _more_errors, "error-beside": _error_beside, "turned": _turned, "over-tls": _over_tls,
}  # fmt: skip

_ALL_PICS = "pic_a.jpeg pic_aa.jpeg pic_b.jpeg pic_bb.JpEg pic_c.png"
_PAGES = "index.html two.html"
_LOWER = "pic_a.jpeg pic_aa.jpeg pic_b.jpeg"
_ANY_CASE = f"{_LOWER} pic_bb.JpEg"
_UP_TO = [
    "index.html t0.txt s1/p.html",
    " t1.txt s1/s2/p.html",
    " t2.txt s1/s2/s3/p.html",
    " t3.txt s1/s2/s3/s4/p.html",
]
_LOOK = "look/s.css look/t.css look/a.png look/css.png look/in.png look/t.png"
_SAVED = "--accept"
_NOT_ONE = r"re:^\w+://[^/]+/(?!one/(?!pub/))"  # not in one/, but in one/pub/

CASES = (
    Case("wget2 test-accept", "-r -nH --accept .jpeg", "pictures", "/index.html", _LOWER, 2, is_quick=True),
    Case("wget2 test-accept", "-r -nH --reject .jpeg", "pictures", "/index.html", f"{_PAGES} pic_bb.JpEg pic_c.png", 2),
    Case("wget2 test-accept", "-r -nH --accept .jpeg --ignore-case", "pictures", "/index.html", _ANY_CASE),
    Case("wget2 test-accept", "-r -nH --reject .jpeg --ignore-case", "pictures", "/index.html", f"{_PAGES} pic_c.png"),
    Case("wget2 test-accept", "-r -nH --accept '*.jpeg'", "pictures", "/index.html", _LOWER),
    Case("wget2 test-accept", "-r -nH --reject '*.jpeg'", "pictures", "/index.html", f"{_PAGES} pic_bb.JpEg pic_c.png"),
    Case("wget2 test-accept", "-r -nH --accept '*.jpeg' --ignore-case", "pictures", "/index.html", _ANY_CASE),
    Case("wget2 test-accept", "-r -nH --reject '*.jpeg' --ignore-case", "pictures", "/index.html",
         f"{_PAGES} pic_c.png"),
    Case("wget2 test-accept", "-r -nH --accept '*pic*'", "pictures", "/index.html", _ALL_PICS),
    Case("wget2 test-accept", "-r -nH --reject '*pic*'", "pictures", "/index.html", _PAGES),
    Case("wget2 test-accept", "-r -nH --accept '*pic_[ab]*'", "pictures", "/index.html", _ANY_CASE, is_quick=True),
    Case("wget2 test-accept", "-r -nH --reject '*pic_[ab]*'", "pictures", "/index.html", f"{_PAGES} pic_c.png"),
    Case("wget2 test-accept", "-r -nH --accept '*pic_a*' --accept '*pic_c*'", "pictures", "/index.html",
         "pic_a.jpeg pic_aa.jpeg pic_c.png"),
    Case("wget2 test-accept", "-r -nH --reject '*pic_a*' --reject '*pic_c*'", "pictures", "/index.html",
         f"{_PAGES} pic_b.jpeg pic_bb.JpEg"),
    Case("wget2 test-accept", "-r -nH --accept-regex '^(.*)(/)?pic_[ab]+[.]jpeg$'", "pictures", "/index.html",
         _LOWER, 2, own=(_SAVED, "re:^(.*)(/)?pic_[ab]+[.]jpeg$")),
    Case("wget2 test-accept", "-r -nH --reject-regex '^(.*)pic_[a]+[.]jpeg$'", "pictures", "/index.html",
         f"{_PAGES} pic_b.jpeg pic_bb.JpEg pic_c.png", 2),
    Case("wget2 test-accept", "-r -nH --accept-regex '^(.*)pic_(.*)$' --reject-regex '[.](jpeg|JpEg)+'", "pictures",
         "/index.html", "pic_c.png", 2,
         own=(_SAVED, "re:^(.*)pic_(.*)$", "--exclude", "re:[.](jpeg|JpEg)+")),
    Case("wget2 test-accept", "-r -nH --accept .jpeg -N", "pictures", "/index.html", _LOWER, change="/pic_a.jpeg"),
    Case("wget2 test-accept", "-r -nH --reject .jpeg -N", "pictures", "/index.html",
         f"{_PAGES} pic_bb.JpEg pic_c.png", change="/pic_c.png"),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type image/png", "pictures", "/index.html",
         "pic_c.png", 2),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type '*,!image/png'", "pictures", "/index.html",
         f"{_PAGES} {_ANY_CASE}", 2, is_quick=True),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type '*/png,*/jpeg'", "pictures", "/index.html",
         _ALL_PICS),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type '!*/png,*/jpeg'", "pictures", "/index.html",
         _ANY_CASE),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type 'image/*,!*/jpeg'", "pictures", "/index.html",
         "pic_c.png", is_quick=True),
    Case("wget2 test-filter-mime-type", "-r -nH --filter-mime-type 'image/*,!*/jpeg' -N", "pictures", "/index.html",
         "pic_c.png", 2, change="/pic_c.png"),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -X '/*/pub'", "folders", "/index.html",
         "index.html one/two.html other/three.html"),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -I '/,/*/pub'", "folders", "/index.html",
         "index.html one/pub/text.txt", own=(_SAVED, r"re:^\w+://[^/]+/[^/]*$", _SAVED, "*/pub/*")),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -X /one -I '/*/pub'", "folders", "/index.html",
         "index.html other/three.html one/pub/text.txt", own=(_SAVED, _NOT_ONE), is_quick=True),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -I /one -X /one/pub", "folders", "/index.html",
         "one/two.html", 2, own=(_SAVED, "/one/*", "--exclude", "/one/pub/*")),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -I /on", "folders", "/index.html", "",
         own=(_SAVED, "/on/*")),
    Case("wget2 test-include-and-exclude-directories", "-r -I '/*/pub'", "folders", "/index.html",
         "HOST/one/pub/text.txt", own=(_SAVED, "*/pub/*")),
    Case("wget2 test-include-and-exclude-directories", "-r -nH -X /one -I '/*/pub' -N", "folders", "/index.html",
         "index.html other/three.html one/pub/text.txt", 3, own=(_SAVED, _NOT_ONE), change="/other/three.html"),
    Case("wget2 test-level", "-r --level 0 -nH", "levels", "/index.html", "".join(_UP_TO), 2),
    Case("wget2 test-level", "-r --level 1 -nH", "levels", "/index.html", _UP_TO[0], is_quick=True),
    Case("wget2 test-level", "-r --level 2 -nH", "levels", "/index.html", "".join(_UP_TO[:2])),
    Case("wget2 test-level", "-r --level 3 -nH", "levels", "/index.html", "".join(_UP_TO[:3])),
    Case("wget2 test-level", "-r --level 4 -nH", "levels", "/index.html", "".join(_UP_TO)),
    Case("wget2 test-cut-dirs", "-r -nH --cut-dirs=1", "cut", "/one.html", "one.html two.html", is_quick=True),
    Case("wget2 test-cut-dirs", "-r -nH --cut-dirs=0", "cut", "/sub/two.html", "sub/two.html"),
    Case("wget2 test-cut-dirs", "-r -nH --cut-dirs=-1", "cut", "/sub/two.html", "sub/two.html"),
    Case("wget2 test-cut-dirs", "-r --cut-dirs=1", "cut", "/sub/two.html", "HOST/two.html"),
    Case("wget2 test-cut-dirs", "-r -nH --cut-dirs=1", "cut", "/sub/two.html", "two.html"),
    Case("wget2 test-cut-dirs", "-r -nH --cut-dirs=2", "cut", "/sub/two.html", "two.html"),
    Case("wget2 test-cut-dirs", "-r --cut-dirs=2", "cut", "/sub/two.html", "HOST/two.html"),
    Case("wget2 test-cut-get-vars", "-nH -r --cut-url-get-vars", "arguments", "/one.html",
         "one.html two.html s/three.html", is_quick=True),
    Case("wget2 test-cut-get-vars", "-nH -r --cut-file-get-vars --cut-url-get-vars", "arguments", "/one.html",
         "one.html two.html s/three.html"),
    Case("wget2 test-cut-get-vars", "-nH -r --cut-file-get-vars", "arguments", "/one.html",
         "one.html two.html two-#.html s/three.html"),
    Case("wget2 test-cut-get-vars", "-nH -r --cut-file-get-vars -nd", "arguments", "/one.html",
         "one.html two.html two-#.html three.html"),
    Case("wget2 test-follow-tags", "-r -nH", "tags", "/index.html", f"{_PAGES} a.jpeg b.jpeg",
         own=("--follow-tags", "a,img/src")),
    Case("wget2 test-follow-tags", "-r -nH --follow-tags img/data-500px", "tags", "/index.html",
         f"{_PAGES} a.jpeg b.jpeg c.jpeg", own=("--follow-tags", "a,img/src,img/data-500px"), is_quick=True),
    Case("wget2 test-follow-tags", "-r -nH --follow-tags img", "tags", "/index.html",
         f"{_PAGES} a.jpeg b.jpeg c.jpeg d.jpeg", 3,
         own=("--follow-tags", "a,img,img/data-500px,img/data-highres")),
    Case("wget2 test-follow-tags", "-r -nH --ignore-tags img/src", "tags", "/index.html", f"{_PAGES} a.jpeg", 2,
         own=("--follow-tags", "a")),
    Case("wget2 test-follow-tags", "-r -nH --ignore-tags img/src,a/href", "tags", "/index.html", "index.html", 2),
    Case("wget2 test-follow-tags", "-r -nH --ignore-tags img/src --follow-tags=img/data-500px", "tags", "/index.html",
         f"{_PAGES} a.jpeg c.jpeg", own=("--follow-tags", "a,img/data-500px")),
    Case("wget2 test-directory-clash", "-r -nH", "clash", "/index.html",
         "index.html sub.html sub/index.html", 2),
    Case("wget2 test-robots", "-r -nH", "robots", "/index.html", "index.html open.html", 4, is_quick=True),
    Case("wget2 test-robots", "-r --no-robots -nH", "robots", "/index.html", "index.html open.html closed/page.html"),
    Case("wget2 test-robots-off", "-r -nH --robots=off", "robots", "/index.html",
         "index.html open.html closed/page.html", 2),
    Case("wget2 test-meta-robots", "-r -e robots=on -nd", "meta-robots", "/index.html",
         "index.html free.html none.html a.html"),
    Case("wget Test-meta-robots", "-r -nd", "meta-robots", "/index.html", "index.html free.html none.html a.html"),
    Case("wget2 test-np", "-np -nH -r", "parent", "/first/", "first/index.html first/in.html first/low/er.html"),
    Case("wget Test-np", "-np -nH -r", "parent", "/first/", "first/index.html first/in.html first/low/er.html"),
    Case("wget2 test-page-requisites", "-p -nH", "needs", "/index.html", f"index.html {_LOOK}", is_quick=True),
    Case("wget2 test-page-requisites", "-p -np -nH", "needs", "/low/index.html", "low/index.html low/b.png"),
    Case("wget2 test-p-nc", "-p -nc -nH", "needs", "/index.html", f"index.html {_LOOK}", 2),
    Case("wget2 test-parse-css", "-nH -r", "needs", "/look/s.css", "look/s.css look/t.css look/in.png look/t.png"),
    Case("wget2 test-parse-html-css", "-nH --no-robots -r", "needs", "/index.html", f"index.html other.html {_LOOK}"),
    Case("wget2 test-base", "-r -nH --no-robots", "based", "/index.html", "index.html deep/er/a.html deep/b.html", 2),
    Case("wget2 test-E-k", "-r -nd -E -k", "php", "/index.php", "index.php.html sub.php.html"),
    Case("wget Test-E-k", "-r -nd -E -k", "php", "/index.php", "index.php.html sub.php.html"),
    Case("wget2 test-data-src", "-nH --no-robots -p -r", "lazy", "/lazy.html", "lazy.html a.png b.png c.png"),
    Case("wget2 test-iri, -iri-percent, -iri-subdir", "--iri -nH -r", "letters", "/index.html",
         "index.html plain.html f/été.html f/café.html", 3),
    Case("wget Test-iri, -iri-percent", "--iri -nH -r", "letters", "/index.html",
         "index.html plain.html f/été.html f/café.html", 2),
    Case("wget2 test-k, -k-percent-encoding", "-k -r -nH", "odd-links", "/index.html",
         "index.html a␣b.html c+d@x=%2F.html g;h.html", 2),
    Case("wget Test-k", "-k -r -nH --restrict-file-names=unix", "odd-links", "/index.html",
         "index.html a␣b.html c+d@x=%2F.html g;h.html"),
    Case("wget2 test-limit-rate", "-r -nH --limit-rate=1500k", "basic", "/index.html",
         "index.html a/one.html b/two.html a/three.html", 4),
    Case("wget2 test-redirection", "--recursive --no-directories", "moved", "/index.html",
         "index.html there.html more.html"),
    Case("wget2 test-timestamping", "-N -r -nd", "basic", "/index.html", "index.html one.html two.html three.html", 4,
         change="/a/three.html"),
    Case("wget2 test-unlink", "-r -nH --no-robots --unlink", "basic", "/index.html",
         "index.html a/one.html b/two.html a/three.html", change="/b/two.html"),
    Case("wget2 test-c-r", "--continue --recursive -nH", "basic", "/index.html",
         "index.html a/one.html b/two.html a/three.html", 3),
    Case("wget2 test-download-attr", "-nH --no-robots -r", "basic", "/index.html",
         "index.html a/one.html b/two.html a/three.html"),
    Case("wget2 test-save-content-on", "-r -nH --save-content-on 200", "errors", "/index.html", "index.html fine.html"),
    Case("wget2 test-save-content-on", "-r -nH --save-content-on '*,!200'", "more-errors", "/index.html",
         "404_a.txt 404_b.txt 501_a.txt 501_b.txt", is_quick=True),
    Case("wget Test--convert-links--content-on-error", "-nH -r -l2 --convert-links --content-on-error", "error-beside",
         "/a/x.html", "a/x.html b/y.html.txt", keeps='href="../b/y.html.txt"'),
    Case("wget2 test-wget-1", "--https-only -r -nH", "secure", "/index.html", "index.html"),
    Case("wget Test--httpsonly-r", "--https-only -r -nH", "secure", "/index.html", "index.html"),
    Case("wget Test-recursive-basic", "--recursive --no-host-directories", "basic", "/index.html",
         "index.html a/one.html b/two.html a/three.html"),
    Case("wget Test-recursive-include", "--recursive -nH --include-directories=a", "basic", "/index.html",
         "index.html a/one.html a/three.html", is_quick=True),
    Case("wget Test-recursive-redirect", "--recursive -nH --include-directories=a", "moved", "/index.html",
         "index.html"),
    Case("wget Test-redirect-crash", "--recursive -e robots=off", "moved", "/index.html",
         "HOST/index.html HOST/b/there.html HOST/a/more.html"),
    Case("wget Test-recursive-pathmax", "--recursive -nH", "long", "/index.html", "index.html * *"),
    Case("wget Test--rejected-log", "-nd -r --rejected-log log.csv", "robots", "/index.html", "index.html open.html"),
    Case("wget Test-idn-cmd, -idn-cmd-utf8, -idn-robots, -idn-robots-utf8", "--iri -r", "foreign", "http://bücher.test/",
         "xn--bcher-kva.test/index.html", 4),
    Case("wget Test-idn-headers, -idn-meta", "--iri -rH", "foreign", "http://bücher.test/",
         "xn--bcher-kva.test/index.html xn--caf-dma.test/x.html xn--caf-dma.test/there.html", 2),
    Case("wget2 test-plugin-interception", "--recursive -nH # reject two", "pictures", "/index.html",
         "index.html pic_a.jpeg pic_aa.jpeg", own=("--exclude", "*two*")),
    Case("wget2 test-plugin-interception", "--recursive -nH # reject, but accept", "pictures", "/index.html",
         f"{_PAGES} pic_aa.jpeg pic_b.jpeg pic_bb.JpEg pic_c.png pic_a.jpeg",
         own=("--rule", "-*pic_a*", "--rule", "+*pic_a*")),
    Case("wget2 test-plugin-interception", "--recursive -nH # replace", "turned", "/index.html",
         "index.html second.html fourth.html",
         own=("--exclude", "*third*", "--extract", "tests.mirror.wget_functions:fourth_for_third")),
    Case("wget2 test-plugin-interception", "--recursive -nH # parse-rot13", "turned", "/turned.html",
         "turned.html second.html third.html", own=("--extract", "tests.mirror.wget_functions:turned_links")),
    Case("wget2 test-plugin", "--recursive -nH # only-rot13", "turned", "/mixed.html",
         "mixed.html second.html third.html",
         own=("--ignore-tags", "a", "--extract", "tests.mirror.wget_functions:turned_links")),
)  # fmt: skip

# From a server of FTP, whose folders become pages, too.
FTP = (
    (
        "wget Test-ftp-recursive, -iri-recursive",
        "-r -nH",
        "index.html one/index.html one/two.txt é.txt -a.txt a.txt",
        2,
    ),
    ("wget Test-ftp-bad-list", "-r -nH -Nc", "index.html one/index.html one/two.txt é.txt -a.txt a.txt", 1),
    ("wget Test-ftp-list-Unknown-a", "-nd -r --level=1", "index.html index-#.html é.txt -a.txt a.txt", 1),
    ("wget Test-ftp-list-Unknown, -Unknown-list-a-fails", "-nd -r --level=1 --accept '?.txt'", "a.txt", 2),
)

# All URLs are visited and none is saved: `weft crawl`, whose report names what is broken.
SPIDERS = (
    ("wget Test--spider-r", 4), ("wget Test--spider-r.py", 1), ("wget Test-reserved-chars", 1),
    ("wget2 test-spider-r", 2), ("wget2 test-wget-1", 2), ("wget2 test-plugin-interception", 1),
)  # fmt: skip

# From a server with TLS.
SECURE = (
    Case("wget Test-https-k", r"-k -r -nH --reject-regex '.*\.xhtml' --no-check-certificate", "over-tls", "/index.html",
         "index.html sub.html", is_quick=True),
)  # fmt: skip

# From servers of FTP that list in ways of their own: what they have beside `LIST`, and by `LIST -a`.
LISTERS = (
    ("wget Test-ftp-list-UNIX-hidden, -Unknown-hidden", ("normal.txt",), ("normal.txt", "hidden.txt"), 2),
    ("wget Test-ftp-list-Multinet", ("afile.txt", "bfile.txt"), (), 1),
)

MISSING = (
    Missing("wget2 test-E-k (commented out there), wget Test-E-k-K", "-K",
            "no .orig beside a file: the archive has what came", 2),
    Missing("wget2 test-convert-file-only", "--convert-file-only", "a link is changed as a whole"),
    Missing("wget2 test-directory-clash", "--no-clobber", "weft loses neither of two that want one name", 2),
    Missing("wget2 test-download-attr", "--download-attr", "a file has the name of its URL", 3),
    Missing("wget2 test-iri-disabled, -iri-forced-remote, wget likewise", "--no-iri, --remote-encoding",
            "letters in links mean what browsers take them for", 4),
    Missing("wget2 test-limit-rate-http2", "--limit-rate", "weft speaks HTTP/1.1", 4),
    Missing("wget2 test-plugin-interception", "--local-plugin # saveas", "a file has the name of its URL"),
    Missing("wget2 test-unlink", "without --unlink", "a file is never written into: it is replaced"),
)  # fmt: skip
