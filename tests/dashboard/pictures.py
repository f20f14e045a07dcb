"""The pictures of docs/dashboard.md, from a real crawl of a synthetic web: python -m tests.dashboard.pictures"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import expect

from weft.cli.demo import web_of
from weft.simweb import SimProcess

from .browser import chromium, watching
from .test_live import running, when

DOCS = Path(__file__).parents[2] / "docs"
PAGES = 9_000


class Picture(NamedTuple):
    name: str
    size: tuple[int, int]
    scheme: Literal["light", "dark"]


PICTURES = (
    Picture("desktop", (1200, 1120), "light"),
    Picture("phone", (360, 1240), "light"),
    Picture("dark", (1200, 1120), "dark"),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, SimProcess(web_of(120, 24_000)) as sim:
        flags = [*sim.seeds, "-o", "crawl", "--scope", "any", "--delay", "0.5", "--dns-server", sim.dns,
                 "--allow-private", "--max-pages", "20000", "--user-agent", "picture"]  # fmt: skip
        with running(["crawl", *flags], Path(scratch)) as link, chromium() as browser:
            when(Path(scratch) / "crawl", lambda now: now.pages > PAGES)
            for name, size, scheme in PICTURES:
                with watching(browser, link, size=size, scheme=scheme) as watched:
                    expect(watched.page.locator("#state")).to_have_text("running")
                    watched.page.wait_for_timeout(2_500)
                    watched.page.screenshot(path=DOCS / f"dashboard-{name}.png")


if __name__ == "__main__":
    main()
