"""Links in SVG and XHTML, which are read by the rules of XML."""

from __future__ import annotations

import pytest

from tests.mirror.tree_judge import PAGE, saved
from weft.mirror.rewrite import Syntax, rewrite


def kept(text: str) -> str:
    return rewrite(text.encode(), Syntax.XML, "utf-8", PAGE, saved).body.decode()


@pytest.mark.parametrize(
    ("sent", "saved_as"),
    [
        ('<svg><image href="/i.png"/></svg>', '<svg><image href="../i.png"/></svg>'),
        ("<svg:image xl:href='/i.png' />", "<svg:image xl:href='../i.png' />"),
        ('<use xlink:href="/s.svg#x"/>', '<use xlink:href="../s.svg#x"/>'),
        ('<a href="//o.test/?a&amp;b"/>', '<a href="http://o.test/?a&amp;b"/>'),
        ('<?xml-stylesheet href="/a.css" type="text/css"?>', '<?xml-stylesheet href="../a.css" type="text/css"?>'),
        ("<style>a{b:url(&quot;/x&quot;)}</style>", "<style>a{b:url(&quot;../x&quot;)}</style>"),
        ("<style><![CDATA[a{b:url(/x)}]]></style>", "<style><![CDATA[a{b:url(../x)}]]></style>"),
        ("<s:style>a{b:url(/x)}</s:style><s:a href='/x'/>", "<s:style>a{b:url(../x)}</s:style><s:a href='../x'/>"),
        ("<title><a href='/x'/></title>", "<title><a href='../x'/></title>"),
        (
            "<!DOCTYPE s [<!ENTITY a '<a href=\"/x\"/>'>]><a href='/x'/>",
            "<!DOCTYPE s [<!ENTITY a '<a href=\"/x\"/>'>]><a href='../x'/>",
        ),
        ('<style/><a href="/x"/>', '<style/><a href="../x"/>'),
        ('<base href="/b/"/><a href="x"/>', '<base href=""/><a href="../b/x"/>'),
        ("<script src='/s.js' integrity='x'/>", "<script src='../s.js' />"),
    ],
)
def test_a_link_in_xml_leads_to_the_file(sent: str, saved_as: str) -> None:
    assert kept(sent) == saved_as


@pytest.mark.parametrize(
    "text",
    [
        "<![CDATA[<a href='/x'/>]]>",
        "<!-- > <a href='/x'/> -->",
        "<use href='#x'/>",
        "<a href='&own;x'/>",
        "<?php <a href='/x'/> ?>",
        "<?xml version='1.0'?>",
    ],
)
def test_what_is_no_link_in_xml_stays(text: str) -> None:
    assert kept(text) == text


def test_a_file_may_end_within_the_style_sheet_that_it_names() -> None:
    assert kept('<?xml-stylesheet href="/x.css" crossorigin') == '<?xml-stylesheet href="../x.css"'
