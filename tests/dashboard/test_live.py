"""The page of a crawl that runs, in a real browser: what it shows is true, and what it is told is done."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.cli.running import own_environment
from tests.pipeline.engine_process import weft_command
from weft.live.reader import read_status
from weft.live.status import State, Status
from weft.pipeline.halts import Halt
from weft.simweb import SimProcess, WebSpec

from .browser import WITHIN_MS, Watched, watching

T = TypeVar("T")

WITHIN_S = 120.0
HOSTS = 12


@pytest.fixture(scope="module")
def sim() -> Iterator[SimProcess]:
    with SimProcess(WebSpec(hosts=HOSTS, pages=6_000, seed_hosts=HOSTS, size_spread=0.0)) as running:
        yield running


@contextmanager
def running(arguments: list[str], cwd: Path) -> Iterator[str]:
    """A command with a view, whose link is given."""
    with (cwd / "errors").open("w") as errors:
        process = subprocess.Popen(
            weft_command(*arguments, "--dashboard", "127.0.0.1:0"),
            cwd=cwd, env=own_environment(), stdout=errors, stderr=errors, start_new_session=True,
        )  # fmt: skip
    try:
        yield eventually(lambda: _link_in((cwd / "errors").read_text(), cwd))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(WITHIN_S)


def _link_in(text: str, cwd: Path) -> str | None:
    """From the log, which names the file of the token."""
    found = re.search(r"(http://\S+/); .* the token in (\S+)\n", text)
    return f"{found[1]}#token={(cwd / found[2]).read_text().strip()}" if found else None


def eventually(look: Callable[[], T | None]) -> T:
    """What is there at last."""
    give_up_at = time.monotonic() + WITHIN_S
    while (found := look()) is None:
        assert time.monotonic() < give_up_at, "waited in vain"
        time.sleep(0.05)
    return found


def crawl_flags(sim: SimProcess) -> list[str]:
    """Slow enough to last as long as the test."""
    return [*sim.seeds, "-o", "crawl", "--scope", "any", "--delay", "0.2", "--rate", "30", "--dns-server", sim.dns,
            "--allow-private", "--workers", "1", "--connections-per-address", "20"]  # fmt: skip


def when(folder: Path, holds: Callable[[Status], bool]) -> Status:
    """The status once something holds."""

    def look() -> Status | None:
        status = read_status(folder)
        return status if status is not None and holds(status) else None

    return eventually(look)


def tell(page: Page, wish: str, value: str | None = None, **fields: str) -> None:
    """Fill a form and send it; the page says that it was accepted."""
    form = page.locator(f"form[data-wish={wish}]:visible")
    for name, text in fields.items():
        form.locator(f"[name={name}]").fill(text)
    page.locator("#said").evaluate("said => said.textContent = ''")  # else an earlier wish would be taken for this one
    form.locator(f"button[value={value}]" if value else "button").first.click()
    expect(page.locator("#said")).to_have_text(re.compile("^Told: "), timeout=WITHIN_MS)


def test_a_running_crawl_is_shown_and_steered_and_keeps_what_it_was_told(
    browser: Browser, sim: SimProcess, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    blocked, slow = sorted({url.split("/")[2].partition(":")[0] for url in sim.seeds})[:2]
    with running(["crawl", *crawl_flags(sim)], tmp_path) as link, watching(browser, link) as watched:
        page = watched.page
        expect(page.locator("#state")).to_have_text("running", timeout=WITHIN_MS)
        _curves_move(page)
        _numbers_are_the_engines(page, folder)

        tell(page, "rate", pages_per_s="25")
        assert when(folder, lambda now: now.steered.rate == 25).steered.rate == 25
        tell(page, "delay", host=slow, seconds="7.5")
        when(folder, lambda now: now.steered.host_delays.get(slow) == 7.5)
        tell(page, "block", host=blocked)
        when(folder, lambda now: blocked in now.steered.blocked)
        tell(page, "exclude", pattern="*/never/*")
        when(folder, lambda now: "*/never/*" in now.steered.exclude)
        seeds = read_status(folder)
        assert seeds is not None
        tell(page, "seeds", urls=f"http://{slow}/one\nhttp://{slow}/two")
        when(folder, lambda now: now.steered.seed_count == seeds.steered.seed_count + 2)
        _is_calm(watched)

    assert read_status(folder) is not None
    with running(["resume", "crawl"], tmp_path) as link, watching(browser, link) as watched:
        page = watched.page
        now = when(folder, lambda now: now.state is State.RUNNING)
        assert now.steered.rate == 25
        assert now.steered.host_delays == {slow: 7.5}
        assert now.steered.blocked == [blocked]
        assert "*/never/*" in now.steered.exclude
        tell(page, "block", "unblock", host=blocked)
        when(folder, lambda now: not now.steered.blocked)
        tell(page, "rate", pages_per_s="")
        when(folder, lambda now: now.steered.rate is None)
        page.locator("#stop").click()
        page.locator("#sure-no").click()
        page.locator("#stop").click()
        page.locator("#sure-yes").click()
        when(folder, lambda now: now.state is State.ENDED)
    log = (folder / "crawl.log").read_text()
    for words in (
        "at most 25 pages",
        f"delay of {slow}: 7.5",
        f"blocked {blocked}",
        "excluded */never/*",
        "seeds added",
    ):
        assert len([line for line in log.splitlines() if words in line and f"un{words}" not in line]) == 1, words


def _curves_move(page: Page) -> None:
    for chart in ("c-pages", "c-bytes", "c-workers", "c-buffers", "c-idle"):
        path = page.locator(f"#{chart} path.s0")
        before = path.get_attribute("d") or ""
        expect(path).not_to_have_attribute("d", before, timeout=WITHIN_MS)


def _rests(now: Status) -> bool:
    """Whether a crawl is paused, and nothing will change until it goes on."""
    is_paused = now.state is State.PAUSED and now.limiter.name == str(Halt.PAUSED)
    return is_paused and not now.under_way and not now.parsing


def _numbers_are_the_engines(page: Page, folder: Path) -> None:
    """Compared while the crawl rests: else one of the two would always be older."""
    page.locator("#pause").click()
    still = when(folder, _rests)
    for place, number in (
        ("#f-pages", still.pages),
        ("#f-queued", still.queued),
        ("#f-under-way", 0),
        ("#f-hosts-ready", still.hosts.ready),
    ):
        expect(page.locator(place)).to_have_text(f"{number:,}", timeout=WITHIN_MS)
    rows = page.locator("#t-statuses tbody tr:visible")
    expect(rows).to_have_count(len(still.statuses), timeout=WITHIN_MS)
    shown = dict(row.split("\t")[:2] for row in rows.all_inner_texts())
    assert shown == {name: f"{count:,}" for name, count in still.statuses.items()}
    hosts = page.locator("#t-by-pages tbody tr:visible td:first-child").all_inner_texts()
    assert hosts == [host.name for host in still.by_pages]
    expect(page.locator("#limiter-words")).to_have_text(still.limiter.words, timeout=WITHIN_MS)
    expect(page.locator("#pause")).to_have_text("Resume", timeout=WITHIN_MS)
    page.locator("#pause").click()
    when(folder, lambda now: now.state is State.RUNNING)
    expect(page.locator("#state")).to_have_text("running", timeout=WITHIN_MS)


def _is_calm(watched: Watched) -> None:
    assert watched.complaints == []
    assert watched.hosts() == {"127.0.0.1"}
    assert [shift for shift in watched.shifts() if shift["value"]] == []
