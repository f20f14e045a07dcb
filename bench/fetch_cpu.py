"""What a page costs the fetcher: CPU µs of this process for fetches over loopback.

    python bench/fetch_cpu.py [--pages 30000] [--concurrency 64] [--page-bytes 26000] [--chunked]
                              [--tls] [--no-keep-alive] [--all]

Connections are warm and kept alive unless the server closes each of them (--no-keep-alive). --all prints http and
https, both kept alive and not, one beside the other. The server is another process, so its CPU does not count. User
and system time are printed apart: the system time is the kernel's share, which no Python code can save.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple, cast

import trustme
import uvloop

from weft.clock import Clock
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, release
from weft.url import Target

_ADDRESS = "127.0.0.1"
_HOST = "bench.test"
_CA_FILE = "authority.pem"
_SERVER_FILE = "server.pem"


class Case(NamedTuple):
    """What is measured."""

    tls: bool
    keep_alive: bool
    chunked: bool
    page_bytes: int

    @property
    def name(self) -> str:
        """For the table."""
        return f"{'https' if self.tls else 'http'}, {'kept alive' if self.keep_alive else 'a connection a page'}"


class PageServer(asyncio.Protocol):
    """Answers every request with the same page."""

    def __init__(self, response: bytes, keep_alive: bool) -> None:
        self._response = response
        self._keep_alive = keep_alive
        self._transport: asyncio.Transport | None = None
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        *requests, self._unread = (self._unread + data).split(b"\r\n\r\n")
        for _ in requests:
            self._transport.write(self._response)
        if requests and not self._keep_alive:
            self._transport.close()


def make_response(case: Case) -> bytes:
    """A response with a dozen headers, as sites send them."""
    head = (
        "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
        "Content-Type: text/html; charset=utf-8\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
        f'Connection: {"keep-alive" if case.keep_alive else "close"}\r\nETag: "65920080-6590"\r\n'
        "Cache-Control: max-age=600\r\n"
        "Vary: Accept-Encoding\r\nX-Content-Type-Options: nosniff\r\nAccept-Ranges: bytes\r\n"
    )
    page = b"x" * case.page_bytes
    if not case.chunked:
        return f"{head}Content-Length: {case.page_bytes}\r\n\r\n".encode() + page
    pieces = [page[start : start + 8000] for start in range(0, case.page_bytes, 8000)]
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
    return f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + body


async def serve(case: Case, certificate: str) -> None:
    """Print the port, then serve until standard input ends."""
    loop = asyncio.get_running_loop()
    response = make_response(case)
    context = None
    if case.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    server = await loop.create_server(
        lambda: PageServer(response, case.keep_alive), _ADDRESS, 0, ssl=context, backlog=1000
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


async def measure(case: Case, port: int, pages: int, concurrency: int, folder: Path) -> None:
    """Fetch and print."""
    budget = MemoryBudget()
    scheme = "https" if case.tls else "http"
    target = Target(scheme, _HOST, port, "/docs/api/java.base/java/lang/String.html")
    url = f"{scheme}://{_HOST}:{port}{target.path}"
    left = 0
    config = FetchConfig(ca_file=str(folder / _CA_FILE) if case.tls else "")
    fetcher = Fetcher(config, budget, folder, Clock())

    async def fetch_while_any_left() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            release(await fetcher.fetch(url, target, (_ADDRESS,)), budget)

    async def fetch_all(count: int) -> None:
        nonlocal left
        left = count
        await asyncio.gather(*(fetch_while_any_left() for _ in range(concurrency)))

    await fetch_all(10 * concurrency)  # opens the connections
    before = resource.getrusage(resource.RUSAGE_SELF)
    started_s = time.perf_counter()
    await fetch_all(pages)
    seconds = time.perf_counter() - started_s
    after = resource.getrusage(resource.RUSAGE_SELF)
    statistics = fetcher.statistics()
    await fetcher.close()
    user_us = (after.ru_utime - before.ru_utime) / pages * 1e6
    system_us = (after.ru_stime - before.ru_stime) / pages * 1e6
    print(
        f"{case.name:28} CPU a page {user_us + system_us:7.1f} µs = {user_us:6.1f} user + {system_us:6.1f} system; "
        f"{pages / seconds:6.0f} pages/s, {statistics.new} connections, peak RSS {after.ru_maxrss // 1024} MiB",
        flush=True,
    )


def run_case(case: Case, pages: int, concurrency: int) -> None:
    """Start a server and measure."""
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        if case.tls:
            authority = trustme.CA()
            authority.cert_pem.write_to_path(folder / _CA_FILE)
            authority.issue_cert(_HOST).private_key_and_cert_chain_pem.write_to_path(folder / _SERVER_FILE)
        command = [sys.executable, __file__, "--serve", str(folder / _SERVER_FILE), *_arguments(case)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as server:
            assert server.stdout is not None
            assert server.stdin is not None
            port = int(server.stdout.readline())
            uvloop.run(measure(case, port, pages, concurrency, folder))
            server.stdin.close()


def _arguments(case: Case) -> list[str]:
    flags = {"--tls": case.tls, "--no-keep-alive": not case.keep_alive, "--chunked": case.chunked}
    return ["--page-bytes", str(case.page_bytes), *(flag for flag, is_set in flags.items() if is_set)]


def main() -> None:
    """Measure one case or all, or be the server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=30_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--page-bytes", type=int, default=26_000)
    parser.add_argument("--chunked", action="store_true")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--no-keep-alive", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    case = Case(options.tls, not options.no_keep_alive, options.chunked, options.page_bytes)
    if options.serve:
        uvloop.run(serve(case, options.serve))
    elif options.all:
        for tls in (False, True):
            for keep_alive in (True, False):
                # A process of its own for each, so that the peak of memory is its own too.
                arguments = _arguments(case._replace(tls=tls, keep_alive=keep_alive))
                limits = ["--pages", str(options.pages), "--concurrency", str(options.concurrency)]
                subprocess.run([sys.executable, __file__, *limits, *arguments], check=True)
    else:
        run_case(case, options.pages, options.concurrency)


if __name__ == "__main__":
    main()
