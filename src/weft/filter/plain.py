"""The filters that are a comparison or two."""

from __future__ import annotations

from collections.abc import Iterable

from weft.errors import BadInput
from weft.filter.rule import UrlFilter, UrlOnlyFilter
from weft.types import Link, Refusal
from weft.url import canonicalize, host_of

# Servers answer 414 beyond about this: nginx takes request lines of 8 KB by default, Apache 8,190 bytes, and
# RFC 9110 asks for at least 8,000. The often-quoted 2,083 was one browser's limit; longer URLs are real.
MAX_URL_LENGTH = 8_192


class SchemeFilter(UrlOnlyFilter):
    """Only these schemes."""

    bounds_scope = True

    def __init__(self, schemes: Iterable[str] = ("http", "https")) -> None:
        self._starts = tuple(f"{scheme}:" for scheme in schemes)

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        return None if url.startswith(self._starts) else Refusal.SCHEME


class LengthFilter(UrlOnlyFilter):
    """No URL longer than servers accept. Traps that add to the path at each step end here at the latest."""

    def __init__(self, max_length: int = MAX_URL_LENGTH) -> None:
        self._max_length = max_length
        self.rule = f"over {max_length:,} characters"

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        return Refusal.LENGTH if len(url) > self._max_length else None


class DepthFilter(UrlOnlyFilter):
    """At most N links away from a seed, which is at depth 0.

    Its place is the last in a chain: a link refused for depth alone is taken up again when a shorter way to
    it turns up.
    """

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        return Refusal.DEPTH if depth > self._max_depth else None


class SuffixFilter(UrlOnlyFilter):
    """No URL whose path ends in one of these, in any letter case: `.zip`, `tar.gz`.

    There is no list by default: a suffix is a guess about what the server will send, and an archive that
    lacks its images and PDFs for a guess is not what was asked for.
    """

    def __init__(self, refuse: Iterable[str] = ()) -> None:
        self._endings = tuple(map(_ending, refuse))

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if not self._endings:
            return None
        return Refusal.SUFFIX if _path_of(url).endswith(self._endings) else None

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return next((ending for ending in self._endings if _path_of(url).endswith(ending)), "")


def _path_of(url: str) -> str:
    return url.partition("?")[0].lower()


def _ending(suffix: str) -> str:
    bare = suffix.strip().lower().lstrip("*.")
    if not bare or "/" in bare:
        raise BadInput(f"{suffix!r} is no suffix of a URL; one looks like .zip")
    return "." + bare


class HostFilter(UrlOnlyFilter):
    """Hosts by name. `example.org` means that one host, `.example.org` also every host below it.

    `refuse` goes before `allow`; with an `allow` list every host that is not on it is refused.
    """

    bounds_scope = True

    def __init__(self, refuse: Iterable[str] = (), allow: Iterable[str] = ()) -> None:
        self._refused = _HostList(refuse)
        self._allowed = _HostList(allow)

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if host in self._refused or (self._allowed and host not in self._allowed):
            return Refusal.HOST
        return None


class _HostList:
    def __init__(self, entries: Iterable[str]) -> None:
        given = [(entry.startswith("."), _canonical_host(entry.removeprefix("."))) for entry in entries]
        self._hosts = frozenset(host for _, host in given)
        self._trees = tuple("." + host for is_tree, host in given if is_tree)

    def __bool__(self) -> bool:
        return bool(self._hosts)

    def __contains__(self, host: str) -> bool:
        return host in self._hosts or host.endswith(self._trees)


def _canonical_host(name: str) -> str:
    url = canonicalize(f"http://{name}/")  # raises BadUrl
    if url.count("/") > 3:
        raise BadInput(f"{name!r} is not the name of a host")
    return host_of(url)


class RedirectFilter(UrlFilter):
    """At most N redirects in a row."""

    def __init__(self, max_redirects: int) -> None:
        self._max_redirects = max_redirects
        self.rule = f"over {max_redirects:,} in a row"

    def refuses(self, link: Link) -> Refusal | None:
        return Refusal.TOO_MANY_REDIRECTS if link.redirects > self._max_redirects else None
