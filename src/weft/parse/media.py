"""Whether a response is a page with links."""

from __future__ import annotations

import re

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_SAYS_NOTHING = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})

# How HTML begins, by the table of the WHATWG MIME sniffing standard.
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*"
    rb"<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s/>])",
    re.IGNORECASE,
)


def media_type(content_type: str | None) -> str:
    """The type alone: `text/html` of `Text/HTML; charset=utf-8`; empty when there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def may_be_html(content_type: str | None) -> bool:
    """Whether it is worth unpacking the body to look at its first bytes."""
    named = media_type(content_type)
    return named in _HTML_TYPES or named in _SAYS_NOTHING or "/" not in named


def is_html(content_type: str | None, first_bytes: bytes) -> bool:
    """Whether to look for links in it. The server's word counts; without one, the first bytes decide."""
    named = media_type(content_type)
    if named in _SAYS_NOTHING or "/" not in named:
        return _HTML_START.match(first_bytes) is not None
    return named in _HTML_TYPES
