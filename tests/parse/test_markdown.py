"""Pages as Markdown."""

from __future__ import annotations

from typing import Self

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import Document

from weft.parse.markdown import line, page_markdown

BASE = "http://example.org/dir/page.html?q"


def parsed(markup: str) -> Document:
    return turbohtml.parse(markup, positions=False, allow_declarative_shadow_roots=False)


def markdown_of(markup: str, *, main_only: bool = False) -> str:
    return page_markdown(parsed(markup), BASE, main_only=main_only)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("x.html", "http://example.org/dir/x.html"),
        ("/x", "http://example.org/x"),
        ("../x?a=1&amp;b=2", "http://example.org/x?a=1&b=2"),
        ("//other.org/", "http://other.org/"),
        ("https://other.org/a", "https://other.org/a"),
        ("x#part", "http://example.org/dir/x#part"),
        ("#part", "http://example.org/dir/page.html?q#part"),
        ("x#", "http://example.org/dir/x"),
        (" \n x ", "http://example.org/dir/x"),
        ("ä?ö", "http://example.org/dir/%C3%A4?%C3%B6"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("TEL:+49", "TEL:+49"),
    ],
)
def test_links_are_absolute(href: str, url: str) -> None:
    assert markdown_of(f'<p>see <a href="{href}">this</a>.') == f"see [this]({url})."


def test_queries_are_written_in_the_charset_of_the_page() -> None:
    markdown = page_markdown(parsed("<a href='?ä'>x</a>"), BASE, charset="windows-1252")
    assert markdown == "[x](http://example.org/dir/page.html?%E4)"


@pytest.mark.parametrize("href", ["javascript:void(0)", "JavaScript:x()", "data:text/html,x", "http://[", "blob:x"])
def test_a_link_that_leads_nowhere_is_its_text(href: str) -> None:
    assert markdown_of(f'<p>a <a href="{href}"><b>b</b></a> c') == "a **b** c"


@pytest.mark.parametrize(
    ("image", "markdown"),
    [
        ("<img src=i.png alt='a cat'>", "![a cat](http://example.org/dir/i.png)"),
        ("<a href=x><img src=i alt=a></a>", "[![a](http://example.org/dir/i)](http://example.org/dir/x)"),
        ("<img alt=a src='data:image/gif;base64,AAAA'>", ""),
        ("<img alt=a src='http://['>", ""),
        ("<img alt=a>", ""),
    ],
)
def test_images_are_absolute_or_left_out(image: str, markdown: str) -> None:
    assert markdown_of(image) == markdown


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<h1>One</h1><h3>Two</h3>", "# One\n\n### Two"),
        ("<p>a <b>b</b> <em>c</em> <code>d</code>", "a **b** *c* `d`"),
        ("<ul><li>a<li>b<ol><li>c</ol></ul>", "- a\n- b\n  1. c"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2|3</table>", "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |"),
        ("<pre>\n a\n\n\n  b\n</pre>", "```\n a\n\n\n  b\n```"),
        ("<pre><code class=language-python>x = 1\n</code></pre>", "```python\nx = 1\n```"),
        ("<blockquote>said</blockquote>", "> said"),
        ("<p>1 * 2 * 3", "1 * 2 * 3"),
    ],
)
def test_structure_is_kept(markup: str, markdown: str) -> None:
    assert markdown_of(markup) == markdown


@pytest.mark.parametrize(
    "unseen",
    ["<script>no</script>", "<noscript>no</noscript>", "<i hidden>no</i>", "<svg><title>no</title></svg>", "<!--no-->"],
)
@pytest.mark.parametrize("around", ["<p>yes{}", "<table><tr><td><ul><li>yes{}</ul></table>"])
def test_what_a_reader_does_not_see_is_left_out(unseen: str, around: str) -> None:
    markdown = markdown_of(around.format(unseen))
    assert "yes" in markdown
    assert "no" not in markdown


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<table><tr><td><h2>Head</h2><td>side</table>", "## Head\n\nside"),
        ("<table><tr><td><pre>a\n b</pre></table>", "```\na\n b\n```"),
        ("<table><tr><td>x<table><tr><th>A<tr><td>1</table></table>", "x\n\n| A |\n| --- |\n| 1 |"),
        ("<table><tr><td>" * 2 + "<table><caption>cap<tr><td>1", "cap\n\n1"),
    ],
)
def test_a_table_that_lays_out_the_page_is_unfolded(markup: str, markdown: str) -> None:
    assert markdown_of(markup) == markdown


def test_a_list_in_a_cell_stays_in_its_cell() -> None:
    markdown = markdown_of("<table><tr><th>A<tr><td><ul><li><a href=x>x</a><li>y</ul></table>")
    assert markdown == "| A |\n| --- |\n| * [x](http://example.org/dir/x) * y |"


def test_the_document_is_left_as_it_is() -> None:
    document = parsed("<p hidden>a<a href=b>b</a><img src=data:x><script>d</script><a href=javascript:x>e</a>")
    before = document.html
    page_markdown(document, BASE)
    assert document.html == before


@pytest.mark.parametrize("main_only", [False, True])
def test_a_document_that_is_given_away_has_the_same_markdown(main_only: bool) -> None:
    kept = page_markdown(parsed(NEWS), BASE, main_only=main_only)
    assert page_markdown(parsed(NEWS), BASE, main_only=main_only, consume=True) == kept


# ── the article alone ──────────────────────────────────────────────────────────────────────────────────

SENTENCE = "The committee met on Tuesday, and after a long debate, it voted for the bridge, as many had expected. "
NEWS = f"""
<nav><ul>{"<li><a href=/s>Section</a>" * 20}</ul></nav>
<article><h1>The bridge</h1><p>{SENTENCE * 5}</p><p>{SENTENCE * 5} See <a href=more>more</a>.</p></article>
<footer><a href=/imprint>Imprint</a></footer>"""


def test_the_article_comes_without_what_is_around_it() -> None:
    markdown = page_markdown(parsed(NEWS), BASE, main_only=True)
    assert markdown.count("voted for the bridge") == 10
    assert "[more](http://example.org/dir/more)" in markdown
    assert "Section" not in markdown
    assert "Imprint" not in markdown


def test_without_main_only_the_whole_page_is_there() -> None:
    markdown = markdown_of(NEWS)
    assert "[Section](http://example.org/s)" in markdown
    assert "[Imprint](http://example.org/imprint)" in markdown


@pytest.mark.parametrize("around", ["{}", "<nav>{}</nav>", "<div class=sidebar>{}</div>"])
def test_a_page_without_an_article_is_given_whole(around: str) -> None:
    markup = around.format("<a href=x>x</a>")
    assert page_markdown(parsed(markup), BASE, main_only=True) == "[x](http://example.org/dir/x)"


def test_a_page_without_an_article_is_given_without_its_menu() -> None:
    markup = "<nav><a href=x>x</a></nav><p>short</p><footer>f</footer>"
    assert page_markdown(parsed(markup), BASE, main_only=True) == "short"


def test_an_article_in_the_wrong_element_is_better_than_none() -> None:
    assert markdown_of(f"<aside><p>{SENTENCE * 9}</p></aside>", main_only=True).count("voted") == 9


PARAGRAPH = f"<p>{SENTENCE * 3}</p>"
SECTIONS = [f"<h2>Part {number}</h2>{PARAGRAPH * (1 + number % 3)}" for number in range(6)]
PARAGRAPHS = sum(section.count("<p>") for section in SECTIONS)


@pytest.mark.parametrize(
    ("around_all", "around_each"),
    [
        ("<div>{}</div>", "<div class=sect1><div class=body>{}</div></div>"),
        ("<h1>Manual</h1>{}", "<section>{}</section>"),
        ("<main><h1>Manual</h1>{}</main>", "<section>{}</section>"),
        ("<div role=main>{}</div>", "<dl><dt>x<dd>{}</dl>"),
        ("<div id=posts>{}</div>", "<article>{}</article>"),
        ("<div class=has-sidebar>{}</div>", "<div class=chapter>{}</div>"),
        ("<table><tr><td>{}</table>", "<div>{}</div>"),
    ],
)
def test_an_article_has_all_its_sections(around_all: str, around_each: str) -> None:
    sections = around_all.format("".join(map(around_each.format, SECTIONS)))
    markdown = markdown_of(f"<nav>{MENU}</nav>{sections}<footer>{MENU}</footer>", main_only=True)
    assert markdown.count("voted for the bridge") == 3 * PARAGRAPHS
    assert "ballast" not in markdown


ARTICLE = f"<h1>The bridge</h1>{''.join(SECTIONS)}"
MENU = "<ul>" + "<li><a href=/s>ballast</a>" * 15 + "</ul>"
TEASERS = "<div><h3><a href=/t>ballast</a></h3><p>Short ballast, in a line.</p></div>" * 5
COMMENTS = "<li><article><b>Joe</b><p>" + "This is ballast, as you know, and too expensive. " * 5 + "</article>"
BANNER = "<p>We show ballast, with our partners, to make this page better.</p><button>ballast</button>" * 3


@pytest.mark.parametrize(
    "page",
    [
        f"<header>{MENU}</header><main><article>{ARTICLE}</article><aside>{TEASERS}</aside></main><footer>{MENU}</footer>",
        f"<article>{ARTICLE}</article><section id=comments><ol>{COMMENTS * 20}</ol></section>",
        f"<article>{ARTICLE}</article><div class=x>{COMMENTS * 6}</div>",
        f"<div><div class=story>{ARTICLE}</div><ol class='x comment-list'>{COMMENTS * 20}</ol></div>",
        f"<div class=story>{ARTICLE}</div><div class=x>{COMMENTS * 6}</div>",
        f"<div><div>{MENU}</div><div>{ARTICLE}</div><div>{TEASERS}</div></div><div>{BANNER}</div>",
        f"<div id=wrap><div id=content>{ARTICLE}</div><div class='wide sidebar'>{TEASERS * 9}</div></div>",
        f"<div>{''.join(SECTIONS)}</div><div role=dialog>{BANNER * 20}</div>",
        f"<div>{''.join(SECTIONS)}</div><div id=cookie-consent>{BANNER * 20}</div>",
        f"<table><tr><td>{MENU}<td><div>{ARTICLE}</div></table>",
        f"<div>{''.join(SECTIONS)}<div class=navfooter>{MENU}</div></div>",
    ],
)
def test_what_is_around_an_article_goes(page: str) -> None:
    markdown = markdown_of(page, main_only=True)
    assert markdown.count("voted for the bridge") == 3 * PARAGRAPHS
    assert "ballast" not in markdown


# ── whatever the page holds ────────────────────────────────────────────────────────────────────────────

PIECES = [
    *("<a href=x>", "<a href=javascript:>", "<a href='http://['>", "</a>", "<img src=x>", "<img src=data:>", "<p>"),
    *("<table>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "<ul>", "<li>", "<svg>", "<template>", "<p hidden>"),
    *("<article>", "</article>", "<script>", "<frameset>", "<plaintext>", "&#0;", "\0", "word, ", "`", "*", "|", "\n"),
]


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.booleans())
def test_any_markup_has_a_markdown(markup: str, main_only: bool) -> None:
    assert "(javascript:" not in page_markdown(parsed(markup), BASE, main_only=main_only)


@pytest.mark.parametrize("main_only", [False, True])
@pytest.mark.parametrize(
    "tag",
    [
        *("div", "b", "a href=javascript:x", "a href=x><div", "ul><li", "pre", "p hidden", "table><tr><td"),
        *("nav", "header", "article", "main", "div class=comments", "section>word, word<section"),
    ],
)
def test_deep_pages_have_a_markdown(tag: str, main_only: bool) -> None:
    markup = f"<{tag}>" * 5_000 + "x"
    assert len(page_markdown(parsed(markup), BASE, main_only=main_only)) < 20 * len(markup)


def test_code_in_many_pieces_costs_what_its_pieces_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    made_chars = 0

    class CountedCode(str):
        __slots__ = ()

        def __new__(cls, code: str) -> Self:
            nonlocal made_chars
            made_chars += len(code)
            return super().__new__(cls, code)

    monkeypatch.setattr(line, "_Code", CountedCode)
    assert markdown_of("<code>ab" * 2_000) == f"`{'ab' * 2_000}`"
    assert made_chars == 2 * 2_000


@pytest.mark.parametrize("tag", ["summary", "q><div", "em><div", "del><cite><div", "b><dt"])
def test_marks_in_each_other_are_written_once_a_paragraph(tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = 0
    close = line.Line._close_written

    def counted(self: line.Line, mark: line.Mark) -> None:
        nonlocal marks
        marks += 1
        close(self, mark)

    monkeypatch.setattr(line.Line, "_close_written", counted)
    markdown = markdown_of(f"<{tag}>word" * 300)
    assert markdown.count("word") == 300
    assert marks <= 2 * 300


@pytest.mark.parametrize("main_only", [False, True])
def test_readings_above_signs_are_not_between_the_parts_of_a_word(main_only: bool) -> None:
    markup = "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です。"
    assert markdown_of(markup, main_only=main_only) == "漢字です。"


@pytest.mark.parametrize(("sentences", "is_article"), [(40, True), (2, False)])
def test_an_article_that_stands_in_a_noscript_is_read(sentences: int, is_article: bool) -> None:
    text = "<p>It rained for days, and nobody went out.</p>" * sentences
    markdown = markdown_of(f"<body><p>Loading, please wait.</p><noscript>{text}</noscript>", main_only=True)
    assert ("It rained" in markdown) == is_article
