"""How many cores a process may use: those that it may run on, and what its control groups grant."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft import cores
from weft.cores import core_count, granted_cores, quota_cores, usable_cores


def quota(tmp_path: Path, own: str, files: dict[str, str]) -> float:
    (tmp_path / "own").write_text(own)
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    return quota_cores(tmp_path / "own", tmp_path / "groups")


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"a/b/cpu.max": "150000 100000\n"}, 1.5),
        ({"a/b/cpu.max": "max 100000\n"}, math.inf),
        ({"a/b/cpu.max": "max 100000\n", "a/cpu.max": "50000 10000\n"}, 5.0),
        ({"a/b/cpu.max": "800000 100000\n", "a/cpu.max": "200000 100000\n"}, 2.0),
        ({"cpu.max": "200000 100000\n"}, 2.0),  # as a container has it that sees itself as the root
        ({"a/c/cpu.max": "200000 100000\n"}, math.inf),  # another's
        ({"a/b/cpu.max": "200000"}, math.inf),
        ({"a/b/cpu.max": "0 0\n"}, math.inf),
        ({"a/b/cpu.max": "²  1\n"}, math.inf),
        ({}, math.inf),
    ],
)
def test_the_least_quota_on_the_way_up_holds(tmp_path: Path, files: dict[str, str], cores: float) -> None:
    assert quota(tmp_path, "0::/a/b\n", files) == cores


@pytest.mark.parametrize(
    ("quota_us", "cores"), [("250000\n", 2.5), ("-1\n", math.inf)], ids=["two and a half", "no bound"]
)
def test_the_older_control_groups_are_read_too(tmp_path: Path, quota_us: str, cores: float) -> None:
    own = "5:memory:/m\n3:cpu,cpuacct:/docker/1\n2:cpuset:/docker/1\n0::/\n"
    files = {"cpu/cpu.cfs_quota_us": quota_us, "cpu/cpu.cfs_period_us": "100000\n", "cpuset/docker/1/cpu.max": "1 1\n"}
    assert quota(tmp_path, own, files) == cores


def test_without_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert quota_cores(tmp_path / "none", tmp_path) == math.inf


@pytest.mark.parametrize(("quota", "count"), [(0.1, 1), (1.0, 1), (1.5, 2), (1e9, None), (math.inf, None)])
def test_a_part_of_a_core_keeps_a_process_busy(
    monkeypatch: pytest.MonkeyPatch, quota: float, count: int | None
) -> None:
    monkeypatch.setattr(cores, "quota_cores", lambda: quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 7})
    assert core_count() == (count or 3)
    assert granted_cores() == min(quota, 3)


def test_a_process_that_is_bound_to_a_core_has_one() -> None:
    one = str(min(usable_cores()))
    said = subprocess.run(
        ["taskset", "-c", one, sys.executable, "-c", "from weft.cores import core_count; print(core_count())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "1\n"


def test_a_crawl_has_no_more_parse_workers_than_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.config import CrawlConfig
    from weft.pipeline.config_parts import worker_slots

    monkeypatch.setattr(cores, "quota_cores", lambda: 1.0)
    config = CrawlConfig(seeds=("http://a.example/",))
    assert worker_slots(config) == 1
    assert worker_slots(CrawlConfig(seeds=config.seeds, workers=5)) == 5
