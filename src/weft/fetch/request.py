"""The bytes of a request."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Final

from weft.errors import BadInput, BadUrl
from weft.fetch.conditional import Validators
from weft.fetch.config import FetchConfig
from weft.fetch.place import Place, parse_place
from weft.url import Target

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_BREAKING: Final = re.compile(r"[\0\r\n]")
_NOT_IN_A_TARGET: Final = re.compile(r"[\0-\x20\x7f]")
_OURS_TO_SEND: Final = frozenset(("host", "content-length", "transfer-encoding"))


class RequestWriter:
    """Writes requests; what is the same in all of them is made once."""

    __slots__ = ("_rest", "_rest_with_auth")

    def __init__(self, config: FetchConfig) -> None:
        headers = {
            "user-agent": ("User-Agent", config.user_agent),
            "accept": ("Accept", config.accept),
            "accept-encoding": ("Accept-Encoding", config.accept_encoding),
            "accept-language": ("Accept-Language", config.accept_language),
        }
        headers.update({name.lower(): (name, value) for name, value in config.extra_headers})
        self._rest = _header_lines(headers)
        self._rest_with_auth: dict[Place, str] = {}
        for text, credentials in config.auth:
            header = ("Authorization", _basic(text, credentials))
            self._rest_with_auth[parse_place(text)] = _header_lines({**headers, "authorization": header})

    def get(self, target: Target, validators: Validators | None = None, cookies: bytes = b"") -> bytes:
        """A GET request for this target; `cookies` is the value of its Cookie header."""
        path = target.path
        # A line break here would let a link send headers, or a second request, of its own.
        if _NOT_IN_A_TARGET.search(path) or _NOT_IN_A_TARGET.search(target.host):
            raise BadUrl(f"cannot be asked for: {target.host!r} {path!r}")
        rest = self._rest_for(target) if self._rest_with_auth else self._rest
        request = f"GET {path} HTTP/1.1\r\nHost: {authority(target)}\r\n{rest}".encode()
        if cookies:
            request += b"Cookie: %b\r\n" % cookies
        if validators is not None:
            request += validators.header_lines()
        return request + b"\r\n"

    def _rest_for(self, target: Target) -> str:
        """With the password for this place, if there is one; that for its port goes before that for its host."""
        by_place = self._rest_with_auth
        for_host = by_place.get(Place(target.host, None), self._rest)
        return by_place.get(Place(target.host, target.port), for_host)


def authority(target: Target) -> str:
    """Host and port as they stand in a URL: the port only where it is not the scheme's."""
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == _DEFAULT_PORTS.get(target.scheme) else f"{host}:{target.port}"


def _header_lines(headers: dict[str, tuple[str, str]]) -> str:
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
    return f"Basic {b64encode(credentials.encode()).decode()}"
