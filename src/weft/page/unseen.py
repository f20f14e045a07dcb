"""What stands in a page's HTML and is no part of what a reader sees: scripts, styles, comments."""

from __future__ import annotations

from typing import Final

_ENDS: Final = {"<script": "</script", "<style": "</style", "<!--": "-->"}
_COMMENT: Final = "<!--"
MAX_SPANS: Final = 10_000  # what comes behind them is unseen, too


def blanked(lower: str) -> tuple[str, int]:
    """HTML in lower case with all that made into empty declarations of the same length, and how many characters.

    Each kind is looked for once from the beginning to the end, whatever the page holds.
    """
    spans = _unseen_spans(lower)
    if not spans:
        return lower, 0
    parts: list[str] = []
    at = unseen = 0
    for start, end in spans:
        parts += (lower[at:start], "<!", " " * (end - start - 3), ">")
        unseen += end - start
        at = end
    return "".join((*parts, lower[at:])), unseen


def _unseen_spans(lower: str) -> list[tuple[int, int]]:
    begins = {opening: start for opening in _ENDS if (start := lower.find(opening)) >= 0}
    spans: list[tuple[int, int]] = []
    while begins:
        opening = min(begins, key=begins.__getitem__)
        start = begins[opening]
        end = _end(lower, opening, start) if len(spans) < MAX_SPANS else len(lower)
        spans.append((start, end))
        for other, begin in list(begins.items()):
            if begin < end:
                begins[other] = lower.find(other, end)
                if begins[other] < 0:
                    del begins[other]
    return spans


def _end(lower: str, opening: str, start: int) -> int:
    if opening == _COMMENT:
        end = lower.find("-->", start + 2)  # <!--> is a whole one
        return end + 3 if end >= 0 else len(lower)
    end = lower.find(_ENDS[opening], start)
    end = lower.find(">", end) if end >= 0 else -1
    return end + 1 if end >= 0 else len(lower)
