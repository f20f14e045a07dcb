"""What stands in a page for its scripts: modules, import maps, templates, data-* attributes."""

from __future__ import annotations

import pytest

from weft.parse import parse_html
from weft.parse.page_scripts import MOST_ADDRESSES, templates_in
from weft.parse.scan import always_tree, scan_page
from weft.types import Kind

URL = "https://a.org/d/x.html"


@pytest.mark.parametrize("scan", [scan_page, always_tree])
@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<script>fetch('a.json')</script>", {"d/a.json": Kind.GUESS}),
        ("<script type=module>import '/a.js'</script>", {"a.js": Kind.EMBED}),
        ('<script type="application/json">{"search": "../js/s.js"}</script>', {"js/s.js": Kind.GUESS}),
        ("<script type=text/x-template>fetch('a.json')</script>", {}),
        ('<script type="importmap">{"imports": {"a": "/a.js", "b/": "/b/"}}</script>', {"a.js": Kind.EMBED}),
        (
            '<script type="importmap">{"imports": {"b/": "/b/"}}</script><script type=module>import "b/c.js"</script>',
            {"b/c.js": Kind.EMBED},
        ),
        ('<script type="importmap">{"imports": {"a": "/a.js", "b": "/\\ud83d"}}</script>', {"a.js": Kind.EMBED}),
        ('<script type="importmap">{"imports": [1]}</script><script type=importmap>{</script>', {}),
        ('<div data-bg="a.png"></div>', {"d/a.png": Kind.EMBED}),
        ("<div data-bg=\"url('a.png')\" data-bg-color=red></div>", {"d/a.png": Kind.EMBED}),
        ('<div data-bgset="a.png 1x, b.png 2x"></div>', {"d/a.png": Kind.EMBED, "d/b.png": Kind.EMBED}),
        ('<div data-index="../s.js" data-v="1.5" data-x="https://b.org/s.js"></div>', {"s.js": Kind.GUESS}),
        ("<template><img src=a.png><a href=b.html>b</a><a href='{{c}}'>c</a></template>",
         {"d/a.png": Kind.EMBED, "d/b.html": Kind.GUESS}),
        ("<template><template><img src=a.png></template></template>", {"d/a.png": Kind.EMBED}),
        ("<link rel=search href=s.html><link rel=privacy-policy href=p.html>",
         {"d/s.html": Kind.LINK, "d/p.html": Kind.LINK}),
    ],
)  # fmt: skip
def test_scripts_lead_to_what_they_load(html: str, found: dict[str, Kind], scan: object) -> None:
    page = parse_html(html.encode(), URL, "text/html; charset=utf-8", scan=scan)  # type: ignore[arg-type]
    assert {link.url: link.kind for link in page.links} == {
        f"https://a.org/{path}": kind for path, kind in found.items()
    }


def test_without_requisites_no_script_is_read() -> None:
    page = parse_html(b"<script>fetch('a.json')</script><template><a href=b>b</a></template>", URL, embeds=False)
    assert page.links == []


def test_a_link_counts_more_than_a_guess() -> None:
    page = parse_html(b"<script>x = 'b.html'</script><a href=b.html>b</a>", URL)
    assert [(link.url, link.kind) for link in page.links] == [("https://a.org/d/b.html", Kind.LINK)]


def test_a_guess_is_no_link_that_could_be_broken() -> None:
    page = parse_html(b"<script>x = 'b.html'</script>", URL, notes=True)
    assert page.said == {}


@pytest.mark.parametrize("html", ["<template", "<template>", "<template><template></template>", "</template>"])
def test_templates_without_an_end_have_no_text(html: str) -> None:
    assert list(templates_in(html)) == []


def test_templates_by_the_hundred_thousand_are_read_in_one_pass() -> None:
    many = 200_000
    nested = "<template>" * many + "</template>" * many
    assert [len(text) for text in templates_in(nested)] == [len(nested) - len("<template></template>")]
    assert list(templates_in("<template</template" * many + ">")) == []


def test_import_maps_by_the_thousand_are_read_up_to_a_bound_and_the_longest_prefix_counts() -> None:
    maps = "".join(f'<script type=importmap>{{"imports":{{"a{n}":"/{n}.js"}}}}</script>' for n in range(9_000))
    assert len(parse_html(maps.encode(), URL).links) == MOST_ADDRESSES
    html = '<script type=importmap>{"imports":{"b/":"/x/","b/c/":"/y/"}}</script><script>import "b/c/d/e.js"</script>'
    assert [link.url for link in parse_html(html.encode(), URL).links] == ["https://a.org/y/d/e.js"]
