"""The programs in README.md and docs/python.md run as they are written.

What docs/archive.md and docs/crawl-log.md say about files is what is in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.export.judged_crawl import JudgedCrawl
from tests.namespace import Finished, run
from tests.namespace.site import PAGES
from tests.scratch import scratch_folder
from weft.folder.crawl_log import LogLine
from weft.page.page import MAX_BODY_BYTES, MIB, Page
from weft.pipeline import delivery
from weft.pipeline.originals import SHORTEST_BYTES
from weft.settings.keywords import CrawlSettings
from weft.store.archive import ROTATE_AT_BYTES
from weft.types import HOP_OF, MAX_HOPS, Unread

PROJECT = Path(__file__).parent.parent
TEXTS = {"README.md": PROJECT / "README.md", "docs/python.md": PROJECT / "docs" / "python.md"}
PYTHON_PAGE = TEXTS["docs/python.md"].read_text()
ARCHIVE_PAGE = (PROJECT / "docs" / "archive.md").read_text()
CRAWL_LOG_PAGE = (PROJECT / "docs" / "crawl-log.md").read_text()
WITHIN_S = 120


class Block(NamedTuple):
    """A program in a text: fenced, and marked as `python` or `sh`."""

    section: str
    number: int
    language: str
    code: str

    def run(self, folder: Path) -> Finished:
        """Run it as a reader would who has saved it; its first line may say under which name."""
        named = re.match(r"# (\w+\.py)\n", self.code)
        name = named.group(1) if named else f"program_{self.number}.{'py' if self.language == 'python' else 'sh'}"
        (folder / name).write_text(self.code)
        return run(*(["python"] if self.language == "python" else ["sh", "-e"]), name, cwd=folder)


def blocks_of(path: Path) -> list[Block]:
    """The programs of a text, in their order."""
    found = []
    for section in re.split(r"^## ", path.read_text(), flags=re.MULTILINE):
        programs = re.findall(r"^```(python|sh)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        found += [Block(section.partition("\n")[0], number, *program) for number, program in enumerate(programs)]
    return found


BLOCKS = {(name, block.section, block.number): block for name, path in TEXTS.items() for block in blocks_of(path)}
Ran = dict[tuple[str, str, int], Finished]


def run_section(folder: Path, name: str, section: str) -> Ran:
    """The programs of a section, one after the other, in a folder of their own."""
    folder.mkdir()
    return {key: block.run(folder) for key, block in BLOCKS.items() if key[:2] == (name, section)}


@pytest.fixture(scope="module")
def ran() -> Iterator[Ran]:
    """All programs. They are polite, so they mostly wait, and the sections can run at the same time."""
    sections = sorted({key[:2] for key in BLOCKS})
    with scratch_folder() as folder, ThreadPoolExecutor(len(sections)) as threads:
        jobs = [threads.submit(run_section, folder / str(n), *section) for n, section in enumerate(sections)]
        yield {key: finished for job in jobs for key, finished in job.result().items()}


@pytest.mark.parametrize("key", BLOCKS, ids=lambda key: " ".join(map(str, key)))
def test_a_program_runs_as_written(ran: Ran, key: tuple[str, str, int]) -> None:
    finished = ran[key]
    assert finished.code == 0, finished.errors
    assert "Traceback" not in finished.errors
    assert BLOCKS[key].language == "sh" or finished.errors == ""


def lines_of(ran: Ran, name: str, section: str) -> list[list[str]]:
    """What the programs of a section printed."""
    return [finished.out.splitlines() for key, finished in ran.items() if key[:2] == (name, section)]


def test_the_readme_crawls_the_whole_site(ran: Ran) -> None:
    (lines,) = lines_of(ran, "README.md", "In Python")
    assert {line.split()[0] for line in lines} == PAGES
    assert "https://example.org/products Products 2" in lines


def test_a_crawl_is_kept_resumed_and_left_as_the_python_page_says(ran: Ran) -> None:
    kept, resumed, followed, in_sync, left = lines_of(ran, "docs/python.md", "weft.crawl")
    assert len(kept) == 3
    given = [line.split()[1] for line in kept] + resumed
    assert sorted(given) == sorted(url for url in PAGES if "calendar" not in url)
    assert followed[:2] == ["200 https://example.org/about", "404 https://example.org/no-such-page"]
    assert followed[2].startswith("done {")
    assert [line.split()[0] for line in in_sync] == ["https://example.org/", "https://example.org/products"]
    assert left == ["found on https://example.org/products", "the crawl is over"]


def test_a_crawl_is_read_as_the_python_page_says(ran: Ran) -> None:
    _, read = lines_of(ran, "docs/python.md", "weft.read")
    assert {line.split()[2] for line in read} >= {"https://example.org/", "https://example.org/about"}
    assert {line.split()[1] for line in read} == {"en"}
    assert ran["docs/python.md", "weft.read", 1].requests == []


def test_items_are_made_as_the_python_page_says(ran: Ran) -> None:
    _, at_command_line, in_program = lines_of(ran, "docs/python.md", "Extractors")
    assert '{"url":"https://example.org/","heading":"Example"}' in at_command_line
    assert sorted(in_program) == sorted(
        ["done: https://example.org/", "done: https://example.org/products", "Example", "Products"]
    )


def test_a_site_crawls_and_its_functions_are_tried_as_the_python_page_says(ran: Ran) -> None:
    crawled, tried = lines_of(ran, "docs/python.md", "Sites and rules")
    assert crawled == ["5 pages"]
    assert tried == ["['Cups']"], "a cup is not dear"


def test_a_form_is_filled_in_as_the_python_page_says(ran: Ran) -> None:
    assert lines_of(ran, "docs/python.md", "Forms") == [
        [
            "POST https://example.org/login token=x1&user=me&password=secret&do=login",
            "https://example.org/search?q=kettle",
        ]
    ]


def test_an_archive_is_extracted_as_the_python_page_says(ran: Ran) -> None:
    assert lines_of(ran, "docs/python.md", "weft.extract")[-1] == ["4 items of 4 pages; 0 calls failed"]


def test_endings_are_told_as_the_python_page_says(ran: Ran) -> None:
    errors, log = lines_of(ran, "docs/python.md", "How it ends")
    assert errors[0].startswith("cannot crawl: 'example.org' is not a URL")
    assert errors[1].startswith("nothing came: Not one page could be fetched. Its robots.txt forbids it")
    assert log[0].startswith("INFO weft.crawl: begins: 1 seed (https://example.org/) into ")
    assert log[-1].startswith("INFO weft.crawl: ended: limit. 2 pages in ")


def first_cells(heading: str, text: str) -> list[str]:
    """What the tables of a section are about: the code in the first cell of each row."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section
    return re.findall(r"^\| `(\w+)[^`]*` \|", section.group(1), re.MULTILINE)


def test_every_setting_is_on_the_python_page() -> None:
    assert first_cells("Settings", PYTHON_PAGE) == list(CrawlSettings.__annotations__)


def test_everything_that_a_page_has_is_on_the_python_page() -> None:
    public = {name for name in vars(Page) if not name.startswith("_")}
    assert sorted(first_cells("A page", PYTHON_PAGE)) == sorted(public)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PYTHON_PAGE, f"When {delivery.PAGES} pages or {delivery.BYTES // MIB} MB wait to be read"),
        (PYTHON_PAGE, f"at most {MAX_BODY_BYTES // MIB} MB of them"),
        (ARCHIVE_PAGE, f"at {ROTATE_AT_BYTES // 10**9} GB"),
        (ARCHIVE_PAGE, f"for bodies of {SHORTEST_BYTES} bytes or more"),
        (CRAWL_LOG_PAGE, f"the last {MAX_HOPS} steps"),
    ],
)
def test_the_figures_in_the_texts_are_those_of_the_code(text: str, words: str) -> None:
    assert words in " ".join(text.split())


# ── archive and log ────────────────────────────────────────────────────────────────────────────────────


def test_the_page_about_the_log_has_exactly_the_fields_of_a_line() -> None:
    assert first_cells("Fields", CRAWL_LOG_PAGE) == list(LogLine.__struct_fields__)


def test_every_letter_of_a_hop_path_is_explained() -> None:
    section = CRAWL_LOG_PAGE.partition("## Hops\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| ([A-Z]) \|", section, re.MULTILINE)) == set(HOP_OF.values())


@pytest.fixture(scope="module")
def judged() -> Iterator[JudgedCrawl]:
    """A crawl with a bit of everything."""
    with scratch_folder() as folder:
        yield JudgedCrawl(folder / "crawl")


def test_every_field_of_pages_jsonl_is_explained(judged: JudgedCrawl) -> None:
    lines = (judged.folder / "pages.jsonl").read_text().splitlines()
    fields = {name for line in lines for name in json.loads(line)}
    rare = {"near_duplicate_of", "unread", "links_read_bytes", "leads_back", "method"}
    assert fields | rare == set(first_cells("pages.jsonl", ARCHIVE_PAGE))


def test_every_reason_why_links_were_not_read_is_explained() -> None:
    section = ARCHIVE_PAGE.partition("## Links that were not read\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \| .", section, re.MULTILINE) == list(Unread)


def test_every_field_of_the_index_is_explained(judged: JudgedCrawl) -> None:
    fields = {name for line in judged.lines for name in line.fields}
    assert fields | {"requestBody", "method"} == set(first_cells("index.cdxj", ARCHIVE_PAGE))


def test_every_kind_of_record_is_explained_with_the_fields_it_has(judged: JudgedCrawl) -> None:
    found: dict[str, set[str]] = {}
    notes: set[str] = set()
    for path in (judged.folder / "archive").iterdir():
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                found.setdefault(record.rec_type, set()).update(name for name, _ in record.rec_headers.headers)
                if record.rec_type == "metadata":
                    notes |= set(re.findall(r"^(\w+):", record.content_stream().read().decode(), re.MULTILINE))
    examples = dict(re.findall(r"^### (\w+)\n\n    WARC/1.1\n(.*?)\n\n", ARCHIVE_PAGE, re.MULTILINE | re.DOTALL))
    assert {kind: set(re.findall(r"^    ([\w-]+):", text, re.MULTILINE)) for kind, text in examples.items()} == found
    tables = first_cells("WARC files", ARCHIVE_PAGE)
    assert tables[: len(found)] == [kind for kind in tables if kind in found]
    rare = {"linksUnread", "linksReadBytes", "emptyEntries", "requestKey"}
    assert set(tables[len(found) :]) == notes | rare


def test_every_file_of_a_crawl_folder_is_in_the_list(judged: JudgedCrawl) -> None:
    listed = set(re.findall(r"^      ([\w.]+)", ARCHIVE_PAGE, re.MULTILINE))
    assert {path.name for path in judged.folder.iterdir()} <= listed
