"""Session ids in URLs: where one stands, and what its URL is without it.

An id cannot be cut off by its look alone: `/talk?session=8f3a…` may be the talk, and some servers answer nothing
without an id. So the URL only says that there may be one; whether it changes nothing on its host is found out from the
pages themselves (pipeline/sessions.py), and only then is it taken out of the URLs of that host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from weft.regex import regex

MIN_ID_CHARS: Final = 8
_SPLIT_IDS: Final = 3  # a URL with more of them is left as it is

# No page is named by one of these. The others may name one.
_STRONG: Final = "jsessionid|phpsessid|aspsessionid[a-z]*|oscsid|zenid"
_WEAK: Final = "sid|sess|sessid|session[_-]?id|session"
_ARGUMENT = regex(
    rf"([;?&])(?:({_STRONG})|({_WEAK})|(cfid))="
    rf"((?(4)[^&;]+&cftoken=[^&;/?]+|(?=[^&;/?]*\d)[^&;/?]{{{MIN_ID_CHARS},}}))(?=[&;/?]|\Z)",
    re.IGNORECASE,
)
_FOLDER = regex(r"/\(((?:[a-z]\([0-9a-z]{24}\))+)\)(?=/)", re.IGNORECASE)  # ASP.NET: /(S(…))/page.aspx
_FOLDER_NAME: Final = "(s())"
_HEX_ID = regex(r"[0-9a-f]{32}", re.IGNORECASE)


class SessionId(NamedTuple):
    """An id in a URL."""

    argument: str  # its name, in lower case
    value: str
    start: int  # of the value in the URL
    bare: str  # the URL without argument and value
    is_strong: bool  # an id of this name and form names no page

    @property
    def path(self) -> str:
        """The bare URL up to its query."""
        return self.bare.partition("?")[0]

    def url_with(self, url: str, value: str) -> str:
        """The URL with another id."""
        return url[: self.start] + value + url[self.start + len(self.value) :]


class SessionRule(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What was proven of a host: an argument that changes nothing there."""

    host: str
    argument: str
    kept: str  # the one id that is asked with; empty: none is needed
    lengths: tuple[int, ...]  # of the ids that it was proven for
    paths: tuple[str, ...] | None  # where pages were the same under several ids; None: on so many that it holds for all

    def holds_at(self, path: str) -> bool:
        """Whether it is proven for a path."""
        return self.paths is None or path in self.paths

    def holds_for(self, found: SessionId) -> bool:
        """Whether an id is one of those that change nothing."""
        return len(found.value) in self.lengths and self.holds_at(found.path)


def may_have_id(url: str) -> bool:
    """Whether there may be an id: quicker than to look for one."""
    text = url.lower()
    return "sid=" in text or "sess" in text or "zenid=" in text or "cftoken=" in text or "(s(" in text


def session_id_in(url: str) -> SessionId | None:
    """The first session id in a URL, or what looks like one."""
    if not may_have_id(url):
        return None
    if (match := _ARGUMENT.search(url)) is not None:
        separator, strong, weak, _, value = match.groups()
        argument = (strong or weak or "cfid&cftoken").lower()
        bare = _without(url, separator, match.start(), match.end())
        is_strong = weak is None or ("?" in bare and _HEX_ID.fullmatch(value) is not None)
        return SessionId(argument, value, match.start(5), bare, is_strong)
    if (match := _FOLDER.search(url)) is not None:
        bare = url[: match.start()] + url[match.end() :]
        return SessionId(_FOLDER_NAME, match[1], match.start(1), bare, True)
    return None


def _without(url: str, separator: str, start: int, end: int) -> str:
    if separator == "?" and url[end : end + 1] in ("&", ";"):
        return url[: start + 1] + url[end + 1 :]
    return url[:start] + url[end:]


class SessionRules:
    """The proven rules, by host. Engine and workers have the same."""

    def __init__(self, rules: Iterable[SessionRule] = ()) -> None:
        self.by_host: dict[str, dict[str, SessionRule]] = {}
        for rule in rules:
            self.add(rule)

    def add(self, rule: SessionRule) -> None:
        """Go by this rule, too."""
        self.by_host.setdefault(rule.host, {})[rule.argument] = rule

    def all(self) -> list[SessionRule]:
        """Every rule."""
        return [rule for rules in self.by_host.values() for rule in rules.values()]

    def page_of(self, url: str, host: str) -> str | None:
        """The bare URL of a settled one, under which all ids of the page are one; None where nothing is proven."""
        rules = self.by_host.get(host)
        if not rules:
            return None
        found = session_id_in(url)
        if found is None:
            path = url.partition("?")[0]
            return url if any(rule.holds_at(path) for rule in rules.values()) else None
        rule = rules.get(found.argument)
        is_settled = rule is not None and found.value == rule.kept and rule.holds_at(found.path)
        return found.bare if is_settled else None

    def settled(self, url: str, host: str, via: str, redirects: int) -> str:
        """The URL to ask for instead of one with an id; the same where nothing is proven.

        A redirect that leads from a URL to itself with an id is followed as it is: else its page would be lost.
        """
        rules = self.by_host.get(host)
        settled = _settled(url, rules) if rules else url
        return url if redirects and settled == via else settled


def _settled(url: str, rules: dict[str, SessionRule]) -> str:
    for _ in range(_SPLIT_IDS):
        found = session_id_in(url)
        rule = rules.get(found.argument) if found is not None else None
        if found is None or rule is None or found.value == rule.kept or not rule.holds_for(found):
            break
        url = found.url_with(url, rule.kept) if rule.kept else found.bare
    return url
