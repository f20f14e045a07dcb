"""The headline of a page, without the site's name.

A title made for machines has more than the headline: `Siemens and the mine: Neubauer fooled | The Paper`. The headline
that a reader sees is a heading whose words are in such a title, so that one is taken. If no heading is, the title is,
without the part that names the site. A heading alone counts only where no title says anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from weft.regex import regex

MOST_PARTS: Final = 12

_BETWEEN: Final = regex(
    r"\s+(?:[|│｜·•»«›‹~/]|::?|[-–—―]{1,2}|&raquo;|<|>)\s+|\s*[|｜»]\s*|(?<=[^\x00-\u2e7f])[-_—](?=\S)"
)
# `新华网`, `百度百科`, `人民日报`: a net, an encyclopedia, a newspaper; often nothing else names the site.
_SITE_IN_CHINESE: Final = regex(r"[\w]{1,8}(?:网|網|百科|日报|日報|晚报|新闻|新聞|在线|频道|论坛|报|网站)")
_ALIKE: Final = 0.6  # of the words of a heading and a title together
_WORD: Final = regex(r"\w+")


def headline(headings: Sequence[str], titles: Sequence[str], site_names: Iterable[str]) -> str:
    """The headline, of the headings of a page, h1 first, and of what else calls itself its title, the best first."""
    names = {letters(name) for name in site_names} - {""}
    titles = [title for title in (without_site(title, names) for title in titles) if title]
    seen = [heading for heading in headings if letters(heading) and letters(heading) not in names]
    for title in titles:
        # The longest: a heading with the site's name may be within it too.
        if found := max((heading for heading in seen if is_within(heading, title)), key=len, default=""):
            return found
    for title in titles:  # a heading may have more than the title: a kicker above it, the name of a section
        if any(is_within(title, heading) for heading in seen):
            return title
    best = max(seen, key=lambda heading: max((_likeness(heading, title) for title in titles), default=0), default="")
    if best and titles and max(_likeness(best, title) for title in titles) >= _ALIKE:
        return best
    return titles[0] if titles else next(iter(seen), "")


def is_within(heading: str, title: str) -> bool:
    """Whether a title has the heading in it, and the heading is no mere word of it."""
    inner, whole = letters(heading), letters(title)
    if inner == whole:
        return True
    if inner not in whole:
        return False
    is_part = any(letters(part) == inner for part in _BETWEEN.split(title)[:MOST_PARTS])
    return is_part or len(inner) >= max(12, len(whole) * 0.4)


def without_site(title: str, names: set[str]) -> str:
    """A title without the parts that name the site, which stand at its end or its beginning."""
    parts = [part.strip() for part in _BETWEEN.split(title)[:MOST_PARTS]]
    if len(parts) < 2:
        return title if letters(title) not in names else ""
    first, last = 0, len(parts)
    if _SITE_IN_CHINESE.fullmatch(parts[-1]) and len(parts[0]) > len(parts[-1]):
        last -= 1
    while last - first > 1 and letters(parts[last - 1]) in names:
        last -= 1
    while last - first > 1 and letters(parts[first]) in names:
        first += 1
    if (first, last) == (0, len(parts)):
        return title
    start = title.find(parts[first])
    end = title.rfind(parts[last - 1]) + len(parts[last - 1])
    return title[start:end].strip()


def letters(text: str) -> str:
    """Its letters and digits, in lower case."""
    return "".join(_WORD.findall(text.casefold())).replace("_", "")


def _likeness(one: str, other: str) -> float:
    some, others = set(_WORD.findall(one.casefold())), set(_WORD.findall(other.casefold()))
    return len(some & others) / len(some | others) if some and others and len(some) > 1 else 0.0
