"""The corpora: what is crawled, how it is served, and which pages there are to be found.

    a        real documentation on one host
    b        50 hosts × 400 pages of 20 KB and 40 links
    c        b, each response 100 ms late
    d        mixed: 20 ms to 3 s late, 5 % faults, slow bodies; fewer pages
    e, e1    b over https, kept alive, and with a connection a page; fewer pages
    f        b, its hosts by name, from one seed

The letters are the issue's; `--corpus e` means both of its ways.
"""

from __future__ import annotations

import shutil
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import trustme

from bench.names import DOMAIN, host_name, write_hosts
from bench.pages import Shape, all_pages, host_address, linked_pages, page_path, write_pages
from bench.server import Manner, Server, Weather, free_port, served
from bench.site import START_PATH, find_site
from bench.tally import page_key
from bench.truth import reachable

CONNECTIONS = 64
WHOLE = Shape()
FEWER = Shape(pages_a_host=200)
MIXED = Shape(pages_a_host=100)
LATE = Weather(latency_ms=100, latency_max_ms=100)
CHANGEABLE = Weather(latency_ms=20, latency_max_ms=3_000, gone_share=20, cut_share=30, slow_share=50)


class Corpus(msgspec.Struct, frozen=True):
    """A corpus by name, before anything is made or served."""

    name: str
    title: str
    shape: Shape | None = None  # None: the real documentation
    connections: int = CONNECTIONS
    weather: Weather | None = None
    https: bool = False
    keep_alive: bool = True
    has_names: bool = False  # hosts are known by names of one domain, and one of them is the only seed
    rounds: int = 1  # by default


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("a", "real documentation on one host", rounds=3),
        Corpus("b", "50 hosts × 400 pages of 20 KB and 40 links", WHOLE, rounds=3),
        Corpus("c", "as b, each response 100 ms late", WHOLE, connections=200, weather=LATE, rounds=3),
        Corpus("d", "mixed: 20 ms to 3 s late, 5 % faults, slow bodies", MIXED, weather=CHANGEABLE),
        Corpus("e", "as b over https, kept alive", FEWER, https=True),
        Corpus("e1", "as b over https, a connection a page", FEWER, https=True, keep_alive=False),
        Corpus("f", "as b, hosts by name, from one seed", WHOLE, has_names=True, rounds=3),
    )
}


class Stage(msgspec.Struct, frozen=True):
    """A corpus that is being served."""

    corpus: Corpus
    seeds: list[str]
    hosts: list[str]  # as they are in URLs
    truth: frozenset[str]  # page keys
    server: Server
    ca_file: Path | None
    hosts_file: Path | None = None  # in which the hosts' names are
    domain: str | None = None  # of which they are


@contextmanager
def staged(corpus: Corpus, scratch: Path) -> Iterator[Stage]:
    """Make the pages of a corpus and serve them as long as the context lasts."""
    folder = scratch / f"corpus-{corpus.name}"
    folder.mkdir()
    port = free_port()
    addresses = [host_address(host) for host in range(corpus.shape.hosts if corpus.shape else 1)]
    hosts = [host_name(host) for host in range(len(addresses))] if corpus.has_names else addresses
    ca_file, certificate = _certificate(folder, hosts) if corpus.https else (None, None)
    origins = [f"{'https' if corpus.https else 'http'}://{host}:{port}" for host in hosts]
    if corpus.shape is None:
        root = str(find_site())
        seeds = [origins[0] + START_PATH]
        # Also brings every file into the page cache, so that no tool pays for the disk.
        urls = (urlsplit(url) for url in reachable(Path(root), seeds[0]))
        truth = frozenset(page_key(addresses[0], url.path + (f"?{url.query}" if url.query else "")) for url in urls)
    else:
        root = f"{folder}/pages/$server_addr"
        seeds = [f"{origin}/" for origin in (origins[:1] if corpus.has_names else origins)]
        write_pages(corpus.shape, folder / "pages", origins)
        truth = truth_of(corpus.shape, corpus.weather)
    manner = Manner(keep_alive=corpus.keep_alive, certificate=certificate, weather=corpus.weather)
    hosts_file = write_hosts(folder / "hosts", addresses) if corpus.has_names else None
    with served(root, addresses, port, scratch, manner) as server:
        yield Stage(corpus, seeds, hosts, truth, server, ca_file, hosts_file, DOMAIN if corpus.has_names else None)
    shutil.rmtree(folder)


def truth_of(shape: Shape, weather: Weather | None) -> frozenset[str]:
    """The pages that can be had: those to which a way of links leads on which no page is gone."""
    if weather is None or not weather.gone_share:
        return frozenset(page_key(address, path) for address, path in all_pages(shape))
    known = {(host, 0) for host in range(shape.hosts)}
    to_visit = deque(known)
    found = set()
    while to_visit:
        host, page = to_visit.popleft()
        if is_gone(host_address(host), page_path(page), weather):
            continue
        found.add(page_key(host_address(host), page_path(page)))
        for link in linked_pages(shape, host, page):
            if link not in known:
                known.add(link)
                to_visit.append(link)
    return frozenset(found)


def is_gone(address: str, path: str, weather: Weather) -> bool:
    """Whether weather.lua answers 404: the same sum, from the same address."""
    return path != "/" and zlib.crc32(f"{address}{path}".encode()) % 1000 < weather.gone_share


def _certificate(folder: Path, hosts: list[str]) -> tuple[Path, Path]:
    """An authority, and a certificate with its key, for all hosts: ECDSA, P-256, as most sites have it today."""
    authority = trustme.CA()
    ca_file, certificate = folder / "authority.pem", folder / "server.pem"
    authority.cert_pem.write_to_path(str(ca_file))
    authority.issue_cert(*hosts).private_key_and_cert_chain_pem.write_to_path(str(certificate))
    return ca_file, certificate
