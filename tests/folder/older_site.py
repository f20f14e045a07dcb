"""The site of the older crawls in `older.tar.xz`, which were made by weft of format 2 with the commands below.

    weft crawl URLS -o finished OPTIONS
    weft crawl URLS -o unfinished OPTIONS --max-pages 8
    weft resume unfinished --max-pages 1000      killed by WEFT_CRASH_AT=commit-written:7
    weft mirror URLS[0] -o mirror POLITE
    weft mirror -o updating --update             of a copy; killed likewise, at commit-written:8

Left out is what RocksDB does not need to open a database, and crawl.log.
"""

from __future__ import annotations

import fcntl
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from tests.mirror.site_server import OTHER, Answer, Site, page, redirect, serving

OLDER: Final = Path(__file__).with_name("older.tar.xz")
PORT: Final = 17_613  # below those that the system hands out, and nobody's
URLS: Final = (f"http://127.0.0.1:{PORT}/", f"http://{OTHER}:{PORT}/")
POLITE: Final = (
    "--allow-private", "--delay", "0", "--workers", "1", "--connections-per-host", "1", "--user-agent", "test",
)  # fmt: skip
OPTIONS: Final = (*POLITE, "--max-pages-per-host", "16", "--near-duplicates", "--exclude", "/private/*")


def unpack(folder: Path) -> None:
    """Put the crawls into a folder."""
    with tarfile.open(OLDER) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python knows no filters
        archive.extractall(folder)


@contextmanager
def served(site: Site) -> Iterator[Site]:
    """Serve a site at the port of then. There is but one: who tests at the same time waits."""
    with (Path(gettempdir()) / f"weft-tests-port-{PORT}-{os.getuid()}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with serving(site, PORT):
            yield site


def older_site() -> Site:
    """Two hosts with something for each family of rows."""
    site = Site()
    leaves = [f"/leaf/{number}" for number in range(8)]
    links = ["/twin/1", "/twin/2", "/moved", "/gone", "/forbidden/1", "/private/1", "/docs/", "/sub/index.html"]
    links += ["/talk?sid=0a1b2c3d4e5f", "/talk?sid=f5e4d3c2b1a0", "/events/2020-01/", *leaves]
    for host in ("127.0.0.1", OTHER):
        site.put("/robots.txt", Answer(b"User-agent: *\nDisallow: /forbidden/\n", "text/plain"), host)
        site.put("/", _page("home", links), host)
        site.put("/twin/1", _page("the same", []), host)
        site.put("/twin/2", _page("the same", []), host)
        site.put("/moved", redirect("/target"), host)
        site.put("/target", _page("target", ["/"]), host)
        site.put("/docs/", _page("docs", ["/docs/a.html", "/docs"]), host)
        site.put("/docs", _page("docs, the other", []), host)
        site.put("/docs/a.html", _page("a", []), host)
        site.put("/sub/index.html", _page("sub", ["/sub/"]), host)
        site.put("/sub/", _page("sub, the other", []), host)
        for talk in ("0a1b2c3d4e5f", "f5e4d3c2b1a0"):
            site.put(f"/talk?sid={talk}", _page("talk", []), host)
        for month in range(1, 5):
            site.put(f"/events/2020-{month:02}/", _page(f"month {month}", [f"/events/2020-{month + 1:02}/"]), host)
        for leaf in leaves:
            site.put(leaf, _page(leaf, []), host)
    return site


def _page(what: str, links: list[str]) -> Answer:
    return page(f"<title>{what}</title><p>{what}" + "".join(f' <a href="{link}">x</a>' for link in links))
