"""One string for one page: how a URL is written everywhere inside weft.

As a browser writes it, without fragment and user name; and without a dot at the end of its host. To a name server
`example.org.` is `example.org`, so these are one server, which has one delay, one budget and one robots.txt.
"""

from __future__ import annotations

import re

from ada_url import join_url, normalize_url

from weft.errors import BadUrl
from weft.url.parts import path_start
from weft.url.query import encode_query, encoder_for
from weft.url.schemes import ANY_SCHEME, WEB, listed, scheme_of

LONGEST_ORIGIN_CHARS = len("https://") + 254 + len(":65535/")  # a name has 253 at most, and perhaps a dot


def canonicalize(text: str, base: str | None = None, query_charset: str = "utf-8") -> str:
    """Read `text` as a browser would, relative to `base` if there is one, and write it in the canonical form.

    Raises BadUrl when it is no URL, or none of a scheme that weft can fetch.
    """
    encoder = None if text.isascii() else encoder_for(query_charset)
    if encoder is not None:
        text = encode_query(text, encoder)
    try:
        href = normalize_url(text) if base is None else join_url(base, text)
    except ValueError:
        raise BadUrl(_why_not(text, base)) from None
    schemes = schemes_from(base)
    canonical = reduce_href(href, schemes)
    if canonical is None and href.startswith(schemes):
        raise BadUrl(f"{_shown(text)} is not a URL: no host has so long a name")
    if canonical is None:
        raise BadUrl(f"{_shown(text)} is not an {listed(tuple(scheme[:-3] for scheme in schemes))} URL")
    return canonical


def schemes_from(base: str | None) -> tuple[str, ...]:
    """Where a link may lead: out of the web only if the user says so, or if the page itself is not of it."""
    return ANY_SCHEME if base is None or not scheme_of(base).is_web else WEB


def reduce_href(href: str, schemes: tuple[str, ...] = WEB) -> str | None:
    """Take fragment, user name and a dot behind the host off a URL of ada's; None when it has none of these schemes, or
    a host longer than a name can be: each is a key of caches, which count their rows only.

    In what ada writes, the first # begins the fragment, and an @ before the path ends the user name:
    anywhere else both are percent-encoded.
    """
    if not href.startswith(schemes):
        return None
    if "#" in href:
        href = href[: href.index("#")]
    if "@" in href:
        scheme, _, rest = href.partition("://")
        authority, slash, path = rest.partition("/")
        href = f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
    path_at = path_start(href)
    if path_at > LONGEST_ORIGIN_CHARS:
        return None
    if href[path_at - 1] == "." or ".:" in href[:path_at]:
        return _without_dot(href, path_at)
    return href


def _without_dot(href: str, path_at: int) -> str:
    scheme, _, authority = href[:path_at].partition("://")
    host, colon, port = authority.partition(":")
    if not host.removesuffix(".") or host.endswith(".."):  # no name that a server could have: as it is
        return href
    return f"{scheme}://{host.removesuffix('.')}{colon}{port}{href[path_at:]}"


def _why_not(text: str, base: str | None) -> str:
    if base is None and "://" not in text:
        return f"{_shown(text)} is not a URL: it must begin with {listed(ANY_SCHEME)}"
    return f"{_shown(text)} is not a URL"


def _shown(text: str) -> str:
    text = re.sub(r"//[^/@]*@", "//…@", text)  # without the password that it may hold
    return repr(text if len(text) <= 200 else text[:200] + "…")
