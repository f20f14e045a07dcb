"""What is asked about: a URL in canonical form, and what was changed for that; or a host."""

from __future__ import annotations

from typing import Final, NamedTuple

from weft.errors import BadInput, BadUrl
from weft.regex import regex
from weft.url import canonicalize, host_of, split
from weft.url.schemes import SCHEMES

_LOGIN: Final = regex(r"//[^/?#]*@")
_NO_HOST: Final = regex(r"[/@?#\\%\s]")
_AUTHORITY: Final = regex(r"[/?\\]")  # what ends it


class Asked(NamedTuple):
    """A URL, or if it is empty a host."""

    shown: str  # as it was asked, without a password
    url: str
    host: str
    changes: list[str]


def asked(text: str) -> Asked:
    """BadInput for what is neither a URL nor a host."""
    text = text.strip()
    shown = _LOGIN.sub("//…@", text)
    if "://" not in text:
        return Asked(shown, "", _host(text), [])
    url = canonicalize(text)
    return Asked(shown, url, host_of(url), list(_changes(text, url)))


def _host(text: str) -> str:
    """The host that is meant by a name, or an address; a port says nothing of it."""
    bare = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
    try:
        if not text or _NO_HOST.search(text):
            raise BadUrl(text)
        return host_of(canonicalize(f"http://{bare}/"))
    except BadUrl:
        known = ", ".join(f"{name}://" for name in SCHEMES)
        what = repr(text if len(text) <= 200 else text[:200] + "…") if text else "an empty word"
        raise BadInput(f"{what} is neither a URL, which begins with {known}, nor the name of a host") from None


def _changes(text: str, url: str) -> list[str]:
    """Sentences on what a canonical URL has not of what was asked."""
    changes = []
    before, _, fragment = text.partition("#")
    if fragment:
        changes.append("what follows # is left off: no server is asked for it")
    scheme, _, rest = before.partition("://")
    whole = _AUTHORITY.split(rest, maxsplit=1)[0]
    login, _, authority = whole.rpartition("@")
    if login:
        changes.append("name and password are left off: they are no part of a page's URL")
    target = split(url)
    name, _, port = (authority, "", "") if authority.startswith("[") else authority.partition(":")
    if port.isdigit() and int(port) == SCHEMES[target.scheme].default_port:
        changes.append(f"port {port} is left off: it is that of {target.scheme}")
    if name != target.host and not authority.startswith("["):
        changes.append(f"the host is written {target.host}, as in a request")
    if (rest[len(whole) :] or "/") != target.path:
        changes.append("path and query are written as a browser would ask for them")
    if scheme != target.scheme:
        changes.append(f"the scheme is written {target.scheme}")
    return changes
