"""The bytes of a request."""

from __future__ import annotations

import re
from typing import Final

from weft.config import HostTable
from weft.errors import BadInput, BadUrl
from weft.fetch.audience import SECRET_HEADERS, Audience, SeedHosts
from weft.fetch.by_host import Headers, basic, host_headers, place_of
from weft.fetch.conditional import Validators
from weft.fetch.config import FetchConfig
from weft.types import RequestParts
from weft.url import Target
from weft.url.schemes import SCHEMES

MAX_RESTS: Final = 10_000
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_BREAKING: Final = re.compile(r"[\0\r\n]")
_NOT_IN_A_TARGET: Final = re.compile(r"[\0-\x20\x7f]")
_OURS_TO_SEND: Final = frozenset(("host", "content-length", "transfer-encoding"))


class RequestWriter:
    """Writes requests; what is the same in all of them is made once."""

    __slots__ = (
        "_by_host", "_for_hosts", "_for_seeds", "_headers", "_is_by_place", "_plain", "_rest", "_rests", "_seeds",
        "has_secrets",
    )  # fmt: skip

    def __init__(self, config: FetchConfig) -> None:
        self._headers: Headers = {
            "user-agent": ("User-Agent", config.user_agent),
            "accept": ("Accept", config.accept),
            "accept-encoding": ("Accept-Encoding", config.accept_encoding),
            "accept-language": ("Accept-Language", config.accept_language),
        }
        self._plain = dict(self._headers)
        self._for_seeds: Headers = {}
        self._for_hosts: dict[str, list[tuple[Audience, Headers]]] = {}
        self._seeds = SeedHosts(config.seeds if config.extra_headers or config.auth or config.hosts else ())
        for name, value in config.extra_headers:
            self._add(name, value)
        for text, credentials in config.auth:
            self._tell(text, {"authorization": ("Authorization", _basic(text, credentials))})
        for told in self._for_hosts.values():
            told.sort(key=lambda one: one[0].port is not None)  # what is for a port replaces what is for its host
        self._by_host = host_headers(config.hosts, self._seeds)
        _check_tables(config.hosts)
        self._is_by_place = bool(self._for_seeds or self._for_hosts or self._by_host)
        self.has_secrets = bool(self._for_seeds or self._for_hosts or (self._by_host and self._by_host.has_secrets))
        self._rest = _header_lines(self._headers)
        # By place. Filled and emptied by _rest_for; bound: MAX_RESTS.
        self._rests: dict[tuple[str, str, int], str] = {}

    def _add(self, name: str, value: str) -> None:
        place, equals, name = name.rpartition("=")
        header = {name.lower(): (name, value)}
        _header_lines(header)  # BadInput if it is none
        if equals:
            self._tell(place, header)
        else:
            (self._for_seeds if name.lower() in SECRET_HEADERS else self._headers).update(header)

    def _tell(self, place: str, headers: Headers) -> None:
        audience = self._seeds.audience(place)
        self._for_hosts.setdefault(audience.host, []).append((audience, headers))

    def get(self, target: Target, validators: Validators | None = None, cookies: bytes = b"") -> bytes:
        """A GET request for this target; `cookies` is the value of its Cookie header."""
        scheme, host, port, path = target
        # A line break here would let a link send headers, or a second request, of its own.
        if _NOT_IN_A_TARGET.search(path) or _NOT_IN_A_TARGET.search(host):
            raise BadUrl(f"cannot be asked for: {host!r} {path!r}")
        rest = self._rest_for(target) if self._is_by_place else self._rest
        request = f"GET {path} HTTP/1.1\r\nHost: {_authority(scheme, host, port)}\r\n{rest}".encode()
        if cookies:
            request += b"Cookie: %b\r\n" % cookies
        if validators is not None:
            request += validators.header_lines()
        return request + b"\r\n"

    def of(
        self, target: Target, parts: RequestParts, validators: Validators | None = None, cookies: bytes = b""
    ) -> bytes:
        """Likewise, a request with a method, headers or a body of its own; its headers replace those of the crawl."""
        first, *lines = self.get(target, validators, cookies)[:-4].split(b"\r\n")
        own = {name.lower().encode() for name, _ in parts.headers}
        lines = [line for line in lines if line.partition(b":")[0].lower() not in own]
        lines += [f"{name}: {value}".encode() for name, value in parts.headers if value]
        if parts.method != "GET":
            first = parts.method.encode() + first.removeprefix(b"GET")
            lines.append(b"Content-Length: %d" % len(parts.body))
        return b"\r\n".join((first, *lines, b"", parts.body))

    def _rest_for(self, target: Target) -> str:
        """With what this place alone is told, if anything is."""
        for_host, is_seeds = self._for_hosts.get(target.host), self._seeds.include(target)
        if for_host is None and not is_seeds and self._by_host is None:
            return self._rest
        place = (target.scheme, target.host, target.port)
        if (rest := self._rests.get(place)) is None:
            headers = {**self._headers, **(self._for_seeds if is_seeds else {})}
            if self._by_host is not None:
                instead = self._by_host.replaces(target)
                usual = headers if instead is None else {**self._plain, **instead}
                headers = {**usual, **self._by_host.adds(target)}
            for audience, told in for_host or ():
                if audience.includes(target):
                    headers.update(told)
            if len(self._rests) >= MAX_RESTS:
                self._rests.clear()
            rest = self._rests[place] = _header_lines(headers)
        return rest


def headers_in(request: bytes) -> tuple[tuple[str, str], ...]:
    """The headers of a request, but for those that are ours alone to send."""
    lines = request.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").split("\r\n")[1:]
    pairs = (line.partition(": ") for line in lines)
    return tuple((name, value) for name, _, value in pairs if name.lower() not in _OURS_TO_SEND)


def _check_tables(tables: tuple[HostTable, ...]) -> None:
    for table in tables:
        try:
            _header_lines({"user-agent": ("User-Agent", table.user_agent or "")})
        except BadInput as error:
            raise place_of(table, "user-agent", error) from error
        try:
            for name, value in table.headers or ():
                _header_lines({name.lower(): (name, value or "-")})
        except BadInput as error:
            raise place_of(table, "header", error) from error


def authority(target: Target) -> str:
    """Host and port as they stand in a URL: the port only where it is not the scheme's."""
    return _authority(target.scheme, target.host, target.port)


def _authority(scheme_name: str, host: str, port: int) -> str:
    host = f"[{host}]" if ":" in host else host
    scheme = SCHEMES.get(scheme_name)
    return host if scheme is not None and port == scheme.default_port else f"{host}:{port}"


def _header_lines(headers: Headers) -> str:
    return "".join(_header_line(name, value) for name, value in headers.values() if value)


def _header_line(name: str, value: str) -> str:
    if not _TOKEN.fullmatch(name) or name.lower() in _OURS_TO_SEND:
        raise BadInput(f"{name!r} cannot be set as a request header.")
    if _LINE_BREAKING.search(value):
        raise BadInput(f"The value of the request header {name} has a line break in it.")
    return f"{name}: {value}\r\n"


def _basic(place: str, credentials: str) -> str:
    if ":" not in credentials:
        raise BadInput(f"The credentials for {place} are to be given as user:password.")
    return basic(credentials)
