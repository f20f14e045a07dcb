"""A typed program may use weft: `mypy --strict` and pyright accept the examples and the programs of the docs, and find
the mistakes of one that has some, each in its line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.scratch import scratch_folder
from tests.test_readme import BLOCKS

PROJECT = Path(__file__).parent.parent
PYRIGHT = PROJECT / ".judges" / "bin" / "pyright"
USER_PROGRAMS = Path(__file__).parent / "namespace" / "user_programs"
MISTAKES = USER_PROGRAMS / "mistakes.txt"  # no .py, because the project's own check is to pass
MISTAKEN = "mistakes.py"
WITHIN_S = 300

Found = set[tuple[str, int, str]]  # file, line, and the kind of error


def write_programs(folder: Path) -> None:
    """All programs that users see; those whose first line says a name are imported by others."""
    folder.mkdir()
    shutil.copy(USER_PROGRAMS / "program.py", folder)
    shutil.copy(MISTAKES, folder / MISTAKEN)
    for example in (PROJECT / "examples").glob("*.py"):
        shutil.copy(example, folder)
    for (text, section, number), block in BLOCKS.items():
        if block.language == "python":
            named = re.match(r"# (\w+)\.py\n", block.code)
            stem = re.sub(r"\W+", "_", f"{text}_{section}_{number}").lower()
            file = folder / f"{named[1] if named else stem}.py"
            assert not file.exists(), "two programs of one name"
            file.write_text(block.code)


def install_weft(environment: Path) -> Path:
    """An environment in which weft is an installed package like any other; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=WITHIN_S)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    shutil.copytree(PROJECT / "src" / "weft", site_packages / "weft", ignore=shutil.ignore_patterns("__pycache__"))
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin" / "python"


def judged(command: list[str], folder: Path) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.stderr == ""
    return done.stdout


def by_mypy(folder: Path, python: Path) -> Found:
    strict = [
        "--strict",
        "--config-file=",
        "--no-error-summary",
        "--no-pretty",
        f"--cache-dir={folder.parent / 'cache'}",
    ]
    said = judged([sys.executable, "-m", "mypy", *strict, "--python-executable", str(python), "."], folder)
    found = re.findall(r"^(.+?):(\d+): error: .* \[([\w-]+)\]$", said, re.MULTILINE)
    assert len(found) == said.count(": error: ")
    return {(name, int(line), kind) for name, line, kind in found}


def by_pyright(folder: Path, python: Path) -> Found:
    said = json.loads(judged([str(PYRIGHT), "--pythonpath", str(python), "--outputjson", "."], folder))
    assert said["summary"]["filesAnalyzed"] == len(list(folder.iterdir()))
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1, one.get("rule", ""))
        for one in said["generalDiagnostics"]
        if one["severity"] == "error"
    }


@pytest.fixture(scope="module")
def said() -> Iterator[dict[str, Found]]:
    """What each of the judges finds; they take seconds, at the same time."""
    with scratch_folder() as place, ThreadPoolExecutor(2) as threads:
        folder = place / "programs"
        write_programs(folder)
        python = install_weft(place / "environment")
        judges = {"mypy": by_mypy, "pyright": by_pyright}
        found = {name: threads.submit(judge, folder, python) for name, judge in judges.items()}
        yield {name: future.result() for name, future in found.items()}


@pytest.mark.parametrize("judge", ["mypy", "pyright"])
def test_the_programs_that_users_see_are_accepted(said: dict[str, Found], judge: str) -> None:
    assert {one for one in said[judge] if one[0] != MISTAKEN} == set()


def test_mypy_finds_each_mistake_and_its_kind(said: dict[str, Found]) -> None:
    """The lines with a mistake end in a comment: the kind of error that mypy shall report."""
    expected = {(MISTAKEN, number, kind) for number, kind in mistakes().items()}
    assert {one for one in said["mypy"] if one[0] == MISTAKEN} == expected


def test_pyright_finds_each_mistake(said: dict[str, Found]) -> None:
    assert {line for name, line, _ in said["pyright"] if name == MISTAKEN} == set(mistakes())


def mistakes() -> dict[int, str]:
    lines = MISTAKES.read_text().splitlines()
    found = {number: line.rpartition("# ")[2] for number, line in enumerate(lines, 1) if "  # " in line}
    assert len(found) > 10
    return found
