"""Who may look, and who may steer: decided from a request's head alone.

A page from outside can make a browser ask this server, but not in its own name: Host must be a name or an address of
this place (against DNS that is turned around), and what is posted must come from our own page and carry the token.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import msgspec

from weft.listening import host_in, is_local_name

# Nothing but this server's own files is run, shown or asked; no text becomes markup.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
SAFE: Final = frozenset(("GET", "HEAD"))


class Denied(msgspec.Struct, frozen=True):
    """Why a request is not answered."""

    status: HTTPStatus
    words: str


class Guard:
    """The rules of one server."""

    def __init__(self, address: str, token: str, allowed_hosts: Iterable[str] = ()) -> None:
        self._address = ip_address(address)
        self._token = token.encode()
        self._allowed = {name.lower() for name in allowed_hosts}
        self.is_private = self._address.is_loopback  # then whoever is on this machine may look

    def denied(self, method: str, headers: Mapping[str, str], *, is_page: bool) -> Denied | None:
        """What speaks against a request; `is_page` for the page's own files, in which nothing is told of a crawl."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return Denied(HTTPStatus.FORBIDDEN, "this server has another name; --allow-host NAME would allow this one")
        if method in SAFE and (is_page or self.is_private):
            return None
        if method not in SAFE and not _is_own_page(host, headers):
            return Denied(HTTPStatus.FORBIDDEN, "only this server's own page may do this")
        if not self._shows_token(headers.get("authorization", "")):
            return Denied(HTTPStatus.UNAUTHORIZED, "the token is missing or wrong; it is in the link that weft printed")
        return None

    def _is_ours(self, host: str) -> bool:
        name = host_in(host)
        if name in self._allowed or is_local_name(name):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or address == self._address or self._address.is_unspecified

    def _shows_token(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token)


def _is_own_page(host: str, headers: Mapping[str, str]) -> bool:
    """Whether the page that asks came from here; what is no browser names no page."""
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
