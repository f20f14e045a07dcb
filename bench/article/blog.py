"""A blog whose template no tag and no name gives away: only who has seen several pages can tell it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench.article.sites import SitePage

POSTS = 60
_WORDS = (
    "river", "bridge", "stone", "arch", "engineer", "winter", "boat", "market", "city", "mayor", "vote",
    "money", "plan", "span", "cable", "tower", "bank", "water", "night", "train", "rail", "harbour",
    "worker", "iron", "bolt", "crane", "letter", "paper", "council", "engine", "wheel", "field", "road",
    "wall", "house", "light", "glass",
)  # fmt: skip
_BEFORE = "<div><p>Notes from the river is where a few friends write of bridges, boats and what lies between.</p></div>"
_WITHIN = "<p>If you liked this, tell a friend of yours, and we will be very glad to write more of the kind.</p>"
_AFTER = (
    "<div><p>The people of the river bank say thanks to all who have read so far, and wish a safe journey.</p>"
    "<p>Words and pictures belong to those who made them; write to us before you take them somewhere else.</p></div>"
)


def blog_pages() -> Iterator[SitePage]:
    """Each post with its text, the same in each run."""
    chance = random.Random(22)
    for number in range(POSTS):
        title = " ".join(chance.choices(_WORDS, k=5)).capitalize()
        paragraphs = [_paragraph(chance) for _ in range(chance.randint(2, 6))]
        lines = [title, "Summary", paragraphs[0], "Details", *paragraphs[1:]]
        text = "".join(f"<p>{line}</p>" for line in paragraphs[1:])
        markup = (
            f"<title>{title}</title><body>{_BEFORE}<div><h1>{title}</h1><h2>Summary</h2><p>{paragraphs[0]}</p>"
            f"<h2>Details</h2>{text}{_WITHIN}</div>{_AFTER}"
        )
        yield SitePage(f"http://blog.example/{number}", markup, lines)


def _paragraph(chance: random.Random) -> str:
    sentences = (" ".join(chance.choices(_WORDS, k=chance.randint(8, 16))) for _ in range(chance.randint(2, 5)))
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)
