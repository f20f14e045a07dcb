"""How long the page of a crawl with 1,200 points of history takes to be there, in Chromium without a screen.

    python -m bench.dashboard_open

A crawl of a million pages has no more points and no longer tables than this one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.dashboard.browser import chromium
from tests.dashboard.serving import make_crawl, serving, source_of, write_history, write_status
from tests.live.moments import a_history
from tests.live.statuses import a_status

ROUNDS = 5
MEGABYTE = 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        folder = make_crawl(Path(scratch) / "crawl")
        write_status(folder, a_status(pages=1_000_000))
        write_history(folder, a_history())
        with serving(source_of(folder)) as served:
            for _ in range(ROUNDS):
                page = browser.new_page()
                page.goto(served.link)
                page.locator("#c-idle path.s2[d]").wait_for(state="attached")
                page.locator("#f-pages", has_text="1,000,000").wait_for()
                there_ms = page.evaluate("() => performance.now()")
                heap = page.evaluate("() => performance.memory.usedJSHeapSize") / MEGABYTE
                print(f"figures and curves are there after {there_ms:,.0f} ms; JavaScript holds {heap:.1f} MB")
                page.close()


if __name__ == "__main__":
    main()
