"""No DNS, no network: a crawl that cannot reach anything ends, says why, and can be resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.engine_process import prepare_folder
from weft.config import CrawlConfig

from .running import Finished, closed_port, logged

# The waits between tries are real time, so a hundredth of them.
HASTY = 0.01


def prepared(tmp_path: Path, case: str) -> str:
    """A crawl that will reach nothing; gives the reason it will find."""
    port = closed_port()
    if case == "DNS down":
        seed, reason = "http://example.test/", "dns-failed"
    else:
        seed, reason = f"http://127.0.0.1:{port}/", "connect-refused"
    config = CrawlConfig(
        seeds=(seed,), dns_servers=(f"127.0.0.1:{port}",), allow_private=True, delay_s=0.0, retry_wait_scale=HASTY
    )
    prepare_folder(tmp_path / "crawl", config)
    return reason


@pytest.mark.parametrize("case", ["DNS down", "no network"])
def test_a_crawl_that_reaches_nothing_exits_4_with_the_reason(case: str, tmp_path: Path) -> None:
    reason = prepared(tmp_path, case)
    done = Finished("resume", "crawl", cwd=tmp_path)
    assert done.code == 4, done.errors
    assert "Not one page could be fetched" in done.out
    assert reason in done.out
    assert "weft resume crawl" in done.out
    assert len(logged(done.errors, "seeds")) == 1  # told when it began


@pytest.mark.parametrize("case", ["DNS down", "no network"])
def test_with_quiet_the_error_is_all_that_is_printed(case: str, tmp_path: Path) -> None:
    reason = prepared(tmp_path, case)
    done = Finished("resume", "crawl", "--quiet", cwd=tmp_path)
    assert (done.code, done.out) == (4, "")
    (line,) = done.errors.splitlines()
    assert line.startswith("weft: Not one page could be fetched")
    assert reason in line


@pytest.mark.parametrize("case", ["DNS down", "no network"])
def test_with_json_the_summary_counts_it(case: str, tmp_path: Path) -> None:
    prepared(tmp_path, case)
    done = Finished("resume", "crawl", "--json", cwd=tmp_path)
    assert done.code == 4
    summary = done.summary()
    assert summary["exit"] == "seeds-failed"
    assert summary["pages"] == 0
    assert summary["parked"] == 1  # left for a run in which it may be reached
