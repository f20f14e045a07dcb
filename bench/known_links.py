"""What an id costs, and what it costs to find a known link among many: .venv/bin/python bench/known_links.py

Rows of `seen` for sites of 1,000 URLs each are written as a crawl writes them; then pages of 100 sites, by turns, ask
for their own links, past Bloom filter and hot cache. `--plain` takes ids without a bucket, as crawl folders had them up
to format 2. Only the time of the asking thread counts: RocksDB merges tables in others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from xxhash import xxh3_128_digest

from weft.state import State
from weft.url import url_id

SITE_URLS = 1_000
SITES, PAGES, LINKS_A_PAGE = 100, 4_000, 50
ROWS_PER_BATCH = 500
DEPTH = (3).to_bytes(4, "big")

MakeId = Callable[[str, str], bytes]


def _plain_id(url: str, host: str) -> bytes:
    return xxh3_128_digest(url.encode())


def _link(number: int) -> tuple[str, str]:
    host = f"www.site-{number // SITE_URLS}.example"
    return f"https://{host}/articles/{number % SITE_URLS}/a-title-of-common-length.html", host


def _fill(state: State, rows: int, make_id: MakeId, chance: Random) -> None:
    """As a crawl finds them: many sites at a time."""
    numbers = list(range(rows))
    chance.shuffle(numbers)
    for start in range(0, rows, ROWS_PER_BATCH):
        batch = state.batch()
        for number in numbers[start : start + ROWS_PER_BATCH]:
            batch.put("seen", make_id(*_link(number)), DEPTH)
        state.write(batch)


def main() -> None:
    """Print microseconds of CPU an id, and a look-up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--plain", action="store_true", help="ids without a bucket")
    args = parser.parse_args()
    make_id, chance = _plain_id if args.plain else url_id, Random(1)
    sites = chance.sample(range(0, args.rows, SITE_URLS), SITES) * (PAGES // SITES)
    links = [_link(site + chance.randrange(SITE_URLS)) for site in sites for _ in range(LINKS_A_PAGE)]
    make_id(*_link(0))  # which reads the list of public suffixes
    began = time.thread_time()
    ids = [make_id(url, host) for url, host in links]
    print(f"an id: {(time.thread_time() - began) / len(links) * 1e6:.2f} µs")
    with TemporaryDirectory() as folder:
        with closing(State(Path(folder) / "db")) as state:
            _fill(state, args.rows, make_id, chance)
        with closing(State(Path(folder) / "db")) as state:
            began = time.thread_time()
            assert all(state.get("seen", id_) is not None for id_ in ids)
            took_s = time.thread_time() - began
    print(f"a known link among {args.rows:,} rows: {took_s / len(ids) * 1e6:.2f} µs")


if __name__ == "__main__":
    main()
