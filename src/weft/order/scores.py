"""From scores to ranks, and what most orders that score have in common."""

from __future__ import annotations

from math import log2
from typing import Final

from weft.order.order import MAX_RANK, Wants
from weft.types import Kind, Link, Standing

LEVELS: Final = 1_000  # of scores from 0 to 1: what changes by less does not move
STEPS_PER_DOUBLING: Final = 4  # of scores that spread over magnitudes: what changes by less than a sixth may stay
LEAST: Final = 2.0**-200  # what is smaller, or nothing, comes last
SEED: Final = Standing(1.0, 1.0)
NOTHING: Final = Standing(0.0, 0.0)


class BestKnown:
    """Scores from 0 to 1, of which the best counts. Seeds come first."""

    wants = Wants(topic=True, turns=True)

    def rank(self, link: Link) -> int:
        return self.rank_of((link.standing or self.first(link)).score)

    def first(self, link: Link) -> Standing:
        return SEED if link.kind is Kind.SEED else NOTHING

    def merged(self, known: Standing, new: Standing) -> Standing:
        return new if new.score > known.score else known

    def rank_of(self, score: float) -> int:
        return by_level(score)


class Summed(BestKnown):
    """Scores that add up, of any magnitude."""

    wants = Wants(turns=True)

    def merged(self, known: Standing, new: Standing) -> Standing:
        return Standing(known.score + new.score, known.inherited + new.inherited)

    def rank_of(self, score: float) -> int:
        return by_magnitude(score)


def by_level(score: float) -> int:
    """The rank of a score from 0 to 1."""
    return round((1.0 - max(0.0, min(1.0, score))) * LEVELS)


def by_magnitude(score: float, steps: int = STEPS_PER_DOUBLING) -> int:
    """The rank of a score of any size: equal steps for equal ratios."""
    if not score > LEAST:
        return MAX_RANK
    return max(0, round(MAX_RANK // 2 - log2(score) * steps))
