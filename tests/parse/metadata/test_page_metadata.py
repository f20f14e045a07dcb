"""What a page says of itself, from each of the places where pages say it."""

from __future__ import annotations

import json
from datetime import date, datetime

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.parse.metadata import Metadata, page_metadata
from weft.parse.metadata import fields as bounds

URL = "https://www.example.org/news/a-story"
LATEST = date(2026, 11, 18)


def read(html: str, url: str = URL, **options: object) -> Metadata:
    return page_metadata(turbohtml.parse(html), url, LATEST, **options)  # type: ignore[arg-type]


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "A story &amp; more",
    "datePublished": "2020-01-28T10:05:00+01:00",
    "dateModified": "2020-01-29",
    "author": [{"@type": "Person", "name": "Jane Doe"}, {"@type": "Person", "name": "John Roe"}],
    "publisher": {"@type": "Organization", "name": "The Paper"},
    "image": {"@type": "ImageObject", "url": "/a.jpg"},
    "description": "What it is about",
}


def test_json_ld_tells_everything() -> None:
    assert read(ld(ARTICLE), language="en") == Metadata(
        title="A story & more",
        description="What it is about",
        authors=("Jane Doe", "John Roe"),
        published="2020-01-28T10:05:00+01:00",
        modified="2020-01-29",
        site_name="The Paper",
        language="en",
        type="article",
        image="https://www.example.org/a.jpg",
    )


@pytest.mark.parametrize(
    "script",
    [
        ld([{"@type": "WebSite", "name": "The Paper"}, ARTICLE]),
        ld({"@graph": [{"@type": "WebPage", "datePublished": "2001-01-01"}, ARTICLE]}),
        ld({"@type": "WebPage", "mainEntity": ARTICLE}),
        ld({"@graph": [{**ARTICLE, "author": {"@id": "#j"}}, {"@id": "#j", "@type": "Person", "name": "Jane Doe"}]}),
        ld({**ARTICLE, "comment": [{"@type": "Comment", "author": "Max", "datePublished": "2020-03-01"}]}),
        f'<script type="application/ld+json">/*<![CDATA[*/{json.dumps(ARTICLE)}/*]]>*/</script>',
        ld(ARTICLE).replace("}</script>", ",}</script>"),  # a comma too many
        ld(ARTICLE).replace('"What it is about"', '"What "it" is about"'),
        f'<script type="application/ld+json">{json.dumps(ARTICLE)[:-60]}</script>',  # cut off
    ],
)
def test_json_ld_is_read_as_it_is_found_in_the_wild(script: str) -> None:
    found = read(script)
    assert (found.published, found.authors[:1]) == ("2020-01-28T10:05:00+01:00", ("Jane Doe",))
    assert found.title == "A story & more"


@pytest.mark.parametrize(
    ("html", "field", "value"),
    [
        ('<meta property="og:title" content="A &amp;quot;story&amp;quot;">', "title", 'A "story"'),
        ('<meta property="og:description" content="One\n two">', "description", "One two"),
        ('<meta name="Description" content="One">', "description", "One"),
        ('<meta property="og:site_name" content="The Paper">', "site_name", "The Paper"),
        ('<meta property="og:type" content="product">', "type", "product"),
        ('<meta property="og:type" content="website">' + ld({"@type": "Recipe"}), "type", "recipe"),
        ('<meta property="og:image" content="../a.png">', "image", "https://www.example.org/a.png"),
        ('<base href="https://cdn.example.net/x/"><meta name="twitter:image" content="a.png">', "image",
         "https://cdn.example.net/x/a.png"),
        ('<meta property="og:image" content="data:image/png;base64,AA">', "image", ""),
        ('<link rel="canonical" href="/a">', "canonical", "https://www.example.org/a"),
        ('<meta property="og:url" content="https://www.example.org/b">', "canonical", "https://www.example.org/b"),
        ('<meta name="author" content="Jane Doe">', "authors", ("Jane Doe",)),
        ('<meta name="citation_author" content="Doe, Jane"><meta name="citation_author" content="Roe, John">',
         "authors", ("Jane Doe", "John Roe")),
        ('<meta name="DC.creator" content="Jane Doe">', "authors", ("Jane Doe",)),
        ('<meta name="author" content="admin"><p>by <a rel="author" href="/jane">Jane Doe</a>', "authors",
         ("Jane Doe",)),
        ('<meta property="article:author" content="https://example.com/jane"><p class="byline">By Jane Doe</p>',
         "authors", ("Jane Doe",)),
        ('<div itemprop="author" itemscope><span itemprop="name">Jane Doe</span></div>', "authors", ("Jane Doe",)),
        ('<meta property="article:published_time" content="2020-01-28T10:05:00Z">', "published",
         "2020-01-28T10:05:00+00:00"),
        ('<meta name="dc.date" content="2020-01-28">', "published", "2020-01-28"),
        ('<meta name="parsely-pub-date" content="2020-01-28">', "published", "2020-01-28"),
        ('<meta name="sailthru.date" content="2020-01-28 10:05:00">', "published", "2020-01-28T10:05:00"),
        ('<meta name="citation_publication_date" content="2020/01/28">', "published", "2020-01-28"),
        ('<span itemprop="datePublished" content="2020-01-28">x</span>', "published", "2020-01-28"),
        ('<p><time datetime="2020-01-28T10:05">January</time>', "published", "2020-01-28T10:05:00"),
        ('<p class="post-date">28. Januar 2020</p>', "published", "2020-01-28"),
        ('<h1>A story</h1><p>Von unserem Korrespondenten, 28. Januar 2020</p>', "published", "2020-01-28"),
        ('<h1>消息</h1><div>2020年1月28日 来源：新华社</div>', "published", "2020-01-28"),
        ('<html lang="en-US"><h1>A story</h1><p>1/2/2020', "published", "2020-01-02"),
        ('<html lang="en-GB"><h1>A story</h1><p>1/2/2020', "published", "2020-02-01"),
        ('<script>var a={"published_at":"2020-01-28T01:02:03"}</script>', "published", "2020-01-28T01:02:03"),
        ('<meta property="article:modified_time" content="2020-01-28">', "modified", "2020-01-28"),
        ('<meta property="article:published_time" content="2999-01-01">', "published", ""),
        ('<meta name="date" content="1970-01-01">', "published", ""),
        ('<div class="comments"><time datetime="2020-01-28">x</time></div>', "published", ""),
    ],
)  # fmt: skip
def test_each_place_where_it_is_said(html: str, field: str, value: object) -> None:
    assert getattr(read(html), field) == value


def test_the_canonical_url_of_the_header_counts_without_an_element() -> None:
    found = read("<p>x", headers=((b"link", b'</c>; rel="canonical"'),))
    assert found.canonical == "https://www.example.org/c"


def test_the_day_in_the_url_counts_and_has_its_time_from_elsewhere() -> None:
    said = '<meta property="article:published_time" content="{}">'
    url = "https://example.org/2020/01/28/story"
    assert read(said.format("2020-01-28T23:05:00Z"), url).published == "2020-01-28T23:05:00+00:00"
    assert read(said.format("2020-01-29T03:05:00Z"), url).published == "2020-01-28"


def test_a_time_at_night_in_utc_gives_way_to_the_day_that_readers_see() -> None:
    html = '<meta property="article:published_time" content="2020-01-28T23:05:00Z"><p class="date">29.1.2020</p>'
    assert read(html).published == "2020-01-29"
    assert read(html.replace("29.1.2020", "5.2.2020")).published == "2020-01-28T23:05:00+00:00"


def test_the_headline_is_the_heading_that_the_title_has_in_it() -> None:
    html = "<title>A long story told | The Paper</title><h1>The Paper</h1><h2>A long story told</h2>"
    assert read(html).title == "A long story told"


def test_an_author_who_is_the_site_counts_if_there_is_no_other() -> None:
    site = '<meta property="og:site_name" content="The Paper"><meta name="author" content="The Paper">'
    assert read(site).authors == ("The Paper",)
    assert read(site + '<p class="author">Jane Doe</p>').authors == ("Jane Doe",)


def test_a_page_has_its_metadata_and_what_is_no_page_has_none() -> None:
    page = weft.Page.from_html('<html lang="de"><title>Bienen</title><meta name="date" content="2020-01-28">')
    assert page.metadata == weft.Metadata(title="Bienen", published="2020-01-28", language="de")
    assert page.metadata is page.metadata
    assert weft.Page.from_html("{}", headers={"Content-Type": "application/json"}).metadata == weft.Metadata()


def test_nothing_is_dated_after_it_was_fetched() -> None:
    html = '<meta name="date" content="{}">'
    tomorrow_is_somewhere = datetime.now().date().toordinal() + 1
    late = date.fromordinal(tomorrow_is_somewhere + 2).isoformat()
    assert weft.Page.from_html(html.format(late)).metadata.published == ""


PARTS = st.sampled_from(
    [
        "<title>", "</title>", "<h1>", "</h1>", "<time datetime=", "<p class=date>", '<meta name="author" content="',
        '<meta property="og:title" content="', '">', "<script type=application/ld+json>", "</script>",
        '{"@type":"Article"',
        '"author":', "{", "}", "[", "]", ",", '"name":"x"', '"@id":"#a"', "2020-01-28", "28. Januar 2020", "&amp;",
        "\0",
        '<div itemprop="author datePublished">', "<base href='//['>", '<link rel=canonical href="', "http://[", "By ",
        "9" * 30, "年", "</div>", "<body>", "<article>", "| - |",
    ]
)  # fmt: skip


@given(st.lists(PARTS | st.text(max_size=20), max_size=40).map("".join))
def test_nothing_that_a_page_holds_raises_and_all_is_bounded(html: str) -> None:
    found = read(html)
    assert len(found.title) <= bounds.MAX_TITLE_CHARS
    assert len(found.description) <= bounds.MAX_DESCRIPTION_CHARS
    assert len(found.authors) <= bounds.MAX_AUTHORS
    assert all(len(name) <= bounds.MAX_NAME_CHARS for name in (*found.authors, found.site_name, found.type))
    for day in filter(None, (found.published, found.modified)):
        assert date(1990, 1, 1) <= datetime.fromisoformat(day).date() <= LATEST


@pytest.mark.parametrize(
    "html",
    [
        '<div class="meta date author" itemprop="author">' * 20_000 + "x",
        "<script type=application/ld+json>" + "[" * 100_000,
        '<script type=application/ld+json>{"author":' + '{"author":' * 50_000,
        "<script type=application/ld+json>x" + '"author":{ ' * 50_000,
        "<title>" + " - a" * 100_000 + "</title><h1>" + "b | " * 100_000,
        '<meta name=author content="' + ", a b" * 100_000 + '">',
        "<h1>a</h1>" + "12 aaaaaaaa 20" * 100_000,
        "<h1>a</h1>" + "<p></p>" * 100_000,
    ],
)
def test_a_hostile_page_is_read_to_its_bounds(html: str) -> None:
    assert len(read(html).title) <= bounds.MAX_TITLE_CHARS
