"""`--items FILE`: at the end of each run the items are in that file as well."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from tests.pipeline import extractors
from weft.errors import BadInput
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess

from .site import home, paths_of, quick, serving, site

PAGES = 3


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with serving(site(PAGES)) as running:
        yield running


def urls_in(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return sorted(row["url"] for row in csv.DictReader(file))


def test_each_run_writes_all_items_and_a_failed_one_spares_a_good_file(sim: SimProcess, tmp_path: Path) -> None:
    out, folder = tmp_path / "tables" / "items.csv", tmp_path / "crawl"
    all_urls = sorted(home(sim) + path.removeprefix("/") for path in ["/", *paths_of(PAGES)])

    def settings(function: str, more: CrawlSettings) -> CrawlSettings:
        return quick(sim) | {"extract": (f"{extractors.__name__}:{function}",), "items": str(out)} | more

    async def main() -> None:
        await weft.crawl(home(sim), output=folder, **settings("url", {"max_pages": 2})).run()
        assert len(urls_in(out)) == 2
        await weft.resume(folder, max_pages=None).run()
        assert urls_in(out) == all_urls
        # Not one call gives an item: what is there is better.
        await weft.crawl(home(sim), output=tmp_path / "bad", **settings("no_json", {})).run()
        assert urls_in(out) == all_urls
        # A run that is right, and has none, says so.
        await weft.crawl(home(sim), output=tmp_path / "none", **settings("nothing", {})).run()
        assert out.read_bytes() == b""

    asyncio.run(main())


def test_a_program_may_change_its_folder_while_it_crawls(
    sim: SimProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    bodies = []

    async def main() -> None:
        settings = quick(sim) | {"extract": (f"{extractors.__name__}:url",), "items": "items.csv"}
        async for page in weft.crawl(home(sim), output="crawl", **settings):
            monkeypatch.chdir(tmp_path / "elsewhere")
            bodies.append(page.body)

    asyncio.run(main())
    assert all(bodies)
    assert len(urls_in(tmp_path / "items.csv")) == len(bodies) == PAGES + 1
    assert (tmp_path / "crawl" / "report.json").is_file()
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_file_that_cannot_be_is_refused_before_the_crawl_begins(sim: SimProcess, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="by the ending of the file"):
        asyncio.run(weft.crawl(home(sim), output=tmp_path / "crawl", items="items.xlsx").run())
    assert not (tmp_path / "crawl").exists()
