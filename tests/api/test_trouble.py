"""A seed that fails is told once, in a sentence that says whether it is tried again."""

from __future__ import annotations

import pytest

from weft.api.trouble import FORBIDDEN, TOLD_AT_MOST, SeedTroubles
from weft.config import CrawlConfig
from weft.fetch.retry import OUTCOME_RULES
from weft.folder.crawl_log import LogLine
from weft.types import Kind, Outcome

SITE = "site.test"


def failure(url: str, outcome: str, kind: Kind = Kind.SEED) -> LogLine:
    return LogLine("2026-01-01T00:00:00Z", None, outcome, 0, url, kind=kind)


@pytest.mark.parametrize("outcome", [*(one for one in Outcome if one is not Outcome.RESPONSE), FORBIDDEN])
def test_every_outcome_of_a_seed_is_one_line_that_says_whether_it_is_tried_again(
    outcome: str,
) -> None:
    told: list[str] = []
    config = CrawlConfig(seeds=(f"https://{SITE}/",))
    SeedTroubles(config, told.append).hear(failure(f"https://{SITE}/robots.txt", outcome))
    (line,) = told
    assert SITE in line
    tries = OUTCOME_RULES[Outcome(outcome)].tries if outcome != FORBIDDEN else 1
    assert ("tried again" in line) == (tries > 1)


def test_what_fails_behind_a_seed_is_not_told() -> None:
    told: list[str] = []
    troubles = SeedTroubles(CrawlConfig(seeds=(f"https://{SITE}/",)), told.append)
    troubles.hear(failure(f"https://{SITE}/private", FORBIDDEN, Kind.LINK))
    troubles.hear(failure(f"https://{SITE}/slow", Outcome.RESET, Kind.LINK))
    assert told == []
    troubles.hear(failure(f"https://{SITE}/robots.txt", Outcome.RESET, Kind.LINK))
    assert len(told) == 1


def test_a_host_is_told_of_once_and_only_if_it_has_a_seed() -> None:
    told: list[str] = []
    troubles = SeedTroubles(CrawlConfig(seeds=(f"https://{SITE}/",)), told.append)
    for url in ("https://other.test/", f"https://{SITE}/", f"https://{SITE}/a", f"dns:{SITE}"):
        troubles.hear(failure(url, Outcome.CONNECT_REFUSED))
    assert len(told) == 1


def test_of_many_seeds_that_fail_a_few_are_told_and_where_the_others_are() -> None:
    told: list[str] = []
    seeds = tuple(f"https://site{number}.test/" for number in range(50))
    troubles = SeedTroubles(CrawlConfig(seeds=seeds), told.append)
    for url in seeds:
        troubles.hear(failure(url, Outcome.CONNECT_REFUSED))
    assert len(told) == TOLD_AT_MOST + 1
    assert "crawl.log" in told[-1]
