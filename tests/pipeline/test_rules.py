"""Scope, patterns and seeds may be corrected when a crawl goes on; what comes is what the last rules allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from weft.pipeline.engine import Ending
from weft.pipeline.host_settings import excluding
from weft.pipeline.rules import Rules, may_allow_more, narrow_rules
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.types import Kind, Link

from .crawling import assert_archive_is_consistent, assert_fetched_the_truth, crawl_all, quick_config, resume
from .ledgers import open_ledger

WEB = WebSpec(hosts=8, pages=120, seed=5, seed_hosts=1, cross_host_share=0.3)
RULES = Rules("host", ("/a*",), ("/b*",), ("http://x.test/",))
SITE = "site.test"


@pytest.mark.parametrize(
    ("change", "more"),
    [
        ({}, False),
        ({"scope": "domain"}, True),
        ({"scope": "prefix"}, False),
        ({"include": ()}, True),
        ({"include": ("/a*", "/c*")}, True),
        ({"include": ("/c*",)}, True),
        ({"exclude": ()}, True),
        ({"exclude": ("/b*", "/c*")}, False),
        ({"seeds": ("http://x.test/", "http://y.test/")}, True),
        ({"seeds": ()}, False),
    ],
    ids=str,
)
def test_pages_are_read_again_only_if_the_rules_may_allow_more(change: dict[str, Any], more: bool) -> None:
    assert may_allow_more(RULES, msgspec.structs.replace(RULES, **change)) is more


def test_the_first_include_pattern_allows_less_and_another_one_more() -> None:
    without = msgspec.structs.replace(RULES, include=())
    assert not may_allow_more(without, RULES)
    assert may_allow_more(RULES, without)


def test_a_rule_about_answers_that_comes_while_a_crawl_runs_stops_bodies_from_then_on(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as (ledger, _, context):
        link = Link("http://x.test/a", 1, Kind.LINK)
        assert ledger.unwanted.refuses(link) is None
        narrow_rules(ledger, excluding(context.config, "type:image/*"))
        refuses = ledger.unwanted.refuses(link)
        assert refuses is not None
        assert refuses(200, [(b"content-type", b"image/png")], 0)
        assert not refuses(200, [(b"content-type", b"text/html")], 0)


def requests_twice(sim: SimProcess) -> list[str]:
    asked = sim.log.requests_by_url(sim.http_port)
    return [url for url, requests in asked.items() if len(requests) > 1 and not url.endswith("/robots.txt")]


def test_a_wider_scope_finds_what_was_refused_and_asks_no_server_twice(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        config = quick_config(sim, scope="host")
        ending, files = crawl_all(tmp_path / "crawl", config)
        assert ending is Ending.DONE
        few = len(files.rows)
        ending, files = resume(tmp_path / "crawl", scope="any")
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert len(files.rows) > few
    assert_fetched_the_truth(files, truth)
    assert_archive_is_consistent(files)
    assert requests_twice(sim) == []


def site() -> dict[tuple[str, str], Behaviour]:
    """A home page that leads to /a/0 … /a/9 and /b/0 … /b/9."""
    paths = [f"/{folder}/{number}" for folder in "ab" for number in range(10)]
    links = "".join(f'<a href="{path}">x</a>' for path in paths)
    pages: dict[tuple[str, str], Behaviour] = {(SITE, path): Fixed(f"<!DOCTYPE html>{path}".encode()) for path in paths}
    pages[SITE, "/"] = Fixed(f"<!DOCTYPE html>{links}".encode())
    return pages


def paths_of(sim: SimProcess, folders: str) -> set[str]:
    return {sim.web.url(SITE, path) for _, path in site() if path == "/" or path[1] in folders}


def test_what_is_queued_is_refused_when_its_turn_comes_and_found_again_by_wider_rules(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site()) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), scope="host", max_pages=1)
        ending, _ = crawl_all(tmp_path / "crawl", config)
        assert ending is Ending.LIMIT  # twenty URLs are queued
        ending, files = resume(tmp_path / "crawl", max_pages=None, exclude=("/b/*",))
        assert ending is Ending.DONE
        assert set(files.responses()) == paths_of(sim, "a")
        ending, files = resume(tmp_path / "crawl", exclude=())
        assert set(files.responses()) == paths_of(sim, "ab")
    assert ending is Ending.DONE
    assert requests_twice(sim) == []


def test_rules_that_changed_hold_in_later_runs_for_what_is_still_queued(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site()) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), scope="host", max_pages=1)
        crawl_all(tmp_path / "crawl", config)
        resume(tmp_path / "crawl", max_pages=2, include=("/a/*",))
        _, files = resume(tmp_path / "crawl", max_pages=None)
        assert set(files.responses()) == paths_of(sim, "a")


def test_a_seed_may_be_added_and_takes_its_host_into_the_scope(tmp_path: Path) -> None:
    other = "other.test"
    pages = site() | {
        (other, "/"): Fixed(b'<!DOCTYPE html><a href="/near">x</a>'),
        (other, "/near"): Fixed(b"<!DOCTYPE html>"),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        first, second = sim.web.url(SITE, "/"), sim.web.url(other, "/")
        crawl_all(tmp_path / "crawl", quick_config(sim, seeds=(first,), scope="host"))
        _, files = resume(tmp_path / "crawl", seeds=(first, second))
        assert set(files.responses()) == paths_of(sim, "ab") | {second, sim.web.url(other, "/near")}


def test_where_a_seed_led_stays_in_scope_when_the_rules_change(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/old/"): Fixed(b"", status=301, headers=(("Location", "/new/"),)),
        (SITE, "/new/"): Fixed(b'<!DOCTYPE html><a href="/new/a">x</a><a href="/new/b">x</a><a href="/else">x</a>'),
        (SITE, "/new/a"): Fixed(b"<!DOCTYPE html>"),
        (SITE, "/new/b"): Fixed(b"<!DOCTYPE html>"),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/old/"),), scope="prefix", max_pages=1)
        crawl_all(tmp_path / "crawl", config)
        _, files = resume(tmp_path / "crawl", max_pages=None, exclude=("*/b",))
        assert set(files.responses()) == {sim.web.url(SITE, path) for path in ("/old/", "/new/", "/new/a")}
