"""Cookies (RFC 6265): what a server sets is sent back to it, and to nobody else.

The standard library's `http.cookiejar` is not used: it goes through all of its hosts for every request, knows no
public suffixes (a site under `co.uk` could set a cookie for all of them) and has no bounds.

Filled by: `take`, from responses, `load`, from the user's file, and `restore`, from an earlier run. Emptied by: time,
and by what comes later when one of the bounds below is reached. A site that the user has given cookies for is never
pushed out by other sites. Who keeps cookies beyond the store's life hears of each change: `take_changes`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from math import inf, nextafter
from typing import Final

import msgspec
from xxhash import xxh3_64_intdigest, xxh3_128_digest

from weft.clock import Clock
from weft.fetch.head import Headers
from weft.fetch.set_cookie import Cookie, default_path, parse_set_cookie
from weft.url import Target, registrable_domain

KIB: Final = 1024
MAX_COOKIES_PER_SITE: Final = 150  # a site is a registrable domain: a thousand subdomains share this bound
MAX_HEADER_BYTES: Final = 8 * KIB  # servers refuse heads that are longer, and so would cookies make a site vanish
MAX_TOTAL_BYTES: Final = 16 * 1024 * KIB

Key = tuple[str, str, str]  # domain, path and name
_Site = dict[Key, Cookie]  # oldest first


def fingerprint(header: bytes) -> int:
    """Tells the value of one Cookie header from another without saying what is in it; 0: no cookie."""
    return xxh3_64_intdigest(header) if header else 0


class CookieStore:
    """All cookies of a crawl."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sites: OrderedDict[str, _Site] = OrderedDict()  # least recently used first
        self._from_file: dict[str, _Site] = {}  # sites that the user gave cookies for; never pushed out
        self._bytes = 0  # of those that can be
        self.given_digest = b""  # of all that the user gave; the same as long as these are
        self._last_set_at = 0.0
        # None: it is gone. Filled by _note if somebody wants to know, emptied by take_changes; bound: the store's, and
        # what was pushed out since.
        self._changes: dict[Key, Cookie | None] | None = None

    def __len__(self) -> int:
        return sum(len(site) for sites in (self._sites, self._from_file) for site in sites.values())

    def load(self, cookies: Iterable[Cookie]) -> None:
        """Begin with the cookies of a file."""
        given = [msgspec.structs.replace(cookie, set_at=float(number)) for number, cookie in enumerate(cookies)]
        self.given_digest = xxh3_128_digest(msgspec.msgpack.encode(given))
        now = self._clock.wall()
        for cookie in given:
            if cookie.expires_at > now:
                self._from_file.setdefault(registrable_domain(cookie.domain), {})[cookie.key] = cookie

    def restore(self, cookies: Iterable[Cookie], *, replaces_given: bool) -> None:
        """Go on with the cookies of an earlier run, and note changes from now on.

        Those of the user's file give way if the earlier run knew them; else they are newer, and stay.
        """
        self._changes = {}
        given: _Site = {}
        for site in self._from_file.values():
            if replaces_given:
                site.clear()
            else:
                given |= site
        now = self._clock.wall()
        for cookie in sorted(cookies, key=lambda one: one.set_at):
            if cookie.expires_at <= now:
                self._changes[cookie.key] = None
            elif cookie.key not in given:
                self._put(cookie)
                if self._changes.get(cookie.key) is cookie:
                    del self._changes[cookie.key]  # it came from there
                self._last_set_at = cookie.set_at
        self._changes.update(given)

    def take_changes(self) -> dict[Key, Cookie | None]:
        """What was set, replaced or removed (None) since the last call."""
        if not self._changes:
            return {}
        changes, self._changes = self._changes, {}
        return changes

    def header_for(self, target: Target) -> bytes:
        """The value of the Cookie header of a request; empty when there is none to be sent."""
        host = target.host.rstrip(".")
        site = self._site(registrable_domain(host))
        if not site:
            return b""
        path = target.path.partition("?")[0]
        secure = target.scheme == "https"
        now = self._clock.wall()
        fitting = [cookie for cookie in site.values() if cookie.fits(host, path, secure) and cookie.expires_at > now]
        fitting.sort(key=lambda cookie: -len(cookie.path))  # the more special first, then the older
        return _header(fitting)

    def has_some_for(self, host: str) -> bool:
        """Whether any of a host's pages would be sent a cookie."""
        now, site = self._clock.wall(), self._site(registrable_domain(host))
        return any(cookie.fits_host(host) and cookie.expires_at > now for cookie in site.values())

    def take(self, target: Target, headers: Headers) -> None:
        """Keep what a response sets, as far as it may set that."""
        lines = [value for name, value in headers if name == b"set-cookie"]
        for line in lines[:MAX_COOKIES_PER_SITE]:
            cookie = self._acceptable(line, target)
            if cookie is not None:
                self._put(cookie)

    def _acceptable(self, line: bytes, target: Target) -> Cookie | None:
        now = self._clock.wall()
        host = target.host.rstrip(".")
        cookie = parse_set_cookie(line, host, default_path(target.path), now)
        if cookie is None or not _may_set(cookie, host, target.scheme == "https"):
            return None
        old = self._site(registrable_domain(host)).get(cookie.key)
        if old is not None and old.secure and target.scheme != "https" and old.expires_at > now:
            return None  # what was set in confidence is not overwritten by whoever can change plain text
        if old is None:  # no two were set at the same time: one that is restored finds its place again
            self._last_set_at = max(now, nextafter(self._last_set_at, inf))
        return msgspec.structs.replace(cookie, set_at=self._last_set_at if old is None else old.set_at)

    def _site(self, name: str) -> _Site:
        site = self._sites.get(name)
        if site is not None:
            self._sites.move_to_end(name)
            return site
        return self._from_file.get(name, {})

    def _put(self, cookie: Cookie) -> None:
        """Add, replace or end a cookie; one that is replaced keeps its age."""
        name = registrable_domain(cookie.domain)
        site = self._from_file.get(name)
        if site is not None:
            self._update(site, cookie)
            return
        site = self._sites.setdefault(name, {})
        self._bytes += self._update(site, cookie)
        if not site:
            del self._sites[name]
        while self._bytes > MAX_TOTAL_BYTES:
            _, pushed_out = self._sites.popitem(last=False)
            self._bytes -= sum(cookie.size_bytes for cookie in pushed_out.values())
            for key in pushed_out:
                self._note(key, None)

    def _update(self, site: _Site, cookie: Cookie) -> int:
        """Put a cookie into its site, within the site's bound; returns by how many bytes the site has grown."""
        now = self._clock.wall()
        old = site.get(cookie.key)
        grown_bytes = -old.size_bytes if old is not None else 0
        if cookie.expires_at <= now:
            if site.pop(cookie.key, None) is not None:
                self._note(cookie.key, None)
            return grown_bytes
        if old != cookie:
            self._note(cookie.key, cookie)
        site[cookie.key] = cookie
        grown_bytes += cookie.size_bytes
        if len(site) > MAX_COOKIES_PER_SITE:
            for outdated in [each for each in site.values() if each.expires_at <= now] or [next(iter(site.values()))]:
                del site[outdated.key]
                self._note(outdated.key, None)
                grown_bytes -= outdated.size_bytes
        return grown_bytes

    def _note(self, key: Key, cookie: Cookie | None) -> None:
        if self._changes is not None:
            self._changes[key] = cookie


def _may_set(cookie: Cookie, host: str, secure: bool) -> bool:
    """Whether this host may set this cookie, over a connection that is secure or not."""
    if cookie.secure and not secure:
        return False
    if not cookie.fits_host(host):
        return False
    # Both are ends of the host's name, and the registrable domain is the shortest end that is somebody's own.
    if len(cookie.domain) < len(registrable_domain(host)):
        return False
    if cookie.name.startswith("__Secure-"):
        return cookie.secure
    if cookie.name.startswith("__Host-"):
        return cookie.secure and cookie.host_only and cookie.path == "/"
    return True


def _header(cookies: list[Cookie]) -> bytes:
    value = b""
    for cookie in cookies:
        pair = f"{cookie.name}={cookie.value}".encode("latin-1")
        longer = value + b"; " + pair if value else pair
        if len(longer) <= MAX_HEADER_BYTES:
            value = longer
    return value
