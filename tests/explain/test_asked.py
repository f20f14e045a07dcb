"""What is asked about becomes a canonical URL, and what was changed is said; or it is a host; or it is refused."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.explain.asked import asked

FRAGMENT = "what follows # is left off: no server is asked for it"
LOGIN = "name and password are left off: they are no part of a page's URL"
PATH = "path and query are written as a browser would ask for them"


@pytest.mark.parametrize(
    ("text", "url", "changes"),
    [
        ("http://a.test/x?y", "http://a.test/x?y", []),
        ("http://a.test", "http://a.test/", []),
        ("http://a.test/x#y", "http://a.test/x", [FRAGMENT]),
        ("http://a.test/#y@z", "http://a.test/", [FRAGMENT]),
        ("https://me:secret@a.test/", "https://a.test/", [LOGIN]),
        ("http://A.TEST/X", "http://a.test/X", ["the host is written a.test, as in a request"]),
        ("http://ü.test/", "http://xn--tda.test/", ["the host is written xn--tda.test, as in a request"]),
        ("http://a.test./", "http://a.test/", ["the host is written a.test, as in a request"]),
        ("http://a.test:80/", "http://a.test/", ["port 80 is left off: it is that of http"]),
        ("http://a.test:8080/", "http://a.test:8080/", []),
        ("https://a.test:80/", "https://a.test:80/", []),
        ("ftp://a.test:21/x", "ftp://a.test/x", ["port 21 is left off: it is that of ftp"]),
        ("HTTP://a.test/", "http://a.test/", ["the scheme is written http"]),
        ("http://a.test/x/../y z", "http://a.test/y%20z", [PATH]),
        ("http://[::1]:8080/", "http://[::1]:8080/", []),
        ("  http://a.test/x  ", "http://a.test/x", []),
    ],
)  # fmt: skip
def test_a_url_is_told_in_its_canonical_form_with_what_was_changed(text: str, url: str, changes: list[str]) -> None:
    found = asked(text)
    assert (found.url, found.changes) == (url, changes)


def test_a_password_is_not_told_again() -> None:
    assert "secret" not in asked("https://me:secret@a.test/x#y").shown


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("a.test", "a.test"),
        ("A.Test", "a.test"),
        ("a.test:8080", "a.test"),
        ("bücher.test", "xn--bcher-kva.test"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("localhost", "localhost"),
    ],
)
def test_a_name_without_a_scheme_is_a_host(text: str, host: str) -> None:
    assert (asked(text).url, asked(text).host) == ("", host)


@pytest.mark.parametrize(
    "text",
    ["", " ", "a.test/x", "mailto:me@a.test", "javascript:alert(1)", "a b", "?", "#", "http:a.test", "http:///",
     "x" * 999 + "/", "gopher://a.test/", "http://", "http://a b/", "http://[::1/", "data:text/html,x", "%zz",
     "me@a.test"],
)  # fmt: skip
def test_what_is_neither_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        asked(text)
    assert len(str(refused.value)) < 400
    assert "\n" not in str(refused.value)
