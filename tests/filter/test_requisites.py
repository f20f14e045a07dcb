"""What a page needs passes scope and depth, and what it only links to does not."""

from __future__ import annotations

import pytest

from weft.config import CrawlConfig
from weft.filter import ScopeFilter, standard_chain
from weft.filter.requisites import MAX_STEPS, is_requisite
from weft.types import Kind, Link, Refusal

SEED = "http://a.test/"


def refusal(link: Link, **settings: object) -> Refusal | None:
    config = CrawlConfig(requisites=True, **settings)  # type: ignore[arg-type]
    return standard_chain(config, ScopeFilter("host", [SEED])).refuses(link)


@pytest.mark.parametrize(
    ("kind", "hops"),
    [(Kind.EMBED, "E"), (Kind.EMBED, "LLE"), (Kind.FRAME, "E"), (Kind.EMBED, "LEEE"), (Kind.REDIRECT, "LERR")],
)
def test_what_a_page_needs_comes_from_anywhere_and_at_any_depth(kind: Kind, hops: str) -> None:
    link = Link("http://b.test/i.png", 9, kind, hops=hops)
    assert refusal(link, requisites_anywhere=True, depth=1) is None
    assert refusal(link, depth=1) is Refusal.SCOPE


@pytest.mark.parametrize(
    ("kind", "hops"), [(Kind.LINK, "L"), (Kind.LINK, "EL"), (Kind.REDIRECT, "LR"), (Kind.REFRESH, "R")]
)
def test_pages_keep_to_scope_and_depth(kind: Kind, hops: str) -> None:
    assert refusal(Link("http://b.test/", 1, kind, hops=hops), requisites_anywhere=True) is Refusal.SCOPE
    assert refusal(Link("http://a.test/x", 2, kind, hops=hops), requisites_anywhere=True, depth=1) is Refusal.DEPTH
    assert refusal(Link("http://a.test/x", 1, kind, hops=hops), requisites_anywhere=True, depth=1) is None


def test_a_mirror_that_keeps_to_its_scope_spares_requisites_the_depth_alone() -> None:
    assert refusal(Link("http://a.test/i.png", 2, Kind.EMBED, hops="LE"), mirror=True, depth=1) is None
    assert refusal(Link("http://b.test/i.png", 2, Kind.EMBED, hops="LE"), mirror=True, depth=1) is Refusal.SCOPE


def test_frames_in_frames_come_to_an_end() -> None:
    assert is_requisite(Link("http://b.test/", 1, Kind.FRAME, hops="L" + "E" * MAX_STEPS))
    assert not is_requisite(Link("http://b.test/", 1, Kind.FRAME, hops="L" + "E" * (MAX_STEPS + 1)))


def test_a_link_that_was_refused_may_still_be_needed_elsewhere() -> None:
    scope = ScopeFilter("host", [SEED])
    chain = standard_chain(CrawlConfig(requisites=True, requisites_anywhere=True), scope)
    assert chain.refuses(Link("http://b.test/i.png", 1, Kind.LINK, hops="L")) is Refusal.SCOPE
    assert "http://b.test/i.png" not in scope.outside
    assert chain.refuses(Link("http://b.test/i.png", 1, Kind.EMBED, hops="E")) is None
