"""The schemes of URLs that weft can fetch, and what differs between them.

Another way to get a page is a line here, and a fetcher of it with a line in `weft.fetch.fetcher`. Everything else asks
this table.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Scheme(NamedTuple):
    """What holds for all URLs of one scheme."""

    name: str
    default_port: int
    # Any page may link to it. To others only the user leads, and pages that came by one of them; for these robots.txt
    # says nothing, there are no sitemaps, and a mirror has folders of their own.
    is_web: bool
    # An answer has a head and a body, as HTTP's do: archived as a `response`, to which a later `revisit` may refer.
    # Others are files: archived as a `resource`, with notes on how it was had, or as such notes alone.
    has_head: bool
    uses_tls: bool = False


SCHEMES: Final = {
    scheme.name: scheme
    for scheme in (
        Scheme("http", 80, is_web=True, has_head=True),
        Scheme("https", 443, is_web=True, has_head=True, uses_tls=True),
        Scheme("ftp", 21, is_web=False, has_head=False),
    )
}
_HTTP: Final = SCHEMES["http"]
ANY_SCHEME: Final = tuple(f"{name}://" for name in SCHEMES)
WEB: Final = tuple(f"{scheme.name}://" for scheme in SCHEMES.values() if scheme.is_web)


def scheme_of(url: str) -> Scheme:
    """The scheme of a canonical URL; what else a record may be about (`dns:`) goes by HTTP's rules."""
    return SCHEMES.get(url[: url.find(":")]) or _HTTP


def listed(names: tuple[str, ...], last: str = "or") -> str:
    """Names in a sentence: `http, https or ftp`."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
