"""What links say and what a page says of itself, by the scanner and by the tree."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.html_files import some_html_files
from tests.parse.scan_markup import ANY_MARKUP
from tests.parse.test_scan_same import REAL_PAGES
from weft.parse import LongPage, ParsedPage, parse_html
from weft.parse.said import MAX_ANCHOR_CHARS, NOFOLLOW, NOOPENER, SPONSORED, UGC, Place
from weft.parse.scan import ScanPage, always_tree, has_scanner, scan_page
from weft.types import Kind, PageFacts

URL = "https://h.test/p/"
WAYS = [
    pytest.param(scan_page, id="scan", marks=pytest.mark.skipif(not has_scanner(), reason="it was not built")),
    pytest.param(always_tree, id="tree"),
]
MARK_OF_NOTHING = "\0"


def parsed(markup: str | bytes, scan: ScanPage = scan_page, **others: Any) -> ParsedPage:
    body = markup.encode() if isinstance(markup, str) else markup
    return parse_html(body, URL, "text/html; charset=utf-8", notes=True, scan=scan, **{"embeds": False, **others})


def said(markup: str, scan: ScanPage, **others: Any) -> dict[str, tuple[int, str]]:
    """Mark and anchor by what stands behind the page's URL."""
    found = parsed(markup, scan, **others).said
    assert found is not None
    return {url.removeprefix(URL): (ord(one[0]), one[1:]) for url, one in found.items()}


def facts(markup: str, scan: ScanPage, **others: Any) -> PageFacts:
    found = parsed(markup, scan, **others).facts
    assert found is not None
    return found


ANCHORS = [
    ("<a href=x>one</a>", "one"),
    ("<A HREF=x>ONE</A>", "ONE"),
    ("<a href=x>\n one\t <b>two</b>  three\r\n</a>", "one two three"),
    ("<a href=x>&eacute;&amp;&nbsp;&#233;&#x27;&lt;b&gt;&mdash;</a>", "é& é'<b>—"),
    ("<a href=x>AT&T &amp;eacute; &ampx &notanentity;</a>", "AT&T &eacute; &x ¬anentity;"),
    ("<a href=x>a<!-- <a href=y>no</a> -->b</a>", "ab"),
    ("<a href=x>a<script>'</a>' + b</script><style>b{}</style>b</a>", "ab"),
    ("<a href=x><div>a</div><div>b</div></a>", "a b"),
    ("<a href=x>a<br>b<hr/>c</a>", "a b c"),
    ("<a href=x><img src=i alt='An  image'></a>", "An image"),
    ("<a href=x><img src=i alt=''><img src=j alt=' '><img src=k alt=third></a>", "third"),
    ("<a href=x><img src=i alt=image> text</a>", "text"),
    ("<a href=x><img src=i></a>", ""),
    ("<a href=x title=no></a>", ""),
    ("<a href=x>first <a href=y>second</a>", "first"),
    ("<p><a href=x>unclosed</p><p>more</p>", "unclosed"),
    ("<ul><li><a href=x>unclosed<li><a href=y>two</ul>", "unclosed"),
    ("<a href=x>to the end", "to the end"),
    ("<a href=x>a < b</a>", "a < b"),
    ("<a href=x>a<b title='>'>c</b></a>", "ac"),
    ("<svg><a xlink:href=x><text>drawn</text></a></svg>", "drawn"),
    ("<a href=x><svg><title>Home</title><path d=z /></svg></a>", "Home"),
    ("<map><area href=x alt='An &amp; area'></map>", "An & area"),
    ("<map><area href=x></map>", ""),
    ("<a href=x></a><a href=x> </a><a href=x>third</a><a href=x>fourth</a>", "third"),
    ("<a href=x#a></a><a href=./x>other way</a>", "other way"),
    ("<a href=x>\x01a\x0bb\x7fc\x1bd</a>", "a b c d"),
    ("<a href=x>a\x00b</a>", "ab"),
    ("<a href=x>日本 語\u00a0x\u0085y</a>", "日本 語 x y"),
    ("<base href=/><a href=p/x>based</a>", "based"),
    ("<a href=x rel=next><!--></a>", ""),
    ("<a href=x>" + "y" * 500 + "</a>", "y" * MAX_ANCHOR_CHARS),
    ("<a href=x>" + "é " * 500 + "</a>", ("é " * (MAX_ANCHOR_CHARS // 2)).rstrip()),
    ("<a href=x>" + "&eacute;" * 500 + "</a>", "é" * MAX_ANCHOR_CHARS),
]


@pytest.mark.parametrize("scan", WAYS)
@pytest.mark.parametrize(("markup", "anchor"), ANCHORS)
def test_an_anchor_is_the_text_that_a_reader_sees(markup: str, anchor: str, scan: ScanPage) -> None:
    assert said(markup, scan)["x"] == (Place.ANCHOR, anchor)


RELS = [
    ("rel=nofollow", NOFOLLOW),
    ("rel='UGC  noFollow'", UGC | NOFOLLOW),
    ("rel='sponsored noopener'", SPONSORED | NOOPENER),
    ("rel=noreferrer", NOOPENER),
    ("rel='next nofollowed'", 0),
    ("rel", 0),
    ("", 0),
]


@pytest.mark.parametrize("scan", WAYS)
@pytest.mark.parametrize(("rel", "bits"), RELS)
def test_a_mark_has_the_words_of_rel(rel: str, bits: int, scan: ScanPage) -> None:
    assert said(f"<a href=x {rel}>t</a><area href=y {rel}>", scan) == {
        "x": (Place.ANCHOR | bits, "t"),
        "y": (Place.ANCHOR | bits, ""),
    }


@pytest.mark.parametrize("scan", WAYS)
def test_of_several_links_to_a_url_count_what_all_rels_have_and_the_strongest_place(scan: ScanPage) -> None:
    markup = (
        "<link rel=next href=x><link rel=next href=v><iframe src=y></iframe><img src=z><a href=v></a>"
        "<a href=x rel='nofollow ugc'>x</a><a href=y rel='nofollow ugc'>y1</a><a href=y rel=nofollow>y2</a>"
        "<a href=z rel=nofollow>z</a><a href=w rel='nofollow ugc'>w1</a><a href=w rel='nofollow'>w2</a>"
    )
    assert said(markup, scan, embeds=True) == {
        "x": (Place.ANCHOR | NOFOLLOW | UGC, "x"),  # what a visitor can follow counts
        "v": (Place.ANCHOR, ""),
        "y": (Place.ANCHOR, "y1"),  # a frame has no rel
        "z": (Place.ANCHOR, "z"),
        "w": (Place.ANCHOR | NOFOLLOW, "w1"),
    }


@pytest.mark.parametrize("scan", WAYS)
def test_a_place_says_where_a_link_stands(scan: ScanPage) -> None:
    markup = (
        "<meta http-equiv=refresh content='1;url=refresh'><link rel=next href=next><link rel=stylesheet href=css>"
        "<iframe src=frame></iframe><img src=img longdesc=long data-src=lazy srcset='set 2x'><p style='a:url(style)'>"
        '<script type="application/ld+json">{"url": "https://h.test/p/ld"}</script><a href=a></a>'
        "<iframe srcdoc='<a href=inner>within</a>'></iframe>"
    )
    assert said(markup, scan, embeds=True) == {
        "refresh": (Place.REFRESH, ""),
        "next": (Place.RELATION, ""),
        "css": (Place.EMBED, ""),
        "frame": (Place.FRAME, ""),
        "img": (Place.EMBED, ""),
        "long": (Place.OTHER, ""),
        "lazy": (Place.EMBED, ""),
        "set": (Place.EMBED, ""),
        "style": (Place.EMBED, ""),
        "ld": (Place.OTHER, ""),
        "a": (Place.ANCHOR, ""),
        "inner": (Place.ANCHOR, "within"),
    }


@pytest.mark.parametrize("scan", WAYS)
@pytest.mark.parametrize("embeds", [False, True])
def test_what_is_said_is_of_the_links_that_are_found(scan: ScanPage, embeds: bool) -> None:
    page = parsed("<a href=x>x</a><a href=#f>own</a><a href=''>own</a><img src=i><a href='http://['>bad</a>", scan)
    assert page.said is not None
    assert list(page.said) == list(page.places) == [URL + "x"]


@pytest.mark.parametrize("scan", WAYS)
def test_without_notes_nothing_is_noted(scan: ScanPage) -> None:
    page = parse_html(b"<h1>x</h1><a href=x>x</a>", URL, "text/html", scan=scan)
    assert page.said is None
    assert page.facts is None


HEAD = """<!doctype html><HTML LANG=" de-AT "><head><title>T</title>
<meta name=Description content=""><META NAME=description CONTENT=" A page
 of &amp; things "><meta name=description content=second>
<link rel=Canonical href="c?a=1#f"><link rel=canonical href=second>
<link rel=alternate hreflang=de href=/de/><link rel=alternate hreflang=x-default href="../"><link hreflang=fr href=no>
<link rel="alternate stylesheet" hreflang=it href=/it/>
<script src=a.js></script><script>x</script><script type=module>x</script><script type="text/JavaScript">x</script>
<script type="application/json">{}</script><script type="text/template"><h1>no</h1></script>"""


@pytest.mark.parametrize("scan", WAYS)
def test_a_head_says_what_the_page_is(scan: ScanPage) -> None:
    found = facts(HEAD, scan)
    assert found.description == "A page of & things"
    assert found.canonical == URL + "c?a=1"
    assert found.hreflangs == [
        ("de", "https://h.test/de/"),
        ("x-default", "https://h.test/"),
        ("it", "https://h.test/it/"),
    ]
    assert found.language == "de-AT"
    assert found.scripts == 4


@pytest.mark.parametrize("scan", WAYS)
@pytest.mark.parametrize(
    ("markup", "h1", "count"),
    [
        ("<h1>One <b>two</b></h1>", "One two", 1),
        ("<H1 class=x>One</H1><h1>Two</h1>", "One", 2),
        ("<h1></h1><h1>Two</h1>", "", 2),
        ("<h1><img src=logo alt=Logo></h1>", "Logo", 1),
        ("<h1><a href=/>Home</a></h1>", "Home", 1),
        ("<h1>One</h2>two", "One", 1),
        ("<template><h1>no</h1></template><!--<h1>no</h1>--><script>'<h1>no</h1>'</script>", "", 0),
        ("<h1>" + "x" * 1000 + "</h1>", "x" * 300, 1),
        ("<h2>no</h2><h10>no</h10>", "", 0),
    ],
)
def test_the_first_h1_is_told_and_all_are_counted(markup: str, h1: str, count: int, scan: ScanPage) -> None:
    found = facts(markup, scan)
    assert (found.h1, found.h1s) == (h1, count)


@pytest.mark.parametrize("scan", WAYS)
def test_an_empty_alt_is_one_and_none_is_counted(scan: ScanPage) -> None:
    found = facts("<img src=a><IMG SRC=b ALT><img src=c alt=''><img src=d alt=x><svg><image href=e /></svg>", scan)
    assert (found.images, found.images_without_alt) == (4, 1)


INSECURE = """<img src="HTTP://x.test/a"><script src=http://x.test/b></script><link rel=stylesheet href=http://x.test/c>
<iframe src=http://x.test/d></iframe><img srcset="http://x.test/e 2x, /f 3x"><video poster=/g><source src=http://x.test/h>
<object data=http://x.test/i></object><a href=http://x.test/no>no</a><link rel=next href=http://x.test/no>
<img src=//x.test/no><img src=/http:><input src=http://x.test/no><input type=image src=http://x.test/j>"""


@pytest.mark.parametrize("scan", WAYS)
@pytest.mark.parametrize("embeds", [False, True])
def test_what_an_https_page_loads_by_http_is_told(scan: ScanPage, embeds: bool) -> None:
    expected = [f"http://x.test/{name}" for name in "abcdehij"]
    assert facts(INSECURE, scan, embeds=embeds).insecure == expected
    page = parse_html(INSECURE.encode(), "http://h.test/", "text/html", notes=True, scan=scan, embeds=embeds)
    assert page.facts is not None
    assert page.facts.insecure == []


@pytest.mark.parametrize("scan", WAYS)
def test_words_are_those_that_are_shown(scan: ScanPage) -> None:
    markup = (
        "<title>no no</title><p>one two\n<b>three</b><script>no no</script><noscript>no no</noscript><!-- no -->four"
    )
    assert facts(markup, scan).words == 4


@pytest.mark.parametrize("scan", WAYS)
def test_a_header_may_name_the_canonical_url(scan: ScanPage) -> None:
    headers = [(b"link", b'</a>; rel="next", <https://h.test/c>; title="x"; rel="canonical"')]

    def canonical(markup: str) -> str:
        found = parse_html(markup.encode(), URL, "text/html", headers, notes=True, scan=scan).facts
        assert found is not None
        return found.canonical

    assert canonical("<base href=/else/>") == "https://h.test/c"
    assert canonical("<link rel=canonical href=own>") == URL + "own"


@pytest.mark.parametrize("scan", WAYS)
def test_hostile_pages_are_bounded(scan: ScanPage) -> None:
    long = parsed("<a href=x>" + "a" * 1_000_000 + "</a><a href=y>" + "<b>" * 300 + "z", scan)
    assert long.said is not None
    assert list(long.said.values()) == ["\0" + "a" * MAX_ANCHOR_CHARS, "\0z"]
    many = parsed("".join(f"<a href={number}>t{number}" for number in range(100_500)), scan)
    assert many.said is not None
    assert len(many.said) == 100_000
    assert len(many.places) == 100_500
    languages = facts("<link rel=alternate hreflang=de href=/>" * 500, scan)
    assert len(languages.hreflangs) == 50
    assert len(facts("".join(f"<img src=http://x.test/{n}>" for n in range(50)), scan).insecure) == 10


@settings(max_examples=100, deadline=None, database=None)
@given(ANY_MARKUP, st.booleans())
def test_an_anchor_has_no_control_characters_whatever_the_markup(markup: str, embeds: bool) -> None:
    for scan in (scan_page, always_tree):
        page = parsed(markup, scan, embeds=embeds)
        assert page.said is not None
        assert page.facts is not None
        assert list(page.said) == [url for url, place in page.places.items() if place.kind is not Kind.GUESS]
        texts = [one[1:] for one in page.said.values()] + [page.facts.h1, page.facts.description, page.facts.language]
        assert not any(re.search("[\0-\x1f\x7f-\xa0]|^ | $|  ", text) for text in texts)


@pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")
def test_real_pages_say_the_same_by_the_scanner_and_by_the_tree() -> None:
    found = some_html_files(REAL_PAGES, 60)
    if found is None:
        pytest.skip("no documentation is installed")
    folder, files = found
    for path in files:
        url = "https://example.org/" + path.relative_to(folder).as_posix()
        for embeds in (True, False):
            pages = [
                parse_html(path.read_bytes(), url, "text/html", embeds=embeds, notes=True, scan=scan)
                for scan in (scan_page, always_tree)
            ]
            assert pages[0].said == pages[1].said, path
            assert pages[0].facts == pages[1].facts, path


@pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")
def test_a_page_in_parts_says_what_one_at_once_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft.parse.long_page.WINDOW_BYTES", 1024)
    rows = "".join(
        f"<p>word <a href=l{n} rel=nofollow>link  {n}</a><a href=l0 rel=nofollow>again</a>" for n in range(300)
    )
    body = (HEAD + "<h1>Long</h1>" + INSECURE + rows + "<h1>end</h1><img>").encode()
    whole = parse_html(body, URL, "text/html; charset=utf-8", notes=True, embeds=False)
    page = LongPage(lambda: iter([body]), URL, "text/html; charset=utf-8", notes=True, embeds=False)
    last = list(page.parts())[-1]
    assert last.facts is not None
    assert whole.facts is not None
    assert 0 <= last.facts.words - whole.facts.words <= len(body) // 1024 + 1, "a window may cut a word"
    assert msgspec.structs.replace(last.facts, words=0) == msgspec.structs.replace(whole.facts, words=0)
    assert last.said is not None
    assert whole.said is not None
    assert last.said.keys() == whole.said.keys()
    cut = {url for url in whole.said if last.said[url] != whole.said[url]}
    assert len(cut) <= len(body) // 1024 + 1, "only one that a window cuts may say less"
    assert all(whole.said[url].startswith(last.said[url]) for url in cut)
