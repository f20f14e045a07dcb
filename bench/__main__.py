"""`python -m bench`: crawl the corpora by weft and its peers in turn, and print what a page costs each.

With --write the tables also go into docs/benchmarks.md, between markers; those of other corpora stay as they are.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from bench.clean.document import with_part
from bench.command import bench_scratch
from bench.corpus import CORPORA, Corpus, staged
from bench.fixed import automatic, grid
from bench.names import why_no_names
from bench.record import keep_figures, say
from bench.rounds import Caps, described, run_once, run_rounds
from bench.table import Round, Row, summed_up, table
from bench.targets import Found, Target, alike_line, late_line, must_hold, targets
from bench.tools import PROJECT, SPIDER, Tool, all_tools
from weft import __version__

PEER_S = 12.0
SLOW_PEER_S = 5.0
DOCUMENT = PROJECT / "docs" / "benchmarks.md"


def main() -> None:
    """Run the bench; what is missing is said in one sentence."""
    options = _options()
    with bench_scratch("bench", is_kept=options.keep) as scratch:
        Bench(options, scratch).run()


class Bench:
    """All corpora of a run."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        self._options = options
        self._scratch = scratch
        self._caps = Caps(options.seconds, options.slow_seconds, options.pages)
        self._tools = _chosen_tools(options)
        self._rounds: dict[str, list[Round]] = {}
        self._rows: dict[str, list[Row]] = {}
        self._parts: dict[str, str] = {}  # of the document, by marker
        self._began, self._load_before = time.monotonic(), os.getloadavg()[0]

    def run(self) -> None:
        """Crawl, print, and keep the figures."""
        for corpus in self._options.corpus:
            if corpus.has_names and (why := why_no_names()):
                say(f"{corpus.name} is left out: {why}")
                continue
            say(f"{corpus.name}: {corpus.title}")
            tools = self._tools_for(corpus)
            with staged(corpus, self._scratch) as stage:
                say(f"{corpus.name}: {len(stage.truth):,} pages on {len(stage.hosts)} hosts")
                if tools:
                    rounds = self._options.rounds or corpus.rounds
                    self._rounds[corpus.name] = run_rounds(stage, tools, rounds, self._caps, self._scratch)
                    self._show(corpus.name, f"{corpus.title}; {corpus.connections} connections", tools)
                if corpus.name == "d" and self._options.fixed:
                    tried = grid()
                    self._rounds["d fixed"] = []
                    for tool in tried:
                        self._rounds["d fixed"].append(run_once(stage, tool, self._caps, self._scratch))
                        say(f"d fixed: {described(self._rounds['d fixed'][-1])}")
                    self._show("d fixed", "corpus d by fixed settings: connections × workers", tried)
        self._conclude()

    def _tools_for(self, corpus: Corpus) -> list[Tool]:
        tools = [tool for tool in self._tools if not tool.only_on or corpus.name in tool.only_on]
        return [*tools, automatic()] if corpus.name == "d" and any(tool.name == "weft" for tool in tools) else tools

    def _show(self, name: str, title: str, tools: list[Tool]) -> None:
        found = self._rounds[name]
        by_name = {tool.name: tool for tool in tools}
        self._rows[name] = [
            summed_up(tool.name, [r for r in found if r.tool == tool.name], tool.missing or tool.note)
            for tool in by_name.values()
        ]
        self._parts[name] = f"{name}: {title}\n\n{table(self._rows[name])}"
        print(f"\n{self._parts[name]}", flush=True)

    def _conclude(self) -> None:
        found = Found(self._rows)
        lines = targets(found)
        if "c" in self._rows:
            told = "\n".join((late_line(found), *([alike_line(found)] if found.row("c", SPIDER) else ())))
            self._parts["c"] += f"\n\n{told}"
            print(f"\n{told}")
        if "e" in self._rows and "e1" in self._rows:
            print(f"\n{_connection_line(found)}")
        print(f"\n{must_hold(lines)}\n\n{self._told()}")
        keep_figures("bench", {
            "versions": {"weft": __version__} | {tool.name: tool.version for tool in self._tools if tool.version},
            "caps": self._caps,
            "corpora": self._rows,
            "must_hold": [{"what": line.what, "measured": line.measured, "holds": line.holds} for line in lines],
            "rounds": self._rounds,
        })  # fmt: skip
        if self._options.write:
            self._write(lines)

    def _told(self) -> str:
        """How long the run took, and how busy the machine was: what the figures are to be read with."""
        minutes = (time.monotonic() - self._began) / 60
        loads = f"{self._load_before:.1f} before, {os.getloadavg()[0]:.1f} after"
        return f"{minutes:.0f} minutes on {os.cpu_count()} cores; load average {loads}"

    def _write(self, lines: list[Target]) -> None:
        parts = {name: part for name, part in self._parts.items() if has_place(DOCUMENT.read_text(), name)}
        if {"a", "b", "c"} <= parts.keys():
            parts |= {"must hold": must_hold(lines), "run": self._told()}
        document = DOCUMENT.read_text()
        for name, part in parts.items():
            document = with_part(document, name, f"\n{indented(part)}\n")
        DOCUMENT.write_text(document)


def has_place(document: str, name: str) -> bool:
    """Whether the document shows this table."""
    return f"<!-- {name} -->" in document


def indented(part: str) -> str:
    """As Markdown shows it letter by letter."""
    return "\n".join(f"    {line}".rstrip() for line in part.splitlines())


def _connection_line(found: Found) -> str:
    """What a handshake costs the engine, told from the two ways of e."""
    kept, closed = found.row("e", "weft"), found.row("e1", "weft")
    if not kept or not closed or kept.engine_ms is None or closed.engine_ms is None:
        return "e: weft did not end"
    more_ms = closed.engine_ms * closed.pages - kept.engine_ms * kept.pages
    new_connections = max(1, closed.connections - kept.connections)
    return f"e: a new https connection costs weft's engine {more_ms / new_connections:.2f} ms"


def _chosen_tools(options: argparse.Namespace) -> list[Tool]:
    known = all_tools(options.peers)
    if options.tools is None:
        return known
    wanted = {name.strip() for name in options.tools.split(",")}  # a name with a comma is asked for without it
    short = {tool.name: tool.name.replace(", ", "-").replace(" ", "-") for tool in known}
    if unknown := wanted - set(short.values()) - {"none"}:
        sys.exit(f"bench: there is no tool {', '.join(sorted(unknown))}; there are {', '.join(short.values())}")
    return [tool for tool in known if short[tool.name] in wanted]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--corpus", type=_corpora, default=_corpora("a,b,c,f"), metavar="a,b,…", help="default: a,b,c,f; also d, e"
    )
    parser.add_argument("--tools", metavar="NAME,…", help="default: all; weft-no-scanner, scrapy-tuned; none")
    parser.add_argument("--rounds", type=_at_least_one, metavar="N", help="default: 1 on d and e, else 3")
    parser.add_argument("--pages", type=_at_least_one, metavar="N", help="stop every tool after N pages")
    parser.add_argument("--seconds", type=float, default=PEER_S, metavar="S", help="stop a peer after S seconds")
    parser.add_argument("--slow-seconds", type=float, default=SLOW_PEER_S, metavar="S", help="stop slow ones sooner")
    parser.add_argument("--fixed", action="store_true", help="on d, also find the best fixed setting by trying")
    parser.add_argument("--peers", type=Path, default=PROJECT / ".peers", metavar="DIR", help="the peers' environment")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/benchmarks.md, too")
    parser.add_argument("--keep", action="store_true", help="keep logs and pages")
    options = parser.parse_args()
    options.peers = options.peers.absolute()
    return options


def _corpora(names: str) -> list[Corpus]:
    """`e` stands for both of its ways."""
    wanted = [name.strip() for name in names.split(",")]
    wanted = [name for way in wanted for name in (("e", "e1") if way == "e" else (way,))]
    if unknown := [name for name in wanted if name not in CORPORA]:
        raise argparse.ArgumentTypeError(f"there is no corpus {', '.join(unknown)}")
    return [CORPORA[name] for name in dict.fromkeys(wanted)]


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    main()
