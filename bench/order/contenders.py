"""The orders that are compared."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

BASELINE = "bfs"


class Contender(msgspec.Struct, frozen=True):
    """One order of `weft --order`, and what must hold of it."""

    name: str
    needs_topic: bool = False
    least_harvest: float | None = None  # of bfs's
    least_rank: float | None = None  # true PageRank collected, of bfs's
    least_of_best: float | None = None  # true PageRank collected, of the best possible

    def flags(self, topic: Sequence[str]) -> list[str]:
        """For `weft crawl`."""
        return ["--order", self.name, *(["--topic", " ".join(topic)] if self.needs_topic else [])]


CONTENDERS = (
    Contender(BASELINE),
    Contender("dfs"),
    Contender("best-first", needs_topic=True, least_harvest=2.5),
    Contender("fish", needs_topic=True, least_harvest=1.3),
    Contender("shark", needs_topic=True, least_harvest=2.5),
    Contender("opic", least_rank=1.15, least_of_best=0.8),
    Contender("pagerank", least_rank=1.15, least_of_best=0.8),
    Contender("hits"),
)


def contenders_named(names: Sequence[str]) -> list[Contender]:
    """Those of the list, or a user's own by its import path."""
    known = {contender.name: contender for contender in CONTENDERS}
    return [known.get(name) or Contender(name) for name in names]
