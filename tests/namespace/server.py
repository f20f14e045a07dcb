"""The web server of example.org and quotes.toscrape.com."""

from __future__ import annotations

import socket
import ssl
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.namespace import quotes_site
from tests.namespace.place import ADDRESS, HOST, Papers
from tests.namespace.quotes_site import QuotesSite, Reply
from tests.namespace.site import SITE, Answer

NOT_FOUND = Answer(b"<!DOCTYPE html><title>Not found</title>")


def serve(papers: Papers) -> None:
    """Answer https on port 443, and lead there from port 80, until the process ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(papers.certificate)
    for server in (_Server(80, papers.requests, None), _Server(443, papers.requests, context)):
        threading.Thread(target=server.serve_forever, daemon=True).start()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, log: Path, context: ssl.SSLContext | None) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.log = log
        self.quotes = QuotesSite()
        self.context = context

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        connection, address = self.socket.accept()
        if self.context is not None:  # the handshake is left to the thread that reads
            connection = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        with self.server.log.open("a") as log:
            log.write(f"{self.path}\n")
        if self.server.context is None:
            self._send(HTTPStatus.MOVED_PERMANENTLY, Answer(b""), location=f"https://{HOST}{self.path}")
        elif self.headers["Host"] == quotes_site.HOST:
            self._reply(self.server.quotes.get(self.path, self._cookies()))
        elif self.path in SITE:
            self._send(HTTPStatus.OK, SITE[self.path])
        else:
            self._send(HTTPStatus.NOT_FOUND, NOT_FOUND)

    def do_POST(self) -> None:
        with self.server.log.open("a") as log:
            log.write(f"POST {self.path}\n")
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.headers["Host"] == quotes_site.HOST:
            self._reply(self.server.quotes.post(self.path, body, self.headers["Content-Type"], self._cookies()))
        elif self.path in SITE:
            self._send(HTTPStatus.OK, SITE[self.path])
        else:
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, NOT_FOUND)

    def _cookies(self) -> dict[str, str]:
        pairs = (pair.strip().partition("=") for pair in (self.headers["Cookie"] or "").split(";"))
        return {name: value for name, _, value in pairs}

    def _reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def _send(self, status: HTTPStatus, answer: Answer, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 — its name there
        """Standard error belongs to the program."""
