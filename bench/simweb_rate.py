"""How many small pages simweb serves: pages a second of wall time, and a second of its own CPU time.

    python bench/simweb_rate.py [--seconds 5] [--connections 32] [--page-bytes 2000]

The server runs in a process of its own. The client here is as thin as can be: it keeps every connection busy
with one request at a time and only counts bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import resource
import time
from collections.abc import Iterator
from typing import cast
from urllib.parse import urlsplit

import uvloop

from weft.simweb import SimProcess, WebSpec


class Client(asyncio.Protocol):
    """Sends the next request when the response to the last one is whole."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        self.pages = 0
        self.body_bytes = 0
        self._requests = requests
        self._missing_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        if not self._missing_bytes:
            length_at = data.index(b"Content-Length: ") + 16
            body_at = data.index(b"\r\n\r\n", length_at) + 4
            self._missing_bytes = body_at + int(data[length_at : data.index(b"\r\n", length_at)])
        self._missing_bytes -= len(data)
        self.body_bytes += len(data)
        if not self._missing_bytes:
            self.pages += 1
            self._transport.write(next(self._requests))

    def stop(self) -> None:
        self._transport.abort()


async def load(port: int, requests: Iterator[bytes], connections: int, seconds: float) -> tuple[int, int]:
    """Ask for pages as fast as they come; gives their number and bytes."""
    loop = asyncio.get_running_loop()
    clients = [Client(requests) for _ in range(connections)]
    for client in clients:
        await loop.create_connection(lambda client=client: client, "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.sleep(seconds)
    for client in clients:
        client.stop()
    await asyncio.sleep(0)
    return sum(client.pages for client in clients), sum(client.body_bytes for client in clients)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--page-bytes", type=int, default=2_000)
    arguments = parser.parse_args()
    spec = WebSpec(hosts=200, pages=5_000, page_bytes=arguments.page_bytes, keep_alive_share=1.0)
    with SimProcess(spec) as process:
        urls = [urlsplit(url) for url, status in process.web.truth().status.items() if status == 200]
        requests = itertools.cycle(
            f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".replace("? ", " ").encode()
            for url in urls
        )
        started_at = time.monotonic()
        pages, body_bytes = uvloop.run(load(process.http_port, requests, arguments.connections, arguments.seconds))
        seconds = time.monotonic() - started_at
    # Its start-up and the writing of its log are in here too, so the truth is a little better.
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = usage.ru_utime + usage.ru_stime
    print(
        f"{pages} pages of {body_bytes // max(1, pages)} bytes in {seconds:.1f} s: "
        f"{pages / seconds:.0f} pages/s, {pages / cpu_s:.0f} pages per CPU second, "
        f"server's peak memory {usage.ru_maxrss // 1024} MB"
    )


if __name__ == "__main__":
    main()
