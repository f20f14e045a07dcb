"""The sort key of a URL in a CDXJ index, as pywb looks it up.

    https://www.Example.org:8443/B/?y=2&x=1   →   org,example:8443)/b?x=1&y=2

pywb and cdxj-indexer both make their keys with the `surt` package; a key that differs by one byte is a page
that cannot be replayed. So this returns the same keys in every case, odd as some are: IPv4 addresses are
reversed like names, paths and queries lose their letter case and their session ids, `%`-escapes are undone
and made again. A key need not be unique: the index line carries the URL itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

from weft.regex import regex
from weft.url.parts import path_start, split
from weft.url.schemes import SCHEMES

_KEPT_BARE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WWW = re.compile(r"www\d*\.")
# Looked for in lower case. Without it there is nothing to unescape, to collapse or to take for a session id.
_NEEDS_CARE = re.compile(r"[%#\s]|//|/\.|sid=|sessionid|cfid=|\.aspx")

_SESSION_FOLDERS = (
    regex(r"(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)", re.IGNORECASE),
    regex(r"(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)", re.IGNORECASE),
)
_SESSION_ARGUMENTS = tuple(
    regex(rf"(.*){argument}(?:&(.*))?", re.IGNORECASE)
    for argument in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=[^&]+&cftoken=[^&]+",
    )
)


def surt(url: str) -> str:
    """The key of a canonical URL."""
    start = path_start(url)
    target = url[start:].lower()
    path, _, query = target.partition("?")
    if _NEEDS_CARE.search(target):
        path, _, query = url[start:].partition("?")
        path = _cut_session_folder(_collapse(_unescape(path))).lower()
        query = _cut_session_arguments(_unescape(query)).lower()
    path = path.removesuffix("/") or "/"
    if not query:
        return f"{key_of_origin(url[:start])}){path}"
    return f"{key_of_origin(url[:start])}){path}?{_sort_arguments(query)}"


@lru_cache(maxsize=4096)
def key_of_origin(origin: str) -> str:
    """The part of a key before its path, of what `origin_of` returns."""
    scheme, host, port, _ = split(f"{origin}/")
    return f"{_reverse(host)}{_shown_port(scheme, port)}"


def _reverse(host: str) -> str:
    name = host.replace("..", ".").strip(".")
    if www := _WWW.match(name):
        name = name[www.end() :]
    return ",".join(reversed(name.split(".")))


def _shown_port(scheme: str, port: int) -> str:
    return "" if port in (SCHEMES[scheme].default_port, 0) else f":{port}"


def _unescape(text: str) -> str:
    """Undo `%`-escapes until none is left, then escape what must not stand bare; returns ASCII."""
    raw = text.encode()
    while (unescaped := unquote_to_bytes(raw)) != raw:
        raw = unescaped
    return quote_from_bytes(raw, safe=_KEPT_BARE)


def _collapse(path: str) -> str:
    """Follow dot segments and drop empty ones; a last empty one is the slash at the end."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == ".." and kept:
            kept.pop()
        elif segment != ".":
            kept.append(segment)
    *folders, last = kept or [""]
    return "/" + "".join(f"{folder}/" for folder in folders if folder) + last


def _cut_session_folder(path: str) -> str:
    for pattern in _SESSION_FOLDERS:
        if found := pattern.fullmatch(path):
            path = found[1] + found[2]
    return path


def _cut_session_arguments(query: str) -> str:
    for pattern in _SESSION_ARGUMENTS:
        if found := pattern.fullmatch(query):
            query = found[1] + (found[2] or "")
    return query


def _sort_arguments(query: str) -> str:
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda argument: argument.split("=", 1)))
