"""docs/from-scrapy.md: a spider and its counterpart make the same items of the same site, and weft's is no longer."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.export.judges import path_of
from tests.namespace import Finished, run
from tests.namespace.quotes_site import AUTHORS, PER_PAGE, QUOTES
from tests.scratch import scratch_folder

PAGE = (Path(__file__).parent.parent / "docs" / "from-scrapy.md").read_text()
AT_ONCE = 4  # most of their time they wait


class Program(NamedTuple):
    """A program of the page; its first line says in which file it stands."""

    section: str
    name: str
    code: str

    @property
    def is_scrapys(self) -> bool:
        return "import scrapy" in self.code

    @property
    def lines(self) -> int:
        """All but empty ones and the file's name."""
        return sum(bool(line.strip()) and not line.startswith("#") for line in self.code.splitlines())


class Ran(NamedTuple):
    """What came of a program."""

    finished: Finished
    items: Counter[str]  # each as JSON, its keys in order


def programs() -> list[Program]:
    found = []
    for section in PAGE.split("\n## ")[1:]:
        for name, code in re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            found.append(Program(section.partition("\n")[0], name, code))
    return found


PROGRAMS = programs()
SECTIONS = list(dict.fromkeys(program.section for program in PROGRAMS))


def run_program(program: Program, folder: Path) -> Ran:
    """As its readers do."""
    folder.mkdir()
    (folder / program.name).write_text(program.code)
    if program.is_scrapys:
        # What it wants to look up about domains would go to a file beside it.
        begin = ["env", "-u", "PYTHONPATH", f"TLDEXTRACT_CACHE={folder}/cache", str(path_of("scrapy"))]
        finished = run(*begin, "runspider", program.name, "-O", "items.jsonl", cwd=folder)
    else:
        finished = run("python", program.name, cwd=folder)
    lines = [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]
    return Ran(finished, Counter(json.dumps(json.loads(line), sort_keys=True) for line in lines))


@pytest.fixture(scope="module")
def ran() -> Iterator[dict[str, Ran]]:
    """All programs, each on a site of its own."""
    with scratch_folder() as folder, ThreadPoolExecutor(AT_ONCE) as threads:
        jobs = {one.name: threads.submit(run_program, one, folder / one.name) for one in PROGRAMS}
        yield {name: job.result() for name, job in jobs.items()}


def test_each_section_has_a_spider_and_its_counterpart() -> None:
    assert len(SECTIONS) == 4
    for section in SECTIONS:
        assert [one.is_scrapys for one in PROGRAMS if one.section == section] == [True, False]


@pytest.mark.parametrize("section", SECTIONS)
def test_both_make_the_same_items_of_the_same_site(ran: dict[str, Ran], section: str) -> None:
    spider, program = (ran[one.name] for one in PROGRAMS if one.section == section)
    assert program.finished.errors == ""
    assert (spider.finished.code, program.finished.code) == (0, 0)
    assert program.items == spider.items, spider.finished.errors
    assert set(program.items.values()) == {1}


@pytest.mark.parametrize(
    ("name", "items"), [("quotes.py", len(QUOTES)), ("authors.py", len(AUTHORS)), ("login.py", PER_PAGE), ("api.py", 7)]
)
def test_no_item_is_missing(ran: dict[str, Ran], name: str, items: int) -> None:
    assert ran[name].items.total() == items


@pytest.mark.parametrize("section", SECTIONS)
def test_a_program_with_weft_is_no_longer_than_the_spider(section: str) -> None:
    spider, program = (one for one in PROGRAMS if one.section == section)
    assert program.lines <= spider.lines


def test_forms_and_pages_of_the_api_were_asked_for_once(ran: dict[str, Ran]) -> None:
    assert ran["login.py"].finished.requests.count("POST /login") == 1
    assert ran["api.py"].finished.requests.count("POST /api/search") == 3


def test_only_those_who_are_logged_in_see_where_to_read_more(ran: dict[str, Ran]) -> None:
    assert all("goodreads.com" in item for item in ran["login.py"].items)
