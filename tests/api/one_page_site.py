"""A site of odd pages on loopback, for those who fetch a single one."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GREETING = (
    "<!DOCTYPE html><title>Grüße</title><h1>Grüße aus Köln</h1><p>Ein <a href='/next'>Verweis</a>.<img src=/i.png>"
)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
LONG_BYTES = 3_000_000  # over the megabyte from which the bodies of a crawl go to a file
BOMB_BYTES = 64 * 1024 * 1024 + 1

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class OnePageSite:
    """Its address, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[str] = []  # paths
        self.agents: set[str] = set()
        self.robots: tuple[int, bytes, dict[str, str]] = (200, ROBOTS, {})
        self.released = threading.Event()  # what hangs goes on

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: OnePageSite

    def do_GET(self) -> None:
        self.site.asked.append(self.path)
        self.site.agents.add(self.headers.get("User-Agent", ""))
        answer = getattr(self, f"_{self.path.strip('/').partition('/')[0].partition('?')[0].partition('.')[0]}", None)
        (answer or self._missing)()

    def _answer(self, body: bytes, content_type: str = "text/html", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _missing(self) -> None:
        self._answer(b"<!DOCTYPE html><title>No</title>nothing here", status=404)

    def _(self) -> None:
        self._answer(GREETING.encode(), "text/html; charset=utf-8")

    def _robots(self) -> None:
        status, body, headers = self.site.robots
        self._answer(body, "text/plain", status, **headers)

    def _private(self) -> None:
        self._answer(b"<!DOCTYPE html><title>Secret</title>")

    def _latin(self) -> None:
        self._answer(GREETING.encode("iso-8859-1"), "text/html; charset=iso-8859-1")

    def _shift_jis(self) -> None:  # said by the page alone
        self._answer("<!DOCTYPE html><meta charset=shift_jis><title>日本語のページ</title>".encode("shift_jis"))

    def _moved(self) -> None:
        self._answer(b"", status=301, Location="/moved_again")

    def _moved_again(self) -> None:
        self._answer(b"", status=302, Location="./?from=far")

    def _circle(self) -> None:
        self._answer(b"", status=302, Location="/circle")

    def _elsewhere(self) -> None:
        self._answer(b"", status=302, Location="mailto:me@example.org")

    def _to_private(self) -> None:
        self._answer(b"", status=302, Location="/private/page")

    def _cookie(self) -> None:
        """Shown to those who come with the cookie that they were given."""
        if "seen=yes" in self.headers.get("Cookie", ""):
            self._answer(b"<!DOCTYPE html><title>Welcome back</title>")
        else:
            self._answer(b"", status=302, Location="/cookie", Set_Cookie="seen=yes; Path=/")

    def _gzip(self) -> None:
        self._answer(gzip.compress(GREETING.encode(), mtime=0), "text/html; charset=utf-8", Content_Encoding="gzip")

    def _long(self) -> None:
        self._answer(b"begins so" + b"x" * (LONG_BYTES - 9), "text/plain")

    def _bomb(self) -> None:  # 64 kB, which become more than a page holds
        body = gzip.compress(b"x" * BOMB_BYTES, mtime=0)
        self._answer(body, "text/plain", Content_Encoding="gzip")

    def _odd_type(self) -> None:
        self._answer(PICTURE, "image/\x1b[31mred")

    def _picture(self) -> None:
        self._answer(PICTURE, "image/png")

    def _text(self) -> None:
        self._answer(b"plain \x1b[31mwords\r\n", "text/plain; charset=utf-8")

    def _empty(self) -> None:
        self._answer(b"", "", 204)

    def _error(self) -> None:
        self._answer(b"<!DOCTYPE html><title>Broken</title>", status=500)

    def _silent(self) -> None:
        self.site.released.wait(60)
        self.close_connection = True

    def _half(self) -> None:
        self._answer(b"<!DOCTYPE html><title>Half of it", Content_Length="1000000")
        self.close_connection = True

    def _garbage(self) -> None:
        self.wfile.write(b"this is not HTTP\r\n\r\n")
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """Guests may go away at any moment."""


@contextmanager
def one_page_site() -> Iterator[OnePageSite]:
    class Handler(_Handler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    site = Handler.site = OnePageSite(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield site
    finally:
        site.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
