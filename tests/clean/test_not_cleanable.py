"""What is no page is refused with a reason, and nothing else ever comes out of a cleaner."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.pages import CHARSET_PIECES, CONTENT_TYPES
from tests.fuzz.properties import mixed_bytes
from tests.parse.scan_markup import ANY_MARKUP, TAGS
from weft.clean import PRESETS, Cleaner, Form, NotCleanable, Rules


@pytest.mark.parametrize(
    ("content", "content_type", "reason"),
    [
        (b"", "text/html", "it is empty"),
        (" \n", "", "it is empty"),
        (b"%PDF-1.7 <p>", "application/pdf", "it is application/pdf"),
        (b"%PDF-1.7 <p>", "text/html", "it is binary"),
        (b"\x89PNG\r\n\x1a\n<p>", "", "it is binary"),
        (b"\xff\xd8\xff\xe0 JFIF <p>", "text/html; charset=utf-8", "it is binary"),
        (b"PK\x03\x04<p>", "", "it is binary"),
        (b"some\x00\x01\x02bytes <p>", "", "it is binary"),
        (b"<p>page</p>", "text/plain", "it is text/plain"),
        (b'{"a": 1}', "application/json", "it is application/json"),
        (b"just words", "", "it has no tags"),
        ("just words, 1 < 2", "", "it has no tags"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "text/html", "it is a feed"),
        (b"<?xml version='1.0'?><feed></feed>", "", "it is a feed"),
        (b"<svg></svg>", "image/svg+xml", "it is image/svg+xml"),
        (b"<x/>", "x" * 500 + "/y", "it is " + "x" * 80),
    ],
)
def test_what_is_no_page_is_refused_with_a_reason(content: bytes | str, content_type: str, reason: str) -> None:
    with pytest.raises(NotCleanable) as caught:
        Cleaner().clean(content, "http://example.org/", content_type)
    assert caught.value.reason == str(caught.value) == reason
    assert pickle.loads(pickle.dumps(caught.value)).reason == reason


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"just words", "text/html"),
        (b"words and <b>tags</b>", ""),
        ("words and <b>tags</b>", ""),
        (b"<section>x</section>", ""),
        (b"\x01<p>a stray byte", "text/html"),
        ("<p>two bytes a character".encode("utf-16"), ""),
        ("<p>two bytes a character".encode("utf-16-be"), "text/html"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>", "application/xml"),
        (b"<html></html>", "application/xhtml+xml"),
        (b"<p>x", "nonsense"),
    ],
)
def test_whatever_reads_like_a_page_is_cleaned(content: bytes | str, content_type: str) -> None:
    assert Cleaner().clean(content, "", content_type).content.startswith("<html")


def clean_or_refuse(cleaner: Cleaner, content: bytes | str, url: str, content_type: str) -> None:
    try:
        cleaned = cleaner.clean(content, url, content_type)
    except NotCleanable:
        return
    for text in (cleaned.content, cleaned.title, cleaned.language, cleaned.charset):
        text.encode()  # it can be written
        assert "\x00" not in text  # also into a table


CLEANERS = st.sampled_from([Cleaner(rules, form) for rules in PRESETS.values() for form in Form])
TYPES = CONTENT_TYPES.map(lambda content_type: content_type or "")
URLS = st.sampled_from(("", "http://example.org/a/b", "ftp://h/", "mailto:x", "http://[", "\ud800"))


@settings(max_examples=100, deadline=None, database=None)
@given(CLEANERS, st.one_of(st.binary(max_size=200), mixed_bytes((*CHARSET_PIECES, b"<p>", b"<br>"))), URLS, TYPES)
def test_any_bytes_are_cleaned_or_refused(cleaner: Cleaner, body: bytes, url: str, content_type: str) -> None:
    clean_or_refuse(cleaner, body, url, content_type)


@settings(max_examples=100, deadline=None, database=None)
@given(CLEANERS, st.one_of(ANY_MARKUP, st.text(max_size=100)), URLS, TYPES)
def test_any_text_is_cleaned_or_refused(cleaner: Cleaner, markup: str, url: str, content_type: str) -> None:
    clean_or_refuse(cleaner, f"<p>{markup}\ud800", url, content_type)


_TAGS = st.lists(st.sampled_from([*TAGS, "html", "body", "head"]), max_size=4).map(tuple)
_SELECTORS = st.lists(
    st.sampled_from(("*", ":root", "p", "body > *", "[href]", ":not(b)", "html, body", "table *", ":empty")), max_size=2
).map(tuple)
_NAMES = st.lists(st.sampled_from(("*", "href", "h*", "xlink:*", "class", "data-*")), max_size=2).map(tuple)
RULES = st.builds(
    Rules, kill=_TAGS, unwrap=_TAGS, drop=_SELECTORS, keep=_SELECTORS, keep_attributes=_NAMES, drop_attributes=_NAMES,
    comments=st.booleans(), doctype=st.booleans(), empty_text=st.booleans(), safe=st.booleans(),
)  # fmt: skip


@settings(max_examples=150, deadline=None, database=None)
@given(RULES, st.sampled_from(Form), ANY_MARKUP)
def test_any_rules_clean_any_page(rules: Rules, form: Form, markup: str) -> None:
    clean_or_refuse(Cleaner(rules, form), f"<!DOCTYPE html><!-- c --><?p ?>{markup}", "http://h/", "text/html")


DEEP = {
    "blocks": "<div> <b>x</b> <br>",
    "inline": "<b>x <i> ",
    "forms": "<div><br><form></form>x" + "<center>x " * 9,
    "lists": "<ul><li> x ",
    "tables": "<table><tr><td> x",
    "pre": "<div><pre> <b>x</b> ",
    "kept": "<div class=k> x<img>",
}


def deep_page(kind: str, depth: int) -> str:
    """At least so many elements in each other, by the markup; a browser's tree, and this one's, is flatter."""
    elements_in_each_other = max(1, DEEP[kind].count("<center>"))
    return "<title>deep</title>" + DEEP[kind] * (depth // elements_in_each_other)


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize(
    ("kind", "depth"),
    [
        *((kind, 10_000) for kind in DEEP),
        *(pytest.param(kind, 200_000, marks=pytest.mark.large) for kind in DEEP),
    ],
)
def test_a_deep_page_is_cleaned(kind: str, depth: int, form: Form) -> None:
    assert "x" in Cleaner(form=form).clean(deep_page(kind, depth)).content


@pytest.mark.parametrize("form", [Form.HTML, Form.TEXT])
def test_a_page_200000_deep_is_cleaned(form: Form) -> None:
    assert "x" in Cleaner(form=form).clean(deep_page("lists", 200_000)).content


@pytest.mark.parametrize("kind", DEEP)
def test_a_deep_page_is_cleaned_by_any_rules(kind: str) -> None:
    rules = Rules(kill=("br", "img"), unwrap=("form", "b"), keep=(".k",), keep_attributes=("class",), safe=True)
    assert "x" in Cleaner(rules).clean(deep_page(kind, 50_000)).content


@pytest.mark.large
@pytest.mark.parametrize("form", list(Form))
def test_a_page_of_50_mb_is_cleaned(form: Form) -> None:
    piece = b"<p>some words <b>and</b> <i>more</i> <a href=x>link</a><br>here <img src=x>\n"
    content = Cleaner(form=form).clean(piece * (50_000_000 // len(piece)), "http://h/", "text/html").content
    assert content.count("some words") == 50_000_000 // len(piece)
