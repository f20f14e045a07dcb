"""Hosts and ports as users write them."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.fetch.host_port import parse_host_port


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("example.org", ("example.org", None)),
        ("Example.ORG:8080", ("example.org", 8080)),
        ("example.org:80", ("example.org", 80)),
        ("bücher.example", ("xn--bcher-kva.example", None)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("0x7f.1", ("127.0.0.1", None)),
        ("::1", ("::1", None)),
        ("[::1]", ("::1", None)),
        ("[::1]:8080", ("::1", 8080)),
    ],
)
def test_place_is_a_canonical_host_with_its_port(text: str, place: tuple[str, int | None]) -> None:
    assert parse_host_port(text) == place


@pytest.mark.parametrize(
    "text", ["", ":80", "a b", "a/b", "http://a.test", "a.test:99999", "a.test:x", "me@a.test", "a?b", "a#b", "[::1"]
)
def test_what_is_no_place_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput):
        parse_host_port(text)
