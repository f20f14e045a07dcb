"""Each program in examples/ does what its docstring says, when it is run as its docstring says."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.namespace import Finished, run
from tests.namespace.site import PAGES, ROBOTS
from tests.scratch import scratch_folder

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = [path.stem for path in sorted(EXAMPLES.glob("*.py"))]
ALL_PATHS = {ROBOTS} | {url.removeprefix("https://example.org") for url in PAGES}
MAX_LINES = 40


class Ran:
    """An example that was run in a folder of its own, in which examples/ was copied."""

    def __init__(self, commands: str, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
        self.finished: Finished = run("sh", "-ec", commands, cwd=folder)

    @property
    def out(self) -> list[str]:
        """The lines it printed, once it is known that it went well."""
        assert self.finished.code == 0, self.finished.errors
        assert "Traceback" not in self.finished.errors
        return self.finished.out.splitlines()


def commands_of(name: str) -> str:
    """The indented lines of an example's docstring: how to run it."""
    docstring = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text()), clean=False)
    commands = re.findall(r"^    (\S.*)$", docstring or "", re.MULTILINE)
    assert commands, f"examples/{name}.py does not say how to run it"
    return "\n".join(commands)


@pytest.fixture(scope="module")
def ran() -> Iterator[dict[str, Ran]]:
    """All examples, run at the same time: they are polite, so they mostly wait."""
    commands = [commands_of(name) for name in NAMES]  # not in the threads: Python 3.11 counts depth for all of them
    with scratch_folder() as folder, ThreadPoolExecutor(len(NAMES)) as threads:
        yield dict(zip(NAMES, threads.map(Ran, commands, [folder / name for name in NAMES]), strict=True))


def test_every_example_is_tested() -> None:
    tested = {name.removeprefix("test_example_") for name in globals() if name.startswith("test_example_")}
    assert tested == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_fits_on_a_screen(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= MAX_LINES


def test_example_titles(ran: dict[str, Ran]) -> None:
    lines = [line.split("\t") for line in ran["titles"].out]
    assert {url for _, url, _ in lines} == PAGES
    assert len(lines) == len(PAGES)
    assert ["200", "https://example.org/products/teapot", "Teapot"] in lines


def test_example_first_match(ran: dict[str, Ran]) -> None:
    assert ran["first_match"].out == ["https://example.org/products"]
    assert len(ran["first_match"].finished.requests) < len(ALL_PATHS)


def test_example_extract_products(ran: dict[str, Ran]) -> None:
    items = [json.loads(line) for line in ran["extract_products"].out if line.startswith("{")]
    assert {(item["url"], item["name"], item["offers"]["price"]) for item in items} == {
        ("https://example.org/products/teapot", "Teapot", "25.00"),
        ("https://example.org/products/kettle", "Kettle", "40.00"),
    }
    assert len(items) == 2


def test_example_read_archive(ran: dict[str, Ran]) -> None:
    counted = [line.split() for line in ran["read_archive"].out if re.fullmatch(r" *\d+  https:\S+", line)]
    assert {url for _, url in counted} == PAGES
    assert counted[0] == ["103", "https://example.org/about"]
    assert set(ran["read_archive"].finished.requests) == ALL_PATHS  # of the crawl; reading asks for nothing more
    assert len(ran["read_archive"].finished.requests) == len(ALL_PATHS)


def test_example_to_markdown(ran: dict[str, Ran]) -> None:
    assert ran["to_markdown"].out == []
    files = {path.name: path.read_text() for path in (ran["to_markdown"].folder / "pages").iterdir()}
    assert set(files) == {
        "example.org.md", "example.org-products.md", "example.org-about.md", "example.org-calendar-2026-01.md"
    }  # fmt: skip
    assert "# Products\n" in files["example.org-products.md"]
    assert "](https://example.org/products/teapot)" in files["example.org-products.md"]


def test_example_no_calendar(ran: dict[str, Ran]) -> None:
    assert any("user × 1" in line for line in ran["no_calendar"].out)
    assert set(ran["no_calendar"].finished.requests) == {path for path in ALL_PATHS if "calendar" not in path}
