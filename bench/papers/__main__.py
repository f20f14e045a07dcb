"""`make papers`, or some of them:

    python -m bench.papers 1 3
    python -m bench.papers 1 --scale tiny --out DIR    a try of a minute or two, which leaves docs as they are

Blocks of docs/papers.md stand between markers; a run of some papers leaves those of the others as they were.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Protocol

from bench.papers.page import with_paper
from bench.papers.paper1.run import run_paper_1
from bench.papers.paper2.run import run_paper_2
from bench.papers.paper3.run import run_paper_3
from bench.papers.paper4.designs import run_paper_4
from bench.papers.paper5.sizes import run_paper_5
from bench.papers.part import PaperPart
from bench.record import keep_figures
from bench.tools import PROJECT

PAGE, PICTURES = "papers.md", "papers"


class RunPaper(Protocol):
    """All experiments of one paper."""

    def __call__(self, *, is_tiny: bool) -> PaperPart:
        """Tiny: to see that it works."""


PAPERS: dict[int, RunPaper] = {1: run_paper_1, 2: run_paper_2, 3: run_paper_3, 4: run_paper_4, 5: run_paper_5}


def main() -> None:
    """Run the papers, print them, and write the page."""
    options = _options()
    source = options.out / PAGE
    page = (source if source.exists() else PROJECT / "docs" / PAGE).read_text()
    (options.out / PICTURES).mkdir(parents=True, exist_ok=True)
    for number in options.papers:
        part = _timed(number, PAPERS[number], is_tiny=options.scale == "tiny")
        page = with_paper(page, part)
        for name, svg in part.pictures.items():
            (options.out / PICTURES / name).write_text(svg)
        keep_figures(f"paper-{number}", part.figures | {"claims": part.claims, "exhibits": part.exhibits})
        (options.out / PAGE).write_text(page)


def _timed(number: int, run: RunPaper, *, is_tiny: bool) -> PaperPart:
    """With a line that says how long it took, and how busy the machine was."""
    began, before = time.monotonic(), os.getloadavg()[0]
    part = run(is_tiny=is_tiny)
    minutes = (time.monotonic() - began) / 60
    loads = f"{before:.1f} before and {os.getloadavg()[0]:.1f} after"
    told = f"{minutes:.1f} minutes; load average {loads}, on {os.cpu_count()} cores"
    for name, block in part.blocks.items():
        print(f"\n── {name}\n\n{block}", flush=True)
    print(f"\npaper {number}: {told}\n", flush=True)
    for each in part.claims:
        print(f"  {each.told}", flush=True)
    part.blocks[f"{number}-run"] = f"Last run{' (tiny scale)' if is_tiny else ''}: {told}."
    return part


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", type=int, nargs="*", metavar="N", help="default: all")
    parser.add_argument("--scale", choices=["small", "tiny"], default="small")
    parser.add_argument("--out", type=Path, default=PROJECT / "docs", metavar="DIR", help="for page and plots")
    options = parser.parse_args()
    if unknown := set(options.papers) - PAPERS.keys():
        parser.error(f"there is no paper {', '.join(map(str, sorted(unknown)))}")
    options.papers = options.papers or list(PAPERS)
    return options


if __name__ == "__main__":
    main()
