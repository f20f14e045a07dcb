"""The links of style sheets, style elements and style attributes, and those of web manifests."""

from __future__ import annotations

import pytest

from tests.mirror.tree_judge import SITE, saved
from weft.mirror.rewrite import Syntax, rewrite

SHEET = SITE + "d/a.css"


def kept(text: str, medium: Syntax = Syntax.CSS) -> str:
    return rewrite(text.encode(), medium, "utf-8", SHEET, saved).body.decode()


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("a{b:url(/i.png)}", "a{b:url(../i.png)}"),
        ("a{b:URL( '/i.png' )}", "a{b:URL( '../i.png' )}"),
        ('a{b:url("/i.png#x")}', 'a{b:url("../i.png#x")}'),
        ("a{b:url(//o.test/i.png)}", "a{b:url(http://o.test/i.png)}"),
        ('@import "/b.css" screen;', '@import "../b.css" screen;'),
        ("@import/**/'/b.css';", "@import/**/'../b.css';"),
        ("@import url(/b.css) layer(x);", "@import url(../b.css) layer(x);"),
        ("@im\\port '/b.css';", "@im\\port '../b.css';"),
        ("a{b:\\75rl(/i.png)}", "a{b:\\75rl(../i.png)}"),
        ("a{b:url(\\2f i\\.png)}", "a{b:url(../i.png)}"),
        ("a{b:url('//o.test/it\\'s')}", "a{b:url('http://o.test/it\\'s')}"),
        ("a{b:url(//o.test/it\\'s\\(1\\))}", "a{b:url(http://o.test/it\\'s\\(1\\))}"),
        ('a{b:url("//o.test/it\'s(1)")}', 'a{b:url("http://o.test/it\'s(1)")}'),
        ("a{b:url('/lo\\\nng.png')}", "a{b:url('../long.png')}"),
        (
            "a{b:image-set('/1.avif' type('image/avif') 1x, url(/2.png) 2x)}",
            "a{b:image-set('../1.avif' type('image/avif') 1x, url(../2.png) 2x)}",
        ),
        ('a{b:-webkit-image-set("/1" 1x)}', 'a{b:-webkit-image-set("../1" 1x)}'),
        (
            "@font-face{src:url(/f.eot?#iefix) format('x'),local('/y')}",
            "@font-face{src:url(../f.eot%3F#iefix) format('x'),local('/y')}",
        ),
        ("a{b:url(/open", "a{b:url(../open"),
    ],
)
def test_a_url_in_a_style_sheet_leads_to_the_file(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    "css",
    [
        "a{b:url(#x)}",
        "a{b:url()}",
        "a{b:url(data:image/png;base64,/x)}",
        "/* url(/x) */",
        "a{content:'url(/x)'}",
        "a{b:url(/x y)}",
        "a{b:url('/x\n')}",
        "@namespace svg url(/x);",
        "@charset '/x';",
        "a{b:url(http://o.test/x)}",
        "a{b:curl(/x)}",
    ],
)
def test_what_is_no_url_or_leads_nowhere_else_stays(css: str) -> None:
    body = css.encode()
    assert rewrite(body, Syntax.CSS, "utf-8", SHEET, saved).body is body


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ("<style>a{b:url(/i.png)}</style>", "<style>a{b:url(../i.png)}</style>"),
        ("<STYLE media=x>@import '/a';</STYLE >", "<STYLE media=x>@import '../a';</STYLE >"),
        ("<style><!-- a{b:url(/i)} --></style>", "<style><!-- a{b:url(../i)} --></style>"),
        ("<style>a{b:url(&#47;i)}</style>", "<style>a{b:url(../d/%26#47;i)}</style>"),
        ('<p style="b:url(/i.png)">', '<p style="b:url(../i.png)">'),
        ("<p STYLE='b:url(\"/i.png\")'>", "<p STYLE='b:url(\"../i.png\")'>"),
        ('<p style="b:url(&quot;/i.png&quot;)">', '<p style="b:url(&quot;../i.png&quot;)">'),
        ('<p style="b:url(&#39/i.png&#39)">', '<p style="b:url(&#39;../i.png&#39)">'),
        ("<p style=b:url(/i.png)>", "<p style=b:url(../i.png)>"),
        ("<p style=b:url(//o.test/\\'x)>", "<p style=b:url(http://o.test/\\&#39;x)>"),
        ('<a href="/x" style="b:url(/i)">', '<a href="../x" style="b:url(../i)">'),
    ],
)
def test_styles_inside_a_page_are_style_sheets(sent: str, saved_as: str) -> None:
    assert kept(sent, Syntax.HTML) == saved_as


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('{"icons": [{"src": "/i.png", "sizes": "1x1"}]}', '{"icons": [{"src": "../i.png", "sizes": "1x1"}]}'),
        (r'{"src":"\/i.png"}', '{"src":"../i.png"}'),
        (r'{"src":"\u002Fi.png"}', '{"src":"../i.png"}'),
        ('{"start_url" :\n"/"}', '{"start_url" :\n"../"}'),
        ('{"name": "src", "short_name": "/x"}', '{"name": "src", "short_name": "/x"}'),
        (r'{"name": "\"src\": \"/x\""}', r'{"name": "\"src\": \"/x\""}'),
        (r'{"src": "\x"}', r'{"src": "\x"}'),
        ('{"src": ["/x"]}', '{"src": ["/x"]}'),
    ],
)
def test_the_icons_and_the_start_of_a_manifest_lead_to_files(sent: str, saved_as: str) -> None:
    assert kept(sent, Syntax.MANIFEST) == saved_as
