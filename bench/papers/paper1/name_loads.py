"""Paper 1's DNS table beside a dict, an LRU and weft's: look-up, hits under Zipf loads of three skews, replacement."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from bench.dns_cache import host_names
from bench.papers.charts import Bars, draw
from bench.papers.claims import Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.paper1.names import Lru, NameTable, PaperTable, PlainDict, Weft
from bench.papers.part import RUNS, SEED, PaperPart
from bench.record import say

SKEWS = (0.8, 1.0, 1.2)
ROOM_SHARE = 0.1  # of all names
PLOT = "1-dns-table.svg"
PAPER, UNSORTED, DICT, LRU, WEFT = "paper's table", "the same, never sorted", "dict, no bound", "LRU", "weft"
TABLES = (PAPER, UNSORTED, DICT, LRU, WEFT)


class Figures(msgspec.Struct, frozen=True):
    """One table under one load. Times are CPU microseconds."""

    table: str
    skew: float
    hits: float
    hit_us: float  # a look-up of a name that is there
    add_us: float  # of a name that is not, replacements included
    compared: float | None  # names looked at, a hit


def run_names(names: int, look_ups: int) -> PaperPart:
    """Three runs, each with names and loads of its own."""
    runs = []
    for number in range(RUNS):
        say(f"paper 1, DNS table: run {number + 1}")
        chance = random.Random(SEED + number)
        known = host_names(names, chance)
        pools = len({(name[:1], len(name)) for name in known})
        made = tables(round(ROOM_SHARE * names), pools)
        for skew in SKEWS:
            load = zipf(known, skew, look_ups, chance)
            runs.append([measured(name, make(), skew, load) for name, make in made.items()])
    by_run = [[one for part in runs[at : at + len(SKEWS)] for one in part] for at in range(0, len(runs), len(SKEWS))]
    return shown(by_run, names, look_ups, walk_rows(names, look_ups))


def tables(room: int, pools: int) -> dict[str, Callable[[], NameTable]]:
    """How to make each."""
    return {
        PAPER: lambda: PaperTable(room, pools),
        UNSORTED: lambda: PaperTable(room, pools, is_sorted=False),
        DICT: PlainDict,
        LRU: lambda: Lru(room),
        WEFT: lambda: Weft(room),
    }


def zipf(names: Sequence[str], skew: float, count: int, chance: random.Random) -> list[str]:
    """Names by Zipf's law."""
    weights = list(itertools.accumulate(1 / rank**skew for rank in range(1, len(names) + 1)))
    return chance.choices(names, cum_weights=weights, k=count)


def measured(name: str, table: NameTable, skew: float, load: Sequence[str]) -> Figures:
    """All look-ups of a load; then those of names that are there, alone."""
    hits, missed = 0, time.process_time()
    for host in load:
        if table.knows(host):
            hits += 1
        else:
            table.add(host)
    whole_s = time.process_time() - missed
    compared = table.compared / max(1, table.hits) if isinstance(table, PaperTable) else None
    there = [host for host in load[-len(load) // 10 :] if table.knows(host)]
    began = time.process_time()
    for host in there:
        table.knows(host)
    hit_s = (time.process_time() - began) / max(1, len(there))
    misses = len(load) - hits
    add_s = max(0.0, whole_s - hit_s * len(load)) / max(1, misses)
    return Figures(name, skew, hits / len(load), 1e6 * hit_s, 1e6 * add_s, compared)


def walk_rows(names: int, look_ups: int) -> list[list[str]]:
    """What sorting saves where nothing is replaced: under a steady load, and when the favourites change half-way."""
    chance = random.Random(SEED)
    known = host_names(names, chance)
    half = look_ups // 2
    first, second = zipf(known, 1.0, half, chance), zipf(known, 1.0, half, chance)
    turned = zipf(known[::-1], 1.0, half, chance)
    rows = [["load", "sorted: names compared a hit", "never sorted"]]
    for name, load in (("steady", second), ("others are asked for from half-way on", turned)):
        cells = []
        for is_sorted in (True, False):
            table = PaperTable(names, 1, is_sorted=is_sorted)
            measured("", table, 1.0, first)
            table.compared = table.hits = 0
            found = measured("", table, 1.0, load)
            cells.append(f"{found.compared:.1f}")
        rows.append([name, *cells])
    return rows


WALK_KEY = "the paper's table with room for all names, Zipf 1, second half of the look-ups"


def shown(
    runs: Sequence[Sequence[Figures]], names: int, look_ups: int, walks: Sequence[Sequence[str]] = ()
) -> PaperPart:
    """Table, plot and claims. Pure."""
    rows = [["table", "skew", "hits", "runs", "a hit, µs", "a new name, µs", "names compared"]]
    for table in TABLES:
        for skew in SKEWS:
            same = [_of(run, table, skew) for run in runs]
            hits = [one.hits for one in same]
            compared = [one.compared for one in same if one.compared is not None]
            rows.append([
                table, f"{skew:g}", f"{fmean(hits):.1%}", f"{min(hits):.1%}–{max(hits):.1%}",
                f"{fmean(one.hit_us for one in same):.2f}", f"{fmean(one.add_us for one in same):.2f}",
                f"{fmean(compared):.1f}" if compared else "1",
            ])  # fmt: skip
    shorter = claim(
        "sorting by weight: a hit compares fewer names than without, each skew",
        (all(_compared(run, PAPER, skew) < _compared(run, UNSORTED, skew) for skew in SKEWS) for run in runs),
    )
    claims = [
        shorter,
        claim("a dict's hit costs less than the paper's, each skew", map(_is_slower_than_dict, runs)),
        claim("the paper's weights hit more often than LRU, each skew", (_more(run, PAPER, LRU) for run in runs)),
        claim("weft's weights hit more often than LRU, each skew", (_more(run, WEFT, LRU) for run in runs)),
        claim("weft's hit more often than the paper's, each skew", (_more(run, WEFT, PAPER) for run in runs)),
    ]
    key = (
        f"{look_ups:,} look-ups of {names:,} names, room for {round(ROOM_SHARE * names):,} (the dict has no bound); "
        "CPU time; a new name includes what it replaces; names compared: of a hit"
    )
    block = "\n\n".join([picture(PLOT, "Hits and time of a hit, by table and skew"), markdown(rows, key),
                         markdown(claims_table(claims)), *([markdown(walks, WALK_KEY)] if walks else [])])  # fmt: skip
    exhibit = Exhibit(
        1, "§2.2.1, figure 3 and equation (1)", "the DNS table: quick look-ups, heavy names first", verdict([shorter])
    )
    plot = draw([
        Bars("Paper 1, the DNS table: hits", "% of look-ups", _grouped(runs, lambda one: 100 * one.hits)),
        Bars("Time of a hit", "CPU µs", _grouped(runs, lambda one: one.hit_us)),
    ])  # fmt: skip
    return PaperPart({"1-dns-table": block}, claims, [exhibit], {PLOT: plot}, {"names": [list(run) for run in runs]})


def _grouped(runs: Sequence[Sequence[Figures]], figure: Callable[[Figures], float]) -> dict[str, dict[str, float]]:
    return {
        f"Zipf {skew:g}": {table: fmean(figure(_of(run, table, skew)) for run in runs) for table in TABLES}
        for skew in SKEWS
    }


def _of(run: Sequence[Figures], table: str, skew: float) -> Figures:
    return next(one for one in run if (one.table, one.skew) == (table, skew))


def _more(run: Sequence[Figures], one: str, other: str) -> bool:
    return all(_of(run, one, skew).hits > _of(run, other, skew).hits for skew in SKEWS)


def _compared(run: Sequence[Figures], table: str, skew: float) -> float:
    return _of(run, table, skew).compared or 0.0


def _is_slower_than_dict(run: Sequence[Figures]) -> bool:
    return all(_of(run, DICT, skew).hit_us < _of(run, PAPER, skew).hit_us for skew in SKEWS)
