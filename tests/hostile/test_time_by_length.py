"""What strangers wrote takes time by its length: texts for which a careless pattern or loop takes its square."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cpu_time import least_cpu_s
from weft.errors import BadUrl
from weft.filter.session_ids import session_id_in
from weft.page.linked_text import LinkedText
from weft.parse import parse_html, parse_sitemap
from weft.parse.scan import _known_rel
from weft.parse.xml_tokens import attributes_of
from weft.url import canonicalize
from weft.url.domain import registrable_domain
from weft.url.resolve import LinkResolver, is_canonical_origin

URL = "https://a.test/"
TIMES = 8
FEW_CHARS = 20_000
NOTHING_S = 0.002  # less is noise


def sitemap_with(loc: str) -> object:
    return parse_sitemap(f"<urlset><url><loc>{loc}</loc></url></urlset>".encode(), URL, "application/xml")


def linked_text(page: str) -> object:
    return LinkedText(page, 0, len(page))


# What it is given to, the text around what comes again and again, and that.
HOSTILE: dict[str, tuple[Callable[[str], object], str, str]] = {
    "a long word among attributes": (attributes_of, "% b=c", "a"),
    "CDATA in CDATA": (sitemap_with, "<![CDATA[%]]>", "<![CDATA["),
    "ends of CDATA": (sitemap_with, "%", "]]&gt;"),
    "session ids": (session_id_in, f"{URL}?sess%", ";cfid=1"),
    "tags in quotes of tags": (linked_text, "<b=%", '"<b"='),
    "links in links in a drawing": (lambda page: parse_html(page.encode(), URL, notes=True), "<svg>%", "<a href=x>"),
    "labels of a host": (registrable_domain.__wrapped__, "%example.com", "a."),
}


def cost_s(function: Callable[[str], object], text: str) -> float:
    return least_cpu_s(lambda: function(text))


@pytest.mark.parametrize("name", HOSTILE)
def test_the_same_again_and_again_takes_time_by_its_length(name: str) -> None:
    function, around, piece = HOSTILE[name]
    few = FEW_CHARS // len(piece)
    long, short = (around.replace("%", piece * times) for times in (TIMES * few, few))
    assert cost_s(function, long) < 3 * TIMES * max(cost_s(function, short), NOTHING_S)


LONG_HOST = "http://" + "a." * 4_000 + "test/"


def test_a_host_longer_than_a_name_can_be_is_none() -> None:
    with pytest.raises(BadUrl, match="no host has so long a name"):
        canonicalize(LONG_HOST)
    assert [LinkResolver(URL).resolve(link) for link in (LONG_HOST, LONG_HOST.replace("//", "//me@", 1))] == [
        None,
        None,
    ]
    longest = "http://" + "a." * 126 + "b"
    assert LinkResolver(URL).resolve(f"{longest}:65000/x") == canonicalize(f"{longest}:65000/x") == f"{longest}:65000/x"


def test_what_is_long_is_not_remembered() -> None:
    before = [cache.cache_info().currsize for cache in (_known_rel, is_canonical_origin)]
    page = f'<link rel="{"x" * 5_000}" href=a><link rel="stylesheet {"x" * 5_000}" href=b><a href="{LONG_HOST}">c</a>'
    assert list(parse_html(page.encode(), URL).places) == [f"{URL}b"]
    assert [cache.cache_info().currsize for cache in (_known_rel, is_canonical_origin)] == before
