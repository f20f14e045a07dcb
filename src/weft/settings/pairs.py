"""Texts that stand for two: a header, a login for a host, and a field of a form."""

from __future__ import annotations

import re
from typing import Final

from weft.errors import BadInput
from weft.regex import regex

# They say who we are.
SECRET_HEADERS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))
# A header for one host. No name of a header has a = in it.
_HOST: Final = r"(?:https?://)?(?:\[[0-9A-Fa-f:.]+\]|[^\s:/=\[\]]+)(?::\d+)?"
_HEADER_FOR: Final = regex(rf"({_HOST}=[^\s:=]+)\s*:(.*)", re.DOTALL)


def header(text: str) -> tuple[str, str]:
    """The name and value of 'Name: value'; the name may begin with the host that it is for."""
    if for_host := _HEADER_FOR.fullmatch(text.strip()):
        return for_host[1], for_host[2].strip()
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or "=" in name:  # without the value, which may be a secret
        raise BadInput(f"a header must look like 'Name: value' or 'example.org=Name: value', not {name[:40]!r}")
    return name.strip(), value.strip()


def login(text: str) -> tuple[str, str]:
    """The host and login of host=user:password."""
    host, equals, words = text.partition("=")
    if not equals or not host or ":" not in words:
        raise BadInput("a login must look like example.org=user:password")  # without the password that was given
    return host, words


def field(text: str) -> tuple[str, str]:
    """The name and value of name=value."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput("a field must look like name=value")  # without what was given: it may be the password
    return name, value
