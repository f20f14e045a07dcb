"""What stands in a page's HTML and is no part of what a reader sees: scripts, styles, comments."""

from __future__ import annotations

from typing import Final

from weft.page.needles import MAX_HITS, Needles, in_characters

_ENDS: Final = ("</script", "</style", "-->")
_COMMENT: Final = 2
_BEGINNINGS: Final = Needles([b"<script", b"<style", b"<!--"])


def blanked(data: bytes, lower: str) -> tuple[str, int]:
    """HTML in lower case with all that made into empty declarations of the same length, and how many characters.

    It comes as UTF-8 and as text. What follows more beginnings than can be looked at is unseen, too.
    """
    begins = in_characters(data, _BEGINNINGS.find(data))
    parts: list[str] = []
    at = unseen_chars = 0
    for number, (start, kind) in enumerate(begins, 1):
        if start >= at:
            end = _end(lower, kind, start) if number < MAX_HITS else len(lower)
            parts += (lower[at:start], "<!", " " * (end - start - 3), ">")
            unseen_chars += end - start
            at = end
    return "".join((*parts, lower[at:])), unseen_chars


def _end(lower: str, kind: int, start: int) -> int:
    if kind == _COMMENT:
        end = lower.find("-->", start + 2)  # <!--> is a whole one
        return end + 3 if end >= 0 else len(lower)
    end = lower.find(_ENDS[kind], start)
    end = lower.find(">", end) if end >= 0 else -1
    return end + 1 if end >= 0 else len(lower)
