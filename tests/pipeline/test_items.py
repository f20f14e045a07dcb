"""A user's own functions: what they give goes to items.jsonl, what they do wrong goes to the log."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from weft.errors import BadInput
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

from .crawling import CrawlFiles, assert_archive_is_consistent, assert_fetched_the_truth, quick_config, run
from .extractors import PART

HERE = f"{__package__}.extractors"
SITE = "site.test"
PATHS = ["/a", "/b", f"{PART}/c", "/d"]


def site() -> dict[tuple[str, str], Behaviour]:
    """A home page, pages, and what is none: a redirect, a page that is not there, a file."""
    links = "".join(f'<p><a href="{path}">x</a>' for path in [*PATHS, "/old", "/gone", "/file"])
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, path): Fixed(f'<!DOCTYPE html><title>{path}</title><a href="/from{path}">x</a>'.encode())
        for path in PATHS
    }
    pages |= {(SITE, f"/from{path}"): Fixed(b"<!DOCTYPE html><title>the end</title>") for path in PATHS}
    pages[SITE, "/"] = Fixed(f"<!DOCTYPE html><title>Home</title>{links}".encode())
    pages[SITE, "/old"] = Fixed(status=301, headers=(("Location", "/a"),))
    pages[SITE, "/gone"] = Fixed(b"<!DOCTYPE html><title>Gone</title>", status=404)
    pages[SITE, "/file"] = Fixed(b"\0\1\2", content_type="application/octet-stream")
    return pages


class Extracted:
    """A crawl of the site with these functions, and what came of it."""

    def __init__(self, folder: Path, *functions: str, **changes: Any) -> None:
        extractors = tuple(f"{HERE}:{name}" for name in functions)
        with SimProcess(WebSpec(hosts=1, pages=1), site()) as sim:
            config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), extractors=extractors, **changes)
            self.crawl = Crawl.create(folder, config)
            self.ending = run(self.crawl)
            self.origin = sim.web.url(SITE, "/")[:-1]
        self.files = CrawlFiles(folder)
        self.log = (folder / "state" / "workers.log").read_text()
        data = (folder / "items.jsonl").read_bytes() if (folder / "items.jsonl").exists() else b""
        assert not data or data.endswith(b"\n")
        self.items: list[Any] = [json.loads(line) for line in data.split(b"\n")[:-1]]
        self.pages = {row.url for row in self.files.rows if 200 <= row.status < 300}

    def url(self, path: str) -> str:
        return self.origin + path


def test_each_page_gives_its_item_once_and_nothing_else_does(tmp_path: Path) -> None:
    made = Extracted(tmp_path, "url")
    assert Counter(item["url"] for item in made.items) == Counter(made.pages)
    assert made.url("/file") in made.pages
    assert made.url("/gone") not in made.pages
    assert len(made.pages) == 2 * len(PATHS) + 2
    assert made.crawl.items == len(made.items)
    with CrawlReader(tmp_path) as reader:
        assert reader.items == len(made.items)


def test_a_function_may_give_a_list_a_generator_nothing_or_a_text(tmp_path: Path) -> None:
    made = Extracted(tmp_path, "urls_twice", "titles", "nothing", "text")
    numbers = [(item["url"], item["number"]) for item in made.items if "number" in item]
    assert sorted(numbers) == sorted((url, number) for url in made.pages for number in range(2))
    titles = {item["url"]: item["title"] for item in made.items if "title" in item}
    assert titles.keys() == made.pages
    assert (titles[made.url("/")], titles[made.url("/a")]) == ("Home", "/a")
    links = {(item["url"], item["link"]) for item in made.items if "link" in item}
    assert (made.url("/a"), made.url("/from/a")) in links
    assert (made.url("/"), made.url("/gone")) in links
    texts = [item for item in made.items if isinstance(item, str)]
    assert Counter(item.split("\n")[0] for item in texts) == Counter(made.pages)


def test_without_functions_there_is_no_file(tmp_path: Path) -> None:
    made = Extracted(tmp_path)
    assert made.items == []
    assert not (tmp_path / "items.jsonl").exists()


def test_a_function_that_raises_costs_its_item_and_nothing_else(tmp_path: Path) -> None:
    made = Extracted(tmp_path, "fail", "url")
    assert made.ending is Ending.DONE
    assert set(made.files.outcomes().values()) == {"response"}
    poison = made.url(f"{PART}/c")
    counts = Counter(item["url"] for item in made.items)
    failed = {url for url in made.pages if PART in url}
    assert poison in failed
    assert counts == Counter({url: 1 if url in failed else 2 for url in made.pages})
    assert made.crawl.counters.items_failed == len(failed)
    assert made.files.row(made.url(f"/from{PART}/c")).status == 200, "its links are followed"
    assert f"failed on {poison}" in made.log
    assert "RuntimeError: a fault in a user's function" in made.log
    assert "extractors.py" in made.log
    assert_archive_is_consistent(made.files)


@pytest.mark.parametrize(
    ("function", "told", "items"),
    [("fail_in_the_middle", "KeyError: 'nothing more on", 1), ("no_json", "cannot be written as JSON", 0)],
)
def test_a_function_that_always_fails_is_told_and_counted_and_keeps_what_it_yielded_before(
    function: str, told: str, items: int, tmp_path: Path
) -> None:
    made = Extracted(tmp_path, function)
    assert made.ending is Ending.DONE
    assert Counter(item["url"] for item in made.items) == Counter(dict.fromkeys(made.pages, items))
    assert made.crawl.counters.items_failed == len(made.pages)
    assert told in made.log


def test_a_function_that_wants_to_leave_does_not_end_the_crawl(tmp_path: Path) -> None:
    """sys.exit is an error like any other here."""
    made = Extracted(tmp_path, "leave")
    assert made.ending is Ending.DONE
    assert "that was enough" in made.log
    failed = {url for url in made.pages if PART in url}
    assert {item["url"] for item in made.items} == made.pages - failed
    assert set(made.files.outcomes().values()) == {"response"}, "the page is kept, and so are its links"


def test_a_page_whose_function_kills_the_worker_costs_its_items_and_nothing_else(tmp_path: Path) -> None:
    made = Extracted(tmp_path, "kill_itself")
    bad = {url for url in made.pages if PART in url}
    assert made.ending is Ending.DONE
    assert set(made.files.outcomes().values()) == {"response"}
    assert made.url(f"/from{PART}/c") in bad, "its links are followed"
    assert Counter(item["url"] for item in made.items) == Counter(made.pages - bad)
    assert made.crawl.counters.items_failed == len(bad)
    for url in bad:
        assert f"the functions are not called with {url}" in made.log
    assert_archive_is_consistent(made.files)


def test_items_of_a_whole_web_are_there_once_with_two_workers(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=20, pages=300, seed=5)) as sim:
        config = quick_config(sim, extractors=(f"{HERE}:url",), workers=2)
        assert run(Crawl.create(tmp_path / "crawl", config)) is Ending.DONE
        truth = sim.web.truth()
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
    lines = (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()
    pages = [url for url, status in truth.status.items() if 200 <= status < 300]
    assert Counter(json.loads(line)["url"] for line in lines) == Counter(pages)


def test_a_page_read_again_from_the_archive_gives_no_items_again(tmp_path: Path) -> None:
    """A raised depth limit reads the outermost pages again."""
    with SimProcess(WebSpec(hosts=5, pages=100, seed=5)) as sim:
        config = quick_config(sim, extractors=(f"{HERE}:url",), depth=1)
        run(Crawl.create(tmp_path / "crawl", config))
        resumed = Crawl.resume(tmp_path / "crawl", depth=None)
        run(resumed)
        truth = sim.web.truth()
    assert resumed.counters.relaxed > 0
    lines = (tmp_path / "crawl" / "items.jsonl").read_bytes().splitlines()
    pages = [url for url, status in truth.status.items() if 200 <= status < 300]
    assert Counter(json.loads(line)["url"] for line in lines) == Counter(pages)


@pytest.mark.parametrize("path", ["no.such:thing", f"{HERE}:missing", f"{HERE}:PART", HERE, ":url", "..x:y"])
def test_a_function_that_cannot_be_used_is_refused_before_a_folder_is_made(path: str, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim, pytest.raises(BadInput):
        Crawl.create(tmp_path / "crawl", quick_config(sim, extractors=(path,)))
    assert not (tmp_path / "crawl").exists()
