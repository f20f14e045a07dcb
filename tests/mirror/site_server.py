"""A site on loopback that a test changes as it goes: conditional requests, faults, a log of what was asked."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext

OWN, OTHER = "127.0.0.1", "127.0.0.2"
PORT_WITHIN_S = 120
LAST_MODIFIED = "Tue, 01 Feb 2022 03:04:05 GMT"


@dataclass(frozen=True)
class Answer:
    """What the server sends."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    has_validators: bool = True
    is_cut: bool = False  # the connection ends in the middle of the body


def page(html: str, **changes: object) -> Answer:
    return Answer(html.encode(), **changes)  # type: ignore[arg-type]


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(b"", status=status, headers=(("Location", location),), has_validators=False)


@dataclass
class Site:
    """Answers by host and path; what is not there is 404."""

    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    log: list[tuple[str, str, int]] = field(default_factory=list)  # host, path, status
    delay_s: float = 0.0
    port: int = 0

    def url(self, path: str, host: str = OWN) -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, answer: Answer, host: str = OWN) -> None:
        self.answers[host, path] = answer

    def statuses(self) -> dict[str, int]:
        """The last status of each URL, without robots.txt."""
        return {self.url(path, host): status for host, path, status in self.log if path != "/robots.txt"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        if self.path.startswith("http://"):  # asked as a proxy
            self.path = "/" + self.path.split("/", 3)[3]
        time.sleep(self.site.delay_s)
        answer = self.site.answers.get((host, self.path), Answer(b"nothing here", "text/plain", 404))
        etag = f'"{hashlib.sha1(answer.body).hexdigest()}"'
        is_same = answer.status == 200 and answer.has_validators and self.headers["If-None-Match"] == etag
        status = 304 if is_same else answer.status
        self.site.log.append((host, self.path, status))
        self.send_response(status)
        if answer.has_validators:
            self.send_header("ETag", etag)
            self.send_header("Last-Modified", LAST_MODIFIED)
        for name, value in answer.headers:
            self.send_header(name, value)
        if not is_same:
            if answer.content_type:
                self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if not is_same:
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.is_cut else answer.body)
            self.close_connection = self.close_connection or answer.is_cut

    def log_message(self, *args: object) -> None:
        """Nothing on stderr: the site has its own log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """Clients that are killed are no news."""

    request_queue_size = 64


def _served_at(port: int, handler: type[_Handler]) -> _Server:
    """A port that is asked for by its number may still be another test's."""
    give_up_at = time.monotonic() + PORT_WITHIN_S
    while True:
        try:
            return _Server((OWN, port), handler)
        except OSError:
            if not port or time.monotonic() > give_up_at:
                raise
            time.sleep(0.1)


@contextmanager
def serving(site: Site, port: int = 0, tls: SSLContext | None = None) -> Iterator[Site]:
    """Serve a site at both addresses as long as the block lasts."""
    handler = type("Handler", (_Handler,), {"site": site})
    own = _served_at(port, handler)
    site.port = own.server_address[1]
    other = _Server((OTHER, site.port), handler)
    if tls is not None:
        for server in (own, other):
            server.socket = tls.wrap_socket(server.socket, server_side=True)
    threads = [threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True) for server in (own, other)]
    for thread in threads:
        thread.start()
    try:
        yield site
    finally:
        for server in (own, other):
            server.shutdown()
            server.server_close()
