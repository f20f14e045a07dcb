"""A client of the standard library's making: what it makes of an answer, others would make of it, too."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections import deque
from urllib.parse import urlsplit

from weft.simweb import SimProcess

from .reference import Permissions, Response, is_https

_TRY_AGAIN = (429, 500, 502, 503, 504)
_ROBOTS_BYTES = 600_000


def crawl_process(process: SimProcess) -> dict[str, int]:
    """A crawl, robots.txt and all, nearest first. Gives the status of every URL."""
    browser = Browser(process)
    permissions = Permissions(browser.get_with_retries)
    status: dict[str, int] = {}
    waiting = deque(process.seeds)
    while waiting:
        url = waiting.popleft()
        if url not in status and permissions.allow(url):
            response = browser.get_with_retries(url)
            assert response, url
            status[url] = response.status
            waiting.extend(response.targets(url)[0])
    return status


class Browser:
    """Asks a process, one request after the other, each on a connection of its own."""

    def __init__(self, process: SimProcess, timeout_s: float = 5.0) -> None:
        self._process = process
        self._timeout_s = timeout_s
        self._context = ssl.create_default_context(cafile=str(process.ca_file))

    def get(self, url: str, limit_bytes: int | None = None) -> Response:
        """One request. Raises OSError or HTTPException when it does not end well.

        With a limit no more is read of the body, and nobody knows whether it is whole.
        """
        parts = urlsplit(url)
        assert parts.hostname
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=self._timeout_s)
        connection.sock = self._connect(parts.hostname, parts.port or 0, tls=is_https(url))
        try:
            connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, headers, response.read(limit_bytes))
        finally:
            connection.close()

    def get_with_retries(self, url: str, tries: int = 3) -> Response | None:
        """The same, tried again when it fails or is asked to; None when it never succeeds."""
        for _ in range(tries):
            try:
                response = self.get(url, _ROBOTS_BYTES if url.endswith("/robots.txt") else None)
            except (OSError, http.client.HTTPException):
                continue
            if response.status not in _TRY_AGAIN:
                return response
        return None

    def _connect(self, host: str, port: int, *, tls: bool) -> socket.socket:
        address = self._process.web.address_of(host)
        raw = socket.create_connection((address or "127.0.0.1", port), self._timeout_s)
        if not tls:
            return raw
        try:
            return self._context.wrap_socket(raw, server_hostname=host)
        except OSError:
            raw.close()
            raise
