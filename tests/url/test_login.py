from __future__ import annotations

import pytest

from weft.errors import BadInput, BadUrl
from weft.url import canonicalize, split_login


@pytest.mark.parametrize(
    ("text", "login"),
    [
        ("https://example.org/a", ""),
        ("https://example.org/@a?b=@", ""),
        ("https://me:secret@example.org/a", "me:secret"),
        ("https://me@example.org/a", "me:"),
        ("https://:secret@example.org/a", ":secret"),
        ("https://m%40e:se%3Acret%2F@example.org/a", "m@e:se:cret/"),
        ("ftp://me:secret@example.org/", "me:secret"),
    ],
)
def test_a_login_is_taken_off_and_told(text: str, login: str) -> None:
    assert split_login(text) == (canonicalize(text), login)
    assert "secret" not in canonicalize(text)


def test_a_user_name_that_no_login_can_carry_is_bad_input() -> None:
    with pytest.raises(BadInput, match=r"https://example\.org/"):
        split_login("https://m%3Ae:secret@example.org/")


@pytest.mark.parametrize("text", ["https://me:hunter2@", "gopher://me:hunter2@example.org/"])
def test_what_is_said_of_a_bad_url_repeats_no_password(text: str) -> None:
    with pytest.raises(BadUrl) as caught:
        split_login(text)
    assert "hunter2" not in str(caught.value)
