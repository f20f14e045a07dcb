"""`weft.Site` and functions given as they are: programs as users write them, run as they stand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

import weft
from tests.page.rules import Quote
from tests.pipeline.extractors import url
from weft.errors import BadInput
from weft.settings.keywords import CrawlSettings
from weft.simweb import SimProcess
from weft.simweb.behaviour import Behaviour, Fixed

from .site import SITE, home, quick, serving

QUOTES = {"/page0": "Be yourself", "/page1": "", "/page2": "Less is more"}


def quotes() -> dict[tuple[str, str], Behaviour]:
    """A home page that leads to quotes, one of which is empty."""
    links = "".join(f'<p><a href="{path}">x</a>' for path in QUOTES)
    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Fixed(f"<!DOCTYPE html>{links}".encode())}
    return pages | {(SITE, path): Fixed(f"<!DOCTYPE html><q>{text}</q>".encode()) for path, text in QUOTES.items()}


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with serving(quotes()) as sim:
        yield sim


def items_in(folder: Path) -> list[Any]:
    return sorted(json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines())


def texts_in(folder: Path) -> list[str]:
    return sorted(json.loads(line)["text"] for line in (folder / "items.jsonl").read_text().splitlines())


def workers_log(folder: Path) -> str:
    return (folder / "state" / "workers.log").read_text()


# ── programs ───────────────────────────────────────────────────────────────────────────────────────────

TYPED = """
import sys
from dataclasses import dataclass
import weft

site = weft.Site({home!r}, **{settings!r})

@dataclass
class Quote:
    text: str

import checks  # which imports this program

@site.page("/page*")
def parse(page: weft.Page):
    for found in page.document.select("q"):
        yield Quote(found.text)

@site.item
def not_empty(quote: Quote) -> Quote | None:
    return quote if quote.text else None

site.item(checks.is_quote)
"""
CHECKS = """
def is_quote(item):
    from {name} import Quote
    assert isinstance(item, Quote), "there are two of the program"
    return item
"""
UNGUARDED = 'print(site.run("crawl").pages)\nprint("over")\n'
GUARDED = f'if __name__ == "__main__":\n    {UNGUARDED.strip().replace(chr(10), "; ")}'
ASYNC = """
import asyncio
async def main():
    async for page in site.crawl("crawl"):
        pass
    print(page.status, "over")
asyncio.run(main())
"""


def run_program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("name", "rest", "arguments"),
    [
        ("quotes.py", UNGUARDED, ["quotes.py"]),
        ("quotes.py", GUARDED, ["-m", "quotes"]),
        ("quotes.py", ASYNC, ["quotes.py"]),
    ],
)
def test_a_program_with_a_site_runs_as_it_stands(
    name: str, rest: str, arguments: list[str], sim: SimProcess, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(TYPED.format(home=home(sim), settings=quick(sim)) + rest)
    (tmp_path / "checks.py").write_text(CHECKS.format(name=name.removesuffix(".py")))
    done = run_program(tmp_path, *arguments)
    assert done.stderr == ""
    assert done.stdout.split()[-1] == "over"
    assert texts_in(tmp_path / "crawl") == ["Be yourself", "Less is more"], workers_log(tmp_path / "crawl")
    assert workers_log(tmp_path / "crawl") == ""


def test_a_site_is_named_on_the_command_line_by_its_module_or_its_file(sim: SimProcess, tmp_path: Path) -> None:
    (tmp_path / "quotes.py").write_text(TYPED.format(home=home(sim), settings={}) + UNGUARDED)
    (tmp_path / "checks.py").write_text(CHECKS.format(name="quotes"))
    flags = ["--dns-server", sim.dns, "--allow-private", "--delay", "0", "--scope", "any", "--workers", "1", "-q"]
    named = run_program(tmp_path, "-m", "weft", "crawl", home(sim), "-o", "a", "--extract", "./quotes.py:site", *flags)
    assert (named.returncode, named.stderr) == (0, "")
    assert texts_in(tmp_path / "a") == ["Be yourself", "Less is more"]
    imported = run_program(tmp_path, "-m", "weft", "crawl", home(sim), "-o", "b", "--extract", "quotes:site", *flags)
    assert imported.returncode == 2
    assert "must stand below if __name__ == '__main__'" in imported.stderr


PLAIN = """
import weft

def title(page):
    return page.url

def broken(page):
    yield "before"
    raise KeyboardInterrupt("by a function")

if __name__ == "__main__":
    settings = {settings!r}
    import asyncio
    print(asyncio.run(weft.crawl({home!r}, output="crawl", extract=[title, broken], **settings).run()).pages)
    for wrong in (lambda page: 1, weft.Site({home!r}), 5):
        try:
            weft.crawl({home!r}, output="other", extract=[wrong], **settings)
        except weft.WeftError as error:
            print(error)
        try:
            asyncio.run(weft.crawl({home!r}, output="other", extract=[wrong], **settings).run())
        except weft.WeftError as error:
            print(error)
"""


def test_functions_of_a_program_are_given_as_they_are_whatever_it_is_called(sim: SimProcess, tmp_path: Path) -> None:
    """A module of Python's own has the same name."""
    (tmp_path / "site.py").write_text(PLAIN.format(home=home(sim), settings=quick(sim)))
    done = run_program(tmp_path, "site.py")
    assert done.stderr == ""
    pages, *told = done.stdout.splitlines()
    assert int(pages) == 4
    assert ["cannot be found again" in line for line in told] == [True, False, False]
    assert "no function for pages" in told[1]
    assert "must be" in told[2]
    items = items_in(tmp_path / "crawl")
    assert items == sorted(["before"] * 4 + [sim.web.url(SITE, path) for path in ("/", *QUOTES)])
    stored = json.loads((tmp_path / "crawl" / "state" / "config.json").read_text())
    assert stored["config"]["extractors"] == [f"{tmp_path}/site.py:{name}" for name in ("title", "broken")]
    log = workers_log(tmp_path / "crawl")
    assert f"the function '{tmp_path}/site.py:broken' failed on {home(sim)}:\nTraceback" in log
    assert "KeyboardInterrupt: by a function" in log


HIDDEN = """
import weft
if __name__ == "__main__":
    site = weft.Site({home!r}, **{settings!r})
    @site.page
    def title(page):
        return page.title
    try:
        site.run("crawl")
    except weft.WeftError as error:
        print(error)
"""


def test_a_site_that_workers_do_not_find_in_its_program_is_told_in_one_sentence(
    sim: SimProcess, tmp_path: Path
) -> None:
    (tmp_path / "hidden.py").write_text(HIDDEN.format(home=home(sim), settings=quick(sim)))
    done = run_program(tmp_path, "hidden.py")
    assert (done.stdout, done.stderr) == (f"the module '{tmp_path}/hidden.py' has no 'site'\n", "")


# ── sites of modules ───────────────────────────────────────────────────────────────────────────────────

site = weft.Site()


@site.page("/page*")
def quote(page: weft.Page) -> Iterator[Quote]:
    for found in page.document.select("q"):
        yield Quote(found.text, words="2" if "Less" in found.text else 2)  # type: ignore[arg-type]


def test_a_site_is_an_extractor_and_an_item_of_a_wrong_type_is_named(sim: SimProcess, tmp_path: Path) -> None:
    settings: CrawlSettings = quick(sim) | {"extract": [site, url, "tests.pipeline.extractors:nothing"]}
    summary = uvloop.run(weft.crawl(home(sim), output=tmp_path / "crawl", **settings).run())
    assert summary.pages == 4
    found = [json.loads(line) for line in (tmp_path / "crawl" / "items.jsonl").read_text().splitlines()]
    assert sorted(item["text"] for item in found if "text" in item) == ["", "Be yourself"]
    assert sum("url" in item for item in found) == 4
    log = workers_log(tmp_path / "crawl")
    assert f"the function 'quote' of '{__name__}:site' failed on {sim.web.url(SITE, '/page2')}" in log
    assert "Quote.words of an item is wrong: expected `int`, got `str`" in log
    assert weft.report(tmp_path / "crawl").items.calls_failed == 1


def test_a_site_has_settings_of_its_own_which_a_call_may_change() -> None:
    other = weft.Site("http://site.test/", depth=2, delay="2s")
    assert other.urls == ("http://site.test/",)
    assert other.settings == {"keep_cookies": True, "depth": 2, "delay": "2s"}
    assert weft.Site(keep_cookies=False).settings == {"keep_cookies": False}
    with pytest.raises(BadInput, match="did you mean 'depth'"):
        weft.Site("http://site.test/", dept=2)  # type: ignore[call-arg]


def test_a_site_runs_where_a_loop_runs_already_and_does_not_lose_its_items(sim: SimProcess, tmp_path: Path) -> None:
    settings: CrawlSettings = quick(sim) | {"items": str(tmp_path / "items.jsonl"), "include": ["/page0"]}

    async def main() -> int:
        return other_site(sim).run(**settings).pages

    assert uvloop.run(main()) == 2
    assert json.loads((tmp_path / "items.jsonl").read_text()) == {"text": "Be yourself", "words": 2}
    with pytest.raises(BadInput, match="the items of the site would be lost"):
        other_site(sim).run(**quick(sim))


def other_site(sim: SimProcess) -> weft.Site:
    site.urls = (home(sim),)
    return site


def test_a_site_that_no_worker_could_find_is_told(tmp_path: Path) -> None:
    local = weft.Site("http://site.test/")
    local.page(url)
    with pytest.raises(BadInput, match="cannot be found again in a worker"):
        local.run(tmp_path / "crawl")
    assert not (tmp_path / "crawl").exists()
