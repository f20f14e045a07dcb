"""A site that takes forms, on loopback: what it was asked and how, and pages that a function makes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import msgspec

from weft.config import CrawlConfig

from .live_site import Answer


class Asked(NamedTuple):
    """A request as the site got it."""

    method: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    connection: int  # which one it came on


Handler = Callable[[Asked], Answer | None]  # None: hang up without an answer


class PostingSite:
    """The site while it is served."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.asked: list[Asked] = []  # without robots.txt

    def requests(self) -> list[tuple[str, str, bytes]]:
        """Method, path and body of each."""
        return [(one.method, one.path, one.body) for one in self.asked]

    def posts(self) -> list[bytes]:
        """What was posted."""
        return [one.body for one in self.asked if one.method == "POST"]

    def config(self, *seeds: str, **changes: Any) -> CrawlConfig:
        """Settings for a crawl of the site that wastes no time."""
        config = CrawlConfig(
            seeds=tuple(self.origin + seed for seed in seeds or ("/",)),
            delay_s=0.0,
            connections_per_host=4,
            allow_private=True,
            workers=1,
            retry_wait_scale=0.02,
        )
        return msgspec.structs.replace(config, **changes)


@contextmanager
def posting(handler: Handler) -> Iterator[PostingSite]:
    """Serve what a function makes of each request; there is no robots.txt."""

    class Http(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # the names that http.server calls
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            made: Answer | None = (404, {}, "")
            if self.path != "/robots.txt":
                asked = Asked(self.command, self.path, body, dict(self.headers.items()), self.client_address[1])
                site.asked.append(asked)
                made = handler(asked)
            if made is None:
                self.close_connection = True
                return
            status, headers, text = made
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            for name, value in ({"Content-Type": "text/html; charset=utf-8"} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as in http.server
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Http)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who asks may be killed
    site = PostingSite(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
