"""Fish search (De Bra and Post, 1994): a school that feeds where there is food, and dies out where there is none.

A relevant page is food: more of its links are followed, and its offspring may swim DEPTH steps again. Where nothing
is found for so long, or on a page with more links than WIDTH, the rest comes last (the original drops them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft.order.order import PageDone
from weft.order.scores import BestKnown
from weft.types import Kind, Link, Standing

DEPTH: Final = 3  # steps without food
WIDTH: Final = 20  # links of a page that says nothing of the topic …
WIDER: Final = 1.5  # … and how many times as many of one that does
FOOD: Final = 0.2  # a page of this relevance is food
FED, HUNGRY, LOST = 1.0, 0.5, 0.1


class Fish(BestKnown):
    """`Standing.inherited` is how many steps are left."""

    def first(self, link: Link) -> Standing:
        return Standing(FED, DEPTH) if link.kind is Kind.SEED else Standing(HUNGRY, DEPTH)

    def standings(self, page: PageDone) -> Sequence[Standing]:
        if page.is_redirect:
            return [page.standing] * page.links
        is_food = page.relevance >= FOOD
        steps_left = DEPTH if is_food else page.standing.inherited - 1
        followed = int(WIDTH * WIDER) if is_food else WIDTH if steps_left > 0 else 0
        swims = Standing(FED if is_food else HUNGRY, steps_left)
        stays = Standing(LOST if steps_left > 0 else 0.0, max(0.0, steps_left))
        return [swims] * min(followed, page.links) + [stays] * max(0, page.links - followed)
