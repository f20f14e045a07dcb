"""A form that nobody fills in is sent by `page.submit` as Chromium sends it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, Route

import weft
from tests.dashboard.browser import chromium

TOP = "http://127.0.0.1/"
URL = "http://127.0.0.1/shop/page?old="
SUBMIT = """
() => {
  const form = document.forms[0];
  const isDefault = (one) => one.form === form && ["submit", "image"].includes(one.type) && !one.disabled;
  const buttons = [...document.querySelectorAll("input, button")].filter(isDefault);
  form.noValidate = true;
  form.requestSubmit(...buttons.slice(0, 1));
}
"""
FORMS = {
    "fields": "<form method=post><input name=a value=1><input value=2><input name='' value=3><input name=b>",
    "boxes": """<form method=post><input type=checkbox name=a><input type=checkbox name=b checked>
        <input type=checkbox name=b value='' checked><input type=radio name=c value=1 checked>
        <input type=radio name=c value=2 checked><input type=radio name=d value=1>""",
    "lists": """<form method=post><select name=a><option> x  y <option value=2>z</select>
        <select name=b><option disabled>x<option>y</select>
        <select name=c><option>x<option selected>y<option selected value=''>z</select>
        <select name=d size=3><option>x</select>
        <select name=e multiple><option selected>x<option>y<option selected>z</select>
        <select name=f><optgroup disabled><option selected>x</optgroup><option>y</select><select name=g></select>""",
    "texts": """<form method=post><textarea name=a>\n1\n2\r3</textarea><input name=b value='1\n2'>
        <input type=hidden name=c value='1\n2'><input name='d&#10;e' value='f\tg'>""",
    "disabled": """<form method=post><input name=a disabled><fieldset disabled><legend><input name=b></legend>
        <input name=c><legend><input name=d></legend><fieldset><input name=e></fieldset></fieldset>""",
    "buttons": """<form><input name=a><button disabled name=n>N</button><button name=do value=save>Save</button>
        <input type=submit name=do value=drop><input type=reset name=r><button type=button name=x>X</button>""",
    "a button that says where": """<form action=/no><input name=a>
        <button formaction=/yes formmethod=post name=b>B</button>""",
    "a picture": "<form><input name=a><input type=image name=map alt=m>",
    "a nameless picture": "<form><input name=a><input type=image alt=m>",
    "no button": "<form method=post><input name=a value=' b+c&d=e~*-._!é☃ '>",
    "not in the tree": """<form id=f method=post><input name=a></form><p><input name=b form=f><input name=c>
        <form><input name=d form=f></form><button form=f name=e value=1>E</button>""",
    "in a table": "<table><form method=post><tr><td><input name=a><td><input name=b></form></table>",
    "inert": """<form method=post><template><input name=a></template><input name=b><svg><input name=c></svg>
        <datalist><option value=d></datalist><object name=e></object><output name=f>g</output>""",
    "files": "<form method=post><input type=file name=a><input name=b>",
    "parts": """<form method=post enctype=multipart/form-data><input name='a"b' value='é☃'>
        <textarea name=c>1\n2</textarea><input type=file name=d>""",
    "plain text": "<form method=post enctype=text/plain><input name=a value='1 2'><textarea name=b>1\n2</textarea>",
    "got": "<form action='?b=2#c'><input name=a value='x y'>",
    "got from above": "<base href=/up/><form action=next><input name=a value='é'>",
    "got here": "<base href=/up/><form><input name=a value=1>",
    "a strange method": "<form method=put action=../x><input name=a value=1>",
    "nothing": "<form method=post action=/out>",
    "another charset": """<form method=post accept-charset='x-unknown iso-8859-1'><input type=hidden name=_charset_>
        <input name=a value='é☃'>""",
}
WITH_OTHER_LETTERS = ["no button", "parts", "got from above", "another charset"]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_context().new_page()


def sent_by(page: Page, documents: dict[str, str], content_type: str) -> dict[str, Request]:
    """What the browser asks for when the form of each is sent; nothing goes over a network.

    They are frames of one page: to open a page for each costs many times more.
    """
    frames = "".join(f"<iframe src='{url}'></iframe>" for url in documents)
    left = {TOP: f"<!DOCTYPE html>{frames}"} | documents

    def answer(route: Route) -> None:
        html = left.pop(route.request.url, None)
        if html is None:
            route.fulfill(status=204)  # a form was sent: the frame stays where it is
        else:
            route.fulfill(body=html.encode(), headers={"content-type": content_type})

    page.unroute_all()
    page.route("**", answer)
    page.goto(TOP)
    assert not left
    sent = {}
    for frame in page.frames[1:]:
        with page.expect_request(lambda request: request.is_navigation_request()) as caught:
            frame.evaluate(SUBMIT)
        sent[frame.url] = caught.value
    return sent


def without_boundary(body: bytes) -> bytes:
    """The boundary is anybody's choice."""
    found = re.match(rb"--([\w-]+)\r\n", body)
    return body.replace(found[1], b"boundary") if found else body


@pytest.mark.parametrize(
    ("charset", "names"),
    [
        ("utf-8", [*FORMS]),
        ("windows-1252", WITH_OTHER_LETTERS),
        ("shift_jis", WITH_OTHER_LETTERS),
    ],
)
def test_a_form_is_sent_as_a_browser_sends_it(page: Page, charset: str, names: list[str]) -> None:
    content_type = f"text/html; charset={charset}"
    forms = {name: f"<!DOCTYPE html>{FORMS[name]}".encode("ascii", "xmlcharrefreplace").decode() for name in names}
    urls = {name: f"{URL}{number}" for number, name in enumerate(names)}
    sent = sent_by(page, {urls[name]: html for name, html in forms.items()}, content_type)
    for name, html in forms.items():
        theirs = sent[urls[name]]
        body = html.encode()
        ours = weft.Page.from_html(body, url=urls[name], headers={"Content-Type": content_type}).submit(form=0)
        assert (ours.method, ours.url) == (theirs.method, theirs.url.partition("#")[0]), name
        assert without_boundary(ours.body) == without_boundary(theirs.post_data_buffer or b""), name
        if ours.method == "POST":
            media_type = dict(ours.headers)["Content-Type"].partition(";")[0]
            assert media_type == theirs.headers["content-type"].partition(";")[0], name
