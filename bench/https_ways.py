"""What https costs: weft on the site served three ways, in turn.

    http, kept alive           as in the bench beside Scrapy
    https, kept alive          a handshake a connection, and few connections
    https, a connection a page nginx closes after each response, so every page pays for a handshake

Each way has an nginx of its own, which idles while the others are asked. The certificate is made for the run, with
a key as most sites have it today (ECDSA, P-256), and weft is told to trust its authority.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import trustme

from bench.record import keep_figures, say
from bench.site import ADDRESS, HTTP_KEPT_ALIVE, Manner, Server, served
from bench.table import Round, Row, summed_up, table_beside_http
from bench.weft_run import Summary, crawl_by_weft
from weft import __version__


class HttpsBench:
    """All rounds of all ways."""

    def __init__(self, site: Path, scratch: Path, *, rounds: int, max_pages: int, note: str) -> None:
        self._site = site
        self._scratch = scratch
        self._round_count = rounds
        self._max_pages = max_pages
        self._note = note
        self._ca_file = scratch / "authority.pem"
        self._rounds: list[Round] = []
        self._start: Summary

    def run(self) -> None:
        """Crawl each way in turn, print, and keep the figures."""
        _read_all(self._site)
        with self._servers() as servers:
            some_url = next(iter(servers.values())).start_url
            self._start, _ = crawl_by_weft(some_url, self._scratch, self._scratch / "start", max_pages=1)
            for _ in range(self._round_count):
                for name, server in servers.items():
                    self._crawl(name, server, self._scratch / f"crawl-{len(self._rounds)}")
        names = list(dict.fromkeys(r.tool for r in self._rounds))
        self._report([summed_up([r for r in self._rounds if r.tool == name]) for name in names])

    @contextmanager
    def _servers(self) -> Iterator[dict[str, Server]]:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self._ca_file)
        certificate = self._scratch / "server.pem"
        authority.issue_cert(ADDRESS).private_key_and_cert_chain_pem.write_to_path(certificate)
        ways = {
            "http, kept alive": HTTP_KEPT_ALIVE,
            "https, kept alive": Manner(certificate=certificate),
            "https, a connection a page": Manner(keep_alive=False, certificate=certificate),
        }
        with ExitStack() as stack:
            yield {
                name: stack.enter_context(served(self._site, self._scratch, manner)) for name, manner in ways.items()
            }

    def _crawl(self, name: str, server: Server, folder: Path) -> None:
        server_before_s, connections_before = server.cpu_s(), server.connections()
        summary, measured = crawl_by_weft(
            server.start_url, self._scratch, folder, max_pages=self._max_pages, ca_file=self._ca_file
        )
        found = Round(
            tool=name,
            pages=summary.pages,
            seconds=measured.seconds,
            cpu_s=measured.cpu_s,
            peak_memory_bytes=measured.peak_memory_bytes,
            server_cpu_s=server.cpu_s() - server_before_s,
            engine_cpu_s=summary.engine_cpu_s,
            workers_cpu_s=summary.workers_cpu_s,
            connections=server.connections() - connections_before - 1,  # the question is one, too
            note=self._note,
        )
        self._rounds.append(found)
        shutil.rmtree(folder)
        failed = f", failed: {summary.failed}" if summary.failed else ""
        say(f"{name}: {found.pages:,} pages in {found.seconds:.1f} s, CPU {found.cpu_s:.1f} s{failed}")

    def _report(self, rows: list[Row]) -> None:
        print()
        print(table_beside_http(rows))
        print(f"nginx beside them: {'; '.join(f'{row.server_ms:.2f} ms a page ({row.tool})' for row in rows)}")
        print(_start_line(self._start, rows[0].pages))
        print(_connection_line(kept_alive=rows[1], not_kept=rows[2]))
        keep_figures(
            "https", {"versions": {"weft": __version__}, "ways": rows, "start": self._start, "rounds": self._rounds}
        )


def _start_line(start: Summary, pages: int) -> str:
    """How much of the figures is no page's."""
    engine_ms, workers_ms = 1000 * start.engine_cpu_s / pages, 1000 * start.workers_cpu_s / pages
    return (
        f"in each: weft's start, as a crawl of one page costs it: "
        f"{engine_ms:.2f} of the engine's, {workers_ms:.2f} of the workers' ms a page"
    )


def _connection_line(kept_alive: Row, not_kept: Row) -> str:
    assert kept_alive.engine_ms is not None
    assert not_kept.engine_ms is not None
    assert kept_alive.connections is not None
    assert not_kept.connections is not None
    more_ms = not_kept.engine_ms * not_kept.pages - kept_alive.engine_ms * kept_alive.pages
    new_connections = not_kept.connections - kept_alive.connections
    return f"a new https connection costs the engine {more_ms / max(1, new_connections):.2f} ms"


def _read_all(site: Path) -> None:
    """Bring every page into the page cache, so that the first crawl does not pay for the disk."""
    for file in site.rglob("*.html"):
        file.read_bytes()
