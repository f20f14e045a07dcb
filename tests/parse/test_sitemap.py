from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.hostile.wasteful import MIB, WASTEFUL, endless_gzip
from weft.parse import Sitemap, SitemapPage, is_sitemap, parse_sitemap
from weft.types import Unread

URL = "https://example.org/maps/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
A_AND_B = ["https://example.org/a", "https://example.org/b"]


def read(body: str | bytes, content_type: str | None = "application/xml") -> Sitemap:
    return parse_sitemap(body.encode() if isinstance(body, str) else body, URL, content_type)


def urls(body: str | bytes, content_type: str | None = "application/xml") -> list[str]:
    sitemap = read(body, content_type)
    assert not sitemap.sitemaps
    return [page.url for page in sitemap.pages]


def urlset(*entries: str, attributes: str = NS) -> str:
    return f"{DECLARATION}<urlset {attributes}>\n" + "\n".join(entries) + "\n</urlset>\n"


def entry(loc: str, *others: str) -> str:
    return f"<url>\n  <loc>{loc}</loc>\n  {''.join(others)}</url>"


PLAIN = urlset(entry("https://example.org/a"), entry("https://example.org/b"))


# The kinds


def test_a_urlset_gives_pages_with_what_is_said_of_them() -> None:
    body = urlset(
        entry(
            "https://example.org/a",
            "<lastmod>2024-05-01T10:00:00+02:00</lastmod><changefreq>daily</changefreq><priority>0.8</priority>",
        ),
        entry("https://example.org/b"),
    )
    assert read(body) == Sitemap(
        [SitemapPage("https://example.org/a", "2024-05-01T10:00:00+02:00", 0.8), SitemapPage("https://example.org/b")],
        [],
    )


def test_an_index_gives_sitemaps() -> None:
    body = f"""{DECLARATION}<sitemapindex {NS}>
        <sitemap><loc>https://example.org/maps/1.xml.gz</loc><lastmod>2024-05-01</lastmod></sitemap>
        <sitemap><loc>2.xml</loc></sitemap>
        <url><loc>/3.xml</loc></url>
    </sitemapindex>"""
    assert read(body) == Sitemap(
        [], ["https://example.org/maps/1.xml.gz", "https://example.org/maps/2.xml", "https://example.org/3.xml"]
    )


def test_a_text_file_gives_a_page_a_line() -> None:
    body = "https://example.org/a\r\n\r\n  https://example.org/b?x=1&y=2  \nnot a URL\n/relative\rHTTPS://EXAMPLE.ORG/c"
    expected = ["https://example.org/a", "https://example.org/b?x=1&y=2", "https://example.org/c"]
    assert urls(body, "text/plain") == expected
    assert urls(b"\xef\xbb\xbf" + body.encode(), None) == expected


def test_rss_2_gives_the_links_of_its_items() -> None:
    body = """<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
        <title>News</title><link>https://example.org/</link><atom:link href="https://example.org/feed" rel="self"/>
        <image><url>https://example.org/logo.png</url><link>https://example.org/logo</link></image>
        <item><title>1</title><link>https://example.org/a</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>
          <description>&lt;a href="https://example.org/no">no&lt;/a></description>
          <source url="https://other.org/"><link>https://other.org/</link></source>
          <enclosure url="https://example.org/a.mp3" length="1" type="audio/mpeg"/></item>
        <item><guid>https://example.org/b</guid></item>
        <item><guid isPermaLink="false">https://example.org/no</guid></item>
        <item><guid>17 at example.org</guid></item>
        <item><link/>https://example.org/c<guid>https://example.org/no</guid></item>
    </channel></rss>"""
    assert read(body).pages == [
        SitemapPage("https://example.org/a", "Wed, 01 May 2024 10:00:00 GMT"),
        SitemapPage("https://example.org/b"),
        SitemapPage("https://example.org/c"),
    ]


def test_rss_1_gives_the_links_of_its_items() -> None:
    body = """<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <channel rdf:about="x"><link>https://example.org/</link>
        <items><rdf:Seq><rdf:li rdf:resource="https://example.org/a"/></rdf:Seq></items></channel>
      <item rdf:about="https://example.org/a"><link>https://example.org/a</link><dc:date>2024-05-01</dc:date></item>
    </rdf:RDF>"""
    assert read(body) == Sitemap([SitemapPage("https://example.org/a", "2024-05-01")], [])


def test_atom_gives_the_alternate_links_of_its_entries() -> None:
    body = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/"/>
      <link rel="self" href="https://example.org/feed"/>
      <entry><link href="https://example.org/a"/><link rel="edit" href="https://example.org/no"/>
        <source><link href="https://other.org/"/></source><updated>2024-05-01T00:00:00Z</updated>
        <content type="xhtml"><div><link href="https://example.org/no"/></div></content></entry>
      <entry><link rel='alternate' type="text/html" href='https://example.org/b?x=1&amp;y=2'></link></entry>
    </feed>"""
    assert read(body) == Sitemap(
        [SitemapPage("https://example.org/a", "2024-05-01T00:00:00Z"), SitemapPage("https://example.org/b?x=1&y=2")],
        [],
    )


def test_alternates_in_other_languages_are_pages_and_each_is_given_once() -> None:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="https://example.org/{language}/"/>'
        for language in ("en", "de", "x-default")
    )
    other = '<xhtml:link rel="amphtml" href="https://example.org/amp/"/>'
    body = urlset(
        entry("https://example.org/en/", links, other, "<priority>1</priority>"),
        entry("https://example.org/de/", links, "<lastmod>2024</lastmod>"),
    )
    assert read(body).pages == [
        SitemapPage("https://example.org/en/", "", 1.0),
        SitemapPage("https://example.org/de/", "2024"),
        SitemapPage("https://example.org/x-default/"),
    ]


@pytest.mark.parametrize(
    "extension",
    [
        "<image:image><image:loc>https://example.org/no.png</image:loc></image:image>",
        "<image><loc>https://example.org/no.png</loc></image>",
        "<image:image/><image></image>",
        "<video:video><video:player_loc>https://example.org/no</video:player_loc><video:priority>9</video:priority>"
        "<video:publication_date>2020</video:publication_date></video:video>",
        "<news:news><news:publication><news:name>x</news:name></news:publication></news:news>",
    ],
)
def test_images_videos_and_news_stay_out(extension: str) -> None:
    body = urlset(
        entry("https://example.org/a", extension, "<lastmod>2024</lastmod>"),
        f"<url>{extension}<loc>https://example.org/b</loc></url>",
    )
    assert read(body).pages == [SitemapPage("https://example.org/a", "2024"), SitemapPage("https://example.org/b")]


# What stands in an entry


@pytest.mark.parametrize(
    ("loc", "expected"),
    [
        ("https://example.org/a?x=1&amp;y=2", "https://example.org/a?x=1&y=2"),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?x=1&y=2"),
        ("https://example.org/a?x=1&copy=2&lt=3", "https://example.org/a?x=1&copy=2&lt=3"),
        ("https://example.org/&#97;&#x62;&Auml;", "https://example.org/ab%C3%84"),
        ("https://example.org/&unknown;", "https://example.org/&unknown;"),
        ("https://example.org/&#xD800;&#0;&#9999999;", "https://example.org/&"),
        ("<![CDATA[https://example.org/a?x=1&y=2]]>", "https://example.org/a?x=1&y=2"),
        ("\n <![CDATA[ https://example.org/]]>a<![CDATA[b]]>\n", "https://example.org/ab"),
        ("https://example.org/<!-- a --->b", "https://example.org/b"),
        ("https://example.org/a<b", "https://example.org/a%3Cb"),
        ("  \n\thttps://example.org/a\n  ", "https://example.org/a"),
        ("HTTPS://Example.ORG:443/a/../b#part", "https://example.org/b"),
        ("https://example.org/ü?q=ü", "https://example.org/%C3%BC?q=%C3%BC"),
        ("/a", "https://example.org/a"),
        ("a", "https://example.org/maps/a"),
        ("//other.org/a", "https://other.org/a"),
        ("", None),
        ("   ", None),
        ("mailto:a@example.org", None),
        ("http://", None),
        ("http://exa mple.org/", None),
    ],
)
def test_a_loc_becomes_a_canonical_url_or_is_left_out(loc: str, expected: str | None) -> None:
    assert urls(urlset(entry(loc), entry("/next"))) == [url for url in (expected, "https://example.org/next") if url]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0.5", 0.5), (" 1.0 ", 1.0), ("0", 0.0), ("0,3", 0.3), ("1.5", None), ("-1", None), ("nan", None), ("x", None)],
)
def test_a_priority_is_a_number_from_0_to_1(text: str, expected: float | None) -> None:
    assert read(urlset(entry("/a", f"<priority>{text}</priority>"))).pages[0].priority == expected


@pytest.mark.parametrize("text", ["x" * 65, "2024\x00", "2024\n01"])
def test_a_lastmod_that_can_be_no_date_is_left_out(text: str) -> None:
    assert read(urlset(entry("/a", f"<lastmod>{text}</lastmod>"))).pages[0].lastmod == ""


# Broken files


@pytest.mark.parametrize(
    "body",
    [
        "\n\n  " + PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace("UTF-8", "no-such-charset"),
        PLAIN.replace("UTF-8", "utf-16"),
        PLAIN.replace(DECLARATION, ""),
        PLAIN.replace(DECLARATION, DECLARATION + "<!-- <html> --><?xml-stylesheet href='x'?><!DOCTYPE urlset>"),
        PLAIN.replace(NS, ""),
        PLAIN.replace(NS, 'xmlns="https://www.google.com/schemas/sitemap/0.84"'),
        PLAIN.replace("<", "<sm:").replace("<sm:/", "</sm:").replace("<sm:?", "<?"),
        PLAIN.replace("<url>", "<s:url>").replace("<loc>", "<s:loc>"),
        PLAIN.upper().replace("HTTPS://EXAMPLE.ORG/A", A_AND_B[0]).replace("HTTPS://EXAMPLE.ORG/B", A_AND_B[1]),
        PLAIN.replace("</loc>", "</LOC >"),
        PLAIN.replace("</loc>", ""),
        PLAIN.replace("</url>", ""),
        PLAIN.replace("<url>", "").replace("</url>", ""),
        PLAIN.replace("<loc>", "<loc x='a>b' y=\"'\">"),
        PLAIN.replace("<loc>", "<loc x='>"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", ""),
        "<br />\n<b>Warning</b>: include(): failed in x.php\n" + PLAIN,
        "Warning: include() failed\n" + PLAIN,
        PLAIN + "<html><body><url><loc>",
        PLAIN.replace("<url>", "<url><br>", 1),
        PLAIN.replace("</url>", "</url> & < 3 <", 1),
    ],
    ids=range(24),
)
def test_a_broken_file_gives_all_its_pages(body: str) -> None:
    assert urls(body) == A_AND_B
    assert urls(body, "text/html; charset=utf-8") == A_AND_B
    assert is_sitemap("text/html", body.encode())


def test_a_file_without_its_beginning_gives_the_rest() -> None:
    assert urls(PLAIN[PLAIN.index("<url>") :]) == A_AND_B


def test_a_file_cut_off_anywhere_gives_the_pages_before_and_says_so() -> None:
    for end in range(PLAIN.index("<urlset"), len(PLAIN) - len(">\n")):
        sitemap = read(PLAIN[:end])
        found = [page.url for page in sitemap.pages]
        assert found == A_AND_B[: len(found)]
        assert len(found) >= PLAIN.count("</loc>", 0, end)
        assert sitemap.is_cut == (end >= PLAIN.index("<urlset") + len("<urlset  ") + len(NS))
    assert not read(PLAIN).is_cut


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<!DOCTYPE html><html><body><a href=/x>x</a><urlset><url><loc>/a</loc></url></urlset></body></html>",
        "<html><head><title>404</title><url><loc>/a</loc></url>",
        "<h1>Not found</h1>",
        "Not found",
        '{"urls": ["https://example.org/a"]}',
        "<opml><body><outline/></body></opml>",
        "<?xml version='1.0'?><root><loc>https://example.org/a</loc></root>",
        "\x00\x01\x02",
    ],
)
@pytest.mark.parametrize("content_type", ["application/xml", "text/html", "text/plain", None])
def test_what_is_no_sitemap_gives_nothing(body: str, content_type: str | None) -> None:
    assert read(body, content_type) == Sitemap([], [])
    assert not is_sitemap(content_type, body.encode())


def test_a_page_of_links_is_no_text_sitemap_when_the_server_calls_it_html() -> None:
    assert urls("https://example.org/a\n", "text/html") == []
    assert not is_sitemap("text/html", b"https://example.org/a\n")


# Entities


def test_entities_of_the_file_are_neither_read_nor_expanded() -> None:
    doctype = """<!DOCTYPE urlset [
      <!ENTITY file SYSTEM "file:///etc/passwd"> <!ENTITY % remote SYSTEM "http://127.0.0.1:1/x.dtd"> %remote;
      <!ENTITY a "aaaaaaaaaa"> <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"> ]>"""
    body = PLAIN.replace(DECLARATION, DECLARATION + doctype).replace("org/b", "org/&file;&c;")
    assert urls(body) == ["https://example.org/a", "https://example.org/&file;&c;"]


# Charsets


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (PLAIN.encode("utf-16"), "text/xml"),
        (PLAIN.encode("utf-16-le"), "text/xml; charset=utf-8"),
        (PLAIN.encode("utf-16-be"), "text/xml"),
        (b"\xef\xbb\xbf" + PLAIN.encode(), "text/xml; charset=iso-8859-1"),
        ("\n".join(A_AND_B).encode("utf-16"), "text/plain"),
        ("\n".join(A_AND_B).encode("utf-16-be"), "text/plain"),
    ],
)
def test_utf_16_and_byte_order_marks_are_seen(body: bytes, content_type: str) -> None:
    assert urls(body, content_type) == A_AND_B
    assert is_sitemap(content_type, body[:1024])


@pytest.mark.parametrize(
    ("encoding", "declared", "content_type"),
    [
        ("utf-8", None, "text/xml"),
        ("cp1251", "windows-1251", "text/xml"),
        ("cp1251", "Windows-1251", "text/xml; charset=no-such-charset"),
        ("koi8-r", "utf-8", 'text/xml; charset="KOI8-R"'),
        ("gb18030", "GB2312", None),
        ("utf-8", "UTF-16", "text/xml"),
    ],
)
def test_the_charset_is_that_of_the_header_or_the_declaration(
    encoding: str, declared: str | None, content_type: str | None
) -> None:
    declaration = f"<?xml version='1.0' encoding='{declared}'?>" if declared else ""
    body = declaration + urlset(entry("/я")).removeprefix(DECLARATION)
    assert urls(body.encode(encoding), content_type) == ["https://example.org/%D1%8F"]


# gzip and limits


def test_a_packed_file_is_seen_by_its_first_bytes() -> None:
    packed = gzip.compress(PLAIN.encode())
    for content_type in ("application/x-gzip", "application/xml", "text/html", None):
        assert urls(packed, content_type) == A_AND_B
        assert is_sitemap(content_type, packed)
    assert urls(gzip.compress("\n".join(A_AND_B).encode()), "application/octet-stream") == A_AND_B
    assert urls(gzip.compress(PLAIN[:100].encode()) + gzip.compress(PLAIN[100:].encode()) + b"\0\0") == A_AND_B


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_packed_file_gives_the_pages_before_the_damage(damage: str) -> None:
    locs = [f"https://example.org/{number * 7919}" for number in range(100_000)]
    packed = gzip.compress(urlset(*map(entry, locs)).encode())
    half = len(packed) // 2
    sitemap = read(packed[:half] if damage == "cut" else packed[:half] + b"\xff" * 1000 + packed[half + 1000 :])
    assert sitemap.is_cut
    assert [page.url for page in sitemap.pages[:40_000]] == locs[:40_000]


def test_a_packed_bomb_stops_at_the_limit() -> None:
    bomb = gzip.compress(PLAIN.encode() + b" " * 100_000_000, 1)
    assert read(bomb).is_cut
    entries = b"<url><loc>/%d</loc></url>" * 10 % tuple(range(10))
    bomb = gzip.compress(b"<urlset>" + entries + b"<url>" * 20_000_000, 1)
    sitemap = parse_sitemap(bomb, URL, None, max_bytes=1_000_000)
    assert sitemap.is_cut
    assert len(sitemap.pages) == 10


def test_a_text_file_cut_at_the_limit_gives_no_half_of_a_url() -> None:
    body = b"".join(b"https://example.org/%d\n" % number for number in range(100))
    sitemap = parse_sitemap(body, URL, "text/plain", max_bytes=1_000)
    assert sitemap.is_cut
    assert [page.url.encode() for page in sitemap.pages] == body[:1_000].split(b"\n")[:-1]


@pytest.mark.parametrize("kind", ["xml", "text"])
def test_more_than_50_000_urls_are_read_up_to_a_limit(kind: str) -> None:
    locs = [f"https://example.org/{number}" for number in range(60_000)]
    body = (urlset(*map(entry, locs)) if kind == "xml" else "\n".join(locs)).encode()
    assert [page.url for page in parse_sitemap(body, URL).pages] == locs
    few = (urlset(*map(entry, locs[:100])) if kind == "xml" else "\n".join(locs[:100])).encode()
    assert not parse_sitemap(few, URL, max_urls=100).is_cut
    limited = parse_sitemap(few, URL, max_urls=99)
    assert len(limited.pages) == 99
    assert limited.is_cut


def test_an_entry_that_holds_all_urls_gives_them_all() -> None:
    locs = [f"https://example.org/{number}" for number in range(100)]
    assert urls(urlset("<url>" + "".join(f"<loc>{loc}</loc>" for loc in locs) + "</url>")) == locs


@pytest.mark.parametrize(
    "piece",
    [
        *(b"<", b"<a", b"<loc>", b"<loc", b"<!--", b"<![CDATA[", b"<!-- -->", b"<![CDATA[]]>", b"<!", b"<?", b"</loc>"),
        *(b"< ", b'<a b="', b"<loc>x<!-- -->", b"&", b"&amp;", b"&#", b"]]", b"--", b"<url><loc>/</loc>", b"\n", b"\0"),
        *(b"<link href=x ", b"<xhtml:link href=/a />", b"<image>", b"https://a.org/ ", b"<a:", b"<x" * 100 + b">"),
    ],
)
def test_a_file_made_to_hurt_is_read(piece: bytes) -> None:
    for start in (b"<urlset>", b"<urlset><url><loc>", b""):
        sitemap = read(start + piece * (200_000 // len(piece)), "text/plain")
        assert len(sitemap.pages) <= 2


@pytest.mark.parametrize("name", [name for name, body in WASTEFUL.items() if body.coding == b"gzip"])
def test_packed_sitemap_that_yields_nothing_is_cut(name: str) -> None:
    before = gzip.compress(PLAIN.encode())
    sitemap = read(before + WASTEFUL[name].raw)
    assert [page.url for page in sitemap.pages] == A_AND_B
    assert sitemap.is_cut


def test_packed_sitemap_is_read_no_further_than_it_brings_something() -> None:
    read_bytes = 0

    class Counting(bytes):
        def __getitem__(self, key: Any) -> Any:
            nonlocal read_bytes
            piece = super().__getitem__(key)
            read_bytes += len(piece)
            return piece

    sitemap = read(Counting(endless_gzip(8 * MIB)))
    assert (sitemap.pages, sitemap.sitemaps, sitemap.is_cut) == ([], [], True)
    assert read_bytes < MIB


# Entries that are written in unusual ways


@pytest.mark.parametrize(
    "odd",
    [
        "<url>https://example.org/b</url>",
        "<url><![CDATA[https://example.org/b]]></url>",
        "<url><loc href='https://example.org/b'/></url>",
        "<url loc='https://example.org/b'></url>",
        "<url><link>https://example.org/b</link><lastmod>2024</lastmod></url>",
        "<url><x:loc>https://example.org/b</x:loc></url>",
        "<url><page><loc>https://example.org/b</loc></page></url>",
        "<url><loc><![CDATA[<![CDATA[https://example.org/b]]>]]></loc></url>",
        "<url><loc>&lt;![CDATA[https://example.org/b]]&gt;</loc></url>",
        "<url><loc><![CDATA[ <![CDATA[ <![CDATA[https://example.org/b]]> ]]> ]]></loc></url>",
    ],
)
def test_an_entry_without_loc_in_the_usual_place_is_read(odd: str) -> None:
    body = urlset(entry("https://example.org/a"), odd)
    assert urls(body) == A_AND_B
    assert read(body).empty_entries == 0


def test_what_extensions_name_is_no_page() -> None:
    body = urlset(
        "<url><image:image><image:loc>https://example.org/i.png</image:loc></image:image></url>",
        "<url><image:loc>https://example.org/i.png</image:loc></url>",
    )
    assert (urls(body), read(body).empty_entries) == ([], 2)


def test_a_loc_comes_before_what_is_written_elsewhere() -> None:
    assert urls(urlset("<url loc='https://example.org/x'><loc>https://example.org/a</loc></url>")) == A_AND_B[:1]


def test_entries_that_name_nothing_are_counted() -> None:
    body = urlset(
        entry("https://example.org/a"),
        "<url></url>",
        "<url><loc></loc></url>",
        "<url><loc>mailto:x</loc></url>",
        "<url><xhtml:link rel='alternate' href='https://example.org/b'/></url>",
    )
    sitemap = read(body)
    assert (sitemap.empty_entries, sitemap.unread, sitemap.is_cut) == (3, Unread.EMPTY_ENTRIES, False)
    assert (read(PLAIN).empty_entries, read(PLAIN).unread) == (0, None)
