"""What the crawler did, as the server saw it.

Times are of the monotonic clock, which all processes of a machine share. A request starts when its head is
whole here and ends right before the last bytes are handed over, so the time between two requests is never longer at
the crawler than in this log. A TLS handshake that came to nothing is noted as a request without a path, since it
is a visit as well: it counts for politeness, but for no URL.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

UNFINISHED = "unfinished"  # the client left, or the server stopped, before the response was whole
HANDSHAKE_FAILED = "tls-handshake-failed"  # although nothing was wrong with the host

By = Literal["host", "address"]


class Request(msgspec.Struct, gc=False, omit_defaults=True):
    """One request and how it ended."""

    host: str
    path: str  # empty for a handshake that failed
    connection: int
    started_at: float
    ended_at: float | None = None  # while it is under way
    status: int = 0  # 0 when no head was sent
    fault: str = ""  # name of the Fault or TlsFault, or one of the two above
    address: str = ""  # of the server
    scheme: str = "http"
    sni: str = ""  # the name that the TLS handshake was for
    client: str = ""  # its IP address

    @property
    def is_robots(self) -> bool:
        """Whether it is for a robots.txt, be it at the end of redirects."""
        return self.path.endswith("/robots.txt")

    @property
    def whole(self) -> bool:
        """Whether a whole response was sent. (That it arrived, the server cannot know.)"""
        return self.status > 0 and not self.fault and self.ended_at is not None


class RequestLog(list[Request]):
    """All requests in the order of their start, failed handshakes in that of their end; or, for long runs, only
    their number by status or fault.
    """

    def __init__(self, requests: Iterable[Request] = (), *, counting_only: bool = False) -> None:
        super().__init__(requests)
        self.counting_only = counting_only
        self.totals: Counter[str] = Counter()
        for request in self:
            self._count(request)

    def start(
        self,
        host: str,
        path: str,
        connection: int,
        now: float,
        address: str = "",
        scheme: str = "http",
        sni: str = "",
        client: str = "",
    ) -> Request:
        """Note a request; the caller hands it to `end` once."""
        request = Request(host, path, connection, now, None, 0, "", address, scheme, sni, client)
        if not self.counting_only:
            self.append(request)
        return request

    def end(self, request: Request, now: float) -> None:
        """Note that a request is over."""
        request.ended_at = now
        self._count(request)

    def requests_by_url(
        self, port: int = 80, *, https_port: int = 443, robots: bool = False
    ) -> dict[str, list[Request]]:
        """The requests for each URL; those for robots.txt only if asked for."""
        suffixes = {"http": "" if port == 80 else f":{port}", "https": "" if https_port == 443 else f":{https_port}"}
        by_url: defaultdict[str, list[Request]] = defaultdict(list)
        for request in self:
            if request.path and (robots or not request.is_robots):
                url = f"{request.scheme}://{request.host}{suffixes[request.scheme]}{request.path}"
                by_url[url].append(request)
        return dict(by_url)

    def requests_by_address(self) -> dict[str, list[Request]]:
        """All that came to each address of the server, failed handshakes too."""
        by_address: defaultdict[str, list[Request]] = defaultdict(list)
        for request in self:
            by_address[request.address].append(request)
        return dict(by_address)

    def peak_concurrency(self, by: By = "host") -> dict[str, int]:
        """The largest number of requests under way at once, for each host or address."""
        edges: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
        for request in self:
            key = request.host if by == "host" else request.address
            edges[key].append((request.started_at, 1))
            if request.ended_at is not None:
                edges[key].append((request.ended_at, -1))
        return {key: _peak(changes) for key, changes in edges.items()}

    def peak_rate(self, by: By = "address", window_s: float = 1.0) -> dict[str, int]:
        """The largest number of requests that started within so many seconds, for each host or address."""
        peaks: dict[str, int] = {}
        windows: defaultdict[str, deque[float]] = defaultdict(deque)
        for request in sorted(self, key=lambda request: request.started_at):
            key = request.host if by == "host" else request.address
            window = windows[key]
            window.append(request.started_at)
            while window[0] <= request.started_at - window_s:
                window.popleft()
            peaks[key] = max(peaks.get(key, 0), len(window))
        return peaks

    def least_gap_s(self, by: By = "host") -> dict[str, float]:
        """The shortest time from a response's end to the next request, for each host or address with two requests.

        Negative when a request came before the one before it was answered.
        """
        least: dict[str, float] = {}
        last_end: dict[str, float] = {}
        for request in sorted(self, key=lambda request: request.started_at):
            key = request.host if by == "host" else request.address
            if key in last_end:
                least[key] = min(least.get(key, math.inf), request.started_at - last_end[key])
            ended_at = math.inf if request.ended_at is None else request.ended_at
            last_end[key] = max(last_end.get(key, -math.inf), ended_at)
        return least

    def _count(self, request: Request) -> None:
        self.totals[request.fault or str(request.status)] += 1


def write_log(log: RequestLog, path: Path) -> None:
    """Write a log as JSON lines."""
    path.write_bytes(msgspec.json.Encoder().encode_lines(log))


def read_log(path: Path) -> RequestLog:
    """Read a log written by `write_log`."""
    return RequestLog(msgspec.json.Decoder(Request).decode_lines(path.read_bytes()))


def _peak(changes: list[tuple[float, int]]) -> int:
    peak = under_way = 0
    for _, change in sorted(changes):  # at the same moment, ends come before starts
        under_way += change
        peak = max(peak, under_way)
    return peak
