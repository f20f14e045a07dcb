"""weft mirror beside wget, wget2 and HTTrack on one server: `make bench-mirror`, or a part of it by hand.

    python -m bench.mirrors [--parts docs,late,memory] [--tools weft,httrack] [--sizes 10000,30000,100000] [--out DIR]

    docs      documentation of about 10,000 pages on one host
    late      a part of it, each response 100 ms late
    memory    peak memory by the size of the site

Tools run one after the other, each from an empty folder, with eight connections if it can have them: weft, the others,
weft again. What each fetched is told by the server's log; what its files are worth, by a walk through them
(`mirror_judge`). Figures and plot go to docs/mirror-bench.md and docs/mirror-memory.svg (another place by --out), all
runs to results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from bench.command import bench_scratch
from bench.mirror_runs import Run, described, run_mirror
from bench.mirror_sites import LEFT_OUT, Site, docs, grown, late
from bench.mirror_table import Growth, Row, growth_plot, growth_table, growths, row_of, table, targets, with_figures
from bench.mirror_tools import CONNECTIONS, mirror_tools
from bench.record import keep_figures, say
from bench.rounds import in_turn
from bench.targets import must_hold
from bench.tools import PROJECT, Tool
from weft import __version__

PARTS = ("docs", "late", "memory")
# Sites for memory, in pages. Paper 5's experiment has the small ones (`bench.papers.paper5`).
SCALES = {"full": (10_000, 30_000, 100_000), "small": (300, 1_000, 3_000, 9_000)}
# A tool that is not done then is stopped, so that the bench ends.
MOST_S = 300.0
PAGE, PLOT = "mirror-bench.md", "mirror-memory.svg"


def main() -> None:
    """Run all parts; what is missing is said in one sentence."""
    options = _options()
    with bench_scratch("mirrors", is_kept=options.keep) as scratch:
        Mirrors(options, scratch).run()


class Mirrors:
    """All parts of a run."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        self._options = options
        self._scratch = scratch
        self._runs: list[Run] = []
        self._rows: dict[str, list[Row]] = {}
        self._growths: list[Growth] = []
        self._shown: list[str] = []

    def run(self) -> None:
        """Mirror, print, and keep the figures."""
        left_out = LEFT_OUT if self._options.small else ()
        if "docs" in self._options.parts:
            self._compare(lambda: docs(self._scratch, left_out), self._tools())
        if "late" in self._options.parts:
            self._compare(lambda: late(self._scratch), self._tools(is_late=True))
        if "memory" in self._options.parts:
            self._grow(self._options.sizes, self._tools())
        self._conclude()

    def _tools(self, *, is_late: bool = False) -> list[Tool]:
        known = mirror_tools(is_late=is_late)
        if unknown := set(self._options.tools or ()) - {tool.name for tool in known}:
            sys.exit(f"bench: there is no tool {', '.join(sorted(unknown))}")
        return [tool for tool in known if not self._options.tools or tool.name in self._options.tools]

    def _compare(self, staged: Callable[[], AbstractContextManager[Site]], tools: list[Tool]) -> None:
        """Every tool on one site."""
        with staged() as site:
            say(f"{site.name}: {site.title}: {len(site.truth):,} files")
            found = [self._run_once(site, tool, is_judged=True) for tool in in_turn(_there(tools))]
            title = f"{site.name}: {site.title}, {len(site.truth):,} files; {CONNECTIONS} connections"
        self._rows[site.name] = [
            row_of(tool.name, [run for run in found if run.tool == tool.name], tool.missing or tool.note)
            for tool in tools
        ]
        self._show(f"{title}\n\n{table(self._rows[site.name])}")

    def _grow(self, sizes: list[int], tools: list[Tool]) -> None:
        """Every tool on sites of several sizes."""
        found = []
        for size in sizes:
            with grown(size, self._scratch) as site:
                found += [self._run_once(site, tool, is_judged=False) for tool in _there(tools)]
        self._growths = growths(found, sizes)
        self._show(f"memory: small pages on one host\n\n{growth_table(self._growths, sizes)}")
        self._options.out.mkdir(exist_ok=True)
        (self._options.out / PLOT).write_text(growth_plot(self._growths, sizes))

    def _run_once(self, site: Site, tool: Tool, *, is_judged: bool) -> Run:
        folder = self._scratch / f"run-{len(self._runs)}"
        run = run_mirror(site, tool, folder, self._options.seconds, is_judged=is_judged)
        self._runs.append(run)
        say(described(run))
        return run

    def _show(self, text: str) -> None:
        self._shown.append(text)
        print(f"\n{text}", flush=True)

    def _conclude(self) -> None:
        lines = targets(self._rows, self._growths)
        self._show(must_hold(lines))
        keep_figures("mirrors", {
            "versions": {"weft": __version__} | {tool.name: tool.version for tool in self._tools() if tool.version},
            "rows": self._rows,
            "memory": self._growths,
            "must_hold": [{"what": line.what, "measured": line.measured, "holds": line.holds} for line in lines],
            "runs": self._runs,
        })  # fmt: skip
        self._options.out.mkdir(exist_ok=True)
        page = (PROJECT / "docs" / PAGE).read_text()
        (self._options.out / PAGE).write_text(with_figures(page, "\n\n\n".join(self._shown)))


def _there(tools: list[Tool]) -> list[Tool]:
    return [tool for tool in tools if not tool.missing]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.mirrors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", type=_parts, default=list(PARTS), metavar="docs,…", help="default: all")
    parser.add_argument("--tools", type=lambda text: text.split(","), metavar="NAME,…", help="default: all")
    parser.add_argument("--scale", choices=SCALES, default="full", help="small: --small, and smaller sites for memory")
    parser.add_argument("--sizes", type=_sizes, metavar="N,…", help="of the sites for memory")
    parser.add_argument("--seconds", type=float, default=MOST_S, metavar="S", help="stop a tool after so many seconds")
    parser.add_argument("--small", action="store_true", help="docs: only the part that is otherwise late")
    parser.add_argument("--out", type=Path, default=PROJECT / "docs", metavar="DIR", help="for the page and the plot")
    parser.add_argument("--keep", action="store_true", help="keep mirrors and logs")
    options = parser.parse_args()
    options.small = options.small or options.scale == "small"
    options.sizes = options.sizes or list(SCALES[options.scale])
    return options


def _parts(text: str) -> list[str]:
    wanted = text.split(",")
    if unknown := set(wanted) - set(PARTS):
        raise argparse.ArgumentTypeError(f"there is no part {', '.join(sorted(unknown))}")
    return wanted


def _sizes(text: str) -> list[int]:
    sizes = sorted(int(size) for size in text.split(","))
    if len(sizes) < 2 or sizes[0] < 100 or sizes[0] == sizes[-1]:
        raise argparse.ArgumentTypeError("two sizes or more, each of at least 100 pages")
    return sizes


if __name__ == "__main__":
    main()
