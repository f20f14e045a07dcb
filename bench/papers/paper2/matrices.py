"""What matrices of exchanged URLs say, beside the paper's. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bench.cluster.paper import PHASES, due, ratio, received
from bench.papers.charts import Bars, draw
from bench.papers.claims import Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, SEED, PaperPart

Matrix = dict[str, dict[str, int]]
WITHIN_PERCENT = 10.0
PLOT = "2-exchange.svg"
NAMES = ("URLs exchanged by four nodes", "URLs exchanged after C has left", "URLs exchanged after E has joined")


class Stretch(msgspec.Struct, frozen=True):
    """A phase of one run."""

    weights: dict[str, int]
    sent: Matrix
    pages: dict[str, int]


def shown(runs: Sequence[Sequence[Stretch]], phase_pages: int) -> PaperPart:
    """A matrix a phase, of the first run; how far all runs are off."""
    blocks, claims, exhibits = [], [], []
    for place, phase in enumerate(PHASES):
        stretches = [run[place] for run in runs]
        follows = claim(
            f"{NAMES[place]}: each node within {WITHIN_PERCENT:g} % of its part by weight",
            (_most_off(one) <= WITHIN_PERCENT for one in stretches),
        )
        ordered = claim(f"{NAMES[place]}: who weighs more receives more", map(_is_ordered, stretches))
        claims += [follows, ordered]
        exhibits.append(Exhibit(2, NAMES[place], phase.title, verdict([follows, ordered])))
        blocks.append(f"**{phase.title}**\n\n{markdown(_rows(stretches, place), KEY)}")
    note = f"Phases of {phase_pages:,} pages, 256 buckets, 40,000 hosts, seeds {SEED} to {SEED + RUNS - 1}."
    block = "\n\n".join([picture(PLOT, "How far each node's URLs are off their part"), note, *blocks,
                         markdown(claims_table(claims))])  # fmt: skip
    return PaperPart({"2-exchange": block}, claims, exhibits, {PLOT: _plot(runs[0])}, {"exchange": [*map(list, runs)]})


KEY = (
    "received: URLs from the other nodes, first run; off: from what is due by weight, all runs; sent: to the others, "
    "the first of them being 1"
)


def _rows(stretches: Sequence[Stretch], place: int) -> list[list[str]]:
    first, paper = stretches[0], PHASES[place]
    rows = [["node", "weight", *(f"to {name}" for name in first.weights), "received", "off", "paper: off",
             "sent", "by weight", "paper: sent"]]  # fmt: skip
    for name, weight in first.weights.items():
        cells = [f"{first.sent[name].get(other, 0):,}" if other != name else "–" for other in first.weights]
        offs = " ".join(f"{off_percent(one, name):+.1f}" for one in stretches)
        theirs = 100 * (received(paper.sent, name) / due(paper.sent, paper.weights, name) - 1)
        rows.append([
            name, str(weight), *cells, f"{received(first.sent, name):,}", f"{offs} %", f"{theirs:+.1f} %",
            ratio(first.sent[name], name), ratio(first.weights, name), ratio(paper.sent[name], name),
        ])  # fmt: skip
    return rows


def off_percent(one: Stretch, node: str) -> float:
    """By which a node has more URLs than it is due, or fewer."""
    wanted = due(one.sent, one.weights, node)
    return 100 * (received(one.sent, node) / wanted - 1) if wanted else 0.0


def _most_off(one: Stretch) -> float:
    return max(abs(off_percent(one, node)) for node in one.weights)


def _is_ordered(one: Stretch) -> bool:
    by_weight = sorted(one.weights, key=lambda node: one.weights[node])
    shares = [received(one.sent, node) / _could_send(one.sent, node) for node in by_weight]
    return shares == sorted(shares)


def _could_send(sent: Mapping[str, Mapping[str, int]], node: str) -> int:
    """All that the others sent to anybody: of that a node gets its part."""
    return max(1, sum(sum(row.values()) for sender, row in sent.items() if sender != node))


def _plot(run: Sequence[Stretch]) -> str:
    panels = []
    for stretch, phase in zip(run, PHASES, strict=True):
        groups = {
            f"to {node}": {
                "weft's nodes": 100 * received(stretch.sent, node) / max(1.0, due(stretch.sent, stretch.weights, node)),
                "paper's nodes": 100 * received(phase.sent, node) / due(phase.sent, phase.weights, node),
                "by weight": 100.0,
            }
            for node in stretch.weights
        }
        panels.append(Bars(f"Paper 2: {phase.title}", "% of what is due by weight", groups))
    return draw(panels)
