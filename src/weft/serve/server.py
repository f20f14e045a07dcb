"""The server: a thread a connection, for there is one reader. Files are sent by the kernel, so memory stays flat."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final, cast

from weft.errors import FolderError
from weft.listening import is_six, told_why_not, url_of
from weft.pack.walk import open_plain
from weft.serve.answer import answer_for, is_own_host
from weft.serve.site import FoundFile, Moved, Site

IDLE_S: Final = 30  # a connection on which nothing comes is closed
HTML: Final = "text/html; charset=utf-8"  # of pages that weft makes


class MirrorServer(ThreadingMixIn, TCPServer):
    """Serves a site until it is told to end; bound to its address from construction on.

    It is no HTTPServer, which would ask DNS for the name of its address.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128  # a browser opens many at once

    def __init__(self, site: Site, address: str = "127.0.0.1", port: int = 0) -> None:
        self.address_family = socket.AF_INET6 if is_six(address) else socket.AF_INET
        self.site = site
        self.is_private = ip_address(address).is_loopback
        with told_why_not(address, port, "--port "):
            super().__init__((address, port), _Handler)
        self.url = url_of(address, self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is no error of ours."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_S
    server_version = "weft"
    sys_version = ""

    def do_GET(self) -> None:
        """Send a file, or what stands for one."""
        server = cast(MirrorServer, self.server)
        if server.is_private and not is_own_host(self.headers.get("Host", "")):
            self._send_text(HTTPStatus.FORBIDDEN, "Only this machine may look at the mirror.")
            return
        found = server.site.find(self.path)
        if found is None:
            self._send_text(HTTPStatus.NOT_FOUND, "This is not in the mirror.")
        elif isinstance(found, FoundFile):
            self._send_file(found)
        elif isinstance(found, Moved):
            status = HTTPStatus.FOUND if found.for_now else HTTPStatus.MOVED_PERMANENTLY
            self._send_head(status, {"Location": found.to, "Content-Length": "0"})
        else:
            self._send_text(HTTPStatus.OK, found.html)

    do_HEAD = do_GET  # noqa: N815 — the name is the parent's

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the name is the parent's
        """Say nothing: the browser shows what is missing."""

    def _send_file(self, found: FoundFile) -> None:
        try:
            file = open_plain(found.path)
        except (OSError, FolderError):
            self._send_text(HTTPStatus.NOT_FOUND, "This cannot be read.")
            return
        with file:
            answer = answer_for(found.path.name, os.fstat(file.fileno()), os.pread(file.fileno(), 2, 0), self.headers)
            self._send_head(answer.status, answer.headers)
            if answer.length and self.command != "HEAD":
                self.wfile.flush()
                sent = self.connection.sendfile(file, answer.start, answer.length)
                self.close_connection = self.close_connection or sent != answer.length

    def _send_text(self, status: HTTPStatus, html: str) -> None:
        body = html.encode()
        self._send_head(status, {"Content-Type": HTML, "Content-Length": str(len(body)), "Cache-Control": "no-cache"})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send_head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
