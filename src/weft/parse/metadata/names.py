"""The names of authors: taken from what bylines and meta elements say, and those that name nobody left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from weft.parse.metadata.fields import MAX_AUTHORS, MAX_NAME_CHARS, plain
from weft.regex import regex

_MOST_WORDS: Final = 6  # of a name
_BY: Final = regex(
    r"(?:(?:written|posted|published|reported|story|words|text|photo|article|erstellt|geschrieben|veröffentlicht|publié|"
    r"escrito|scritto|(?:view\s++)?(?:all\s++)?posts|zeige alle beiträge|alle beiträge)\s++)?"
    r"(?:by|von|par|por|di|door|av|af|przez|autor(?:in|en)?|author|auteur|autore|作者|文|記者|记者|来源|автор|text)"
    r"(?:\s*+[:：]\s*+|\s++)",
    re.IGNORECASE,
)
_APART: Final = regex(
    r"\s*(?:[;|•·、，]|\s/\s|\s[–—]\s|,|\s(?:and|und|et|y|e|og|och|en|i|and|with|mit)\s|\s?[&＆]\s?)\s*"
)
_FAMILY_FIRST: Final = regex(r"[^\W\d]['’\w-]+, [^\W\d][\w.'’-]*(?: [^\W\d][\w.'’-]*)?")
_MAIL_WITH_NAME: Final = regex(r"\S+@\S+\.\w+\s*\(([^()]+)\)|([^<>@]+?)\s*<\S+@\S+>")
_HANDLE: Final = regex(r"\s@\w+$")
_URL: Final = regex(r"https?:|www\.", re.IGNORECASE)
_ADDRESS: Final = regex(r"\S@\S|^/|^@|\.(?:com|org|net|de|php|html?)$", re.IGNORECASE)
_BEHIND: Final = regex(
    r"\s*(?:\(.*|\[.*|\bon\b\s.*|\bam\b\s\d.*|\bupdated\b.*|\bpublished\b.*|\bveröffentlicht\b.*|[|•·].*|\d{1,2}[./]\d.*)$",
    re.IGNORECASE,
)
_NOBODY: Final = frozenset((
    "admin", "administrator", "anonym", "anonymous", "author", "autor", "auteur", "by", "editor", "guest", "n/a", "na",
    "none", "null", "root", "staff", "super user", "superuser", "system", "test", "undefined", "unknown", "user",
    "username", "webmaster", "wordpress", "wpadmin", "false", "true", "gast", "webredaktion", "von", "default",
))  # fmt: skip
_LETTER: Final = regex(r"[^\W\d_]")


def names_in(texts: Iterable[str], *, are_bylines: bool = False) -> tuple[str, ...]:
    """The names in what was said of authors, each once; a byline also has words that are no name."""
    names: dict[str, str] = {}
    for text in texts:
        for name in _names_of(plain(text, 4 * MAX_NAME_CHARS), is_byline=are_bylines):
            names.setdefault(name.casefold(), name)
            if len(names) >= MAX_AUTHORS:
                return tuple(names.values())
    return tuple(names.values())


def _names_of(text: str, *, is_byline: bool) -> list[str]:
    if by_mail := _MAIL_WITH_NAME.fullmatch(text):
        text = by_mail[1] or by_mail[2]
    if _URL.search(text):
        return []
    text = _HANDLE.sub("", text)
    if said := _BY.match(text):
        text = text[said.end() :]
    if is_byline:
        text = _BEHIND.sub("", text)
    if _FAMILY_FIRST.fullmatch(text) and not is_byline and text.count(",") == 1 and len(text.split()) == 2:
        family, _, given = text.partition(", ")
        parts = [f"{given} {family}"]
    else:
        parts = _APART.split(text)
    return [name for part in parts if (name := _name_of(part))]


def _name_of(text: str) -> str:
    text = text.strip(" \t.:,;-–—_|*\"'“”„")
    if text.isupper() and len(text) > 4 and " " in text:
        text = text.title()
    is_name = (
        1 < len(text) <= MAX_NAME_CHARS
        and len(text.split()) <= _MOST_WORDS
        and _LETTER.search(text) is not None
        and sum(map(str.isdigit, text)) <= 4
        and _ADDRESS.search(text) is None
        and text.casefold() not in _NOBODY
        and not set("{}<>=$%#").intersection(text)
    )
    return text if is_name else ""
