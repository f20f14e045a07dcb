# mypy: disable-error-code="import-untyped"
"""How much two cleaners' outputs have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import lxml.html
import msgspec

_WORDS = re.compile(r"\w+")
_MARKDOWN_TARGET = re.compile(r"\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")


class Likeness(msgspec.Struct, frozen=True):
    """Shares from 0 to 1, means over the pages."""

    words: float
    tags: float | None  # None: the outputs are no HTML


def like(ours: Sequence[str], theirs: Sequence[str], *, is_html: bool) -> Likeness:
    """Compare page by page."""
    pairs = list(zip(ours, theirs, strict=True))
    if not is_html:
        return Likeness(_mean([in_common(words_of(one), words_of(other)) for one, other in pairs]), None)
    read = [(read_html(one), read_html(other)) for one, other in pairs]
    return Likeness(
        words=_mean([in_common(one[0], other[0]) for one, other in read]),
        tags=_mean([in_common(one[1], other[1]) for one, other in read]),
    )


def in_common(one: Counter[str], other: Counter[str]) -> float:
    """What both have, twice, of what they have together: 1 if they are the same, 0 if nothing is."""
    whole = one.total() + other.total()
    return 2 * (one & other).total() / whole if whole else 1.0


def words_of(text: str) -> Counter[str]:
    """The words of plain text or Markdown; where links lead does not count."""
    return Counter(_WORDS.findall(_MARKDOWN_TARGET.sub("]", text)))


def read_html(page: str) -> tuple[Counter[str], Counter[str]]:
    """The words and the tags. A page that lost its html and body has them again here, so they make no difference."""
    if not page.strip():
        return Counter(), Counter()
    document = lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    tags = Counter(str(element.tag) for element in document.iter() if isinstance(element.tag, str))
    return words_of(" ".join(document.itertext())), tags


def _mean(shares: list[float]) -> float:
    return sum(shares) / len(shares)
