"""Debian's Chromium, by playwright: what a page asked for, said and moved is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Route, sync_playwright

AXE = Path(__file__).parents[2] / ".browser" / "axe.min.js"
WITHIN_MS = 30_000
_COUNT_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const nodes = entry.sources.map(({ node, previousRect: from, currentRect: to }) => {
      const where = [from.x, from.y, from.width, from.height, "to", to.x, to.y, to.width, to.height].join(" ");
      return `${node?.id || node?.outerHTML?.slice(0, 80) || node?.parentElement?.outerHTML?.slice(0, 80)}: ${where}`;
    });
    window.shifts.push({ value: entry.value, nodes });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


class Watched:
    """A page, with all that it did."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dismiss)
        page.add_init_script(_COUNT_SHIFTS)

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(said.text)

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()

    def shifts(self) -> Any:
        """What moved although nobody touched it."""
        return self.page.evaluate("() => window.shifts")

    def hosts(self) -> set[str | None]:
        """Whom it asked for something."""
        return {urlsplit(url).hostname for url in self.requests if not url.startswith("data:")}

    def violations(self) -> list[str]:
        """What axe-core finds."""
        self.page.add_script_tag(path=AXE)
        found = self.page.evaluate("async () => (await axe.run()).violations")
        return [f"{one['id']}: {json.dumps([node['target'] for node in one['nodes']])}" for one in found]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a screen."""
    program = shutil.which("chromium")
    assert program is not None, "chromium is not installed: run tests/install-browser"
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--mute-audio"]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def watching(
    browser: Browser,
    link: str,
    *,
    size: tuple[int, int] = (1360, 900),
    scheme: Literal["light", "dark"] = "light",
    bypass_csp: bool = False,
) -> Iterator[Watched]:
    """A page in a context of its own. What it would ask of other machines is not even tried, but kept."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=bypass_csp, reduced_motion="reduce"
    )
    context.set_default_timeout(WITHIN_MS)
    watched = Watched(context.new_page())
    watched.page.route("**", _only_here)
    try:
        watched.page.goto(link)
        yield watched
    finally:
        context.close()


def _only_here(route: Route) -> None:
    if urlsplit(route.request.url).hostname == "127.0.0.1":
        route.continue_()
    else:
        route.abort()
