"""weft's own cleaners, by output."""

from __future__ import annotations

from bench.clean.contestant import CleanText, Job
from weft.clean import PRESETS, Cleaner, Form

URL = "http://pages.example/page.html"


def cleaners(job: Job) -> dict[str, CleanText]:
    """By output; the rules of the job are weft's own."""
    return {
        "paper": _by("paper", Form.HTML),
        "safe": _by("safe", Form.HTML),
        "text": _by("text", Form.TEXT),
        "article": _by("article", Form.ARTICLE),
    }


def _by(preset: str, form: Form) -> CleanText:
    cleaner = Cleaner(PRESETS[preset], form)
    return lambda page: cleaner.clean(page, URL).content
