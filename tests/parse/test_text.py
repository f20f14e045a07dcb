"""The plain text of a page: what a reader sees, and nothing else."""

from __future__ import annotations

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st
from turbohtml import Document

from weft.parse.text import page_text


def parsed(markup: str) -> Document:
    return turbohtml.parse(markup, positions=False, allow_declarative_shadow_roots=False)


def text_of(markup: str) -> str:
    return page_text(parsed(markup))


# ── what is seen ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>no</script>",
        "<style>no</style>",
        "<!-- no -->",
        "<template>no</template>",
        "<noscript>no <b>no</b></noscript>",
        "<i hidden>no</i>",
        '<i hidden="">n<b>o</b></i>',
        '<i style="color:red; DISPLAY: none">no</i>',
        "<i style=display:none>no</i>",
        "<dialog>no</dialog>",
        "<iframe>no</iframe>",
        "<object>no</object>",
        "<video>no<source src=x></video>",
        "<audio>no</audio>",
        "<canvas>no</canvas>",
        "<svg><title>no</title><text>no</text></svg>",
        "<select><option>no<option>no</select>",
        "<datalist><option>no</datalist>",
        "<textarea>no</textarea>",
        "<input value=no>",
        "<img alt=no src=no>",
        "<math><annotation>no</annotation></math>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(unseen: str) -> None:
    assert " ".join(text_of(f"<title>no</title><p>one {unseen} two</p>").split()) == "one two"


@pytest.mark.parametrize(
    "seen",
    [
        "<i aria-hidden=true>yes</i>",
        "<button>yes</button>",
        "<label>yes</label>",
        "<dialog open>yes</dialog>",
        "<details><summary>yes</summary></details>",
        "<app-root>yes</app-root>",
        "<a href=x>yes</a>",
        "<math><mi>yes</mi></math>",
        "<i style='display:block'>yes</i>",
    ],
)
def test_what_a_reader_sees_is_there(seen: str) -> None:
    assert text_of(seen) == "yes"


def test_the_document_is_left_as_it_is() -> None:
    document = parsed("<p hidden>a<p>b<pre>c<br>d</pre><noscript>e</noscript><a href=f>g</a>")
    before = document.html
    page_text(document)
    assert document.html == before


# ── lines ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "block",
    [
        *("address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "form", "h1", "h6", "header", "hgroup", "legend", "li", "listing"),
        *("main", "nav", "ol", "p", "pre", "search", "section", "summary", "ul", "xmp"),
    ],
)
def test_a_block_is_on_a_line_of_its_own(block: str) -> None:
    assert text_of(f"before<{block}>block</{block}>after") == "before\nblock\nafter"


@pytest.mark.parametrize("inline", ["a href=x", "b", "span", "font", "app-card", "label", "ins", "code"])
def test_a_block_within_a_line_ends_that_line(inline: str) -> None:
    assert text_of(f"<{inline}><div>Title</div></{inline.split()[0]}>3 minutes") == "Title\n3 minutes"


GLUED_BY_TURBOHTML = ["<ul><li>{}</ul>", "<ol><li>{}</ol>", "<menu><li>{}</menu>", "<li>{}</li>", "<hr>{}<hr>"]


@pytest.mark.parametrize("inline", ["a", "b", "span", "label", "code", "app-card", "span><b"])
@pytest.mark.parametrize("block", [*GLUED_BY_TURBOHTML, "<h2>{}</h2>", "<blockquote>{}</blockquote>", "<pre>{}</pre>"])
def test_what_stands_within_a_line_is_not_glued_to_its_neighbours(inline: str, block: str) -> None:
    assert text_of(f"one<{inline}>{block.format('two')}three</{inline[:4]}>") == "one\ntwo\nthree"


@pytest.mark.parametrize("inline", ["b", "i", "em", "strong", "code", "del", "sup", "kbd", "span", "app-x", "mark"])
def test_what_marks_a_part_of_a_word_leaves_the_word_whole(inline: str) -> None:
    assert text_of(f"<p>foo<{inline}>bar</{inline}>baz") == "foobarbaz"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one<br>two<br><br> three</p>", "one\ntwo\nthree"),
        ("<p> a \n\t b  <b> c </b> d", "a b c d"),
        ("<p>one<p>  <p>\n<p>two", "one\ntwo"),
        ("one<hr>two", "one\ntwo"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "a\nb\nc"),
        ("<ol><li>first<li>second</ol>", "first\nsecond"),
        ("<menu><li>first<li>second</menu>", "first\nsecond"),
        ("<dl><dt>term<dd>meaning</dl>", "term\nmeaning"),
        ("<table><caption>cap<tr><th>A<th>B<tr><td>1<td>2</table>", "cap\nA B\n1 2"),
        ("<table><tr><td><p>a<p>b<td>c</table>", "a\nb\nc"),
        ("a&nbsp;b &lt;c&gt; &amp;amp; syl&shy;la&shy;ble", "a\u00a0b <c> &amp; syllable"),
        ("", ""),
        ("<fieldset>" * 50 + "a</fieldset>b", "a\nb"),
        ("<p> \n ", ""),
    ],
)
def test_white_space_is_as_a_browser_shows_it(markup: str, text: str) -> None:
    assert text_of(markup) == text


@pytest.mark.parametrize("text", ["# no heading", "1. no list", "* a_b_c *", "[no](link)", "a\\b `c` ~~d~~ | e", "---"])
def test_what_looks_like_markdown_stays_as_it_is(text: str) -> None:
    assert text_of(f"<p>{text}</p><h2>{text}</h2><ul><li>{text}</ul>") == "\n".join([text] * 3)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<pre>\n  a\n\n\n\tb  c \n</pre>", "  a\n\n\n\tb  c "),
        ("x<pre>  <b>a</b>\n    b</pre>y", "x\n  a\n    b\ny"),
        ("<pre>a<br>  b<script>no</script><span hidden>no</span></pre>", "a\n  b"),
        ("<pre>a\n <pre>b\n  c</pre> d</pre>", "a\n \nb\n  c\n d"),
        ("<ul><li>x<pre> a\n  b</pre></ul>", "x\n a\n  b"),
        ("<table><tr><td>1<td><pre> a\n  b</pre></table>", "1\n a\n  b"),
        ("<pre>```\ncode\n```</pre>", "```\ncode\n```"),
        ("<plaintext> a\n  b", " a\n  b"),
    ],
)
def test_preformatted_text_keeps_its_white_space(markup: str, text: str) -> None:
    assert text_of(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<pre>one<p>two</pre>", "one\ntwo"),
        ("<pre>one<div> two</div>three</pre>", "one\n two\nthree"),
        ("<pre>one\n<p>two</p>\nthree</pre>", "one\ntwo\nthree"),
        ("<pre>one\n\n<p>two</p><p>three</pre>", "one\n\ntwo\nthree"),
        ("<pre>one<ul><li>two<li>three</ul>four</pre>", "one\ntwo\nthree\nfour"),
        ("<pre>a<table><tr><td>b<td>c<tr><th>d</table>e</pre>", "a\nb c\nd\ne"),
        ("<pre>one<hr>two</pre>", "one\ntwo"),
        ("<pre><div>a<script>no</script></div><video><p>no</p></video>b<br>c</pre>", "a\nb\nc"),
        ("<pre><button>a</button> <mark>b</mark>c</pre>", "a bc"),
    ],
)
def test_a_block_within_preformatted_text_is_on_a_line_of_its_own(markup: str, text: str) -> None:
    assert text_of(markup) == text


# ── whatever the page holds ────────────────────────────────────────────────────────────────────────────

PIECES = [
    *("<p>", "</p>", "<div>", "</div>", "<table>", "<tr>", "<td rowspan=9>", "</table>", "<pre>", "</pre>", "<br>"),
    *("<ul>", "<li>", "</ul>", "<svg>", "</svg>", "<template>", "</template>", "<select>", "<option>", "<form>"),
    *("<b hidden>", "<script>", "</script>", "<!--", "-->", "<plaintext>", "<frameset>", "<noscript>", "<a href=x>"),
    *("&#0;", "&#xD800;", "\0", "\x01", "\x02", " ", "\n", "é", "\U0001f600", "word"),
]


def test_of_amp_the_places_of_adverts_and_closed_menus_are_not_seen() -> None:
    markup = "<amp-sidebar><ul><li>Menu</ul></amp-sidebar><p>a</p><amp-ad><div placeholder>Advert</div></amp-ad>"
    assert text_of(markup) == "a"


def test_readings_above_signs_are_not_between_the_parts_of_a_word() -> None:
    assert text_of("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>です。") == "漢字です。"
    assert text_of("<pre><ruby>漢<rt>かん</ruby>字</pre>") == "漢字"


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_markup_has_a_text(markup: str) -> None:
    text = text_of(markup)
    assert "\0" not in text
    if "<pre>" not in markup and "<plaintext>" not in markup:
        assert all(line == line.strip(" ") != "" for line in text.split("\n")) or text == ""


@pytest.mark.parametrize(
    "markup",
    [
        *(
            f"<{tag}>" * 50_000 + "x"
            for tag in ("div", "b", "pre", "pre>y<br", "p hidden", "svg", "ul><li", "q", "b><ul")
        ),
        "<table><tr><td>" * 5_000 + "x",
        "<blockquote>" * 600 + "<p>x" * 10_000,
        "<fieldset><center>" * 10_000 + "word " * 100_000,
        "<pre>" + " " * 1_000_000 + "</pre>x" + "<br> " * 10_000,
    ],
    ids=lambda markup: markup[:20],
)
def test_deep_and_endless_pages_have_a_text(markup: str) -> None:
    assert len(text_of(markup)) <= len(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr>" + "<td>" * 5_000 + "<tr><td>a" * 5_000 + "</table>",
        "<table><tr><td>" + "w" * 50_000 + "<td>x" + "<tr><td>a<td>b" * 5_000 + "</table>",
        "<table><tr><td rowspan=60000 colspan=1000>x" + "<tr>" * 10_000,
    ],
    ids=["wide", "one long cell", "spans"],
)
def test_the_text_of_a_table_is_no_longer_than_its_source(markup: str) -> None:
    assert len(text_of(markup)) < len(markup)
