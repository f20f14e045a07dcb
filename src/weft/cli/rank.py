"""`weft rank`: which pages of a crawl the links say are best."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from weft.api.rank import TOP, Ranking
from weft.api.rank import rank as rank_pages
from weft.cli.options import whole_number
from weft.cli.printing import printed
from weft.graph.kinds import KINDS


def rank(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="The folder of a crawl with --graph; or those of nodes of one cluster's crawl. It may still run.",
        ),
    ],
    by: Annotated[
        str,
        typer.Option(metavar="WAY", autocompletion=lambda: list(KINDS), help=f"The way: {', '.join(KINDS)}."),
    ] = KINDS[0],
    top: Annotated[
        int, typer.Option(metavar="N", parser=whole_number("--top", at_least=1), help="How many URLs to print.")
    ] = TOP,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """Rank the URLs of a crawl by the links between them: score and URL, the best first.

    pagerank: damping 0.85; a page without links gives its score to all URLs evenly, as one that was not visited does.
    hits: authorities, then hubs. opic: the cash that came to a URL as pages were visited, which each gives evenly to
    its links; by the shares that --order opic gave, if the crawl had it.

    It needs numpy and scipy: pip install numpy scipy.

    Exit codes: 0 done; 2 bad input, as a folder without a link graph; 6 the folder cannot be used.
    """
    found = rank_pages(folders, by, top=top)
    with printed() as out:
        out.write((msgspec.json.encode(found) if as_json else "\n".join(_lines(found)).encode()) + b"\n")


def _lines(found: Ranking) -> Iterator[str]:
    for number, (name, best) in enumerate(found.best.items()):
        if len(found.best) > 1:
            yield "\n" * (number > 0) + name
        for one in best:
            yield f"{one.score:.6e}  {one.url}"
