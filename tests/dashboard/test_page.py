"""The page in a real browser, shown a folder that the test writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.live.moments import a_history
from tests.live.statuses import a_status
from weft.dns import DnsStatistics
from weft.live.mailbox import waiting_commands
from weft.live.status import Done, HostFigures, Limiter, Stage, State, Steered, Visited
from weft.pipeline.progress import HostWait

from .browser import AXE, Watched, watching
from .serving import Served, make_crawl, serving, source_of, write_history, write_status

DESKTOP, PHONE = (1360, 900), (360, 780)
HOSTILE = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"\'\u202egnp.exe\u0007&amp;{{7*7}}'


class Still(NamedTuple):
    """A crawl that stands still, and its page."""

    folder: Path
    watched: Watched


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = make_crawl(tmp_path / "crawl")
    write_status(folder, a_status())
    write_history(folder, a_history())
    return folder


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(source_of(folder)) as running:
        yield running


@pytest.fixture(scope="module")
def still(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Still]:
    """A page of a crawl that nobody changes, for the tests that only look: a page costs more than a look at it."""
    folder = make_crawl(tmp_path_factory.mktemp("still") / "crawl")
    write_status(folder, a_status())
    write_history(folder, a_history())
    with serving(source_of(folder)) as served, watching(browser, served.link) as watched:
        is_shown(watched.page, a_status().pages)
        yield Still(folder, watched)


def is_shown(page: Page, pages: int) -> None:
    expect(page.locator("#f-pages")).to_have_text(f"{pages:,}")


def test_what_the_report_says_is_on_the_page(still: Still) -> None:
    status, page = a_status(), still.watched.page
    text = page.locator("body").inner_text()
    expect(page.locator("#f-queued")).to_have_text(f"{status.queued:,}")
    expect(page.locator("#f-pages-per-s")).to_have_text(f"{status.rates.pages:.0f}".replace("120", "121"))
    expect(page.locator("#limiter-words")).to_have_text(status.limiter.words)
    expect(page.locator("#limiter-advice")).to_have_text(status.limiter.advice.replace("`", ""))
    assert page.locator("#limiter-advice code").count() == status.limiter.advice.count("`") // 2 > 0
    expect(page.locator("#state")).to_have_text("killed")
    for word in (*status.kinds, *status.refused, *status.failed, *status.statuses):
        assert word in text
    hosts: list[HostFigures | HostWait] = [*status.by_pages, *status.slowest, *status.waiting, *status.left]
    assert [one.name for one in hosts if one.name not in text] == []
    assert status.newest[0].url in text
    assert status.commands[0].words in text
    assert still.watched.complaints == []


def test_hostile_words_are_shown_as_words(browser: Browser, served: Served, folder: Path) -> None:
    host = HostFigures(HOSTILE, 1, 1, 1, 1, 1.0)
    status = a_status(
        state=State.RUNNING,
        version=HOSTILE,
        machine=HOSTILE,
        updated=HOSTILE,
        began=HOSTILE,
        exit=HOSTILE,
        limiter=Limiter(HOSTILE, HOSTILE, HOSTILE),
        stages=[Stage(HOSTILE, 1, 1, 1, 1.0, 1.0, HOSTILE)],
        kinds={HOSTILE: 1, "__proto__": 2, "constructor": 3},
        statuses={HOSTILE: 1},
        refused={HOSTILE: 1},
        failed={HOSTILE: 1},
        waiting=[HostWait(HOSTILE, 1.0, HOSTILE)],
        left=[HostWait(HOSTILE, 1.0, HOSTILE)],
        by_pages=[host],
        slowest=[host],
        newest=[Visited(HOSTILE, f"javascript:window.pwned=1//{HOSTILE}", 0, HOSTILE, 1, 1.0)],
        steered=Steered(host_delays={HOSTILE: 1.0}, exclude=[HOSTILE], blocked=[HOSTILE], seeds=[HOSTILE]),
        commands=[Done(HOSTILE, HOSTILE)],
        warnings=[HOSTILE],
    )
    with watching(browser, served.link) as watched:
        page = watched.page
        is_shown(page, a_status().pages)
        elements = page.evaluate("() => document.querySelectorAll('img, script, a, iframe').length")
        write_status(folder, msgspec.structs.replace(status, pages=7))
        is_shown(page, 7)
        assert page.evaluate("() => document.querySelectorAll('img, script, a, iframe').length") == elements
        assert page.evaluate("() => window.pwned") is None
        expect(page.locator("#warnings li")).to_have_text(HOSTILE)
        expect(page.locator("#t-by-pages tbody tr:visible td").first).to_have_text(HOSTILE)
        assert watched.complaints == []
        assert watched.hosts() == {"127.0.0.1"}


@pytest.mark.parametrize("size", [DESKTOP, PHONE, pytest.param((800, 900), marks=pytest.mark.large)])
def test_figures_of_any_size_move_nothing(
    browser: Browser, served: Served, folder: Path, size: tuple[int, int]
) -> None:
    with watching(browser, served.link, size=size) as watched:
        for number, status in enumerate(_extremes()):
            write_status(folder, msgspec.structs.replace(status, pages=number + 1))
            is_shown(watched.page, number + 1)
        assert watched.shifts() == []
        widths = watched.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1]


def _extremes() -> Iterator[Any]:
    """Everything there is, and nothing at all."""
    word = "x" * 300
    host = HostFigures(f"{word}.test", 10**12, 10**12, 10**15, 10**9, 12_345.6)
    full = a_status(
        requests=10**12,
        bytes=10**16,
        queued=10**12,
        seen=10**12,
        seconds=10**7,
        run_s=10**8,
        cpu_s=10**7,
        limiter=Limiter(word, f"{word} " * 5, f"{word} " * 5),
        kinds={f"{word}{n}": 10**12 for n in range(30)},
        refused={f"{word}{n}": 10**12 for n in range(30)},
        by_pages=[host] * 30,
        slowest=[host] * 30,
        waiting=[HostWait(word, 10**6, word)] * 30,
        left=[HostWait(word, 10**6, word)] * 30,
        newest=[Visited("2027-01-15T08:00:00.000Z", f"http://{word}/", 0, word, 10**12, 10**5)] * 40,
        dns=DnsStatistics(*[10**12] * 11),
        commands=[Done("2027-01-15T08:00:00.000Z", word)] * 30,
        warnings=[f"{word} " * 3] * 30,
    )
    empty = a_status(
        limit=None, limiter=Limiter("nothing", "", ""), stages=[], kinds={}, statuses={}, refused={}, failed={},
        waiting=[], left=[], by_pages=[], slowest=[], newest=[], commands=[], warnings=[], bytes=0, queued=0, seen=0,
    )  # fmt: skip
    return iter([a_status(), full, empty, full, a_status(), empty])


USED = {(DESKTOP, "light", True), (PHONE, "dark", True), (PHONE, "light", False)}  # the large run has all of it


@pytest.mark.parametrize(
    ("size", "scheme", "may_steer"),
    [
        pytest.param(*case, marks=() if case in USED else pytest.mark.large)
        for case in product((DESKTOP, PHONE), ("light", "dark"), (True, False))
    ],
)
def test_everybody_can_use_it(
    browser: Browser, served: Served, size: tuple[int, int], scheme: Literal["light", "dark"], may_steer: bool
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core could not be had: tests/install-browser")
    link = served.link if may_steer else served.url
    with watching(browser, link, size=size, scheme=scheme, bypass_csp=True) as watched:
        is_shown(watched.page, a_status().pages)
        if may_steer:
            expect(watched.page.locator("#w-rate")).to_be_enabled()
        assert watched.violations() == []


def test_everything_is_reached_by_keyboard(still: Still) -> None:
    page = still.watched.page
    expect(page.locator("#w-rate")).to_be_enabled()
    wanted = {"w-rate", "w-block", "w-delay-host", "w-exclude", "w-seeds", "t-newest", "range"}
    reached: set[str] = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.id || document.activeElement.name"))
        if wanted <= reached:
            break
    assert wanted <= reached


def test_the_token_leaves_the_address_and_survives_a_reload(browser: Browser, served: Served) -> None:
    with watching(browser, served.link) as watched:
        page = watched.page
        expect(page.locator("#w-rate")).to_be_enabled()
        assert page.url == served.url
        page.reload()
        expect(page.locator("#w-rate")).to_be_enabled()


def test_without_a_token_one_may_look_but_not_steer(browser: Browser, served: Served, folder: Path) -> None:
    write_status(folder, a_status(state=State.RUNNING))
    with watching(browser, served.url) as watched:
        page = watched.page
        is_shown(page, a_status().pages)
        for place in ("#pause", "#stop", "#w-rate"):
            expect(page.locator(place)).to_be_disabled()
        page.locator("#token-here").fill("a-wrong-token-0123456789")
        page.locator("#unlock-here button").click()
        expect(page.locator("#said")).to_have_text(re.compile("missing or wrong"))
        expect(page.locator("#w-rate")).to_be_disabled()
        page.locator("#token-here").fill(served.link.rpartition("=")[2])
        page.locator("#unlock-here button").click()
        expect(page.locator("#w-rate")).to_be_enabled()
        assert list(waiting_commands(folder)) == []


def test_elsewhere_looking_on_needs_the_token(browser: Browser, folder: Path) -> None:
    with serving(source_of(folder), address="0.0.0.0") as served, watching(browser, served.url) as watched:
        page = watched.page
        expect(page.locator("#unlock")).to_be_visible()
        expect(page.locator("main")).to_be_hidden()
        assert served.ask("/status")[0] == served.ask("/history")[0] == served.ask("/events")[0] == 401
        page.locator("#token").fill(served.link.rpartition("=")[2])
        page.locator("#unlock button").click()
        is_shown(page, a_status().pages)
        expect(page.locator("#w-rate")).to_be_enabled()


def test_bad_input_is_told_on_the_page(still: Still) -> None:
    page = still.watched.page
    page.locator("#w-exclude").fill("re:(")
    page.locator("form[data-wish=exclude] button").click()
    expect(page.locator("#said")).to_have_class("said bad")
    expect(page.locator("#w-exclude")).to_have_value("re:(")
    assert list(waiting_commands(still.folder)) == []


def test_a_view_that_is_gone_is_said_and_found_again(browser: Browser, folder: Path) -> None:
    with serving(source_of(folder)) as served, watching(browser, served.link) as watched:
        is_shown(watched.page, a_status().pages)
        (folder / "report.json").rename(folder / "aside")
        expect(watched.page.locator("#news")).not_to_be_empty()
        is_shown(watched.page, a_status().pages)
        (folder / "aside").rename(folder / "report.json")
        expect(watched.page.locator("#news")).to_be_empty()


def test_curves_are_drawn_from_all_points_or_the_last(still: Still) -> None:
    page = still.watched.page
    path = page.locator("#c-pages path.s0")
    expect(path).to_have_attribute("d", re.compile("^M[^L]*(L[^L]*){1100}"))
    whole = path.get_attribute("d") or ""
    page.get_by_label("5 min").check()
    expect(path).not_to_have_attribute("d", whole)
    assert 200 < (path.get_attribute("d") or "").count("L") < 400


def test_history_is_what_the_folder_has(served: Served) -> None:
    assert len(json.loads(served.ask("/history")[2])) == 1_200
