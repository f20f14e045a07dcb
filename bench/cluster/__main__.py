"""`make bench-cluster`, or a part of it:

    python -m bench.cluster --parts phases
    python -m bench.cluster --out DIR         write the page elsewhere than to docs/cluster-bench.md

Each part stands in the page between its own markers; a run of some parts leaves the others as they were.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from bench.clean.document import with_part
from bench.cluster.flat import run_flat
from bench.cluster.nodes import run_nodes
from bench.cluster.part import Part
from bench.cluster.phases import run_phases
from bench.cluster.scale import run_scale
from bench.cluster.weights import run_weights
from bench.record import keep_figures
from bench.targets import must_hold
from bench.tools import PROJECT

PAGE = "cluster-bench.md"
PARTS: dict[str, Callable[[], Part]] = {
    "phases": run_phases,
    "scale": run_scale,
    "weights": run_weights,
    "flat": run_flat,
    "nodes": run_nodes,
}


def main() -> None:
    """Run the parts, print them, and keep the figures."""
    options = _options()
    page = (PROJECT / "docs" / PAGE).read_text()
    figures: dict[str, object] = {}
    for name in options.parts:
        part = PARTS[name]()
        text = f"{part.text}\n\n\n{must_hold(part.must_hold)}"
        print(f"\n{text}", flush=True)
        indented = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
        page = with_part(page, name, f"\n{indented}\n")
        figures |= part.figures
    keep_figures("cluster", figures)
    options.out.mkdir(exist_ok=True)
    (options.out / PAGE).write_text(page)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", type=_parts, default=list(PARTS), metavar="phases,…", help="default: all")
    parser.add_argument("--out", type=Path, default=PROJECT / "docs", metavar="DIR", help="for the page")
    return parser.parse_args()


def _parts(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - PARTS.keys():
        raise argparse.ArgumentTypeError(f"there is no part {', '.join(sorted(unknown))}")
    return names


if __name__ == "__main__":
    main()
