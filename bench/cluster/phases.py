"""Paper 2's weights, then C leaves, then E joins with 300: who has which buckets and hosts, and what moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from xxhash import xxh3_64_intdigest

from bench.cluster.paper import PHASES, Phase, due, ratio, received
from bench.cluster.part import Part
from bench.cluster.plain_ring import PlainRing
from bench.table import aligned
from bench.targets import Target
from weft.cluster.ring import assign, shares
from weft.url import bucket_of

BUCKETS = 256  # weft's default
OTHER_BUCKETS = (64, 1024, 4096)
HOSTS = 50_000
WITHIN_PERCENT = 10.0
KEY = (
    "off: from what is due by weight; plain ring: the paper's algorithm on the same hosts; the paper's: URLs that the "
    "node received from the others"
)
RATIO_KEY = "what the others get of a sender's URLs, in the paper's form; weft, plain ring: by hosts"


class Moves(msgspec.Struct, frozen=True):
    """What changed owners between two phases."""

    buckets: dict[str, int]  # "C→A": 60
    hosts: int
    ring_hosts: int
    modulo_hosts: int  # hash mod number of nodes


class Stand(msgspec.Struct, frozen=True):
    """A phase as it was computed."""

    phase: Phase
    table: tuple[str, ...]
    hosts: dict[str, int]
    ring_hosts: dict[str, int]
    moves: Moves | None

    @property
    def most_off_buckets(self) -> float:
        """The largest distance of a node from its exact share, in buckets."""
        whole, counts = sum(self.phase.weights.values()), Counter(self.table)
        return max(abs(counts[n] - w * len(self.table) / whole) for n, w in self.phase.weights.items())

    @property
    def most_off_hosts(self) -> float:
        """The largest distance of a node's hosts from what is due, in percent."""
        return max(abs(off) for off in _all_off(self.hosts, self.phase.weights).values())


def host_names(count: int) -> list[str]:
    """Made-up names, each of a domain of its own."""
    return [f"www.site-{number}.org" for number in range(count)]


def bucket_index(host: str, buckets: int) -> int:
    """The crawl's bucket of a host: the first bits of the 16 that rows begin with."""
    return int.from_bytes(bucket_of(host)) * buckets >> 16


def run_phases(hosts: int = HOSTS) -> Part:
    """All phases at weft's default number of buckets; how far hosts are off with others."""
    names = host_names(hosts)
    stands = compute(names, BUCKETS)
    by_buckets = {buckets: compute(names, buckets) for buckets in OTHER_BUCKETS} | {BUCKETS: stands}
    heading = f"{BUCKETS} buckets, {hosts:,} hosts"
    text = "\n\n\n".join([*(_shown(stand, heading) for stand in stands), _by_buckets(by_buckets)])
    return Part(text, must_hold(stands), {"phases": stands})


def compute(names: Sequence[str], buckets: int) -> list[Stand]:
    """The table of each phase follows from that of the one before."""
    indexes = [bucket_index(name, buckets) for name in names]
    stands: list[Stand] = []
    for phase in PHASES:
        before = stands[-1] if stands else None
        table = assign(phase.weights, buckets, before.table if before else ())
        hosts = Counter(table[index] for index in indexes)
        ring_hosts = Counter(PlainRing(phase.weights).owners(names))
        moves = moved(before, phase, table, names) if before else None
        stands.append(Stand(phase, table, dict(hosts), dict(ring_hosts), moves))
    return stands


def moved(before: Stand, phase: Phase, table: Sequence[str], names: Sequence[str]) -> Moves:
    """From one phase to the next, by weft's table and by the two others."""
    weights = before.phase.weights
    indexes = [bucket_index(name, len(table)) for name in names]
    rings = [PlainRing(each).owners(names) for each in (weights, phase.weights)]
    hashes = [xxh3_64_intdigest(name.encode()) for name in names]
    return Moves(
        dict(Counter(f"{old}→{new}" for old, new in zip(before.table, table, strict=True) if old != new)),
        sum(before.table[index] != table[index] for index in indexes),
        sum(old != new for old, new in zip(*rings, strict=True)),
        sum(number % len(weights) != number % len(phase.weights) for number in hashes),
    )


def must_hold(stands: Sequence[Stand]) -> list[Target]:
    """Line 6 of the issue."""
    _, c_left, e_joined = stands
    assert c_left.moves is not None
    assert e_joined.moves is not None
    share_of_e = shares(e_joined.phase.weights, len(e_joined.table))["E"]
    lines: dict[str, tuple[float, float]] = {
        "buckets: most off the exact share": (max(stand.most_off_buckets for stand in stands), 1.0),
        "hosts: most off, %": (max(stand.most_off_hosts for stand in stands), WITHIN_PERCENT),
        "C leaves: buckets moved that were not C's": (_other_moves(c_left.moves, "C→"), 0.0),
        "E joins: buckets moved, but not to E": (_other_moves(e_joined.moves, "→E"), 0.0),
        "E joins: buckets moved beyond its share": (sum(e_joined.moves.buckets.values()) - share_of_e, 0.0),
    }
    return [Target(what, measured, wanted, is_upper_bound=True) for what, (measured, wanted) in lines.items()]


def _other_moves(moves: Moves, meant: str) -> int:
    return sum(count for move, count in moves.buckets.items() if meant not in move)


def _all_off(amounts: Mapping[str, int], weights: Mapping[str, int]) -> dict[str, float]:
    """Of each node, in percent of what is due by weight."""
    whole, total = sum(weights.values()), sum(amounts.values())
    return {node: 100 * (amounts.get(node, 0) * whole / (weight * total) - 1) for node, weight in weights.items()}


# ── as a person reads it ───────────────────────────────────────────────────────────────────────────────


def _shown(stand: Stand, heading: str) -> str:
    lines = [f"{stand.phase.title}: {heading}", "", *_nodes(stand), f"  {KEY}"]
    if stand.moves is not None:
        lines += ["", *_moves(stand.moves, len(stand.table), sum(stand.hosts.values()))]
    return "\n".join([*lines, "", *_ratios(stand), f"  {RATIO_KEY}"])


def _nodes(stand: Stand) -> list[str]:
    weights, sent, counts = stand.phase.weights, stand.phase.sent, Counter(stand.table)
    off, ring_off = _all_off(stand.hosts, weights), _all_off(stand.ring_hosts, weights)
    rows = [["node", "weight", "buckets due", "buckets", "hosts", "off", "plain ring", "off", "the paper's", "off"]]
    for node, weight in weights.items():
        got = received(sent, node)
        rows.append([
            node,
            str(weight),
            f"{weight * len(stand.table) / sum(weights.values()):.2f}",
            str(counts[node]),
            f"{stand.hosts[node]:,}",
            f"{off[node]:+.1f} %",
            f"{stand.ring_hosts[node]:,}",
            f"{ring_off[node]:+.1f} %",
            f"{got:,}",
            f"{100 * (got / due(sent, weights, node) - 1):+.1f} %",
        ])  # fmt: skip
    return aligned(rows)


def _moves(moves: Moves, buckets: int, hosts: int) -> list[str]:
    told = ", ".join(f"{move} {count}" for move, count in sorted(moves.buckets.items()))
    weft, ring, modulo = (100 * count / hosts for count in (moves.hosts, moves.ring_hosts, moves.modulo_hosts))
    return [
        f"moved: {sum(moves.buckets.values())} of {buckets} buckets: {told}",
        f"of the hosts {weft:.1f} %; by the plain ring {ring:.1f} %, by hash mod number of nodes {modulo:.1f} %",
    ]


def _ratios(stand: Stand) -> list[str]:
    weights = stand.phase.weights
    rows = [["sender", "to", "wanted", "weft", "plain ring", "the paper's"]]
    for sender, sent in stand.phase.sent.items():
        by_node = [{node: amounts[node] for node in weights} for amounts in (weights, stand.hosts, stand.ring_hosts)]
        rows.append([sender, ":".join(sent), *(ratio(amounts, sender) for amounts in by_node), ratio(sent, sender)])
    return aligned(rows)


def _by_buckets(by_buckets: Mapping[int, Sequence[Stand]]) -> str:
    rows = [["hosts most off, buckets:", *(stand.phase.title.partition(" (")[0] for stand in by_buckets[BUCKETS])]]
    for buckets, stands in sorted(by_buckets.items()):
        rows.append([f"{buckets:,}", *(f"{stand.most_off_hosts:.1f} %" for stand in stands)])
    return "\n".join(aligned(rows))
