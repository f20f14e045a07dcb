"""A mirror that is stopped, at any moment and however, becomes the same as one that was not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.cli.running import Finished, own_environment
from tests.ports import free_port
from tests.warm_weft import WarmWeft

from .mirrors import FOLDER, QUICK, changes, mirror, summary_of, tree
from .site_server import Answer, Site, page, serving
from .torture_site import fill

WITHIN_S = 60.0
MOST_UNDER_WAY = 48
KILLS = 2
MANY = 30


def large(site: Site) -> None:
    """The torture site, and enough pages to be killed among them; some want each other's names."""
    fill(site)
    paths = [f"/many/{kind}{number}{end}" for number in range(MANY) for kind in "pP" for end in ("", ".html")]
    site.put("/many/", page("".join(f'<a href="{path}">x</a>' for path in paths)))
    for path in paths:
        site.put(path, page(f'<title>{path}</title><a href="/many/">up</a> <a href="/">home</a>' + "filler " * 200))


def begin(site: Site, cwd: Path, *more: str) -> WarmWeft:
    """A mirror in a process group of its own."""
    words = ("mirror", site.url("/"), site.url("/many/"), "-o", FOLDER, *QUICK, "--quiet", *more)
    return WarmWeft(*words, environment=own_environment(), cwd=cwd)


def whole(site: Site, cwd: Path, *more: str) -> int:
    """The exit code of a mirror that is left to itself."""
    process = begin(site, cwd, *more)
    _, errors = process.communicate(timeout=WITHIN_S)
    assert not errors, errors.decode()
    assert isinstance(process.returncode, int)
    return process.returncode


def kill_when(process: WarmWeft, holds: Callable[[], bool]) -> bool:
    """SIGKILL to the group as soon as something is so; False if it was over before."""
    give_up_at = time.monotonic() + WITHIN_S
    try:
        while not holds():
            if process.poll() is not None:
                return False
            assert time.monotonic() < give_up_at, "waited in vain"
            time.sleep(0.001)
        return process.poll() is None
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):  # it has ended just now
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=WITHIN_S)


def killed(path: Path, kill: Callable[[Path], bool], begin_again: Callable[[], None]) -> tuple[Path, int]:
    """A folder in which kills have hit, and how many; where all came too late it is tried again in another."""
    for number in count(1):
        folder = path / f"{number}"
        folder.mkdir()
        if hits := sum(kill(folder) for _ in range(KILLS)):
            return folder, hits
        begin_again()
    raise AssertionError


def written(cwd: Path) -> int:
    """How many files there are beside the crawl."""
    return sum(len(names) for folder, _, names in os.walk(cwd / FOLDER) if "/.weft" not in folder)


@pytest.fixture(scope="module")
def port() -> int:
    """All sites here are at the same port: it is in their URLs, and by these names are given."""
    return free_port()


def change(site: Site) -> None:
    for number in range(0, MANY, 3):
        site.put(f"/many/p{number}", page(f'changed {number} <a href="/many/new{number}">new</a>'))
        site.put(f"/many/new{number}", page(f"new {number}"))
        site.answers.pop(("127.0.0.1", f"/many/P{number}.html"), None)


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory, port: int) -> list[dict[str, bytes]]:
    """The files of a mirror that nobody stopped, before and after an update."""
    folder = tmp_path_factory.mktemp("whole")
    with serving(site := Site(), port):
        large(site)
        assert whole(site, folder) == 0
        before = tree(folder)
        change(site)
        assert whole(site, folder, "--update") == 0
        return [before, tree(folder)]


def test_a_mirror_that_is_killed_while_it_crawls_resumes_to_the_same_tree(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    chance = random.Random(7)
    with serving(site := Site(delay_s=0.005), port):
        large(site)

        def kill(folder: Path) -> bool:
            until = len(site.log) + chance.randrange(5, 60)
            return kill_when(begin(site, folder), lambda: len(site.log) >= until)

        folder, kills = killed(tmp_path, kill, site.log.clear)
        assert whole(site, folder) == 0
        assert tree(folder) == unkilled[0]
        answered = [entry for entry in site.log if entry[2] == 200 and entry[1].startswith("/many/p")]
        # What is committed is not asked for again; what is under way is: connections, and jobs that wait for a worker.
        assert len(answered) <= len(set(answered)) + kills * MOST_UNDER_WAY


def test_a_mirror_that_is_killed_while_it_writes_resumes_to_the_same_tree(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    chance = random.Random(11)
    with serving(site := Site(), port):
        large(site)

        def kill(folder: Path) -> bool:
            until = written(folder) + chance.randrange(1, 60)
            return kill_when(begin(site, folder), lambda: written(folder) >= until)

        folder, _ = killed(tmp_path, kill, lambda: None)
        assert whole(site, folder) == 0
        found = tree(folder)
        assert not any(name.endswith(".part") for name in found)
        assert found == unkilled[0]


def test_an_update_that_is_killed_resumes_to_the_same_tree(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    chance = random.Random(13)
    with serving(site := Site(), port):
        large(site)
        before = tmp_path / "before"
        before.mkdir()
        assert whole(site, before) == 0
        change(site)
        site.delay_s = 0.005

        def kill(folder: Path) -> bool:
            if not (folder / FOLDER).exists():
                shutil.copytree(before, folder, dirs_exist_ok=True)
            until = len(site.log) + chance.randrange(0, 50)
            return kill_when(begin(site, folder, "--update"), lambda: len(site.log) >= until)

        folder, _ = killed(tmp_path, kill, lambda: None)
        assert whole(site, folder, "--update") == 0
        assert tree(folder) == unkilled[1]
        found = changes(folder)
        assert (found["complete"], found["counts"]["gone"], found["counts"]["new"]) == (True, MANY // 3, MANY // 3)


def test_an_interrupted_mirror_shows_what_there_is_and_goes_on(tmp_path: Path) -> None:
    with serving(site := Site(delay_s=0.02)):
        large(site)
        process = begin(site, tmp_path)
        while len(site.log) < 40:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=WITHIN_S)
        assert process.returncode == 130
        part = tree(tmp_path)
        assert len(part) > 20
        site.delay_s = 0.0
        done = Finished("mirror", "-o", FOLDER, "--json", cwd=tmp_path)  # the seeds are known
        assert summary_of(done)["exit"] == "done"
        assert len(tree(tmp_path)) > len(part)


# Sends itself a signal while files get their names, which takes for ever unless it is halted.
_SIGNALLED = """
import os, sys
from weft.mirror.site import placing

known_rows, number = placing.known_rows, int(sys.argv.pop(1))

def endless(state, **how):
    (first, *_) = known_rows(state, **how)
    os.kill(os.getpid(), number)
    while True:
        yield first

placing.known_rows = endless
from weft.cli import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_stop_while_files_get_their_names_is_obeyed(number: signal.Signals, tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/a.html">a</a>'))
        site.put("/a.html", page("<p>a"))
        command = (sys.executable, "-c", _SIGNALLED, str(int(number)), "mirror", site.url("/"), "-o", FOLDER, *QUICK)
        done = subprocess.run(command, env=own_environment(), cwd=tmp_path, timeout=WITHIN_S, check=False)
        assert done.returncode == 128 + number
        assert tree(tmp_path) == {}
        assert mirror(site, tmp_path).code == 0
        assert len(tree(tmp_path)) == 2
        assert sorted(path for _, path, _ in site.log if path != "/robots.txt") == ["/", "/a.html"]


def test_weft_resume_goes_on_with_the_crawl_and_mirror_makes_the_files(tmp_path: Path) -> None:
    with serving(site := Site()):
        site.put("/", page('<a href="/a">a</a>'))
        site.put("/a", page("a"))
        assert mirror(site, tmp_path, "--max-pages", "1").code == 3
        assert Finished("resume", f"{FOLDER}/.weft", "--max-pages", "none", "--quiet", cwd=tmp_path).code == 0
        assert len(tree(tmp_path)) == 1
        assert mirror(site, tmp_path).code == 0
        assert len(tree(tmp_path)) == 2


@pytest.mark.parametrize("name", [FOLDER, f"{FOLDER}/.weft"])
def test_after_a_repair_of_its_state_a_mirror_has_the_same_files(name: str, tmp_path: Path) -> None:
    with serving(site := Site()):
        fill(site)
        mirror(site, tmp_path)
        before = tree(tmp_path)
        repaired = Finished("repair", name, cwd=tmp_path)
        assert repaired.code == 0
        assert (f"`weft mirror -o {FOLDER}` goes on" in repaired.out) == (name == FOLDER)
        assert mirror(site, tmp_path).code == 0
        assert tree(tmp_path) == before


def test_a_body_that_does_not_fit_into_memory_is_written_whole(tmp_path: Path) -> None:
    body = random.Random(1).randbytes(3_000_000)
    with serving(site := Site()):
        site.put("/", page('<a href="/large.bin">x</a> <a href="/again.bin">x</a>'))
        site.put("/large.bin", Answer(body, "application/octet-stream"))
        site.put("/again.bin", Answer(body, "application/octet-stream"))
        mirror(site, tmp_path)
        assert [data for name, data in tree(tmp_path).items() if name.endswith(".bin")] == [body, body]
