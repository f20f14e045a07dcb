"""A crawl that nobody watches, without a terminal: its log alone tells an operator how it stands, at any moment."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from tests.faults.disks import small_disk
from tests.pipeline.engine_process import children_of, is_worker, weft_command
from tests.ports import closed_port
from tests.warm_weft import start_program
from weft.config import MIB
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Delayed, Fixed

from .running import WITHIN_S, Finished, own_environment, simweb_flags

FAST, SLOW = "fast.test", "slow.test"
PROGRESS = re.compile(
    r"\S+Z (?:INFO|WARNING) weft\.crawl: [\d.]+ m?i?n? ?.*?s (?P<state>\w+); "
    r"(?P<pages>[\d,]+) pages?, [\d.,]+/s, [\d.,]+ MB/s; (?P<queued>[\d,]+) queued, (?P<failed>[\d,]+) failed; "
    r"hosts (?P<ready>\d+) ready, (?P<waiting>\d+) waiting, (?P<left>\d+) left; limited by (?P<limiter>[\w-]+): .+; "
    r"(?P<share>[\d.]+) % of 5,000 pages(?:, .+ left)?; (?P<wrong>nothing wrong|wrong: .+)"
)


def site(pages: int) -> dict[tuple[str, str], Behaviour]:
    """A host of many pages, and one that takes its time for each."""
    links = "".join(f'<a href="/{number}">x</a>' for number in range(pages)).encode()
    found: dict[tuple[str, str], Behaviour] = {}
    for host, delay_s in ((FAST, 0.05), (SLOW, 2.0)):
        found[host, "/"] = Fixed(b"<!DOCTYPE html>" + links)
        found |= {(host, f"/{n}"): Delayed(delay_s, Fixed(b"<!DOCTYPE html>")) for n in range(pages)}
    return found


@contextmanager
def alone(cwd: Path, *arguments: str, stderr: int | IO[str] = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """A crawl in a session of its own, as by setsid or systemd: no terminal is to be had."""
    process = start_program(
        weft_command(*arguments),
        env=own_environment(),
        cwd=cwd,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )
    timer = threading.Timer(2 * WITHIN_S, process.kill)  # a line that does not come is an error, and not waited for
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)


def until(process: subprocess.Popen[str], is_it: Callable[[str], object]) -> list[str]:
    """The lines of its log up to the one that is looked for."""
    lines: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line)
        if is_it(line):
            return lines
    raise AssertionError("".join(lines))


def number(words: str) -> int:
    return int(words.replace(",", ""))


def seeds_and_flags(sim: SimProcess, dead: int) -> list[str]:
    seeds = [sim.web.url(FAST, "/"), sim.web.url(SLOW, "/"), f"http://127.0.0.1:{dead}/"]
    return [*seeds, "-o", "crawl", *simweb_flags(sim), "--user-agent", "test", "--max-pages", "5000"]


def test_the_log_alone_tells_how_far_it_is_what_limits_it_and_what_is_wrong(tmp_path: Path) -> None:
    dead = closed_port()
    with (
        SimProcess(WebSpec(hosts=1, pages=1), site(pages=2000)) as sim,
        alone(tmp_path, "crawl", *seeds_and_flags(sim, dead), "--log-every", "500ms") as process,
    ):
        begin = until(process, lambda line: "begins: " in line)
        assert f"3 seeds ({sim.web.url(FAST, '/')}" in begin[-1]
        assert f"into {tmp_path}/crawl; process {process.pid}, weft" in begin[-1]

        # how far it is, and that a host is dead
        lines = until(process, lambda line: (told := PROGRESS.match(line)) and number(told["pages"]) > 10)
        told = [match for line in lines if (match := PROGRESS.match(line))]
        assert all(PROGRESS.match(line) for line in lines if "limited by" in line)
        assert (pages := [number(one["pages"]) for one in told]) == sorted(pages)
        assert 0 < float(told[-1]["share"]) < 5
        assert number(told[-1]["queued"]) > 100
        (dead_seed,) = (line for line in lines if " WARNING weft.seeds: " in line)
        assert f"http://127.0.0.1:{dead}: nothing listens there" in dead_seed
        assert any(f" WARNING weft.robots: http://127.0.0.1:{dead}: " in line for line in lines)

        # what limits it
        held_back = "1 host held back: robots.txt is unreachable (connect-refused)"
        limited = until(process, lambda line: "limited by servers: " in line and held_back in line)[-1]
        assert "under way to servers" in limited
        assert "nothing wrong" in limited

        # that something has gone wrong
        os.kill(min(filter(is_worker, children_of(process.pid))), signal.SIGKILL)  # the first one is always wanted
        wrong = until(process, lambda line: "wrong: 1 parse worker died" in line)
        assert " WARNING weft.crawl: " in wrong[-1]
        assert report_of(tmp_path)["workers_died"] == 1
        assert any(" WARNING weft.workers: one of the parse workers died" in line for line in wrong)

        # how it ended, and what goes on with it
        os.kill(process.pid, signal.SIGTERM)
        ended = until(process, lambda line: "ended: " in line)[-1]
        assert process.wait(timeout=WITHIN_S) == 143
        assert "ended: terminated (exit code 143)" in ended
        assert "`weft resume crawl` goes on." in ended


def json_lines(errors: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in errors.splitlines()]


def test_every_line_of_a_log_in_json_is_an_object_whatever_prints_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    def rank(self, link):\n        raise ValueError('no\\nrank')\n")
    with SimProcess(WebSpec(hosts=3, pages=60, seed=3)) as sim:
        flags = [*sim.seeds, "-o", "crawl", *simweb_flags(sim), "--exclude", "calendar", "--order", "mine:Mine"]
        done = Finished("crawl", *flags, "--log", "json", "--log-level", "debug", cwd=tmp_path)
    assert done.code == 0, done.errors
    lines = json_lines(done.errors)
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    assert any("ValueError" in line["message"] for line in lines if line["logger"] == "weft.stderr")  # a traceback
    begin, end = (line for line in lines if line.get("event") in ("begin", "end"))
    assert begin["folder"] == str(tmp_path / "crawl")
    assert (end["exit"], end["exit_code"], end["level"]) == ("done", 0, "info")
    assert end["pages"] == done_pages(tmp_path)


def report_of(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "crawl" / "report.json").read_bytes())
    assert isinstance(found, dict)
    return found


def done_pages(folder: Path) -> int:
    return int(report_of(folder)["pages"])


def test_a_crawl_of_a_moment_has_a_beginning_and_an_end(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), {(FAST, "/"): Fixed(b"x")}) as sim:
        flags = [sim.web.url(FAST, "/"), "-o", "crawl", *simweb_flags(sim), "--user-agent", "test"]
        done = Finished("crawl", *flags, cwd=tmp_path)
    begins, ended = done.errors.splitlines()
    assert "begins: 1 seed" in begins
    assert "ended: done (exit code 0). 1 page in" in ended


def test_a_limit_ends_with_the_command_that_goes_on_and_nothing_that_is_no_log(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=2, pages=50, seed=5)) as sim:
        flags = [*sim.seeds, "-o", "crawl", *simweb_flags(sim), "--max-pages", "3"]
        done = Finished("crawl", *flags, "--log", "json", "--log-every", "0", cwd=tmp_path)
    assert done.code == 3
    end = json_lines(done.errors)[-1]
    assert (end["exit"], end["level"]) == ("limit", "info")
    assert "`weft resume crawl --max-pages 30` goes on." in end["message"]


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_level_leaves_out_what_is_less(level: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), {(FAST, "/"): Fixed(b"x")}) as sim:
        flags = [sim.web.url(FAST, "/"), "http://no.invalid/", "-o", "crawl", *simweb_flags(sim)]
        done = Finished("crawl", *flags, "--log-level", level, cwd=tmp_path)
    assert done.code == 0
    assert [line.split()[1] for line in done.errors.splitlines()] == (["WARNING"] if level == "warning" else [])


def test_with_quiet_a_log_that_is_asked_for_has_errors_only(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        flags = ["http://mistyped.invalid/", "-o", "crawl", *simweb_flags(sim), "--quiet", "--log", "json"]
        done = Finished("crawl", *flags, cwd=tmp_path)
    assert done.code == 4
    (end,) = json_lines(done.errors)
    assert (end["level"], end["exit"]) == ("error", "seeds-failed")


def test_a_full_disk_is_the_end_of_the_log(tmp_path: Path) -> None:
    with (
        SimProcess(WebSpec(hosts=8, pages=2000, seed=3, latency_ms=(50, 100), page_bytes=8000)) as sim,
        small_disk(tmp_path / "disk", 48 * MIB) as disk,
    ):
        flags = ["-o", f"{disk.path}/crawl", *simweb_flags(sim), "--log", "json", "--log-every", "100ms"]
        with alone(tmp_path, "crawl", *sim.seeds, *flags) as process:
            until(process, lambda line: json.loads(line).get("pages", 0) > 10)
            disk.fill()
            end = json.loads(until(process, lambda line: json.loads(line).get("event") == "end")[-1])
            assert process.wait(timeout=WITHIN_S) == 5
    assert (end["level"], end["exit"], end["exit_code"]) == ("error", "disk-full", 5)
    assert "/crawl` goes on" in end["message"]


def test_an_error_that_nobody_expected_is_the_end_of_the_log_too(tmp_path: Path) -> None:
    with (
        SimProcess(WebSpec(hosts=1, pages=1), site(pages=2000)) as sim,
        alone(tmp_path, "crawl", *seeds_and_flags(sim, closed_port()), "--log", "json") as process,
    ):
        until(process, lambda line: json.loads(line).get("event") == "begin")
        shutil.rmtree(tmp_path / "crawl" / "state" / "db", ignore_errors=True)
        shutil.rmtree(tmp_path / "crawl", ignore_errors=True)
        lines = [json.loads(line) for line in process.stderr or ()]
        assert process.wait(timeout=WITHIN_S) not in (0, 3)
    (end,) = (line for line in lines if line.get("event") == "end")
    assert end["level"] == "error"


def test_a_reader_that_never_reads_does_not_hold_up_the_crawl(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with SimProcess(WebSpec(hosts=3, pages=60, seed=3)) as sim:
        while True:
            try:
                os.write(writer, b"x" * 4096)  # the pipe is full before it begins
            except BlockingIOError:
                break
        os.set_blocking(writer, True)
        with (
            os.fdopen(writer, "w") as stderr,
            alone(tmp_path, "crawl", *sim.seeds, "-o", "crawl", *simweb_flags(sim), stderr=stderr) as process,
        ):
            assert process.wait(timeout=WITHIN_S) == 0
    os.close(reader)
    assert done_pages(tmp_path) > 0


@pytest.mark.parametrize("streams", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_crawl_whose_streams_are_closed_or_full_is_done_all_the_same(streams: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=3, pages=60, seed=3)) as sim:
        flags = [*sim.seeds, "-o", "crawl", *simweb_flags(sim)]
        code = subprocess.run(
            ["sh", "-c", f'exec "$0" "$@" {streams}', *weft_command("crawl", *flags)],
            env=own_environment(),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            timeout=WITHIN_S,
        ).returncode
    assert code == 0
    assert done_pages(tmp_path) > 0


def test_a_process_that_weft_starts_has_the_streams_that_were_closed(tmp_path: Path) -> None:
    begin = "import os; from weft.cli.process import have_all_streams; have_all_streams(); "
    look = "os.execlp('sh', 'sh', '-c', 'readlink /proc/self/fd/0 /proc/self/fd/2 >streams')"
    command = ["sh", "-c", 'exec "$0" "$@" <&- 2>&-', sys.executable, "-c", begin + look]
    subprocess.run(command, env=own_environment(), cwd=tmp_path, timeout=WITHIN_S, check=True)
    assert (tmp_path / "streams").read_text().split() == [os.devnull] * 2


@pytest.mark.parametrize(("flags", "is_logged"), [([], False), (["--log", "text"], True)], ids=["usual", "--log"])
def test_on_a_terminal_there_is_a_log_only_if_it_is_asked_for(
    flags: list[str], is_logged: bool, tmp_path: Path
) -> None:
    ours, terminal = os.openpty()
    with SimProcess(WebSpec(hosts=3, pages=60, seed=3)) as sim, os.fdopen(terminal, "w") as stderr:
        arguments = [*sim.seeds, "-o", "crawl", *simweb_flags(sim), *flags]
        with alone(tmp_path, "crawl", *arguments, stderr=stderr) as process:
            assert process.wait(timeout=WITHIN_S) == 0
    said = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert ("ended: done (exit code 0)" in said) == is_logged
    assert ("\x1b[" in said) != is_logged  # the live view


@pytest.mark.parametrize("never", ["0", "none"])
def test_how_it_goes_is_not_told_if_it_shall_not_be(never: str, tmp_path: Path) -> None:
    with (
        SimProcess(WebSpec(hosts=1, pages=1), site(pages=50)) as sim,
        alone(tmp_path, "crawl", *seeds_and_flags(sim, closed_port()), "--log-every", never) as process,
    ):
        until(process, lambda line: "begins: " in line)
        while not (tmp_path / "crawl" / "report.json").exists():  # a status, and still no line
            assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        lines = until(process, lambda line: "ended: " in line)
    assert not any("limited by" in line for line in lines)
