"""A mirror that is stopped, at any moment and however, becomes the same as one that was not."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.running import Finished, closed_port, own_environment
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


def written(cwd: Path) -> int:
    """How many files there are beside the crawl."""
    return sum(len(names) for folder, _, names in os.walk(cwd / FOLDER) if "/.weft" not in folder)


@pytest.fixture(scope="module")
def port() -> int:
    """All sites here are at the same port: it is in their URLs, and by these names are given."""
    return closed_port()


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
        kills = 0
        for _ in range(KILLS):
            until = len(site.log) + chance.randrange(5, 60)
            kills += kill_when(begin(site, tmp_path), lambda until=until: len(site.log) >= until)  # type: ignore[misc]
        assert kills
        assert whole(site, tmp_path) == 0
        assert tree(tmp_path) == unkilled[0]
        answered = [entry for entry in site.log if entry[2] == 200 and entry[1].startswith("/many/p")]
        # What is committed is not asked for again; what is under way is: connections, and jobs that wait for a worker.
        assert len(answered) <= len(set(answered)) + kills * MOST_UNDER_WAY


def test_a_mirror_that_is_killed_while_it_writes_resumes_to_the_same_tree(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    chance = random.Random(11)
    with serving(site := Site(), port):
        large(site)
        kills = 0
        for _ in range(KILLS):
            until = written(tmp_path) + chance.randrange(1, 60)
            kills += kill_when(begin(site, tmp_path), lambda until=until: written(tmp_path) >= until)  # type: ignore[misc]
        assert kills
        assert whole(site, tmp_path) == 0
        found = tree(tmp_path)
        assert not any(name.endswith(".part") for name in found)
        assert found == unkilled[0]


def test_an_update_that_is_killed_resumes_to_the_same_tree(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    chance = random.Random(13)
    with serving(site := Site(), port):
        large(site)
        assert whole(site, tmp_path) == 0
        change(site)
        site.delay_s = 0.005
        kills = 0
        for _ in range(KILLS):
            until = len(site.log) + chance.randrange(0, 50)
            kills += kill_when(begin(site, tmp_path, "--update"), lambda until=until: len(site.log) >= until)  # type: ignore[misc]
        assert kills
        assert whole(site, tmp_path, "--update") == 0
        assert tree(tmp_path) == unkilled[1]
        found = changes(tmp_path)
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
