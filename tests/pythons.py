"""The tests on every Python that this machine has, with the parts in C and without: a table. `make test-pythons`

    .pythons/3.12.1/           the project as it was committed last, and an environment of its own
    .pythons/3.12.1-without-c/

Interpreters are looked for where Debian, pyenv and uv keep them. uv brings the newest, where it can be had and reaches
what it downloads from.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

PROJECT = Path(__file__).parent.parent
FOLDER = PROJECT / ".pythons"
OLDEST = (3, 11)
NEWEST = "3.14"  # what uv is asked for
_TELL = "import sys; print(sys.implementation.name, sys.version_info.releaselevel, *sys.version_info[:3])"
_BESIDE = (".judges", ".servers", ".browser")  # what the tests need besides packages; `make` has it ready
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")


class Result(NamedTuple):
    """What came of one interpreter's tests; `trouble` says why there are none."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    trouble: str = ""

    @property
    def is_good(self) -> bool:
        return self.passed > 0 and not self.failed and not self.trouble


def main() -> None:
    """Run them one after the other, and say how they did."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="versions that begin so")
    parser.add_argument("tests", nargs="*", help="all, if none are named")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    results: list[Result] = []
    for version, python in sorted(interpreters().items()):
        name = ".".join(map(str, version))
        if name.startswith(arguments.only):
            for with_c in (True, False) if shutil.which("cc") else (False,):
                results.append(tested(name, python, with_c, arguments.tests))
                print(*table(results[-1:])[1:], sep="\n", flush=True)
    print("", *table(results), sep="\n")
    sys.exit(not results or not all(result.is_good for result in results))


def interpreters() -> dict[tuple[int, ...], Path]:
    """By version, from the oldest that weft claims; of several of one version, one."""
    found: dict[tuple[int, ...], Path] = {}
    for python in candidates():
        told = subprocess.run([python, "-c", _TELL], capture_output=True, text=True, check=False).stdout.split()
        if told[:2] == ["cpython", "final"]:
            version = tuple(map(int, told[2:]))
            if version >= OLDEST:
                found.setdefault(version, python)
    return found


def candidates() -> Iterator[Path]:
    """Where interpreters may be."""
    yield from Path("/usr/bin").glob("python3*[0-9]")
    yield from Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin/python")
    yield from brought_by_uv()


def brought_by_uv() -> Iterator[Path]:
    """The newest Python, if uv can be had from the package index and finds it, or reaches where it is kept."""
    subprocess.run([*_PIP, "install", "--target", FOLDER / "uv", "uv"], capture_output=True, check=False)
    uv = FOLDER / "uv" / "bin" / "uv"
    if not uv.exists():
        print("uv cannot be had here")
        return
    brought = subprocess.run([uv, "python", "install", NEWEST], capture_output=True, text=True, check=False)
    found = subprocess.run([uv, "python", "find", NEWEST], capture_output=True, text=True, check=False)
    if found.returncode == 0:
        yield Path(found.stdout.strip())
    else:
        print(f"uv brings no Python {NEWEST} here: {(brought.stderr.strip().splitlines() or ['?'])[-1].strip()}")


def tested(version: str, python: Path, with_c: bool, tests: Iterable[str]) -> Result:
    """What the tests say on this interpreter, in a copy of the project: what is built for one is not seen by others."""
    name = version if with_c else f"{version}-without-c"
    tree = FOLDER / name
    shutil.rmtree(tree, ignore_errors=True)
    own_python = tree / ".venv" / "bin" / "python"
    try:
        run("git", "clone", "-q", PROJECT, tree)
        for beside in _BESIDE:
            if (PROJECT / beside).exists():
                (tree / beside).symlink_to((PROJECT / beside).resolve())
        run(python, "-m", "venv", "--without-pip", tree / ".venv")
        compiler = {} if with_c else {"CC": "false"}
        packages = ("install", "-c", tree / "constraints.txt", "-e", f"{tree}[dev]")
        run(*_PIP[:3], "--python", own_python, *_PIP[3:], *packages, environment=compiler)
        has_c = bool(list(tree.glob("src/weft/*/_*.so")))
        if has_c is not with_c:
            return Result(name, trouble=f"the parts in C are {'there' if has_c else 'not there'}")
    except subprocess.CalledProcessError as error:
        return Result(name, trouble=(error.stderr.strip().splitlines() or [str(error)])[-1])
    report = tree / "report.xml"
    with (tree / "pytest.log").open("w") as log:
        command: list[str | Path] = [
            own_python,
            "-m",
            "pytest",
            "-n",
            "4",
            "--dist",
            "loadfile",
            f"--junit-xml={report}",
            *tests,
        ]
        subprocess.run(command, cwd=tree, stdout=log, stderr=log, check=False)
    return read_report(name, report)


def read_report(name: str, report: Path) -> Result:
    """The figures that pytest wrote down."""
    if not report.exists():
        return Result(name, trouble="pytest came to no end: see pytest.log")
    figures = next(ElementTree.parse(report).iter("testsuite")).attrib
    total, skipped = int(figures["tests"]), int(figures["skipped"])
    failed = int(figures["failures"]) + int(figures["errors"])
    return Result(name, total - failed - skipped, failed, skipped)


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **(environment or {})})


def table(results: Iterable[Result]) -> list[str]:
    """A line for each, below a heading."""
    head = f"{'interpreter':22} {'passed':>7} {'failed':>7} {'skipped':>7}"
    return [
        head,
        *(
            f"{name:22} {passed:7} {failed:7} {skipped:7}  {trouble}".rstrip()
            for name, passed, failed, skipped, trouble in results
        ),
    ]


if __name__ == "__main__":
    main()
