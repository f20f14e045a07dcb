"""What `weft report` and `weft report --site` take on a crawl of a million pages, whose rows are made without a crawl.

python -m bench.report_cost make DIR [PAGES]       the folder: 20 links a page, some faults of most kinds
python -m bench.report_cost run DIR [flags]        time and peak memory of `weft report DIR` with these flags
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from weft.config import CrawlConfig
from weft.folder.layout import CrawlFolder, database_of
from weft.graph.rows import NODE_BYTES, edges_of, row
from weft.page.link_marks import Place
from weft.state import State
from weft.types import Kind, LinkNotes, Outcome, OutsideLink, PageFacts, PageRow, Timing
from weft.url import url_id

PAGES = 1_000_000
LINKS = 20
MENU = 5  # of them, those that each page has
PAGES_PER_HOST = 50_000
SITEMAP = "https://www.site-0.example/sitemap.xml"
ROWS_PER_BATCH = 2_000

_encode = msgspec.msgpack.Encoder().encode


def make(folder: Path, pages: int) -> None:
    """Write the rows."""
    layout = CrawlFolder(folder, must_exist=False)
    layout.save_config(CrawlConfig(seeds=(url_of(0),), links=True))
    layout.close()
    state = State(database_of(folder))
    ids = [url_id(url_of(number)) for number in range(pages)]
    dice = random.Random(1)
    for start in range(0, pages, ROWS_PER_BATCH):
        batch = state.batch()
        for number in range(start, min(pages, start + ROWS_PER_BATCH)):
            page = row_of(number, dice)
            batch.put("page", ids[number], _encode(page))
            is_redirect = page.status == 301
            targets = [ids[dice.randrange(pages)]] if is_redirect else ids[:MENU] + dice.choices(ids, k=LINKS - MENU)
            batch.put("graph", ids[number][:NODE_BYTES], row(0.0, edges_of(b"".join(targets))))
            links = len({one[:NODE_BYTES] for one in targets})
            batch.put("links", ids[number][:NODE_BYTES], _encode(links_row(number, links, is_redirect, dice)))
        state.write(batch)
    batch = state.batch()
    batch.put("page", url_id(SITEMAP), _encode(PageRow(SITEMAP, 200, 1.7e9, 0, mime="text/xml", kind=Kind.SITEMAP)))
    batch.put("graph", url_id(SITEMAP)[:NODE_BYTES], row(0.0, edges_of(b"".join(ids[:50_000]))))
    state.write(batch)
    state.close()


def url_of(number: int) -> str:
    """The URL of a page."""
    return f"https://www.site-{number // PAGES_PER_HOST}.example/articles/{number % 97}/an-article-number-{number}.html"


def row_of(number: int, dice: random.Random) -> PageRow:
    """The row of a visit: one of a hundred is broken, one redirects, one fails."""
    kind = dice.random()
    status = 404 if kind < 0.01 else 301 if kind < 0.02 else 0 if kind < 0.021 else 200
    return PageRow(
        url_of(number),
        status,
        1.7e9 + number / 10,
        min(5, number // 1000),
        Outcome.RESPONSE if status else Outcome.RESPONSE_TIMEOUT,
        "text/html",
        f"sha1:{number:032d}",
        1 + number // 30_000,
        number * 1000,
        9_000,
        int(dice.lognormvariate(10, 1)),
        "utf-8",
        "Articles" if kind > 0.95 else f"An article of the number {number}, and what else there is to say",
        url_of(number // LINKS) if number else "",
        Kind.LINK if number else Kind.SEED,
        noindex=0.03 < kind < 0.035,
        address="192.0.2.1",
        timing=Timing(0.0, dice.lognormvariate(-2, 0.8), 0.01),
        hops="LLL",
        seed=0,
    )


def links_row(number: int, links: int, is_redirect: bool, dice: random.Random) -> LinkNotes:
    """Its links: one of fifty pages has no description, one of ten an image without alt."""
    if is_redirect:
        return LinkNotes(bytes([Place.REDIRECT]), "")
    return LinkNotes(
        bytes(links),
        "\n".join(f"an article number {dice.randrange(PAGES)}" for _ in range(links)),
        [OutsideLink(f"https://www.elsewhere-{number % 1000}.example/", 0, "elsewhere")],
        PageFacts(
            ""
            if dice.random() < 0.02
            else f"All that can be said of the article number {number}, in a sentence or two.",
            f"Article {number}",
            1,
            url_of(number),
            [],
            "en",
            [],
            8,
            3 if dice.random() < 0.1 else 0,
            400,
            6,
        ),
    )


def run(folder: Path, flags: list[str]) -> None:
    """Run the command, and say what it took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "weft", "report", str(folder), *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - began
    cpu = usage.ru_utime + usage.ru_stime
    print(f"exit {os.waitstatus_to_exitcode(status)}: {took:.1f} s, CPU {cpu:.1f} s, {usage.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else PAGES)
    else:
        run(Path(sys.argv[2]), sys.argv[3:])
