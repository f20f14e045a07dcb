"""The last question before a request, asked by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from weft.filter import FilterChain, load_filter
from weft.pipeline.permission import Permission
from weft.pipeline.prepare import Preparer
from weft.types import Kind, Link, Refusal, Visit
from weft.url import host_of, url_id

from .ledgers import open_ledger

URL = "http://a.example/page"


class Rules:
    """Forbids what is private."""

    def allows(self, authority: str, path: str) -> bool:
        return "private" not in path

    def forbidding_line(self, url: str) -> str:
        return "Disallow: /private"


def no_drafts(link: Link) -> bool:
    """A user's filter, asked last."""
    return "draft" in link.url


@pytest.fixture
def permission(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Permission]:
    settings: dict[str, Any] = getattr(request, "param", {})
    with open_ledger(tmp_path, **settings) as book:
        filters = FilterChain([load_filter(f"{__name__}:no_drafts")])
        yield Permission(book.context.config, cast("Preparer", Rules()), book.ledger, filters)


def visit(url: str = URL, *, depth: int = 1, attempts: int = 0) -> Visit:
    return Visit(b"key", url_id(url), host_of(url), Link(url, depth, Kind.LINK, attempts=attempts), ())


def test_what_nobody_minds_may_be_fetched(permission: Permission) -> None:
    assert permission.refuses(visit()) is None


def test_robots_txt_has_a_say_with_its_line(permission: Permission) -> None:
    forbidden = visit("http://a.example/private/x")
    assert permission.refuses(forbidden) is Refusal.ROBOTS
    assert permission.rule_of(forbidden, Refusal.ROBOTS) == "Disallow: /private"


def test_a_filter_that_is_asked_last_has_a_say(permission: Permission) -> None:
    assert permission.refuses(visit("http://a.example/draft")) is Refusal.USER


@pytest.mark.parametrize("permission", [{"ignore_robots": True}], indirect=True)
def test_robots_txt_that_is_ignored_is_not_asked(permission: Permission) -> None:
    assert permission.refuses(visit("http://a.example/private/x")) is None


@pytest.mark.parametrize("permission", [{"depth": 2}], indirect=True)
def test_a_url_queued_under_a_greater_depth_is_refused(permission: Permission) -> None:
    assert permission.refuses(visit(depth=2)) is None
    assert permission.refuses(visit(depth=3)) is Refusal.DEPTH


@pytest.mark.parametrize("permission", [{"max_pages_per_host": 2}], indirect=True)
def test_a_host_has_its_budget_and_a_second_try_does_not_count(permission: Permission) -> None:
    assert permission.refuses(visit("http://a.example/1")) is None
    assert permission.refuses(visit("http://a.example/2")) is None
    assert permission.refuses(visit("http://a.example/3")) is Refusal.HOST_BUDGET
    assert permission.refuses(visit("http://a.example/1", attempts=1)) is None
    assert permission.refuses(visit("http://b.example/1")) is None


@pytest.mark.parametrize("permission", [{"max_pages_per_host": 1}], indirect=True)
def test_what_is_refused_takes_nothing_from_the_budget(permission: Permission) -> None:
    assert permission.refuses(visit("http://a.example/private/x")) is Refusal.ROBOTS
    assert permission.refuses(visit("http://a.example/1")) is None
