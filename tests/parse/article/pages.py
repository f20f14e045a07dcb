"""Small pages of the kinds that the web is made of. What has no place in an article says `ballast`."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "The committee met on Tuesday, and after a long debate, it voted for the bridge, as many had expected. "
)
PARAGRAPH: Final = f"<p>{SENTENCE * 3}</p>"
TEXT: Final = PARAGRAPH * 4
MENU: Final = "<ul>" + "<li><a href=/s>ballast</a></li>" * 12 + "</ul>"
TEASER: Final = "<div><h3><a href=/t>More ballast for you</a></h3><p><a href=/t>Short ballast in a line</a></p></div>"
COMMENT: Final = f"<b>Joe</b><p>{'This is ballast, as you know, and too expensive. ' * 3}</p>"
CHINESE: Final = "<p>委员会星期二开会，经过长时间的辩论之后，投票决定建造这座桥，许多人都预料到了这个结果。</p>"
HEBREW: Final = "<p>הוועדה נפגשה ביום שלישי, ולאחר דיון ארוך הצביעה בעד הגשר, כפי שרבים ציפו מראש.</p>"
BALLAST: Final = "<p>This is ballast, which stands here for no good reason, and it goes on for a while.</p>"

AROUND: Final = {
    "a menu in a nav": f"<nav>{MENU}</nav>{TEXT}",
    "a menu without a name": f"<div>{MENU}</div><div>{TEXT}</div>",
    "a menu in the text": f"<div>{TEXT}{MENU}{TEXT}</div>",
    "teasers after the text": f"<article>{TEXT}</article><section>{TEASER * 5}</section>",
    "teasers within the article": f"<article>{TEXT}<div>{TEASER * 5}</div></article>",
    "articles in a list of other ones": f"<article>{TEXT}<ul>{f'<li><article>{TEASER}</article>' * 3}</ul></article>",
    "related pages by name": f"<div>{TEXT}<div class=related-posts>{BALLAST}</div></div>",
    "a name in camel case": f"<div>{TEXT}<div class=articleRelated>{BALLAST}</div></div>",
    "comments by name": f"<div>{TEXT}<div id=comments>{COMMENT * 30}</div></div>",
    "comments as articles in the article": f"<article>{TEXT}{f'<article>{COMMENT}</article>' * 9}</article>",
    "a cookie banner": f"<div class=cookie-notice>{BALLAST}<button>ballast</button></div>{TEXT}",
    "a dialog by role": f"<div role=dialog>{BALLAST}</div>{TEXT}",
    "a share bar": f"<div>{TEXT}<div class=share-bar>ballast it<br>ballast that</div></div>",
    "a newsletter form": f"<div>{TEXT}<div class=newsletter-signup>{BALLAST}</div>{TEXT}</div>",
    "breadcrumbs": f"<div class=breadcrumb><a href=/>ballast</a> &gt; ballast</div>{TEXT}",
    "a byline by name": f"<div>{'<p class=byline>ballast</p>'}{TEXT}</div>",
    "a byline by its words": f"<div><p>By Jane Ballast, staff ballast</p>{TEXT}</div>",
    "a date line": f"<div><p>Ballast, 12 March 2021, 14:30</p>{TEXT}</div>",
    "a line that announces what has gone": f"<div>{TEXT}<p><b>Lue ballast:</b></p>{MENU}</div>",
    "a line that leads elsewhere": f"<div>{TEXT}<p>Read more: ballast</p>{TEXT}</div>",
    "such a line in French": f"<div>{TEXT}<p>À lire aussi : ballast</p>{TEXT}</div>",
    "a heading over a list of links": f"<div>{TEXT}<h2>Ballast</h2>{MENU}</div>",
    "a caption": f"<div>{TEXT}<figure><img src=x><figcaption>ballast</figcaption></figure>{TEXT}</div>",
    "a list of tags": f"<div>{TEXT}<p class=tag-list>ballast</p></div>",
    "text beside blocks, before them": f"<div>Share ballast{TEXT}</div>",
    "text beside blocks, after them": f"<div>{TEXT}<a href=/>back to <b>ballast</b></a></div>",
    "text beside blocks, between them": f"<div>{TEXT}Read more: ballast{TEXT}</div>",
    "a label before a link": f"<div>{TEXT}<p><b>Dowiedz się:</b> <a href=/t>jakiś ballast w linii</a></p>{TEXT}</div>",
    "an invitation to subscribe": f"<div>{TEXT}<p>For more ballast, see <a href=/n>our newsletter</a>.</p>{TEXT}</div>",
    "such an invitation without a link": f"<div>{TEXT}<p>Follow the Ballast on Twitter and Facebook.</p></div>",
    "a caption by its credit": f"<div>{TEXT}<div>The mayor of Ballast at work. (Photo: Jane Doe)</div>{TEXT}</div>",
    "right to left": f"<body dir=rtl><div>{MENU}</div><div><h1>גשר</h1>{HEBREW * 4}</div><footer>ballast</footer>",
    "tables that lay out a page": (
        f"<table><tr><td>{MENU}<td><font><b>The bridge</b>{TEXT}</font><tr><td colspan=2>© Ballast 1999</table>"
    ),
    "what stands before the headline": f"<div>{BALLAST}<h1>The bridge</h1><div>{TEXT}</div></div>",
}  # fmt: skip

KEPT: Final = {
    "a headline outside the text": (f"<header><h1>Headline</h1></header><main>{TEXT}</main>", ["Headline"]),
    "a headline in a header full of links": (
        f"<div><header><a href=/s>A section</a> <h1>Headline</h1> <a href=/a>An author of it</a> <a href=/t>A topic</a>"
        f"</header>{TEXT}</div>",
        ["Headline"],
    ),
    "a lead outside the text": (
        f"<main><h1>Headline</h1><div><p>A lead, which says it all in one sentence.</p></div>"
        f"<article>{TEXT}</article></main>",
        ["Headline", "A lead"],
    ),
    "a line that announces a list": (f"<div>{TEXT}<p>Take these:</p><ul><li>apples</ul></div>", ["Take these"]),
    "headings with text": (f"<div>{TEXT}<h2>Part two</h2>{TEXT}</div>", ["Part two"]),
    "lists in the text": (f"<div>{TEXT}<ul><li>apples<li>pears</ul>{TEXT}</div>", ["apples", "pears"]),
    "tables in the text": (f"<div>{TEXT}<table><tr><th>Name<td>1</table>{TEXT}</div>", ["Name"]),
    "a name that lies": (f"<div class=has-sidebar><div class='sidebar-left content'>{TEXT}</div></div>", ["voted"]),
    "tags of a post in its class": (f"<div class='post hentry tag-share category-ads'>{TEXT}</div>", ["voted"]),
    "a tag that lies": (f"<aside>{TEXT}</aside>", ["voted"]),
    "sections that are articles": (f"<div>{'<article><h2>Part</h2>' + TEXT + '</article>'}</div>" * 3, ["Part"]),
    "a page of a manual": (
        f"<div class=sphinxsidebar>{MENU}</div><div class=body role=main><h1>open()</h1><dl><dt>mode<dd>{SENTENCE}"
        f"<dt>flags<dd>{SENTENCE}</dl><pre>open('x')</pre></div>",
        ["open()", "mode", "flags", "open('x')"],
    ),
    "a forum": (
        f"<h1>Which bridge?</h1>{f'<div class=comment>{PARAGRAPH}</div>' * 5}<div class=footer>x</div>",
        ["Which bridge?", "voted"],
    ),
    "a page that is one pre": (f"<pre>1. Title\n\n   {SENTENCE}\n   {SENTENCE}\n</pre>", ["1. Title"]),
    "a page in Hebrew": (f"<div>{MENU}</div><div><h1>גשר</h1>{HEBREW * 4}</div>", ["גשר", "ביום שלישי"]),
    "a page in Chinese": (f"<div>{MENU}</div><div><h1>桥</h1>{CHINESE * 3}</div>", ["桥", "委员会"]),
    "a short page": ("<nav><a href=x>menu</a></nav><p>Short.</p>", ["Short."]),
    "a page of links": ("<ul><li><a href=x>one</a><li><a href=y>two</a></ul>", ["one", "two"]),
    "a page of one word": ("word", ["word"]),
    "a page that is a menu": ("<nav><a href=x>x</a></nav>", ["x"]),
    "words beside blocks": (f"<div>{SENTENCE * 3}<ul><li>apples</ul>{SENTENCE * 3}</div>", ["apples"]),
    "items with lists in them": (f"<div>{TEXT}<ul><li>Fruit<ul><li>apples</ul></ul></div>", ["Fruit", "apples"]),
    "an article that is made of articles": (
        f"<article><h1>Headline</h1>{f'<article><h2>Part</h2>{PARAGRAPH}</article>' * 9}</article>",
        ["Headline", "Part"],
    ),
    "a paragraph in the letters of a heading": (f"<div><h3>{SENTENCE * 4}</h3><h3>Part</h3>{TEXT}</div>", ["Part"]),
    "a page about newsletters": (
        f"<div><h1>Letters</h1>{'<p>A <a href=/n>newsletter</a> is sent to those who asked for it.</p>' * 6}</div>",
        ["newsletter is sent"],
    ),
    "a URL after a label": (f"<div>{TEXT}<p>Source: <a href=x>example.org/x</a></p>{TEXT}</div>", ["example.org/x"]),
    "words in no block": (f"<div>{SENTENCE * 3}<br><br>{SENTENCE * 3}</div>", ["voted"]),
}  # fmt: skip
