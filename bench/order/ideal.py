"""Policies on a graph that is at hand: what an order could reach if it read every page and anchor without a mistake.

They tell whether the web is a fair judge: what is far above bfs here and is not in a crawl, the crawl has lost. Anchors
that mislead mislead them too. Pure, and without requests.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from heapq import heappop, heappush

from bench.order.oracle import page_ranks
from weft.simweb.topical import TopicalTruth

OWN_CASH = 0.005  # of a page, beside what it was given; a seed has 1
RANKED_AGAIN_AFTER = 0.1  # of the pages visited so far

# Page, number of the link in it, target → what the target is worth by this link.
LinkWorth = Callable[[int, int, int], float]


def breadth_first(truth: TopicalTruth, budget: int) -> list[int]:
    """As a textbook has it."""
    waiting, known = deque(truth.seeds), set(truth.seeds)
    visits: list[int] = []
    while waiting and len(visits) < budget:
        visits.append(waiting.popleft())
        for target in truth.targets[visits[-1]]:
            if target not in known:
                known.add(target)
                waiting.append(target)
    return visits


def best_first(truth: TopicalTruth, budget: int, worth: LinkWorth) -> list[int]:
    """The page with the best link to it; of equals the one found first."""
    best: dict[int, float] = dict.fromkeys(truth.seeds, float("inf"))
    heap = [(-worth_now, number, page) for number, (page, worth_now) in enumerate(best.items())]
    visits: list[int] = []
    visited = set()
    found = len(heap)
    while heap and len(visits) < budget:
        _, _, page = heappop(heap)
        if page in visited:
            continue
        visited.add(page)
        visits.append(page)
        for number, target in enumerate(truth.targets[page]):
            value = worth(page, number, target)
            if target not in visited and value > best.get(target, -1.0):
                best[target] = value
                found += 1
                heappush(heap, (-value, found, target))
    return visits


def opic(truth: TopicalTruth, budget: int) -> list[int]:
    """The page with the most cash. What a page has goes to its links in equal parts."""
    cash: defaultdict[int, float] = defaultdict(float, dict.fromkeys(truth.seeds, 1.0))
    heap = [(-1.0, seed) for seed in truth.seeds]
    visits: list[int] = []
    visited = set()
    while heap and len(visits) < budget:
        _, page = heappop(heap)
        if page in visited:
            continue
        visited.add(page)
        visits.append(page)
        for target in truth.targets[page]:
            if target not in visited:
                cash[target] += (cash[page] + OWN_CASH) / len(truth.targets[page])
                heappush(heap, (-cash[target], target))
    return visits


def by_page_rank(truth: TopicalTruth, budget: int) -> list[int]:
    """The page of the highest rank in the graph known so far, which is computed again as it grows."""
    visits: list[int] = []
    numbers = {seed: number for number, seed in enumerate(truth.seeds)}  # of all pages known, in the order found
    while len(visits) < budget and len(visits) < len(numbers):
        visited = set(visits)
        known = [truth.targets[page] if page in visited else [] for page in numbers]
        ranks = page_ranks([[numbers[target] for target in targets] for targets in known])
        waiting = sorted((page for page in numbers if page not in visited), key=lambda page: -ranks[numbers[page]])
        for page in waiting[: min(budget - len(visits), 1 + int(RANKED_AGAIN_AFTER * len(visits)))]:
            visits.append(page)
            for target in truth.targets[page]:
                numbers.setdefault(target, len(numbers))
    return visits


def perfect_reading(truth: TopicalTruth) -> LinkWorth:
    """Half by the page that has the link, half by its anchor."""

    def worth(page: int, number: int, target: int) -> float:
        anchor_says = (target in truth.relevant) is not truth.misleading[page][number]
        return 0.5 * (page in truth.relevant) + 0.5 * anchor_says

    return worth


def ideal_visits(truth: TopicalTruth, budget: int) -> dict[str, list[int]]:
    """All of them, by name."""
    return {
        "bfs": breadth_first(truth, budget),
        "best-first": best_first(truth, budget, perfect_reading(truth)),
        "opic": opic(truth, budget),
        "pagerank": by_page_rank(truth, budget),
    }
