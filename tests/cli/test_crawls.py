"""Whole crawls from the command line: exit codes, the summary, and what a person reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_archive_is_consistent, assert_fetched_the_truth
from weft import __version__
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence, crawl, running_crawl, simweb_flags

WEB = WebSpec(hosts=6, pages=80, seed=7, latency_ms=(1, 10))
LONG_WEB = WebSpec(hosts=3, pages=150, seed=7, latency_ms=(20, 40))
PROMISED_KEYS = {
    "pages",
    "requests",
    "bytes",
    "seconds",
    "pages_per_s",
    "cpu_s",
    "peak_rss_bytes",
    "refused",
    "failed",
    "exit",
}


def test_version_says_name_and_version(tmp_path: Path) -> None:
    done = Finished("--version", cwd=tmp_path)
    assert (done.code, done.out) == (0, f"weft {__version__}\n")


def test_help_names_the_commands(tmp_path: Path) -> None:
    done = Finished("--help", cwd=tmp_path)
    assert done.code == 0
    assert all(command in done.out for command in ("crawl", "resume", "demo"))


@pytest.mark.parametrize("command", ["crawl", "resume", "config", "doctor", "demo", "completion"])
def test_each_command_has_help(command: str, tmp_path: Path) -> None:
    assert Finished(command, "-h", cwd=tmp_path).code == 0


def test_crawl_with_json_prints_the_summary_as_its_last_line_and_exits_0(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        done = crawl(sim, tmp_path, "--json")
        truth = sim.web.truth()
    assert done.code == 0, done.errors
    summary = done.summary()
    assert summary.keys() >= PROMISED_KEYS
    assert summary["exit"] == "done"
    assert summary["pages"] == 80
    assert summary["requests"] == len(sim.log)
    assert summary["failed"] == {}
    assert summary["refused"] == {"robots": len(truth.forbidden)}
    assert summary["bytes"] > 80 * 1000
    assert summary["peak_rss_bytes"] > 10_000_000
    for key in ("seconds", "pages_per_s", "cpu_s"):
        assert summary[key] > 0
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
    report = json.loads((tmp_path / "crawl" / "report.json").read_text())
    assert {name: report[name] for name in summary} == summary
    assert (report["state"], report["under_way"]) == ("ended", 0)


def test_quiet_prints_nothing_at_all(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        done = crawl(sim, tmp_path, "--quiet")
    assert (done.code, done.out, done.errors) == (0, "", "")


def test_without_json_a_person_reads_where_the_result_is(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        done = crawl(sim, tmp_path)
    assert done.code == 0
    assert "crawl/archive" in done.out
    assert "--user-agent" in done.errors


def test_seeds_are_read_from_a_file_or_from_standard_input(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        lines = "# where to begin\n\n" + "\n".join(sim.seeds) + "\n"
        (tmp_path / "seeds.txt").write_text(lines)
        flags = [*simweb_flags(sim), "--json", "--depth", "1"]
        from_file = Finished("crawl", "--seeds", "seeds.txt", "-o", "one", *flags, cwd=tmp_path)
        from_stdin = Finished("crawl", "--seeds", "-", "-o", "two", *flags, cwd=tmp_path, stdin=lines)
        truth = sim.web.truth(1)
    assert from_file.code == from_stdin.code == 0
    for folder in ("one", "two"):
        assert CrawlFiles(tmp_path / folder).responses() == truth.status


def test_a_limit_exits_3_and_resume_with_a_raised_one_exits_0(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        limited = crawl(sim, tmp_path, "--max-pages", "10", "--json")
        resumed = Finished("resume", "crawl", "--max-pages", "1000", "--json", cwd=tmp_path)
        truth = sim.web.truth()
    assert (limited.code, limited.summary()["exit"], limited.summary()["pages"]) == (3, "limit", 10)
    assert (resumed.code, resumed.summary()["exit"], resumed.summary()["pages"]) == (0, "done", 80)
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)


def test_seeds_that_all_fail_exit_4(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        done = Finished("crawl", "http://nowhere.test/", *simweb_flags(sim), "--json", cwd=tmp_path)
    assert done.code == 4
    assert done.summary()["exit"] == "seeds-failed"
    assert done.summary()["failed"] == {"dns-not-found": 1}
    assert (tmp_path / "crawl-nowhere.test").is_dir()  # the folder's name when none is given


def test_a_private_address_without_allow_private_exits_4_and_says_why(tmp_path: Path) -> None:
    done = Finished("crawl", "http://127.0.0.1:9/", "-o", "crawl", cwd=tmp_path)
    assert done.code == 4
    assert "private-address" in done.out


def test_what_failed_and_came_later_has_not_failed(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        seeds = [*sim.seeds[:1], "-o", "crawl", "--dns-server", sim.dns, "--delay", "0", "--max-pages", "5"]
        assert Finished("crawl", *seeds, cwd=tmp_path).code == 4
        done = Finished("resume", "crawl", "--allow-private", "--retry-failed", "--json", cwd=tmp_path)
    assert done.summary()["pages"] > 0
    assert done.summary()["failed"] == {}


def test_crawl_into_an_existing_crawl_exits_6_and_names_resume(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl(sim, tmp_path, "--max-pages", "3", "--quiet")
        again = crawl(sim, tmp_path, "--quiet")
    assert again.code == 6
    assert_is_one_sentence(again)
    assert "weft resume crawl" in again.errors


@pytest.mark.parametrize("command", ["crawl", "demo"])
def test_a_mirror_is_no_place_for_a_crawl(command: str, tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        flags = [*sim.seeds[:1], "--dns-server", sim.dns, "--delay", "0", "--allow-private"]
        assert Finished("mirror", *flags, "--max-pages", "2", "-o", "site", "-q", cwd=tmp_path).code == 3
        before = sorted((tmp_path / "site").iterdir())
        done = Finished(command, *(flags if command == "crawl" else []), "-o", "site", "-q", cwd=tmp_path)
    assert done.code == 6
    assert "site is a mirror" in done.errors
    assert sorted((tmp_path / "site").iterdir()) == before


@pytest.mark.parametrize("name", ["report.json", "pages.jsonl", "items.jsonl", "crawl.log"])
def test_files_that_no_crawl_has_written_are_not_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / name).write_text("years of work")
    done = Finished("crawl", "http://127.0.0.1:9/", "-o", "work", "-q", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert name in done.errors
    assert [path.name for path in (tmp_path / "work").iterdir()] == [name]
    assert (tmp_path / "work" / name).read_text() == "years of work"


def test_a_folder_in_use_exits_6_and_names_the_holder(tmp_path: Path) -> None:
    with SimProcess(LONG_WEB) as sim, running_crawl(sim, tmp_path) as running:
        second = Finished("resume", "crawl", cwd=tmp_path)
        assert second.code == 6
        assert_is_one_sentence(second)
        assert f"process {running.pid} " in second.errors


def test_demo_with_a_small_web_finds_the_truth_and_exits_0(tmp_path: Path) -> None:
    done = Finished("demo", "--hosts", "5", "--pages", "40", "-o", "crawl", "-q", cwd=tmp_path)
    assert done.code == 0, done.out + done.errors
    assert "missed 0, fetched twice 0, not allowed but fetched 0" in done.out
    assert_archive_is_consistent(CrawlFiles(tmp_path / "crawl"))
