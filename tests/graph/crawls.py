"""Crawl folders that have a link graph, made row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from weft.config import CrawlConfig
from weft.folder.belonging import NODE_FILE, Belonging
from weft.folder.layout import CrawlFolder, database_of
from weft.folder.refused_rows import RefusedRow
from weft.graph.rows import NODE_BYTES, edges_of, node_of, row
from weft.state import Batch, State
from weft.state.keys import authority_prefix, host_prefix, lane_prefix, queue_key
from weft.types import Link, PageRow, Refusal
from weft.url import host_of, origin_of, url_id

HOME = "http://a.test/"
Web = Mapping[str, Sequence[str]]  # what each page links to, of those in WEB

# In the order of visits. Pages of two sites; what waits, is over a limit, forbidden or refused is only linked to, and
# so is what no row tells.
WEB: Web = {
    HOME: [HOME + "1", HOME + "2", HOME + "waits", "http://b.test/"],
    HOME + "1": [HOME, HOME + "2", HOME + "forbidden"],
    "http://b.test/": [HOME, "http://b.test/refused", "http://b.test/over"],
    HOME + "2": [HOME, HOME + "unknown"],
}

_encode = msgspec.msgpack.Encoder().encode


def make_crawl(path: Path, web: Web = WEB, *, node: str = "", shares: Mapping[str, float] | None = None) -> Path:
    """A crawl folder with these pages; with a name, that of a node of a cluster."""
    folder = CrawlFolder(path, must_exist=False)
    folder.save_config(CrawlConfig(seeds=(HOME,)))
    folder.close()
    if node:
        whose = Belonging("crawl", "crawl id", node, f"folder of {node}")
        (path / "state" / NODE_FILE).write_bytes(msgspec.json.encode(whose))
    state = State(database_of(path))
    batch = state.batch()
    for page, targets in web.items():
        batch.put("page", url_id(page), _encode(PageRow(page, 200, float(list(WEB).index(page)), 1)))
        edges = edges_of(b"".join(map(url_id, targets)))
        batch.put("graph", url_id(page)[:NODE_BYTES], row((shares or {}).get(page, 0.0), edges))
    for url in {target for targets in web.values() for target in targets} - web.keys():
        _put_other(batch, url)
    state.write(batch)
    state.close()
    return path


def _put_other(batch: Batch, url: str) -> None:
    """The row of a URL that was not visited, by its last word."""
    link = Link(url, 1)
    host, word = host_of(url), url.rpartition("/")[2]
    place = queue_key(lane_prefix(host, 0), 1, sequence=node_of(url_id(url)))
    if word == "over":
        batch.put("over", place, _encode(link))
    elif word == "forbidden":
        row = RefusedRow(link, Refusal.ROBOTS, "Disallow: /")
        batch.put("forbidden", authority_prefix(origin_of(url)) + url_id(url), _encode(row))
    elif word == "refused":
        batch.put("refused", host_prefix(host) + url_id(url), _encode(RefusedRow(link, Refusal.PATTERN, "x")))
    elif word != "unknown":
        batch.put("queue", place, _encode(link))
        batch.put("place", url_id(url), bytes(16) + place)
