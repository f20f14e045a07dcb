"""A few hosts with many pages, and what they were asked for so far: a test looks on while a crawl runs."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

import msgspec

from weft.config import CrawlConfig


class Asked(NamedTuple):
    """A request."""

    host: str
    path: str
    at: float
    login: str  # the Authorization header; empty if there was none


class Hosts:
    """Hosts 127.0.0.1 and on; the home page of each leads to `pages` others, in the folders /a/ and /b/."""

    def __init__(self, count: int = 3, pages: int = 400) -> None:
        self.requests: list[Asked] = []
        self._pages = pages
        self._servers = [ThreadingHTTPServer((f"127.0.0.{n + 1}", 0), self._handler()) for n in range(count)]
        self.names = [str(server.server_address[0]) for server in self._servers]

    def __enter__(self) -> Self:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def home(self, number: int) -> str:
        """The first URL of a host."""
        return f"http://{self.names[number]}:{self._servers[number].server_address[1]}/"

    def config(self, hosts: int = 2, **changes: Any) -> CrawlConfig:
        """A crawl of the first hosts that takes some seconds."""
        config = CrawlConfig(
            seeds=tuple(self.home(number) for number in range(hosts)),
            scope="host",
            delay_s=0.05,
            allow_private=True,
            workers=1,
        )
        return msgspec.structs.replace(config, **changes)

    def asked(self, host: str, prefix: str = "/") -> int:
        """How often a host was asked for something below a path."""
        return sum(request.host == host and request.path.startswith(prefix) for request in self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hosts = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if self.path != "/robots.txt":
                    name = str(self.connection.getsockname()[0])
                    hosts.requests.append(
                        Asked(name, self.path, time.monotonic(), self.headers.get("Authorization", ""))
                    )
                body = hosts.body(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the name is the parent's
                pass

        return Handler

    def body(self, path: str) -> bytes:
        """The page at a path; nothing where there is none."""
        if path == "/robots.txt":
            return b""
        if path != "/":
            return f"<!DOCTYPE html><title>{path}</title>{path}".encode()
        folders = [f"/{folder}/{number}" for folder in "ab" for number in range(self._pages // 2)]
        return ("<!DOCTYPE html>" + "".join(f'<a href="{path}">x</a>' for path in folders)).encode()
