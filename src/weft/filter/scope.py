"""How far a crawl reaches from its seeds."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from weft.errors import BadInput
from weft.filter.rule import UrlOnlyFilter
from weft.types import Kind, Link, Refusal
from weft.url import host_of, registrable_domain

REMEMBERED_URLS = 10_000


class Scope(StrEnum):
    """What belongs to a seed.

    For the seed https://docs.example.org/guide/intro.html:

        PREFIX  https://docs.example.org/guide/…   the folder that the seed is in
        HOST    https://docs.example.org/…
        DOMAIN  https://….example.org/…
        ANY     everything

    http and https are one site. A seed that names a folder ends with a slash: in …/guide the last part is
    taken for a file.
    """

    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"
    ANY = "any"


class ScopeFilter(UrlOnlyFilter):
    """Nothing beyond the scope of the seeds."""

    bounds_scope = True

    def __init__(self, scope: str, seeds: Iterable[str] = ()) -> None:
        self._scope = _known(scope)
        # URLs that were refused. Filled by refuses_url, emptied when the scope grows; bound: REMEMBERED_URLS.
        self.outside: set[str] = set()
        self._hosts: set[str] = set()  # whose URLs all belong to it; of scope `host` only
        self._domains: set[str] = set()
        self._folders: dict[str, tuple[str, ...]] = {}  # by host, without scheme
        for seed in seeds:
            self.add_seed(seed)

    def add_seed(self, url: str) -> None:
        """Take in what belongs to this canonical URL too: another seed, or where a seed redirects to."""
        self.outside.clear()
        host = host_of(url)
        match self._scope:
            case Scope.HOST:
                self._hosts.add(host)
            case Scope.DOMAIN:
                self._domains.add(registrable_domain(host))
            case Scope.PREFIX:
                page = _without_scheme(url).partition("?")[0]
                folder = page[: page.rindex("/") + 1]
                known = self._folders.get(host, ())
                if folder not in known:
                    self._folders[host] = (*known, folder)
            case Scope.ANY:
                pass

    def widen(self, found: Iterable[tuple[str, Kind, int]]) -> None:
        """Where a seed leads is a seed itself."""
        for url, kind, _ in found:
            if kind is Kind.SEED:
                self.add_seed(url)

    def refuses(self, link: Link) -> Refusal | None:
        """As `refuses_url`, but nothing is remembered."""
        return None if self.holds(link.url, host_of(link.url)) else Refusal.SCOPE

    def refuses_url(self, url: str, host: str, depth: int) -> Refusal | None:
        if host in self._hosts or self.holds(url, host):
            return None
        if len(self.outside) >= REMEMBERED_URLS:
            self.outside.clear()
        self.outside.add(url)
        return Refusal.SCOPE

    def holds(self, url: str, host: str) -> bool:
        """Whether a URL belongs to the seeds; nothing is remembered."""
        if host in self._hosts:
            return True
        match self._scope:
            case Scope.HOST:
                return False
            case Scope.DOMAIN:
                return registrable_domain(host) in self._domains
            case Scope.PREFIX:
                folders = self._folders.get(host)
                return folders is not None and _without_scheme(url).startswith(folders)
            case Scope.ANY:
                return True


def _known(scope: str) -> Scope:
    try:
        return Scope(scope)
    except ValueError:
        raise BadInput(f"unknown scope {scope!r}; known are {', '.join(Scope)}") from None


def _without_scheme(url: str) -> str:
    return url[url.index(":") + 3 :]
