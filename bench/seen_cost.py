"""What the seen set costs a page as a crawl grows, without a crawl around it.

    python -m bench.seen_cost [--pages 1000000]

Sites of 200 pages each; 400 of them are visited at a time, in turns, and a new one begins where one ends. Each page has
eight links to pages of its site, of which one is its next page: so a page late in the crawl asks what an early one did.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from os import getpid
from pathlib import Path

from bench.measure import memory_bytes
from weft.seen import Seen
from weft.state import State
from weft.url import url_id

SITE_PAGES = 200
SITES_AT_ONCE = 400
LINKS = 8
PAGES_PER_BATCH = 4
STRETCH_PAGES = 10_000


def main() -> None:
    """Add the links of all pages, and print a line a stretch around each power of ten, and at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    pages = parser.parse_args().pages
    with tempfile.TemporaryDirectory(prefix="weft-seen-") as folder:
        state = State(Path(folder) / "db")
        seen = Seen(state, is_new_crawl=True)
        chance = random.Random(1)
        sites = list(range(SITES_AT_ONCE))
        visited = [0] * SITES_AT_ONCE
        done = 0
        while done < pages:
            cpu_s, before, reached = 0.0, seen.answers(), done + min(STRETCH_PAGES, pages - done)
            while done < reached:
                ids = [_links(sites, visited, (done + one) % SITES_AT_ONCE, chance) for one in range(PAGES_PER_BATCH)]
                began = time.thread_time()
                batch = state.batch()
                for of_page in ids:
                    for one in of_page:
                        seen.add(batch, one, 1)
                state.write(batch)
                seen.settle()
                cpu_s += time.thread_time() - began
                done += PAGES_PER_BATCH
            if done in (STRETCH_PAGES, 10 * STRETCH_PAGES, 30 * STRETCH_PAGES) or done >= pages:
                answers = {name: (count - before[name]) / STRETCH_PAGES for name, count in seen.answers().items()}
                said = ", ".join(f"{name} {count:.2f}" for name, count in answers.items())
                print(
                    f"{done:>9,} pages: {1e6 * cpu_s / STRETCH_PAGES:6.1f} µs of CPU a page in the loop; answers a "
                    f"page: {said}; {memory_bytes(getpid()) >> 20} MB"
                )
        state.close()


def _links(sites: list[int], visited: list[int], at: int, chance: random.Random) -> list[bytes]:
    """The ids of a page's links; the site's next page is the one after it."""
    site, page = sites[at], visited[at]
    numbers = [page + 1, *(chance.randrange(SITE_PAGES) for _ in range(LINKS - 1))]
    visited[at] += 1
    if visited[at] == SITE_PAGES:
        sites[at], visited[at] = max(sites) + 1, 0
    host = f"site{site}.test"
    return [url_id(f"http://{host}/page/{number}", host) for number in numbers]


if __name__ == "__main__":
    main()
