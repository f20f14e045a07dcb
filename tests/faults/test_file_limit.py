"""Few files may be open at once: the crawl makes do with fewer connections, or says what to do."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, quick_config
from tests.pipeline.engine_process import prepare_folder
from weft.errors import BadInput
from weft.pipeline.open_files import LEAST, MOST_IDLE, MOST_TABLES, RESERVED, share_out
from weft.simweb import SimProcess, WebSpec

from .crawls import resuming

BAD_INPUT = 2
# Every host wants its own connection at once, and holds it for a while.
WEB = WebSpec(hosts=80, pages=160, seed=8, seed_hosts=80, latency_ms=(50, 150))


def with_files(limit: int) -> Callable[[], None]:
    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    return set_limit


@pytest.mark.parametrize("limit", [LEAST, *(pytest.param(limit, marks=pytest.mark.large) for limit in (140, 180, 256))])
def test_a_crawl_that_may_open_few_files_makes_do_with_them_and_blames_no_host(limit: int, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(WEB) as sim:
        prepare_folder(folder, quick_config(sim, connections_per_host=2, workers=2))
        with resuming(folder, preexec=with_files(limit)) as run:
            assert run.wait() == 0, run.errors
        files = CrawlFiles(folder)
        assert_fetched_the_truth(files, sim.web.truth())
    assert {row.outcome for row in files.rows} == {"response"}


@pytest.mark.parametrize("engines", [1, 2])
def test_with_too_few_files_for_any_crawl_a_sentence_says_what_to_do(engines: int, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        prepare_folder(tmp_path / "crawl", quick_config(sim, engines=engines))
        with resuming(tmp_path / "crawl", preexec=with_files(40)) as run:
            assert run.wait() == BAD_INPUT, run.errors
            assert "`ulimit -n 4096`" in run.sentence()
    assert list(sim.log) == []


@pytest.mark.parametrize("limit", [LEAST, 200, 256, 1024, 4096, 1_000_000])
@pytest.mark.parametrize("connections", [1, 256, 5000])
def test_the_shares_fit_into_the_limit_however_large_the_wish(limit: int, connections: int) -> None:
    shares = share_out(limit, connections)
    assert RESERVED + 2 * shares.connections + shares.idle_connections + shares.tables <= limit
    assert 1 <= shares.connections <= connections
    assert shares.idle_connections >= 1


def test_a_usual_limit_grants_all_that_is_wished_for() -> None:
    shares = share_out(4096, 256)
    assert (shares.connections, shares.idle_connections, shares.tables) == (256, MOST_IDLE, MOST_TABLES)
    assert share_out(resource.RLIM_INFINITY, 256) == shares


def test_a_limit_below_the_least_is_refused() -> None:
    with pytest.raises(BadInput, match=f"only {LEAST - 1} files"):
        share_out(LEAST - 1, 1)
