"""`weft demo`: what a newcomer sees first."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from weft.cli.demo import HURRY, USUAL, activation, config_for, web_of
from weft.cli.demo_pace import Look, Pace
from weft.simweb import SimProcess, SimWeb, WebSpec

from .running import Finished


def test_the_demo_finds_the_truth_says_how_fast_what_limited_it_and_what_to_do_next(tmp_path: Path) -> None:
    done = Finished("demo", "--hosts", "20", "--pages", "100", "-o", "crawl", cwd=tmp_path)
    assert done.code == 0, done.out + done.errors
    assert done.errors == ""
    assert re.search(r"^peak +\d[\d,]* pages/s *$", done.out, re.MULTILINE)
    assert re.search(r"^limited by +\w", done.out, re.MULTILINE)
    assert "missed 0, fetched twice 0, not allowed but fetched 0" in done.out
    assert "at most 1 to a host at once" in done.out
    commands = [line.strip() for line in done.out.splitlines() if line.startswith("  weft ")]
    assert len(commands) == 3
    for command in commands[:2]:  # the third one asks the real web
        assert Finished(*shlex.split(command)[1:], cwd=tmp_path).code == 0


def test_where_the_shell_would_not_find_weft_the_demo_says_how_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "my web" / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "weft").touch(mode=0o755)
    (programs / "activate").touch()
    monkeypatch.setenv("PATH", "/nowhere")
    assert activation(programs / "python") == f"  . '{programs}/activate'\n"
    monkeypatch.chdir(tmp_path / "my web")
    assert activation(programs / "python") == "  . .venv/bin/activate\n"
    monkeypatch.setenv("PATH", str(programs))
    assert activation(programs / "python") == ""
    monkeypatch.setenv("PATH", "/nowhere")
    assert activation(Path("/nowhere/python")) == "", "there is nothing to activate"


def test_the_demos_own_folder_is_named_and_can_be_removed_as_it_says(tmp_path: Path) -> None:
    done = Finished("demo", "--hosts", "2", "--pages", "4", cwd=tmp_path, environment={"TMPDIR": str(tmp_path)})
    assert done.code == 0, done.out + done.errors
    (folder,) = tmp_path.iterdir()
    assert (folder / "crawl" / "archive").is_dir()
    assert f"Nothing else needs this crawl: `rm -r {folder}` removes it." in done.out


def test_the_hosts_of_the_demo_are_of_like_size() -> None:
    sizes = [host.page_count for host in SimWeb(web_of(300, 6000)).hosts]
    assert max(sizes) - min(sizes) <= 1


def test_every_wait_of_the_demo_is_the_usual_one_divided_by_the_same_number() -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        config = config_for(sim)
    for name in ("delay_s", "max_host_wait_s", "retry_wait_scale"):
        assert getattr(config, name) * HURRY == getattr(USUAL, name)
    for name in ("connections_per_host", "connections_per_address", "requests_per_address_s", "slow_factor"):
        assert getattr(config, name) == getattr(USUAL, name)


def test_the_peak_is_that_of_the_best_second() -> None:
    looks = [
        Look(number / 4, pages, 0, 0, 0) for number, pages in enumerate([0, 10, 20, 30, 40, 140, 240, 340, 440, 450])
    ]
    assert Pace(looks).peak_per_s() == 400
    assert Pace().peak_per_s() == 0


def test_what_limits_is_told_with_its_numbers() -> None:
    pace = Pace([Look(0, 0, 9, 0, 0), Look(1, 50, 2, 8, 1), Look(2, 60, 4, 10, 1), Look(3, 100, 9, 0, 0)])
    assert pace.limit(100, 12) == (
        "politeness: on average, of 12 hosts 9 rested between requests, 3 were answering, 1 waited for weft"
    )
    assert Pace([Look(0, 5, 3, 1, 0)]).limit(10, 12).startswith("the servers")
    assert Pace([Look(0, 5, 3, 1, 8)]).limit(10, 12).startswith("this machine")
