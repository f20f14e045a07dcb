from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import parse_feed
from weft.types import Kind

URL = "http://example.org/blog/feed.xml"
LINK, EMBED = Kind.LINK, Kind.EMBED


def links(feed: str | bytes, content_type: str | None = None) -> list[tuple[str, Kind]]:
    """The links of a feed, below http://example.org/blog/ without that."""
    body = feed.encode() if isinstance(feed, str) else feed
    found = parse_feed(body, URL, content_type).links
    return [(link.url.removeprefix("http://example.org/blog/"), link.kind) for link in found]


def rss(items: str) -> str:
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'


def atom(entries: str) -> str:
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'


RSS_0_9 = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
  <channel><title>T</title><link>home</link></channel>
  <image><title>T</title><url>logo.png</url><link>home</link></image>
  <item><title>1</title><link>one</link></item>
  <item><title>2</title><link>two</link></item>
</rdf:RDF>"""
RSS_0_91 = """<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
  "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel><title>T</title><link>home</link>
  <image><url>logo.png</url><link>home</link></image>
  <textinput><name>q</name><link>search.cgi</link></textinput>
  <item><title>1</title><link>one</link></item><item><link>two</link></item>
</channel></rss>"""
RSS_1_0 = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
  <channel rdf:about="feed.xml"><link>home</link><image rdf:resource="logo.png"/>
    <items><rdf:Seq><rdf:li rdf:resource="one"/><rdf:li rdf:resource="two"/></rdf:Seq></items></channel>
  <image rdf:about="logo.png"><url>logo.png</url><link>home</link></image>
  <item rdf:about="one"><link>one</link></item>
  <item rdf:about="two"><link>two</link></item>
  <textinput rdf:about="search.cgi"><link>search.cgi</link></textinput>
</rdf:RDF>"""
RSS_2_0 = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
  <atom:link href="feed.xml" rel="self" type="application/rss+xml"/><atom:link rel="hub" href="http://hub.example/"/>
  <link>home</link><docs>http://docs.example/</docs>
  <image><url>logo.png</url><link>home</link></image>
  <item><link>one</link><guid>http://example.org/blog/?p=1</guid></item>
  <item><link>two</link><guid isPermaLink="false">http://example.org/blog/?p=2</guid></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom">
  <id>http://id.example/</id><link rel="self" href="feed.xml"/><link href="home"/><logo>logo.png</logo>
  <author><uri>http://author.example/</uri></author>
  <entry><id>http://id.example/1</id><link href="one"/><link rel="edit" href="edit/1"/></entry>
  <entry><id>http://id.example/2</id><link rel="alternate" type="text/html" href="two"/></entry>
</feed>"""
ATOM_WITH_PREFIX = ATOM.replace("<", "<a:").replace("<a:/", "</a:").replace("xmlns=", "xmlns:a=")
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "home_page_url": "home",
        "feed_url": "feed.json",
        "favicon": "logo.png",
        "items": [{"id": "http://id.example/1", "url": "one"}, {"id": "2", "external_url": "two"}],
    }
)


@pytest.mark.parametrize(
    "feed",
    [RSS_0_9, RSS_0_91, RSS_1_0, RSS_2_0, ATOM, ATOM_WITH_PREFIX, JSON_FEED],
    ids=["rss-0.9", "rss-0.91", "rss-1.0", "rss-2.0", "atom", "atom-with-prefix", "json-feed"],
)
def test_every_format_gives_the_site_its_logo_and_the_entries(feed: str) -> None:
    assert links(feed) == [("home", LINK), ("logo.png", EMBED), ("one", LINK), ("two", LINK)]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("<link>x</link>", [("x", LINK)]),
        ("<link>\n  x\n</link>", [("x", LINK)]),
        ("<link>x?a=1&amp;b=2</link>", [("x?a=1&b=2", LINK)]),
        ("<link>x?a=1&b=2</link>", [("x?a=1&b=2", LINK)]),
        ("<link><![CDATA[x?a=1&b=2]]></link>", [("x?a=1&b=2", LINK)]),
        ("<link>\n<![CDATA[x]]>\n</link>", [("x", LINK)]),
        ("<link><!-- c -->x</link>", [("x", LINK)]),
        ("<LINK>x</LINK>", [("x", LINK)]),
        ("<link/>x", [("x", LINK)]),
        ("<link></link><link/>", []),
        ("<link>x</link><comments>x#c</comments><comments>y</comments>", [("x", LINK), ("y", LINK)]),
        ("<guid>http://h/x</guid>", [("http://h/x", LINK)]),
        ("<guid isPermaLink='true'>http://h/x</guid>", [("http://h/x", LINK)]),
        ("<guid isPermaLink='false'>http://h/x</guid>", []),
        ("<guid>x</guid>", []),
        ("<guid>http://h/x</guid><link>y</link>", [("y", LINK)]),
        ("<enclosure url='x.mp3' length='1' type='audio/mpeg'/>", [("x.mp3", EMBED)]),
        ("<media:content url='x.jpg'/><media:thumbnail url='y.jpg'/>", [("x.jpg", EMBED), ("y.jpg", EMBED)]),
        ("<media:group><media:content url='x'></media:content></media:group>", [("x", EMBED)]),
        ("<itunes:image href='x.jpg'/>", [("x.jpg", EMBED)]),
        ("<atom:link href='x'/><a10:link rel='next' href='y'/>", [("x", LINK), ("y", LINK)]),
        ("<atom:link rel='enclosure' href='x'/>", [("x", EMBED)]),
        (
            "<link>http://proxy/x</link><feedburner:origLink>x</feedburner:origLink>",
            [("http://proxy/x", LINK), ("x", LINK)],
        ),
        ("<source url='http://other/feed'>Other</source><link>x</link>", [("x", LINK)]),
        ("<description>&lt;a href='x'></description>", []),
        ("<content:encoded><![CDATA[<link>y</link><enclosure url='z'/>]]></content:encoded>", []),
        ("<link>mailto:a@b</link><link>http://[</link>", []),
        ("<x:link>y</x:link><dc:source>z</dc:source>", []),
    ],
)
def test_an_item_leads_to_its_page_and_what_it_brings_along(item: str, expected: list[tuple[str, Kind]]) -> None:
    assert links(rss(f"<item>{item}</item>")) == expected


def test_the_guid_of_one_item_does_not_stand_in_for_the_link_of_another() -> None:
    items = "<item><link>x</link></item><item><guid>http://h/y</guid></item><item><guid>http://h/z</guid><link>z</link>"
    assert links(rss(items)) == [("x", LINK), ("http://h/y", LINK), ("z", LINK)]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("<link href='x'/>", [("x", LINK)]),
        ("<link href='x?a=1&amp;b=2'/>", [("x?a=1&b=2", LINK)]),
        ("<link rel='alternate' hreflang='de' href='x'></link>", [("x", LINK)]),
        ("<link rel='related' href='x'/><link rel='via' href='y'/>", [("x", LINK), ("y", LINK)]),
        ("<link rel='replies' href='x'/>", [("x", LINK)]),
        ("<link rel='enclosure' href='x.mp3'/>", [("x.mp3", EMBED)]),
        ("<link rel='self' href='x'/><link rel='edit' href='y'/><link rel='http://h/rel' href='z'/>", []),
        ("<link rel='alternate'/><link href=''/>", []),
        ("<content type='image/png' src='x.png'/>", [("x.png", LINK)]),
        ("<content type='xhtml'><div>text</div></content>", []),
        ("<source><link href='x'/><logo>z</logo></source><link href='y'/>", [("y", LINK)]),
        ("<icon>x.ico</icon>", [("x.ico", EMBED)]),
    ],
)
def test_an_entry_of_atom_leads_where_its_rels_say(entry: str, expected: list[tuple[str, Kind]]) -> None:
    assert links(atom(f"<entry>{entry}</entry>")) == expected


def test_the_next_pages_of_a_feed_are_found() -> None:
    assert links(atom("<link rel='next' href='?page=2'/><link rel='prev-archive' href='2020'/>")) == [
        ("feed.xml?page=2", LINK),
        ("2020", LINK),
    ]
    assert links(json.dumps({"next_url": "?page=2"})) == [("feed.xml?page=2", LINK)]


@pytest.mark.parametrize(
    ("feed", "expected"),
    [
        ("<feed xml:base='http://h/a/'><link href='x'/></feed>", ["http://h/a/x"]),
        (
            "<feed xml:base='/a/'><entry xml:base='b/'><link href='x'/></entry><link href='y'/></feed>",
            ["/a/b/x", "/a/y"],
        ),
        ("<feed><link xml:base='http://h/a/' href='x'/><link href='y'/></feed>", ["http://h/a/x", "/blog/y"]),
        ("<feed><entry XML:BASE='/a/'><link href='x'/></entry><link href='y'/></feed>", ["/a/x", "/blog/y"]),
        ("<feed xml:base='mailto:x'><link href='x'/></feed>", ["/blog/x"]),
        ("<rss xml:base='/a/'><channel><item><link>x</link></item></channel></rss>", ["/a/x"]),
        ("<rss><item><link xml:base='/a/'>x</link><enclosure url='y'/></item></rss>", ["/a/x", "/blog/y"]),
        ("<rss><item><link xml:base='/a/'><![CDATA[x]]></link><enclosure url='y'/></item></rss>", ["/a/x", "/blog/y"]),
        (
            "<rss><item xml:base='/a/'><guid>http://h/x</guid><link/></item><item><link>y</link>",
            ["http://h/x", "/blog/y"],
        ),
    ],
)
def test_links_are_relative_to_the_nearest_xml_base(feed: str, expected: list[str]) -> None:
    urls = [found.url for found in parse_feed(feed.encode(), URL).links]
    assert urls == [url if url.startswith("http") else f"http://example.org{url}" for url in expected]


def test_half_a_character_and_a_line_break_in_a_text_hide_no_entry() -> None:
    feed = b'{"items": [{"url": "a", "title": "\\udc00"}, {"url": "/\\ud83d"}, {"url": "b", "s": "x\ny"}]}'
    assert links(feed) == [("a", LINK), ("b", LINK)]


def test_a_json_feed_brings_images_and_attachments() -> None:
    item = {
        "url": "x",
        "external_url": "http://h/y",
        "image": "i.png",
        "banner_image": "b.png",
        "attachments": [{"url": "a.mp3", "mime_type": "audio/mpeg"}, {"mime_type": "x"}, 3],
        "content_html": "<a href=no>",
        "authors": [{"url": "http://author.example/"}],
    }
    assert links(b"\xef\xbb\xbf" + json.dumps({"items": [item, 1, None]}).encode()) == [
        ("x", LINK),
        ("http://h/y", LINK),
        ("i.png", EMBED),
        ("b.png", EMBED),
        ("a.mp3", EMBED),
    ]


@pytest.mark.parametrize(
    "feed", ["{", "[]", "{}", '{"items": 3}', '{"items": {"url": "x"}}', '{"items": [{"url": 1}]}', "{" * 100_000]
)
def test_other_json_gives_nothing(feed: str) -> None:
    assert links(feed) == []


@pytest.mark.parametrize(
    "feed", ["", "text", "<html><link href=x>", "<urlset><url><loc>x</loc></url></urlset>", "<link>x</link>"]
)
def test_what_is_no_feed_gives_nothing(feed: str) -> None:
    assert links(feed) == []


def test_a_feed_cut_off_in_the_middle_gives_what_is_there() -> None:
    assert links(rss("<item><link>x</link></item><item><link>y")[: -len("</channel></rss>")]) == [
        ("x", LINK),
        ("y", LINK),
    ]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (
            '<?xml version="1.0" encoding="iso-8859-1"?><rss><item><link>é</link></item></rss>'.encode("latin-1"),
            "text/xml",
        ),
        ("<rss><item><link>é</link></item></rss>".encode("latin-1"), "text/xml; charset=iso-8859-1"),
        ("<rss><item><link>é</link></item></rss>".encode(), "application/rss+xml"),
        ("<rss><item><link>é</link></item></rss>".encode("utf-16"), "application/rss+xml"),
    ],
)
def test_a_feed_is_read_in_its_charset(body: bytes, content_type: str) -> None:
    assert links(body, content_type) == [("%C3%A9", LINK)]


def test_a_url_comes_once_and_the_feed_itself_not_at_all() -> None:
    assert links(rss("<link>x</link><item><link>x</link></item><item><link>feed.xml</link></item>")) == [("x", LINK)]


def test_a_header_may_ask_not_to_follow_a_feed() -> None:
    assert parse_feed(RSS_2_0.encode(), URL, None, [(b"x-robots-tag", b"weft: nofollow")]).nofollow


PIECES = [
    *("<rss>", "<feed>", "<rdf:RDF>", "<channel>", "<item>", "</item>", "<entry>", "</entry>", "<source>", "</source>"),
    *("<link>", "</link>", "<link href='", "<link rel=next href=", "<guid>", "<enclosure url=", "<![CDATA[", "]]>"),
    *(
        "xml:base=",
        " xml:base='a/'",
        "<a xml:base='b/'>",
        "</a>",
        "'",
        '"',
        ">",
        "/>",
        "<",
        "&",
        "&amp;",
        "&#0;",
        "<!--",
    ),
    *("-->", "{", "}", '{"items":[', '"url":', "http://h/x", "x", " ", "\0", "\n", "é"),
]


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_feed_is_read(feed: str) -> None:
    urls = [found.url for found in parse_feed(feed.encode(), URL).links]
    assert len(set(urls)) == len(urls)
    assert all(url.startswith(("http://", "https://")) for url in urls)


@settings(max_examples=200, deadline=None, database=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_as_a_feed(body: bytes) -> None:
    assert parse_feed(body, URL).base == URL


@pytest.mark.parametrize("piece", [*PIECES, "<item><link>x", "<x xml:base='a/'>", "<link>x</link>", "<guid>http://h/"])
def test_much_of_one_thing_is_read_once(piece: str) -> None:
    feed = "<rss>" + piece * (300_000 // len(piece))
    assert len(parse_feed(feed.encode(), URL).links) <= 1


def test_bases_within_each_other_do_not_grow_without_end() -> None:
    feed = "<feed>" + "<a xml:base='deeper/'>" * 50_000 + "<link href='x'/>"
    (found,) = parse_feed(feed.encode(), URL).links
    assert len(found.url) < 200
