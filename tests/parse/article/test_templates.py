"""What of a page is its site's template, and that it depends on the pages alone."""

from __future__ import annotations

import random

import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parse.article.pages import SENTENCE
from weft.parse.article import SiteSamples, article_of, fingerprints_of
from weft.parse.article.templates import MAX_FINGERPRINTS, MAX_HOSTS, MAX_LINES, SAMPLE_PAGES

HOST = "blog.example"


def post(number: int, quoted: str = "") -> str:
    """A page whose template no name gives away."""
    words = " ".join(f"word{number}x{place}" for place in range(60))
    return (
        f"<div><p>This blog is about bridges, and it is written by a few friends of them.</p></div>"
        f"<div><h1>Post {words[:12]}</h1><h2>Summary</h2><p>In short, {words}.</p><p>Example:</p><p>{words[::-1]}.</p>"
        f"{quoted}"
        f"<p>If you like what you read, tell us, and we will write more of it for you.</p></div>"
        f"<div><p>All bridges on this page belong to those who built them, says our lawyer.</p></div>"
    )


def sample(pages: list[tuple[str, str]], host: str = HOST) -> SiteSamples:
    samples = SiteSamples()
    for url, markup in pages:
        samples.add(host, url, fingerprints_of(turbohtml.parse(markup)))
    return samples


PAGES = [(f"http://{HOST}/{number}", post(number)) for number in range(12)]
TEMPLATE = ("about bridges", "tell us", "our lawyer")


def read(markup: str, template: dict[int, float]) -> str:
    return " ".join(article_of(turbohtml.parse(markup), template).text.split())


def test_what_stands_on_all_pages_goes_and_the_rest_stays() -> None:
    template = sample(PAGES).template(HOST)
    for number, (_, markup) in enumerate(PAGES):
        alone, known = read(markup, {}), read(markup, template)
        assert [line for line in TEMPLATE if line in alone]
        assert [line for line in TEMPLATE if line in known] == []
        for words in ("Post", "Summary", "Example:", f"word{number}x59", f"95x{str(number)[::-1]}drow"):
            assert words in known


def test_a_quote_on_two_pages_is_no_template() -> None:
    quote = f"<blockquote>{SENTENCE}</blockquote>"
    pages = [(url, post(number, quote if number < 2 else "")) for number, (url, _) in enumerate(PAGES)]
    assert "voted for the bridge" in read(pages[0][1], sample(pages).template(HOST))


def test_a_note_on_many_pages_among_their_text_is_no_template() -> None:
    note = f"<p>{SENTENCE}</p><p>And so on.</p>"
    pages = [(url, post(number, note if number < 5 else "")) for number, (url, _) in enumerate(PAGES)]
    pages = [
        (url, markup.replace("</div><div><p>All", f"<p>It ends, {url}.</p></div><div><p>All")) for url, markup in pages
    ]
    assert "voted for the bridge" in read(pages[0][1], sample(pages).template(HOST))


def test_a_short_line_at_the_end_of_some_pages_is_no_template() -> None:
    pages = [
        (url, f"<p>It ends, {markup}</p><p>New in version 3.2.</p>" if number < 5 else markup)
        for number, (url, markup) in enumerate((url, f"{SENTENCE}{url}.") for url, _ in PAGES)
    ]
    template = sample(pages).template(HOST)
    assert template
    assert "New in version 3.2." in read(pages[0][1], template)


def test_where_the_article_is_all_template_the_rest_of_the_page_is_read() -> None:
    index = PAGES[0][1].split("<div><h1>")[0] + "<ul><li>alpha<li>beta</ul>"
    assert "alpha" in read(index, sample(PAGES).template(HOST))


def test_of_few_pages_nothing_is_known() -> None:
    assert sample(PAGES[:3]).template(HOST) == {}
    assert sample(PAGES).template("another.example") == {}


def test_a_page_of_the_template_alone_is_left_whole() -> None:
    template = sample(PAGES).template(HOST)
    assert "our lawyer" in read(
        "<p>All bridges on this page belong to those who built them, says our lawyer.</p>", template
    )


@settings(max_examples=30, deadline=None, database=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_neither_order_nor_workers_change_what_is_learnt(order: random.Random, workers: int) -> None:
    pages = [(f"http://{HOST}/{number}", [number % 7, number % 3 + 10]) for number in range(60)]
    whole, parts = SiteSamples(), [SiteSamples() for _ in range(workers)]
    for url, fingerprints in pages:
        whole.add(HOST, url, fingerprints)
    order.shuffle(pages)
    for number, (url, fingerprints) in enumerate(pages):
        parts[number % workers].add(HOST, url, fingerprints)
    for part in parts[1:]:
        parts[0].merge(part)
    assert parts[0].template(HOST) == whole.template(HOST)


def test_samples_are_bounded() -> None:
    samples = SiteSamples()
    for number in range(MAX_HOSTS + 50):
        samples.add(f"{number}.example", "http://x/", [number])
    for number in range(SAMPLE_PAGES * 3):
        samples.add(HOST, f"http://x/{number}", [number])
    assert len(samples) == MAX_HOSTS
    assert samples.pages_of(HOST) <= SAMPLE_PAGES
    large = SiteSamples()
    for number in range(SAMPLE_PAGES):
        large.add(HOST, f"http://x/{number}", [*range(1, 1_000), 0] if number % 2 else [0])
    assert len(template := large.template(HOST)) == MAX_LINES
    assert template[0] == 1.0  # what stands on most pages is in it
    assert (
        len(fingerprints_of(turbohtml.parse("".join(f"<p>{chr(1_000 + n)}" for n in range(1_000))))) == MAX_FINGERPRINTS
    )
