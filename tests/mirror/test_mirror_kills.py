"""Kills of mirrors and updates with rules, versions, an index and scripts: the tree is that of an undisturbed run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cli.running import closed_port

from .mirrors import FOLDER, tree
from .script_site import picture, put_doxygen, put_modules, script
from .site_server import OTHER, OWN, Answer, Site, page, serving
from .test_mirror_stops import MOST_UNDER_WAY, begin, kill_when, whole, written

RULES = (
    "--rule", "-*/left-out/*", "--rule", "+*/near.bin", "--rule", "-type:application/zip", "--rule", "-size>200k",
    "--strip-query", "utm_*", "--keep-versions", "2", "--index",
)  # fmt: skip
KILLS = 2
PAGES = 40


def served(site: Site) -> None:
    """Pages that rules are about: left out by name, stopped by type and size, beyond the scope, with arguments.

    The first page lives by its scripts, and so does a part that is like Doxygen's.
    """
    put_modules(site)
    put_doxygen(site)
    links = "".join(f'<a href="/many/p{number}?utm_source={number}">x</a>' for number in range(PAGES))
    near = f"http://{OTHER}:{site.port}/near.bin"
    links += f'<a href="{near}">n</a><a href="/z.bin">z</a><a href="/big">b</a><a href="/left-out/x">l</a>'
    site.put(
        "/many/", page(f'<title>Home</title>{links}<script src="/load.js"></script><a href="/dox/index.html">d</a>')
    )
    site.put("/load.js", script('load("/many/guessed.png"); load("img/bg.png"); load("/many/not-there.png")'))
    site.put("/many/guessed.png", picture())
    site.put("/near.bin", Answer(bytes(5_000), "application/octet-stream"), OTHER)
    site.put("/z.bin", Answer(b"PK\3\4" + bytes(9_000), "application/zip"))
    site.put("/big", Answer(bytes(400_000), "application/octet-stream"))
    for number in range(PAGES):
        site.put(
            f"/many/p{number}", page(f"<title>{number}</title><a href='/many/p{number + 1}'>on</a>" + "text " * 300)
        )


def change(site: Site) -> None:
    site.put("/load.js", script('load("/many/guessed-later.png"); load("/many/not-there-either.png")'))
    site.put("/many/guessed-later.png", picture())
    site.put("/js/lazy.js", script('import "./lazier.js"; export const name = "lazy";'))
    site.put("/js/lazier.js", script("1"))
    site.put("/dox/classA.js", script('var classA =\n[\n    [ "a", "classA.html#a1", "classA2" ]\n];\n'))
    site.put("/dox/classA2.js", script("var classA2 =\n[\n];\n"))
    del site.answers[OWN, "/many/guessed.png"], site.answers[OWN, "/dox/sync_on.png"]
    for number in range(0, PAGES, 4):
        site.put(f"/many/p{number}", page(f'changed {number} <a href="/many/new{number}">new</a>'))
        site.put(f"/many/new{number}", page(f"new {number}"))
        site.answers.pop((OWN, f"/many/p{number + 1}"), None)


def undated(cwd: Path) -> dict[str, bytes]:
    """The files, with those of versions by their number instead of their date."""
    found = tree(cwd)
    dates = sorted({name.split("/")[1] for name in found if name.startswith("versions/")})
    numbers = {date: str(number) for number, date in enumerate(dates)}
    return {"/".join(numbers.get(part, part) for part in name.split("/")): data for name, data in found.items()}


@pytest.fixture(scope="module")
def port() -> int:
    return closed_port()


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory, port: int) -> list[dict[str, bytes]]:
    """The files of a mirror that nobody stopped, before and after an update."""
    folder = tmp_path_factory.mktemp("whole")
    with serving(site := Site(), port):
        served(site)
        assert whole(site, folder, *RULES) == 0
        before = undated(folder)
        change(site)
        assert whole(site, folder, "--update") == 0
        after = undated(folder)
    assert sum(name.startswith("versions/0/") for name in after) >= PAGES // 4
    assert not any("left-out" in name or "z.bin" in name or name.endswith("/big") for name in after)
    assert any(name.endswith("near.bin") for name in after)
    by_scripts = ("guessed.png", "js/helper.js", "img/by-url.png", "dox/navtreeindex1.js", "dox/search/all_1.js")
    assert all(any(name.endswith(end) for name in before) for end in by_scripts)
    later = ("guessed-later.png", "js/lazier.js", "dox/classA2.js")
    assert all(any(name.endswith(end) for name in after) for end in later)
    assert not any(name.endswith("guessed.png") and "versions/" not in name for name in after)
    return [before, after]


def _killed(cwd: Path, port: int, seed: int, kills: int, unkilled: list[dict[str, bytes]]) -> int:
    chance = random.Random(seed)
    versions = cwd / FOLDER / "versions"
    done = 0
    with serving(site := Site(delay_s=0.003), port):
        served(site)
        for _ in range(kills):
            asked, files = len(site.log) + chance.randrange(2, 40), written(cwd) + chance.randrange(1, 40)
            by_files = chance.random() < 0.5
            done += kill_when(
                begin(site, cwd, *RULES),
                lambda asked=asked, files=files, by=by_files: written(cwd) >= files if by else len(site.log) >= asked,  # type: ignore[misc]
            )
        assert whole(site, cwd, *RULES) == 0
        assert undated(cwd) == unkilled[0]
        asked_once = [path for _, path, _ in site.log if path in ("/z.bin", "/big")]
        assert len(asked_once) <= 2 + done  # what was under way may be asked again
        all_asked = [(host, path) for host, path, _ in site.log if path != "/robots.txt"]
        assert len(all_asked) <= len(set(all_asked)) + done * MOST_UNDER_WAY
        change(site)
        for _ in range(kills):
            asked, kept = len(site.log) + chance.randrange(2, 60), chance.randrange(1, 12)
            by_kept = chance.random() < 0.5
            done += kill_when(
                begin(site, cwd, "--update"),
                lambda asked=asked, kept=kept, by=by_kept: (  # type: ignore[misc]
                    sum(path.is_file() for path in versions.rglob("*")) >= kept if by else len(site.log) >= asked
                ),
            )
        assert whole(site, cwd, "--update") == 0  # another one, if the last was not hit: it changes nothing
        assert undated(cwd) == unkilled[1]
    return done


def test_killed_mirrors_and_updates_with_rules_and_versions_become_the_same(
    tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]
) -> None:
    assert _killed(tmp_path, port, 3, KILLS, unkilled)


@pytest.mark.large
def test_thirty_kills_leave_the_same_tree(tmp_path: Path, port: int, unkilled: list[dict[str, bytes]]) -> None:
    kills = 0
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        kills += _killed(folder, port, 100 + seed, 3, unkilled)
        if kills >= 30:
            return
    pytest.fail(f"only {kills} kills hit a run")
