"""A pattern that matches nothing is no silent one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Finished, logged
from weft.api.patterns import doubtful_patterns, vain_patterns
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.types import PageRow, Refusal

SITE = "site.test"


@pytest.mark.parametrize(
    ("pattern", "likely"),
    [("calendar", "'*calendar*'"), ("/private", "'/private*'"), ("example.org/docs", "'*example.org/docs*'")],
)
def test_a_word_or_path_without_a_star_is_told_with_the_likely_pattern(pattern: str, likely: str) -> None:
    (sentence,) = doubtful_patterns(CrawlConfig(exclude=(pattern,)))
    assert sentence.startswith(f"--exclude {pattern} ")
    assert likely in sentence


@pytest.mark.parametrize("pattern", ["*calendar*", "/private/*", "re:calendar", "https://example.org/logout"])
def test_a_pattern_that_means_what_it_says_is_not_doubted(pattern: str) -> None:
    assert list(doubtful_patterns(CrawlConfig(include=(pattern,), exclude=(pattern,)))) == []


def test_an_include_pattern_without_a_star_is_vain_if_no_page_behind_a_seed_matches() -> None:
    config = CrawlConfig(include=("/a", "/b", "/c*"))
    visited = [PageRow("http://x.test/a", 200, 0.0, 1), PageRow("http://x.test/b", 200, 0.0, 0)]
    (sentence,) = vain_patterns(config, {Refusal.PATTERN: 9}, visited)
    assert sentence.startswith("--include /b matched nothing")


def test_an_exclude_pattern_without_a_star_is_vain_if_no_url_was_refused_by_a_pattern() -> None:
    config = CrawlConfig(exclude=("https://x.test/logout", "*/z/*"))
    (sentence,) = vain_patterns(config, {Refusal.SCOPE: 3}, [])
    assert sentence.startswith("--exclude https://x.test/logout matched nothing")
    assert list(vain_patterns(config, {Refusal.PATTERN: 1}, [])) == []


def test_a_crawl_says_so_before_and_after(tmp_path: Path) -> None:
    site: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): Fixed(b'<!DOCTYPE html><a href="/calendar/1">x</a>'),
        (SITE, "/calendar/1"): Fixed(b"<!DOCTYPE html>"),
    }
    flags = ["--allow-private", "--delay", "0", "--user-agent", "test"]
    with SimProcess(WebSpec(hosts=1, pages=1), site) as sim:
        seed = [sim.web.url(SITE, "/"), "--dns-server", sim.dns]
        vain = Finished("crawl", *seed, "-o", "a", "--exclude", "calendar", *flags, cwd=tmp_path)
        meant = Finished("crawl", *seed, "-o", "b", "--exclude", "*calendar*", *flags, cwd=tmp_path)
    before, begins, after, ends = logged(vain.errors, "crawl")
    assert "'*calendar*'" in before
    assert begins.startswith("begins: ")
    assert "matched nothing" in after
    assert ends.startswith("ended: ")
    assert [line.partition(":")[0] for line in logged(meant.errors, "crawl")] == ["begins", "ended"]
