"""What the link graph costs: bytes a link on disk, and what `weft rank` takes: .venv/bin/python -m bench.graph_rank

A synthetic crawl of sites of very different sizes: four of five URLs were visited, four of five links stay on their
site, and good pages get many. Its rows are written in the order of visits, as a crawl writes them. `weft rank` then
runs in a process of its own; its time and memory are measured from outside.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from bench.measure import run_measured
from weft.config import CrawlConfig
from weft.folder.layout import CrawlFolder, database_of
from weft.graph.kinds import KINDS
from weft.graph.rows import edges_of, row
from weft.state import State
from weft.types import PageRow
from weft.url import url_id

NODES, SITES = 1_000_000, 2_000
LINKS = 21_000_000  # some come twice: 20 million are left
VISITED, WITHIN_SITE = 0.8, 0.8
ROWS_PER_BATCH = 200
PAGES_AT_ONCE = 20_000
MB = 1e6

_encode = msgspec.msgpack.Encoder().encode


def write_crawl(folder: Path, nodes: int, links: int, seed: int) -> None:
    """A crawl folder with nothing but pages and their links."""
    made = CrawlFolder(folder, must_exist=False)
    made.save_config(CrawlConfig(seeds=("http://site-0.example/",)))
    made.close()
    chance = np.random.default_rng(seed)
    site_of = np.sort(np.minimum(chance.zipf(1.3, nodes) - 1, SITES - 1))
    first = np.searchsorted(site_of, np.arange(SITES + 1))
    urls = [f"http://site-{site}.example/{number}/a-title-of-common-length" for number, site in enumerate(site_of)]
    ids = [url_id(url) for url in urls]
    state = State(database_of(folder))
    visits = chance.permutation(nodes)[: int(nodes * VISITED)]
    for at in range(0, len(visits), PAGES_AT_ONCE):
        some = visits[at : at + PAGES_AT_ONCE]
        targets = _targets(chance, nodes, site_of, first, some, links // len(visits))
        _write(state, at, some.tolist(), targets.tolist(), urls, ids)
    state.close()


def _targets(
    chance: np.random.Generator, nodes: int, site_of: np.ndarray, first: np.ndarray, pages: np.ndarray, links: int
) -> np.ndarray:
    """A row of numbers for each page. Those of a site, and those of the web, that come first are linked to most."""
    shape = len(pages), links
    low, high = first[site_of[pages], np.newaxis], first[site_of[pages] + 1, np.newaxis]
    own = low + ((high - low) * chance.random(shape) ** 2).astype(np.int64)
    others = (chance.permutation(nodes)[:1] + nodes * chance.random(shape) ** 2).astype(np.int64) % nodes
    return np.where(chance.random(shape) < WITHIN_SITE, own, others)


def _write(
    state: State, time: int, pages: list[int], targets: list[list[int]], urls: list[str], ids: list[bytes]
) -> None:
    for at in range(0, len(pages), ROWS_PER_BATCH):
        batch = state.batch()
        for number in range(at, min(at + ROWS_PER_BATCH, len(pages))):
            page = pages[number]
            edges = edges_of(b"".join([ids[target] for target in targets[number]]))
            batch.put("graph", ids[page][:8], row(0.0, edges))
            batch.put("page", ids[page], _encode(PageRow(urls[page], 200, float(time + number), 1)))
        state.write(batch)


def graph_bytes(folder: Path) -> int:
    """What the family has on disk."""
    state = State(database_of(folder))
    state._families["graph"].flush()
    size_bytes = state._families["graph"].property_int_value("rocksdb.total-sst-files-size")
    state.close()
    return int(size_bytes or 0)


def main() -> None:
    """Write the crawl, and rank it in each way."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--nodes", type=int, default=NODES)
    arguments.add_argument("--links", type=int, default=LINKS)
    arguments.add_argument("--folder", type=Path, help="keeps the crawl; if it is there, it is taken as it is")
    asked = arguments.parse_args()
    with TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch) / "crawl"
        if not folder.exists():
            write_crawl(folder, asked.nodes, asked.links, seed=1)
        links = 0
        for way in KINDS:
            command = [str(Path(sys.executable).with_name("weft")), "rank", str(folder), "--by", way, "--json"]
            ended = run_measured(command, log=Path(scratch) / "log", cwd=Path(scratch))
            if ended.exit_code:
                sys.exit((Path(scratch) / "log").read_text())
            found = msgspec.json.decode(ended.output)
            links = found["links"]
            print(
                f"{way:9} {found['urls']:,} URLs, {links:,} links: {ended.seconds:.1f} s, CPU {ended.cpu_s:.1f} s, "
                f"{ended.peak_memory_bytes / MB:,.0f} MB at most",
                flush=True,
            )
        size_bytes = graph_bytes(folder)
        print(f"on disk   {size_bytes / MB:,.0f} MB, {size_bytes / links:.2f} bytes a link")


if __name__ == "__main__":
    main()
