from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.parse import parse_html
from weft.parse.json_ld import json_ld_links
from weft.types import Kind

LINK, FRAME, EMBED = Kind.LINK, Kind.FRAME, Kind.EMBED
X, Y, Z = "http://h/x", "https://h/y", "https://h/z"


def links(value: object) -> list[tuple[str, Kind]]:
    text = value if isinstance(value, str) else json.dumps(value)
    return [(url, place.kind) for url, place in json_ld_links(text)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"@context": "https://schema.org", "@type": "Article", "url": X}, [(X, LINK)]),
        ({"sameAs": [X, Y]}, [(X, LINK), (Y, LINK)]),
        ({"mainEntityOfPage": X}, [(X, LINK)]),
        ({"mainEntityOfPage": {"@type": "WebPage", "@id": X}}, [(X, LINK)]),
        ({"itemListElement": [{"position": 1, "item": X}, {"item": {"@id": Y, "name": "n"}}]}, [(X, LINK), (Y, LINK)]),
        ({"author": {"@type": "Person", "url": X}, "publisher": {"url": Y}}, [(X, LINK), (Y, LINK)]),
        ({"@graph": [{"url": X}, [{"url": Y}]]}, [(X, LINK), (Y, LINK)]),
        ([{"url": {"@value": X}}, {"url": {"@id": Y}}, {"sameAs": {"@list": [Z]}}], [(X, LINK), (Y, LINK), (Z, LINK)]),
        ({"relatedLink": X, "significantLink": [Y], "discussionUrl": Z}, [(X, LINK), (Y, LINK), (Z, LINK)]),
        ({"image": X, "logo": Y, "thumbnailUrl": Z}, [(X, EMBED), (Y, EMBED), (Z, EMBED)]),
        ({"image": [X, {"@type": "ImageObject", "url": Y}]}, [(X, EMBED), (Y, EMBED)]),
        ({"logo": {"url": X}, "url": Y}, [(X, EMBED), (Y, LINK)]),
        ({"@graph": [{"@type": "ImageObject", "url": X}]}, [(X, EMBED)]),
        ({"image": {"author": {"url": X}}}, [(X, LINK)]),
        ({"@type": "VideoObject", "contentUrl": X, "embedUrl": Y, "url": Z}, [(X, EMBED), (Y, FRAME), (Z, LINK)]),
    ],
)
def test_properties_that_lead_somewhere_are_links(value: object, expected: list[tuple[str, Kind]]) -> None:
    assert links(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"@context": X},
        {"@context": {"url": X, "@vocab": Y}},
        {"@type": X, "@id": Y},
        {"image": {"@id": X}},
        {"author": {"@id": X}},
        {"name": X, "description": X, "identifier": X, "license": {"@id": X}},
        {"potentialAction": {"@type": "SearchAction", "target": X, "url": X}},
        {"url": "https://h/?q={search_term_string}"},
        {"url": "x"},
        {"url": "/x"},
        {"url": "//h/x"},
        {"url": "mailto:a@b"},
        {"url": "see http://h/x"},
        {"url": "http://h/x and more"},
        {"url": "http://"},
        {"url": 1, "image": None, "sameAs": True, "item": 1.5},
        "http://h/x",
        None,
    ],
)
def test_names_and_anything_but_absolute_urls_are_none(value: object) -> None:
    assert links(json.dumps(value)) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"url":"http://h/x"}',
        '\n\t {"url" : "http://h/x"}\n',
        '{"url":"http:\\/\\/h\\/x"}',
        '{"url":" http://h/x\\n"}',
        '{"description":"two\nlines","url":"http://h/x"}',
        '<!-- {"url":"http://h/x"} -->',
        '//<![CDATA[\n{"url":"http://h/x"}\n//]]>',
        '/*<![CDATA[*/{"url":"http://h/x"}/*]]>*/',
        '{"url":"http://h/x"};',
        '{"url":"http://h/x","x":NaN}',
    ],
)
def test_what_is_only_a_little_wrong_is_read(text: str) -> None:
    assert links(text) == [(X, LINK)]


@pytest.mark.parametrize(
    "text", ["", "{", '{"url":"http://h/x"', '{"url":"http://h/x",}', "var x = {}", "[" * 1_000_000, '{"a":' * 200_000]
)
def test_what_is_no_json_has_no_links(text: str) -> None:
    assert links(text) == []


@pytest.mark.parametrize("number", ["9" * 100_000, "1e999999", "-" * 1_000_000])
def test_a_number_made_to_hurt_is_no_trouble(number: str) -> None:
    assert links('{"url":"http://h/x","x":' + number + "}") in ([], [(X, LINK)])


@pytest.mark.parametrize("text", ["//" * 500_000, "<!--" * 250_000, " " * 1_000_000, '"' * 1_000_000, "{}" * 500_000])
def test_a_megabyte_of_one_thing_is_read_once(text: str) -> None:
    assert links(text) == []


def test_100_000_links_are_found_in_their_order() -> None:
    urls = [f"http://h/{number}" for number in range(100_000)]
    assert [url for url, _ in links([{"url": url} for url in urls])] == urls


@pytest.mark.parametrize(
    "tag",
    ["script type=application/ld+json", "SCRIPT TYPE='Application/LD+JSON'", "script id=x type='application/ld+json'"],
)
def test_json_ld_is_found_in_a_page_after_its_links(tag: str) -> None:
    markup = f'<{tag}>{{"url":"http://h/x#me","image":"http://h/y","sameAs":"http://h/z"}}</script><a href=http://h/z>'
    page = parse_html(markup.encode(), "http://example.org/", "text/html")
    assert [(found.url, found.kind, found.context) for found in page.links] == [
        ("http://h/z", LINK, "a/@href"),
        ("http://h/x", LINK, "ld+json/url"),
        ("http://h/y", EMBED, "ld+json/image"),
    ]


def test_a_url_in_json_ld_and_elsewhere_has_its_strongest_kind() -> None:
    markup = '<img src=http://h/x><script type=application/ld+json>{"url":"http://h/x"}</script>'
    (found,) = parse_html(markup.encode(), "http://example.org/", "text/html").links
    assert found.kind is LINK


@pytest.mark.parametrize("kind", ["", " type=text/javascript", " type=application/json"])
def test_other_scripts_are_not_looked_at(kind: str) -> None:
    page = parse_html(f'<script{kind}>{{"url":"http://h/x"}}</script>'.encode(), "http://example.org/", "text/html")
    assert page.links == []


NAMES = st.sampled_from(["url", "@id", "@value", "@graph", "@type", "image", "item", "sameAs", "embedUrl", "@context"])
VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.sampled_from([X, Y, "http://[", "http://é/ä"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None, database=None)
@given(VALUES)
def test_any_json_is_read(value: object) -> None:
    assert all(url.lower().startswith(("http://", "https://")) for url, _ in links(json.dumps(value)))


@settings(max_examples=100, deadline=None, database=None)
@given(
    st.lists(st.sampled_from([*'{}[]":,\\', "url", X, "\\u", "\ud800", "\0", "<!--", "1e"]), max_size=40).map("".join)
)
def test_any_text_is_read(text: str) -> None:
    assert len(links(text)) <= text.count("http")
