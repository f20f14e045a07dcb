"""What differs between schemes is asked of one table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import weft.errors
from weft.fetch.fetcher import _OTHER_SCHEMES
from weft.url import canonicalize, path_start, scheme_of, split
from weft.url.schemes import ANY_SCHEME, SCHEMES, listed

SOURCE = Path(weft.__file__).parent
# A comparison with the name of a scheme that is not the web's.
ASKS_BY_NAME = re.compile(
    rf"""(?:==|!=|startswith\(|in \()\s*["'](?:{"|".join(name for name, one in SCHEMES.items() if not one.is_web)})\b"""
)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_shortest_url_of_each_scheme_comes_apart(name: str) -> None:
    url = canonicalize(f"{name}://a")
    assert scheme_of(url) is SCHEMES[name]
    assert split(url) == (name, "a", SCHEMES[name].default_port, "/")
    assert url[path_start(url) :] == "/"
    assert canonicalize(f"{name}://a:{SCHEMES[name].default_port}/") == url


@pytest.mark.parametrize("name", SCHEMES)
def test_pages_lead_into_the_web_and_out_of_it_only_from_outside(name: str) -> None:
    def leads_to(page: str) -> bool:
        try:
            return bool(canonicalize(f"{name}://a/", page))
        except weft.errors.BadUrl:
            return False

    assert leads_to("ftp://b/x")
    assert leads_to("https://b/x") == SCHEMES[name].is_web


def test_every_scheme_has_somebody_who_fetches_it() -> None:
    assert {name for name, scheme in SCHEMES.items() if not scheme.has_head} == set(_OTHER_SCHEMES)


def test_nobody_asks_for_a_scheme_by_its_name() -> None:
    assert [path.name for path in SOURCE.rglob("*.py") if ASKS_BY_NAME.search(path.read_text())] == []
    assert ASKS_BY_NAME.search('if url.startswith("ftp:"):')
    assert ASKS_BY_NAME.search('if target.scheme == "ftp":')


def test_schemes_are_listed_as_in_a_sentence() -> None:
    assert listed(("http", "https", "ftp")) == "http, https or ftp"
    assert listed(ANY_SCHEME, "and") == "http://, https:// and ftp://"
