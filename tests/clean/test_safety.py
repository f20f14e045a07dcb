"""With the preset `safe`, nothing that a stranger wrote runs in a reader's browser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from tests.parse.scan_markup import ANY_MARKUP
from weft.clean import PRESETS, Cleaner
from weft.clean.safety import HARMLESS_SCHEMES, HARMLESS_TAGS
from weft.parse.tree import tree_of

SAFE = Cleaner(PRESETS["safe"])
SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]*):", re.IGNORECASE)

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//h/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<body onload=alert(1)><p ONCLICK=alert(1) on\x0bx=1>text",
    "<a href='javascript:alert(1)'>a</a>",
    "<a href=' \x01java\tscr\nipt:alert(1)'>a</a>",
    "<a href='&#106;avascript:alert(1)'>a</a>",
    "<a href='vbscript:x'>a</a><a href='data:text/html,<script>alert(1)</script>'>b</a>",
    "<form action=javascript:alert(1)><input type=submit><button formaction=javascript:alert(1)>b</button></form>",
    "<iframe src=javascript:alert(1) srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x.swf></object><embed src=x.swf><applet code=x>",
    "<svg onload=alert(1)><script>alert(1)</script><a xlink:href='javascript:alert(1)'><text>t</text></a></svg>",
    "<svg><animate attributeName=href values=javascript:alert(1) /></svg>",
    "<math><mi xlink:href='javascript:alert(1)'>m</mi></math>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=alert(1)&gt;'>",
    "<svg></p><style><a id='</style><img src=x onerror=alert(1)>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<table><td background='javascript:alert(1)' style='width:expression(alert(1))'>x",
    "<p style='background:url(javascript:alert(1))'>x",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'><base href='javascript:/'><link rel=import href=x>",
    "<template><script>alert(1)</script></template><template shadowrootmode=open><img onerror=x></template>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp><plaintext><script>alert(1)</script>",
    "<!--><img src=x onerror=alert(1)>--><![CDATA[<script>]]><?php <script> ?>",
    "<x-widget onclick=alert(1)>words</x-widget><isindex action=javascript:alert(1)>",
    "<a href=x target=_blank ping=//spy/ id=location name=cookie class=login>a</a><img src=x srcset='javascript:1 1x'>",
    "<video poster=javascript:alert(1)><source onerror=alert(1)></video><details ontoggle=alert(1) open>d</details>",
]  # fmt: skip


def assert_harmless(html: str) -> None:
    """Not by looking for what is bad, but by allowing only what is good, in the tree that a browser makes of it."""
    document = tree_of(html)
    for element in document.select("*"):
        assert element.tag in HARMLESS_TAGS | {"head"}, html
        for name, value in element.attrs.items():
            assert name in PRESETS["safe"].keep_attributes, html
            if name in ("href", "src", "cite"):
                assert isinstance(value, str | None)
                scheme = SCHEME.match(re.sub(r"[\t\n\r]", "", value or ""))  # a browser leaves these out
                assert scheme is None or scheme[1].lower() in HARMLESS_SCHEMES, html


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_come_to_nothing(attack: str) -> None:
    for page in (attack, f"<!DOCTYPE html><html><head></head><body><p>before{attack}after"):
        assert_harmless(SAFE.clean(page, content_type="text/html").content)


@settings(max_examples=100, deadline=None, database=None)
@given(ANY_MARKUP)
def test_any_markup_becomes_harmless(markup: str) -> None:
    assert_harmless(SAFE.clean(f"<p>{markup}", content_type="text/html").content)


def test_words_links_and_images_stay() -> None:
    page = "<p>w <x-y>o</x-y> <a href=https://h/x>r</a><a href='#d'>d</a><a href=mailto:s@h>s</a><img src=i.png alt=i>"
    assert SAFE.clean(page).content == (
        '<html><body><p>w o <a href="https://h/x">r</a><a href="#d">d</a><a href="mailto:s@h">s</a>'
        '<img src="i.png" alt="i"></p></body></html>'
    )
