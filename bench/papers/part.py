"""What an experiment returns, and the sizes that it is run with."""

from __future__ import annotations

import msgspec

from bench.papers.claims import Claim, Exhibit

RUNS = 3  # of each experiment: an ordering that is claimed is looked at in each
SEED = 25


class PaperPart(msgspec.Struct, frozen=True):
    """One experiment or several of a paper."""

    blocks: dict[str, str]  # Markdown, by the marker between which it stands in docs/papers.md
    claims: list[Claim]
    exhibits: list[Exhibit]
    pictures: dict[str, str]  # SVG by file name
    figures: dict[str, object]


def joined(parts: list[PaperPart]) -> PaperPart:
    """All experiments of a paper as one."""
    return PaperPart(
        {name: block for part in parts for name, block in part.blocks.items()},
        [each for part in parts for each in part.claims],
        [each for part in parts for each in part.exhibits],
        {name: picture for part in parts for name, picture in part.pictures.items()},
        {name: figure for part in parts for name, figure in part.figures.items()},
    )
