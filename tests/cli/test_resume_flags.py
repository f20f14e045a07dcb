"""What `weft resume` lets a person change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.pipeline.engine_process import prepare_folder
from weft.config import CrawlConfig
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence

SEED = "http://127.0.0.1:9/"  # refused as private, so nothing is ever asked


def stored(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "state" / "config.json").read_text())["config"]
    assert isinstance(config, dict)
    return config


def test_flags_change_the_settings_from_now_on_and_the_rest_stays(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, CrawlConfig(seeds=(SEED,), depth=1, max_pages=5, delay_s=3.0, scope="any"))
    flags = ["--depth", "2", "--max-pages-per-host", "9", "--connections", "8", "--header", "A: b", "--rate", "2.5"]
    done = Finished("resume", "crawl", *flags, "--quiet", cwd=tmp_path)
    assert done.code == 4
    config = stored(folder)
    assert (config["depth"], config["max_pages_per_host"], config["connections"]) == (2, 9, 8)
    assert (config["headers"], config["rate"]) == ([["A", "b"]], 2.5)
    assert (config["max_pages"], config["delay_s"], config["scope"]) == (5, 3.0, "any")


def test_none_takes_back_a_limit(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, CrawlConfig(seeds=(SEED,), depth=1, max_pages=5))
    assert Finished("resume", "crawl", "--max-pages", "none", "-q", cwd=tmp_path).code == 4
    assert (stored(folder)["depth"], stored(folder)["max_pages"]) == (1, None)


def test_file_and_environment_do_not_change_a_crawl_that_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, CrawlConfig(seeds=(SEED,), delay_s=3.0))
    (tmp_path / "weft.toml").write_text("delay = 0\n")
    Finished("resume", "crawl", "-q", cwd=tmp_path, environment={"WEFT_DEPTH": "1"})
    assert (stored(folder)["delay_s"], stored(folder)["depth"]) == (3.0, None)


def test_what_would_leave_a_crawl_incomplete_cannot_be_changed(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "crawl", CrawlConfig(seeds=(SEED,)))
    for flag in ("--filter", "--refuse-suffix", "--order"):
        done = Finished("resume", "crawl", flag, "any", cwd=tmp_path)
        assert done.code == 2
        assert_is_one_sentence(done)
        assert f"no flag {flag}" in done.errors


def test_scope_patterns_and_seeds_may_be_corrected(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, CrawlConfig(seeds=(SEED,), include=("/a*",), exclude=("/b*",)))
    (tmp_path / "more.txt").write_text(f"{SEED}\n{SEED}file\n")
    corrections = ["--scope", "domain", "--include", "none", "--exclude", "/c*", "--seeds", "more.txt", f"{SEED}word"]
    done = Finished("resume", "crawl", *corrections, "-q", cwd=tmp_path)
    assert done.code == 4
    config = stored(folder)
    assert (config["scope"], config["include"], config["exclude"]) == ("domain", [], ["/c*"])
    assert config["seeds"] == [SEED, f"{SEED}word", f"{SEED}file"]


def test_a_wrong_value_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    prepare_folder(folder, CrawlConfig(seeds=(SEED,), depth=1))
    done = Finished("resume", "crawl", "--depth", "deep", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert stored(folder)["depth"] == 1


def test_retry_failed_tries_again_what_was_given_up(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=2, pages=10, seed=7)) as sim:
        refused = Finished("crawl", *sim.seeds, "-o", "crawl", "--dns-server", sim.dns, "-q", cwd=tmp_path)
        again = ["resume", "crawl", "--allow-private", "--delay", "0", "--json"]
        as_it_was = Finished(*again, cwd=tmp_path)
        retried = Finished(*again, "--retry-failed", cwd=tmp_path)
    assert (refused.code, as_it_was.code) == (4, 4)  # a private address is given up for good
    assert retried.code == 0, retried.errors
    assert retried.summary()["pages"] > 0
