"""`python -m bench`: crawl the corpora by weft and its peers in turn, and print what a page costs each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.command import bench_scratch
from bench.corpus import CORPORA, Corpus, staged
from bench.fixed import automatic, grid
from bench.record import keep_figures, say
from bench.rounds import Caps, described, run_once, run_rounds
from bench.table import Round, Row, summed_up, table
from bench.targets import Found, late_line, must_hold, targets
from bench.tools import PROJECT, Tool, all_tools
from weft import __version__

PEER_S = 20.0
SLOW_PEER_S = 8.0


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

    def run(self) -> None:
        """Crawl, print, and keep the figures."""
        for corpus in self._options.corpus:
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
        print(f"\n{name}: {title}\n{table(self._rows[name])}", flush=True)

    def _conclude(self) -> None:
        found = Found(self._rows)
        lines = targets(found)
        print()
        if "c" in self._rows:
            print(late_line(found))
        if "e" in self._rows and "e1" in self._rows:
            print(_connection_line(found))
        print(must_hold(lines))
        keep_figures("bench", {
            "versions": {"weft": __version__} | {tool.name: tool.version for tool in self._tools if tool.version},
            "caps": self._caps,
            "corpora": self._rows,
            "must_hold": [{"what": line.what, "measured": line.measured, "holds": line.holds} for line in lines],
            "rounds": self._rounds,
        })  # fmt: skip


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
    parser.add_argument("--corpus", type=_corpora, default=_corpora("a,b,c,d,e"), metavar="a,b,…", help="default: all")
    parser.add_argument("--tools", metavar="NAME,…", help="default: all; weft-no-scanner, scrapy-tuned; none")
    parser.add_argument("--rounds", type=_at_least_one, metavar="N", help="default: 2 on a and b, 1 on the others")
    parser.add_argument("--pages", type=_at_least_one, metavar="N", help="stop every tool after so many pages")
    parser.add_argument("--seconds", type=float, default=PEER_S, metavar="S", help="stop a peer after so many seconds")
    parser.add_argument("--slow-seconds", type=float, default=SLOW_PEER_S, metavar="S", help="stop slow ones sooner")
    parser.add_argument("--fixed", action="store_true", help="on d, also find the best fixed setting by trying")
    parser.add_argument("--peers", type=Path, default=PROJECT / ".peers", metavar="DIR", help="the peers' environment")
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
