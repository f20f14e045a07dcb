"""1,000 nodes and 10 M hosts: how even the table is, and what moves, by the number of buckets."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from time import process_time

import msgspec

from bench.cluster.part import Part
from bench.cluster.plain_ring import PlainRing
from bench.table import aligned
from bench.targets import Target
from weft.cluster.ring import assign

NODES = 1_000
HOSTS = 10_000_000
BUCKETS = (1_024, 2_048, 4_096, 8_192, 16_384)
SIXTEEN_BITS = 1 << 16
# What nodes weigh: all the same, or the paper's weights in turn.
WEIGHTS = {"equal": (100,), "150/80/200/40/300": (150, 80, 200, 40, 300)}
MOST_S = 2.0
JOINING = "joining"
TITLES = [
    "weights", "buckets", "a node", "buckets max/mean", "hosts max/mean", "one leaves: moved", "one joins: moved",
    "others", "CPU s",
]  # fmt: skip
KEY = (
    "max/mean: of the node that has most, measured by what each is due; moved: of all buckets, in brackets what that "
    "node is due; others: buckets moved that were not its own, or not to it; CPU s: for a table from nothing"
)


class Row(msgspec.Struct, frozen=True):
    """One table, and the two that follow when its first node leaves, or another like it joins."""

    weights: str
    buckets: int
    buckets_a_node: float
    cpu_s: float
    buckets_max_mean: float
    hosts_max_mean: float
    left_percent: float
    left_due_percent: float
    joined_percent: float
    joined_due_percent: float
    others: int


def run_scale(nodes: int = NODES, hosts: int = HOSTS) -> Part:
    """Every number of buckets with every kind of weights."""
    hosts_of = drawn_hosts(hosts)
    rows = [
        measured(kind, cycled(weights, nodes), buckets, folded(hosts_of, buckets))
        for kind, weights in WEIGHTS.items()
        for buckets in BUCKETS
    ]
    rings = "\n".join(_plain_ring(kind, cycled(weights, nodes)) for kind, weights in WEIGHTS.items())
    slowest = max(row.cpu_s for row in rows)
    moved = sum(row.others for row in rows)
    return Part(
        f"{nodes:,} nodes, {hosts:,} hosts: evenly drawn numbers of 16 bits, in place of hashes of as many names\n\n"
        f"{shown(rows)}\n  {KEY}\n\n{rings}",
        [
            Target(f"{nodes:,} nodes: CPU s for a table", slowest, MOST_S, is_upper_bound=True),
            Target(f"{nodes:,} nodes: others' buckets moved", moved, 0.0, is_upper_bound=True),
        ],
        {"scale": rows},
    )


def cycled(weights: Sequence[int], nodes: int) -> dict[str, int]:
    """N nodes that have these weights in turn."""
    return {f"node-{number}": weights[number % len(weights)] for number in range(nodes)}


def drawn_hosts(hosts: int) -> list[int]:
    """How many hosts each 16-bit bucket has."""
    counts = Counter(array("H", Random(17).randbytes(2 * hosts)))
    return [counts[bucket] for bucket in range(SIXTEEN_BITS)]


def folded(hosts_of: Sequence[int], buckets: int) -> list[int]:
    """The same by a crawl's buckets: the first bits of the 16."""
    width = SIXTEEN_BITS // buckets
    return [sum(hosts_of[start : start + width]) for start in range(0, SIXTEEN_BITS, width)]


def measured(kind: str, weights: Mapping[str, int], buckets: int, hosts_of: Sequence[int]) -> Row:
    """Make a table; let its first node leave; let a node of the same weight join."""
    began = process_time()
    table = assign(weights, buckets, ())
    cpu_s = process_time() - began
    first, weight = next(iter(weights.items()))
    after_leave = assign({node: weights[node] for node in weights if node != first}, buckets, table)
    after_join = assign({**weights, JOINING: weight}, buckets, table)
    left, joined = _moved(table, after_leave), _moved(table, after_join)
    hosts: Counter[str] = Counter()
    for owner, count in zip(table, hosts_of, strict=True):
        hosts[owner] += count
    whole = sum(weights.values())
    return Row(
        weights=kind,
        buckets=buckets,
        buckets_a_node=buckets / len(weights),
        cpu_s=cpu_s,
        buckets_max_mean=max_mean(Counter(table), weights),
        hosts_max_mean=max_mean(hosts, weights),
        left_percent=100 * len(left) / buckets,
        left_due_percent=100 * weight / whole,
        joined_percent=100 * len(joined) / buckets,
        joined_due_percent=100 * weight / (whole + weight),
        others=sum(old != first for old, _ in left) + sum(new != JOINING for _, new in joined),
    )


def max_mean(amounts: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """The largest amount, each measured by what its node is due."""
    due_a_weight = sum(amounts.values()) / sum(weights.values())
    return max(amounts.get(node, 0) / (weight * due_a_weight) for node, weight in weights.items())


def shown(rows: Sequence[Row]) -> str:
    """A line for each table."""
    lines = [TITLES]
    lines += [
        [
            row.weights,
            f"{row.buckets:,}",
            f"{row.buckets_a_node:.1f}",
            f"{row.buckets_max_mean:.2f}",
            f"{row.hosts_max_mean:.2f}",
            f"{row.left_percent:.3f} % ({row.left_due_percent:.3f} %)",
            f"{row.joined_percent:.3f} % ({row.joined_due_percent:.3f} %)",
            str(row.others),
            f"{row.cpu_s:.2f}",
        ]
        for row in rows
    ]
    return "\n".join(aligned(lines))


def _plain_ring(kind: str, weights: Mapping[str, int]) -> str:
    return f"plain ring, weights {kind}: hosts max/mean {max_mean(PlainRing(weights).parts(), weights):.2f}"


def _moved(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    return [(old, new) for old, new in zip(before, after, strict=True) if old != new]
