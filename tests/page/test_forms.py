"""`page.submit`: a form as a browser sends it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest

import weft
from weft.errors import BadInput

URL = "http://site.test/shop/page?old=1"


def page_of(html: str, url: str = URL, headers: dict[str, str] | None = None) -> weft.Page:
    text = f"<!DOCTYPE html>{html}"
    return weft.Page.from_html(text if headers is None else text.encode(), url=url, headers=headers)


def sent(html: str, values: dict[str, object] | None = None, **how: Any) -> list[tuple[str, str]]:
    """The fields of a form that is posted."""
    request = page_of(f"<form method=post>{html}</form>").submit(values, **how)
    assert (request.method, dict(request.headers)["Content-Type"]) == ("POST", "application/x-www-form-urlencoded")
    return parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=bool(request.body))


LOGIN = """
<form action=/search><input name=q></form>
<form action="/login" method="POST" id=log-in>
  <input type=hidden name=csrf value="t0k&amp;n">
  <input name=username><input type=password name=password>
  <input type=submit value=Login>
</form>
"""


def test_a_login_form_is_found_by_its_fields_and_keeps_its_token_and_its_secret() -> None:
    request = page_of(LOGIN).submit({"username": "me", "password": "pass word"})
    assert (request.url, request.method) == ("http://site.test/login", "POST")
    assert request.body == b"csrf=t0k%26n&username=me&password=pass+word"
    assert request.is_secret
    assert request.parts is not None
    assert request.parts.is_secret
    assert not page_of(LOGIN).submit({"username": "me"}).is_secret, "no password is in it"


def test_a_password_is_secret_also_where_another_field_of_its_name_comes_first() -> None:
    html = "<form method=post><input type=hidden name=p><input type=password name=p></form>"
    request = page_of(html).submit({"p": "hunter2"})
    assert request.body == b"p=hunter2"
    assert request.is_secret


def test_a_form_that_would_put_a_password_into_a_url_is_not_sent() -> None:
    page = page_of("<form action=/in><input name=user><input type=password name=p></form>")
    with pytest.raises(BadInput, match="password into a URL") as refused:
        page.submit({"user": "me", "p": "hunter2"})
    assert "hunter2" not in str(refused.value)
    assert page.submit({"user": "me"}).url == "http://site.test/in?user=me&p="


@pytest.mark.parametrize(
    ("form", "url"),
    [
        (None, "http://site.test/search?q="),
        (0, "http://site.test/search?q="),
        (1, "http://site.test/login"),
        (-1, "http://site.test/login"),
        ("log-in", "http://site.test/login"),
        ("#log-in", "http://site.test/login"),
        ("form:has(input[type=password])", "http://site.test/login"),
        ("[name=username]", "http://site.test/login"),
        ("[action='/search']", "http://site.test/search?q="),
    ],
)
def test_a_form_is_named_by_its_number_its_name_or_a_selector(form: str | int | None, url: str) -> None:
    assert page_of(LOGIN).submit(form=form).url == url


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"form": 2}, "the page has 2 forms, and none with the number 2"),
        ({"form": "none"}, "the page has no form 'none'"),
        ({"form": "a[["}, "no CSS selector"),
        ({"form": 1.5}, "a number or a text"),
        ({"values": {"name": "x"}}, "the form has no field 'name'; it has 'q'"),
        ({"values": {"username": "x"}, "form": 0}, "the form has no field 'username'; it has 'q'"),
        ({"button": "Send"}, "the form has no button 'Send'"),
        ({"values": {"q": True}}, "only a box can be checked"),
        ({"values": {"q": object()}}, "takes a text"),
        ({"values": {"q": ["a", None]}}, "takes a text"),
    ],
)
def test_what_the_page_does_not_have_is_told_in_one_sentence(how: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        page_of(LOGIN).submit(**how)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("<p>none", "the page has no form"),
        ("<form method=dialog><input name=a></form>", "closes a dialog"),
        ("<form action='javascript:send()'></form>", "javascript"),
        ("<form action='mailto:a@b'></form>", "mailto"),
        ("<template><form></form></template>", "the page has no form"),
    ],
)
def test_what_cannot_be_sent_is_told(html: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        page_of(html).submit()
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("html", "fields"),
    [
        ("<input name=a value=1><input value=2><input name='' value=3>", [("a", "1")]),
        ("<input type=checkbox name=a><input type=checkbox name=b checked>", [("b", "on")]),
        ("<input type=checkbox name=a value=1 checked><input type=checkbox name=a value=2 checked>",
         [("a", "1"), ("a", "2")]),
        ("<input type=radio name=a value=1><input type=radio name=a value=2 checked>", [("a", "2")]),
        ("<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>", [("a", "2")]),
        ("<input type=radio name=a value=1>", []),
        ("<select name=a><option>x  y<option value=2>z</select>", [("a", "x y")]),
        ("<select name=a><option disabled>x<option>y</select>", [("a", "y")]),
        ("<select name=a><option>x<option selected>y<option selected value=''>z</select>", [("a", "")]),
        ("<select name=a size=3><option>x</select>", []),
        ("<select name=a multiple><option selected>x<option>y<option selected>z</select>", [("a", "x"), ("a", "z")]),
        ("<select name=a><optgroup disabled><option selected>x</optgroup><option>y</select>", []),
        ("<select name=a></select>", []),
        ("<textarea name=a>\n1\n2</textarea>", [("a", "1\r\n2")]),
        ("<input name=a value='1\n2'><input type=hidden name=b value='1\n2'>", [("a", "12"), ("b", "1\r\n2")]),
        ("<input name=a disabled><fieldset disabled><legend><input name=b></legend><input name=c></fieldset>",
         [("b", "")]),
        ("<input type=reset name=a><input type=button name=b><button type=button name=c></button>", []),
        ("<input type=file name=a>", [("a", "")]),
        ("<input type=hidden name=_charset_>", [("_charset_", "utf-8")]),
        ("<datalist><option><input name=a></datalist><template><input name=b></template>", []),
        ("<input name='a b&=~*' value='é %~'>", [("a b&=~*", "é %~")]),
    ],
)  # fmt: skip
def test_fields_that_nobody_names_send_what_a_browser_would(html: str, fields: list[tuple[str, str]]) -> None:
    assert sent(html) == fields


FIELDS = (
    "<input name=a value=1><input type=checkbox name=b value=yes><input type=checkbox name=c checked>"
    "<select name=d multiple><option>x<option>y<option>z</select><input type=hidden name=e value=5>"
    "<input name=f value=6><input name=f value=7>"
)


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({}, "a=1&c=on&e=5&f=6&f=7"),
        ({"a": "2"}, "a=2&c=on&e=5&f=6&f=7"),
        ({"a": 2, "e": 1.5}, "a=2&c=on&e=1.5&f=6&f=7"),
        ({"a": None, "c": None}, "e=5&f=6&f=7"),
        ({"b": True, "c": False}, "a=1&b=yes&e=5&f=6&f=7"),
        ({"d": ["x", "z"]}, "a=1&c=on&d=x&d=z&e=5&f=6&f=7"),
        ({"f": ["8", "9"]}, "a=1&c=on&e=5&f=8&f=9"),
        ({"f": "8"}, "a=1&c=on&e=5&f=8"),
        ({"a": ""}, "a=&c=on&e=5&f=6&f=7"),
    ],
)
def test_values_take_the_place_of_those_of_the_page(values: dict[str, object], fields: str) -> None:
    assert page_of(f"<form method=post>{FIELDS}</form>").submit(values).body.decode() == fields


BUTTONS = (
    "<input name=a value=1><button disabled name=n>Never</button><button name=do value=save>Save it</button>"
    "<input type=submit name=do value=drop formaction=/drop formmethod=post id=third>"
    "<input type=image name=map><input type=submit value=Send>"
)


@pytest.mark.parametrize(
    ("button", "url", "body"),
    [
        (None, "http://site.test/shop/page?a=1&do=save", ""),
        ("", "http://site.test/shop/page?a=1", ""),
        ("Save it", "http://site.test/shop/page?a=1&do=save", ""),
        ("drop", "http://site.test/drop", "a=1&do=drop"),
        ("third", "http://site.test/drop", "a=1&do=drop"),
        ("map", "http://site.test/shop/page?a=1&map.x=0&map.y=0", ""),
        ("Send", "http://site.test/shop/page?a=1", ""),
    ],
)
def test_the_button_that_is_pressed_is_sent_and_may_say_where(button: str | None, url: str, body: str) -> None:
    request = page_of(f"<form>{BUTTONS}</form>").submit(button=button)
    assert (request.url, request.body.decode()) == (url, body)


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ("<form>", "http://site.test/shop/page?a=1"),
        ("<form action=''>", "http://site.test/shop/page?a=1"),
        ("<form action='?b=2#c'>", "http://site.test/shop/page?a=1"),
        ("<form action='next'>", "http://site.test/shop/next?a=1"),
        ("<form action='//other.test/x'>", "http://other.test/x?a=1"),
        ("<base href='/up/'><form action=next>", "http://site.test/up/next?a=1"),
        ("<base href='/up/'><form>", "http://site.test/shop/page?a=1"),
        ("<form method=put>", "http://site.test/shop/page?a=1"),
    ],
)
def test_a_form_that_is_got_is_a_url(html: str, url: str) -> None:
    request = page_of(f"{html}<input name=a value=1></form>").submit()
    assert (request.url, request.method, request.body, request.parts) == (url, "GET", b"", None)


@pytest.mark.parametrize(
    "html",
    [
        "<form id=f method=post><input name=a></form><input name=b form=f>",
        "<input name=b form=f><form id=f method=post><input name=a><input name=c form=g></form><form id=g></form>",
        "<table><form method=post><tr><td><input name=a><td><input name=b></form></table>",
        "<form method=post id=f><input name=a><p><textarea name=b></textarea></form><input name=c form=none>",
    ],
)
def test_a_field_belongs_to_its_form_wherever_it_stands(html: str) -> None:
    request = page_of(html).submit({"a": "1", "b": "2"})
    assert sorted(request.body.split(b"&")) == [b"a=1", b"b=2"]


def test_fields_are_sent_in_the_charset_of_the_page_or_of_the_form() -> None:
    html = "<form method=post><input type=hidden name=_charset_><input name=a></form>"
    page = page_of(html, headers={"Content-Type": "text/html; charset=iso-8859-1"})
    assert page.submit({"a": "é☃"}).body == b"_charset_=windows-1252&a=%E9%26%239731%3B"
    accepting = html.replace("<form", '<form accept-charset="x-unknown utf-8"')
    page = page_of(accepting, headers={"Content-Type": "text/html; charset=iso-8859-1"})
    assert page.submit({"a": "é"}).body == b"_charset_=utf-8&a=%C3%A9"
    assert (
        page_of(html, headers={"Content-Type": "text/html; charset=shift_jis"})
        .submit({"a": "ア"})
        .body.endswith(b"=%83A")
    )


def test_a_form_of_parts_is_sent_in_parts_and_the_same_one_is_the_same_request() -> None:
    html = (
        "<form method=post enctype=multipart/form-data>"
        "<input name='a\"b' value='é'><textarea name=c>1\n2</textarea><input type=file name=d></form>"
    )
    request, again, other = page_of(html).submit(), page_of(html).submit(), page_of(html).submit({"c": "3"})
    media_type = dict(request.headers)["Content-Type"]
    assert media_type.startswith("multipart/form-data; boundary=")
    boundary = media_type.partition("=")[2].encode()
    first, *parts, last = request.body.split(b"--" + boundary)
    assert (first, last) == (b"", b"--\r\n")
    assert parts == [
        '\r\nContent-Disposition: form-data; name="a%22b"\r\n\r\né\r\n'.encode(),
        b'\r\nContent-Disposition: form-data; name="c"\r\n\r\n1\r\n2\r\n',
        b'\r\nContent-Disposition: form-data; name="d"; filename=""\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n\r\n",
    ]
    assert request.parts == again.parts
    assert request.parts != other.parts
    with pytest.raises(BadInput, match="for a file"):
        page_of(html).submit({"d": "/etc/passwd"})


def test_a_form_of_plain_text_is_sent_as_one() -> None:
    request = page_of("<form method=post enctype=text/plain><input name=a value='1 2'><input name=b></form>").submit()
    assert (request.body, dict(request.headers)) == (b"a=1 2\r\nb=\r\n", {"Content-Type": "text/plain"})


def test_headers_and_the_kind_of_a_request_may_be_said() -> None:
    request = page_of(LOGIN).submit({"username": "x"}, headers={"X-A": "1"}, kind=weft.Kind.FRAME)
    assert dict(request.headers) == {"X-A": "1", "Content-Type": "application/x-www-form-urlencoded"}
    assert request.kind is weft.Kind.FRAME


def test_a_form_without_fields_is_posted_all_the_same() -> None:
    request = page_of("<form method=post action=/out></form>").submit()
    assert (request.url, request.method, request.body) == ("http://site.test/out", "POST", b"")


def test_json_is_read_whatever_it_is_called() -> None:
    for headers in ({"Content-Type": "application/json"}, {"Content-Type": "application/octet-stream"}):
        assert weft.Page.from_html('{"a": ["é"]}'.encode(), headers=headers).json() == {"a": ["é"]}
    with pytest.raises(ValueError, match="Expecting value"):
        page_of("<p>").json()
