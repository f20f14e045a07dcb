"""The DNS cache beside a plain dict with LRU: hit rate and time a look-up on the same Zipf load.

    python bench/dns_cache.py [--names 100000] [--room 10000] [--look-ups 500000] [--exponent 1.0]

Both caches see the same names in the same order in one process. The names look like hosts (half of them
start with www), because the pools are keyed by first character and length. «a hit» is timed over names that
are all present.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections import OrderedDict

from weft.dns import NameCache

WORDS = (
    *("shop", "news", "blog", "wiki", "forum", "data", "open", "city", "photo", "music"),
    *("auto", "tech", "home", "book", "game", "food", "art", "web", "net", "pro"),
)
ENDINGS = (".com", ".org", ".net", ".de", ".co.uk", ".fr", ".io", ".info")
ADDRESSES = ("192.0.2.1",)
TTL_S = 3600.0


class LruCache:
    """What one would write without thinking of the paper."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._names: OrderedDict[str, tuple[tuple[str, ...], float]] = OrderedDict()

    def get(self, name: str, now: float) -> tuple[str, ...] | None:
        found = self._names.get(name)
        if found is None:
            return None
        if now >= found[1]:
            del self._names[name]
            return None
        self._names.move_to_end(name)
        return found[0]

    def put(self, name: str, addresses: tuple[str, ...], ttl_s: float, now: float) -> None:
        self._names[name] = (addresses, now + ttl_s)
        if len(self._names) > self._capacity:
            self._names.popitem(last=False)


def host_names(count: int, chance: random.Random) -> list[str]:
    """Distinct names in the order of their popularity."""
    names: dict[str, None] = {}
    while len(names) < count:
        words = "".join(chance.choice(WORDS) for _ in range(chance.randrange(1, 4)))
        number = str(chance.randrange(1000)) if chance.random() < 0.6 else ""
        names["www." * (chance.random() < 0.5) + words + number + chance.choice(ENDINGS)] = None
    return list(names)


def run(cache: NameCache | LruCache, load: list[str]) -> tuple[float, float, float]:
    """Share of hits, µs a look-up over the whole load, µs a hit."""
    hits = 0
    started = time.perf_counter()
    for name in load:
        if cache.get(name, 0.0) is None:
            cache.put(name, ADDRESSES, TTL_S, 0.0)
        else:
            hits += 1
    whole_s = time.perf_counter() - started
    present = [name for name in load[-50_000:] if cache.get(name, 0.0) is not None]
    started = time.perf_counter()
    for name in present:
        cache.get(name, 0.0)
    hit_s = time.perf_counter() - started
    return hits / len(load), 1e6 * whole_s / len(load), 1e6 * hit_s / len(present)


def main() -> None:
    parser = argparse.ArgumentParser(description="The DNS cache beside a plain dict with LRU.")
    parser.add_argument("--names", type=int, default=100_000)
    parser.add_argument("--room", type=int, default=10_000)
    parser.add_argument("--look-ups", type=int, default=500_000)
    parser.add_argument("--exponent", type=float, default=1.0, help="of Zipf's law")
    options = parser.parse_args()
    chance = random.Random(1)
    names = host_names(options.names, chance)
    popularity = list(itertools.accumulate(1 / rank**options.exponent for rank in range(1, len(names) + 1)))
    load = chance.choices(names, cum_weights=popularity, k=options.look_ups)
    pools = run(NameCache(options.room), load)
    lru = run(LruCache(options.room), load)
    print(f"{options.look_ups:,} look-ups of {options.names:,} names, room for {options.room:,}, ", end="")
    print(f"Zipf's law with exponent {options.exponent}\n")
    print(f"{'':22}{'pools':>10}{'dict, LRU':>12}{'ratio':>9}")
    rows = zip(("hits, %", "misses, %", "µs a look-up", "µs a hit"), _shown(pools), _shown(lru), strict=True)
    for label, ours, theirs in rows:
        print(f"{label:22}{ours:>10.2f}{theirs:>12.2f}{ours / theirs:>9.2f}")


def _shown(measured: tuple[float, float, float]) -> tuple[float, float, float, float]:
    share, look_up_us, hit_us = measured
    return 100 * share, 100 * (1 - share), look_up_us, hit_us


if __name__ == "__main__":
    main()
