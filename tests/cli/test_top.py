"""`weft top` and the live view of `weft crawl`, in terminals of several sizes and where there is none."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.live.statuses import a_status
from weft.live.status_file import NAME, write_status
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence, crawl, running_crawl, simweb_flags
from .terminals import COLOUR, ESCAPE, Terminal

SLOW_WEB = WebSpec(hosts=6, pages=2_000, latency_ms=(20, 60))
RESTORED = "\x1b[?1049l"  # the screen that was there before


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder in which a small crawl was made, and the summary that it ended with."""
    cwd = tmp_path_factory.mktemp("top")
    with SimProcess(WebSpec(hosts=6, pages=60)) as sim:
        done = crawl(sim, cwd, "--json", "--quiet")
    assert done.code == 0, done.errors
    return cwd, done.summary()


def test_a_finished_crawl_is_printed_once_where_there_is_no_terminal(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, summary = crawled
    done = Finished("top", "crawl", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    figures = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert figures["crawl"].startswith("ended after ")
    assert figures["crawl"].endswith(": done")
    assert figures["pages"].split()[0] == f"{summary['pages']:,}"
    assert "hosts by pages" in done.out
    assert "newest pages" in done.out
    assert not ESCAPE.search(done.out)
    assert [line for line in done.out.splitlines() if line != line.rstrip()] == []


def test_several_crawls_have_a_line_each(crawled: tuple[Path, dict[str, Any]]) -> None:
    cwd, summary = crawled
    done = Finished("top", "crawl", "./crawl", "--once", cwd=cwd)
    assert (done.code, done.errors) == (0, "")
    assert [line.split()[:3] for line in done.out.splitlines()[1:]] == [
        [name, "ended", f"{summary['pages']:,}"] for name in ("crawl", "crawl")
    ]


@pytest.mark.parametrize("name", ["nowhere", "file", "empty"])
def test_what_is_no_crawl_is_told_in_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    done = Finished("top", name, cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)


OTHER_REPORTS: dict[str, Any] = {
    "missing": None,
    "half": b'{"pages": 12, "requ',
    "of an older weft": json.dumps({"pages": 1, "requests": 2, "exit": "done"}).encode(),
    "of something else": b"[]",
    "not text": b"\x00\xff" * 100,
    "with a state that is not known": json.dumps({"state": "dreaming"}).encode(),
}


@pytest.mark.parametrize("what", OTHER_REPORTS)
def test_a_status_that_cannot_be_read_is_told_in_one_sentence(
    what: str, crawled: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    state = tmp_path / "crawl" / "state"
    state.mkdir(parents=True)
    (state / "config.json").write_bytes((crawled[0] / "crawl" / "state" / "config.json").read_bytes())
    if OTHER_REPORTS[what] is not None:
        (tmp_path / "crawl" / NAME).write_bytes(OTHER_REPORTS[what])
    done = Finished("top", "crawl", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert "weft report crawl" in done.errors


def test_a_killed_crawl_is_said_to_be_killed(tmp_path: Path) -> None:
    with SimProcess(SLOW_WEB) as sim, running_crawl(sim, tmp_path) as process:
        while not (tmp_path / "crawl" / NAME).exists():
            assert process.poll() is None
        running = Finished("top", "crawl", cwd=tmp_path)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    killed = Finished("top", "crawl", cwd=tmp_path)
    assert running.out.startswith("crawl      running for ")
    assert killed.out.startswith("crawl      killed after ")


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (40, 12), (200, 60)])
@pytest.mark.parametrize("ends_by", ["q", "\x03"], ids=["q", "Ctrl-C"])
def test_the_view_fills_the_screen_and_ends_when_told(
    ends_by: str, columns: int, lines: int, crawled: tuple[Path, dict[str, Any]]
) -> None:
    cwd, summary = crawled
    with Terminal("top", "crawl", cwd=cwd, columns=columns, lines=lines) as terminal:
        terminal.read_until(lambda said: "limited by" in said)
        terminal.type(ends_by)
        assert terminal.end() == 0
    assert f"{summary['pages']:,}" in terminal.said
    assert terminal.said.rstrip().endswith(("\x1b[?25h", RESTORED))
    assert RESTORED in terminal.said
    assert [line for line in terminal.lines() if cell_len(line) > columns] == []


def test_the_view_follows_the_size_of_the_terminal(crawled: tuple[Path, dict[str, Any]]) -> None:
    with Terminal("top", "crawl", cwd=crawled[0], columns=80, lines=8) as terminal:
        terminal.read_until(lambda said: "limited by" in said or "newest" in said)
        assert "hosts by pages" not in terminal.said
        terminal.resize(120, 50)
        terminal.read_until(lambda said: "hosts by pages" in said)
        terminal.type("q")
        assert terminal.end() == 0


def test_a_terminal_gets_its_screen_back_when_the_view_is_ended_by_a_signal(
    crawled: tuple[Path, dict[str, Any]],
) -> None:
    with Terminal("top", "crawl", cwd=crawled[0]) as terminal:
        terminal.read_until(lambda said: "limited by" in said)
        terminal.process.terminate()
        assert terminal.end() == 143
    assert RESTORED in terminal.said


def test_a_hostile_status_does_not_reach_the_terminal(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    state = tmp_path / "crawl" / "state"
    state.mkdir(parents=True)
    (state / "config.json").write_bytes((crawled[0] / "crawl" / "state" / "config.json").read_bytes())
    write_status(tmp_path / "crawl", a_status(warnings=["\x1b]0;owned\x07\x1b[31mred"], exit="\x1b[2J"))
    done = Finished("top", "crawl", cwd=tmp_path)
    assert done.code == 0
    assert [char for char in done.out if not (char.isprintable() or char == "\n")] == []


@pytest.mark.parametrize("columns", [80, 40])
def test_the_view_of_a_running_crawl_fits_the_terminal(columns: int, tmp_path: Path) -> None:
    with SimProcess(SLOW_WEB) as sim:
        arguments = ["crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim), "--max-pages", "500000"]
        with Terminal(*arguments, cwd=tmp_path, columns=columns, NO_COLOR="1") as terminal:
            terminal.read_until(lambda said: said.count("limited by") > 2)
            terminal.type("\x03")
            assert terminal.end() == 130
    shown = ESCAPE.sub("", terminal.said)
    assert "% of 500,000 pages" in shown
    assert "newest     http" in shown
    assert not COLOUR.search(terminal.said)
    view = [
        line for line in terminal.lines() if line.startswith(("crawl ", "pages ", "hosts ", "limit", "newest ", " "))
    ]
    assert [line for line in view if cell_len(line) > columns] == []


def test_a_dumb_terminal_gets_no_live_view(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=3, pages=150, latency_ms=(20, 60))) as sim:
        arguments = ["crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim)]
        with Terminal(*arguments, cwd=tmp_path, TERM="dumb") as terminal:
            assert terminal.end() == 0
    assert "limited by" not in terminal.said
    assert not ESCAPE.search(terminal.said)
    assert "Done." in terminal.said
