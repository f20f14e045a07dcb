"""A user name and a password in a URL: the user's to give with a seed, and nobody else's.

`canonicalize` takes them off, also off links: whoever writes a page must not choose what weft says of itself.
"""

from __future__ import annotations

from urllib.parse import unquote

from ada_url import parse_url

from weft.errors import BadInput
from weft.url.canonical import canonicalize


def split_login(text: str) -> tuple[str, str]:
    """The canonical URL, and `user:password` if the text has one. BadUrl as `canonicalize`."""
    canonical = canonicalize(text)
    if "@" not in text:
        return canonical, ""
    parts = parse_url(text, ("username", "password"))
    user, password = unquote(parts["username"]), unquote(parts["password"])
    if ":" in user:
        raise BadInput(f"the user name for {canonical} has a colon in it, which no login can carry")
    return canonical, f"{user}:{password}" if user or password else ""
