"""What becomes of what, in the Markdown of a page: each case is also rendered and compared with the page."""

from __future__ import annotations

import pytest

from bench.markdown_round_trip import BASE_URL, differences
from weft.parse.markdown import page_markdown
from weft.parse.tree import tree_of

SITE = "http://example.org/folder"

FORMS = {
    "nothing of what is empty": [
        ("a<a href=x></a><a href=y> <i class=icon></i></a>b", "a b"),
        ("<ul><li><li>a<li> <br> </ul>", "- a"),
        ("<h2></h2><h3><b> </b></h3>a", "a"),
        ("a <b></b><em> </em>b", "a b"),
        ("<blockquote><p></blockquote><ul></ul><pre>\n</pre><table><tr><td><td></table>a", "a"),
    ],
    "headings": [
        ("<h1>One<br>line\nonly</h1>", "# One line only"),
        ("<h2>Usage<a class=headerlink href=#usage>¶</a></h2>", "## Usage"),
        ("<h2>Usage <a href='#usage' title='Permalink'>#</a></h2>", "## Usage"),
        ("<h2><a href=#usage>Usage</a></h2>", "## Usage"),
        ("<h2><a href=usage>Usage</a></h2>", f"## [Usage]({SITE}/usage)"),
        ("<a href=x><h2>Title</h2><p>teaser</p></a>", f"## [Title]({SITE}/x)\n\n[teaser]({SITE}/x)"),
        ("<h2><b>Bold</b> by itself</h2>", "## Bold by itself"),
        ("<dl><dt><a href=#a>Contents</a><a href=#b>¶</a></dl>", f"**[Contents]({SITE}/page.html#a)**"),
        ("<table><tr><th><a href=#a>a</a><th>b</table>", f"| [a]({SITE}/page.html#a) | b |\n| --- | --- |"),
        ("<h3>C #</h3>", "### C \\#"),
    ],
    "links": [
        ("<a href='a b(c'>x\n y</a>", f"[x y]({SITE}/a%20b\\(c)"),
        ("<a href='a_(b)'>x</a>", f"[x]({SITE}/a_(b))"),
        ("<a href=x>[1]</a>", f"[\\[1\\]]({SITE}/x)"),
        ("Look!<a href=x>here</a>", f"Look\\![here]({SITE}/x)"),
        ("<a href=http://example.org/a>http://example.org/a</a>", "<http://example.org/a>"),
        ("<b><a href=x> x </a></b>y", f"**[x]({SITE}/x)** y"),
    ],
    "images": [
        ("<img src=grey.gif data-src=photo.jpg alt='a\ncat'>", f"![a cat]({SITE}/photo.jpg)"),
        ("<img src=data:x data-srcset='s.jpg 1x, l.jpg 2x' title=cat>", f"![cat]({SITE}/s.jpg)"),
        ("<img src=count width=1 height=1>a", "a"),
        ("<p>a<amp-img src=x alt=y><noscript><img src=x alt=y></noscript></amp-img>b", f"a![y]({SITE}/x)b"),
        ("<figure><img src=x alt=y><figcaption>Fig. 1</figcaption></figure>", f"![y]({SITE}/x)\n\nFig. 1"),
    ],
    "emphasis": [
        ("<b>a </b>b<i> c</i>", "**a** b *c*"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b><i>a</i></b>", "***a***"),
        ("<b><p>a<p>b</b>", "**a**\n\n**b**"),
        ("<b>重要。</b>这", "重要。这"),
        ("<del>a</del> <q>b</q> H<sub>2</sub>O 10<sup>-6</sup> 1<sup>st</sup>", '~~a~~ "b" H₂O 10⁻⁶ 1st'),
    ],
    "what would be marks": [
        ("snake_case 2 * 3 a < b, R&D, [x] (y) 1.5 #tag -x", "snake_case 2 * 3 a < b, R&D, [x] (y) 1.5 #tag -x"),
        ("*a* _b_ `c` &lt;b> &amp;lt; [d](e)", "\\*a\\* \\_b\\_ \\`c\\` \\<b> \\&lt; [d\\](e)"),
        ("<p># a<p>1. b<p>- c<p>&gt; d<p>---<p>===", "\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n\\---\n\n\\==="),
        ("a<br>- b<br>| - |", "a  \n\\- b  \n| \\- |"),
        ("[a]: b", "[a\\]: b"),
    ],
    "lists": [
        ("<ol start=9><li>a<li>b<p>c</ol>", "9. a\n10. b\n\n    c"),
        ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "- a\n  - b"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<ul><li><p>a<pre>b\n\nc</pre></ul>", "- a\n\n  ```\n  b\n\n  c\n  ```"),
        ("<ul><li><blockquote>a<p>b</blockquote></ul>", "- > a\n  >\n  > b"),
        ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "**a**\n- b\n- c\n\n**d**\n- e"),
    ],
    "other blocks": [
        ("<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>", "> a\n>\n> b\n>\n> > c"),
        ("<details><summary>more</summary>text</details>", "**more**\n\ntext"),
        ("a<br>b<br><br>c<hr>d<hr>", "a  \nb\n\nc\n\n---\n\nd"),
        ("<math alttext='{\\displaystyle x_1}'><mi>x</mi></math>", "$`x_1`$"),
    ],
    "code": [
        ("<code>a`b</code> <code>x <b>y</b></code>", "`` a`b `` `x y`"),
        ("<code>Vec&lt;<a href=T>T</a>></code>", f"`Vec<`[`T`]({SITE}/T)`>`"),
        ("<pre>```\n</pre>", "````\n```\n````"),
        ("<div class=highlight-python3><div class=highlight><pre>a</pre></div></div>", "```python3\na\n```"),
        ("<div class='language-rb highlighter-rouge'><div><pre class=highlight>a</pre></div></div>", "```rb\na\n```"),
        ("<pre class='brush: css; x: y'>a</pre><pre data-lang=Go>b</pre>", "```css\na\n```\n\n```go\nb\n```"),
        ("<pre class=sourceCode><code class='sourceCode hs'>a</code></pre>", "```hs\na\n```"),
        ("<pre class=language-none>a</pre>", "```\na\n```"),
        ("<table><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>", "```\na\nb\n```"),
        ("<pre><span class=lineno>1 </span>a<br>b</pre>", "```\na\nb\n```"),
    ],
    "tables": [
        ("<table border=1><tr><td>a<td>b</table>", "|  |  |\n| --- | --- |\n| a | b |"),
        ("<table><tr><th>k<td>v</table>", "|  |  |\n| --- | --- |\n| k | v |"),
        ("<table><tr><th>a<th>b<tr><td><p>x<p>y<td>\\|</table>", "| a | b |\n| --- | --- |\n| x y | \\\\\\| |"),
        ("<table><tr><th>a<th>b<tr><td><code>x|y</code><td></table>", "| a | b |\n| --- | --- |\n| `x\\|y` |"),
        (
            "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>",
            "| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n|  | f | g |",
        ),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        ("<table><tr><td><p>a<p>b<td>c</table>", "a\n\nb\n\nc"),
    ],
}


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [pytest.param(*form, id=f"{about}: {form[0]}") for about, forms in FORMS.items() for form in forms],
)
def test_each_form_is_written_and_read_again(markup: str, markdown: str) -> None:
    document = tree_of(markup)
    assert page_markdown(document, BASE_URL) == markdown
    assert differences(document, markdown, main_only=False) == []


HOSTILE = {
    "cells": "<table><tr>" + "<td>x" * 100_000,
    "rows below a wide one": "<table><tr>" + "<td rowspan=9999>x" * 2000 + "<tr><td>y" * 20_000,
    "cells over many columns": "<table><tr><th>a" + "<tr><td colspan=1000>x<td>y" * 5000,
    "a link of a megabyte": "<a href=/" + "x" * 1_000_000 + ">y",
    "a long link around paragraphs": "<a href=/" + "x" * 5000 + ">" + "<p>x" * 30_000,
    "quotations around paragraphs": "<blockquote>" * 30 + "<p>x" * 30_000,
    "marks that end where others begin": "<b>x</b><i>y</i>" * 20_000,
    "text of marks": "*_`[]<&~" * 50_000,
    "formulas": "<math>" * 20_000 + "x",
}


@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE)
def test_markdown_is_not_much_longer_than_its_page(markup: str) -> None:
    assert 0 < len(page_markdown(tree_of(markup), BASE_URL)) < 20 * len(markup)
