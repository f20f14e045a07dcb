"""simweb's web with a topic, crawled once by each order: 20,000 pages of 200 hosts, three seeds, a budget of a tenth.

Three webs, which differ by their seed alone: figures are means, ratios are means of the ratios on each web.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bench.growth_plot import Panel, draw
from bench.order.contenders import BASELINE, CONTENDERS, Contender
from bench.order.crawl import CannotCrawl, crawl, in_order
from bench.order.ideal import ideal_visits
from bench.order.judge import Worth, judge, mean_curve, mean_ratio
from bench.order.oracle import page_ranks
from bench.order.part import OrderPart
from bench.record import say
from bench.table import NONE, aligned
from bench.targets import Target
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.topical import TopicalTruth
from weft.simweb.topical_text import TOPIC_WORDS

BUDGET_SHARE = 0.1
TITLES = [
    "order", "pages", "harvest", "× bfs", "least", "of relevant", "PageRank", "of the best", "× bfs", "least", "hubs",
]  # fmt: skip
KEY = """\
  harvest: relevant pages ÷ pages fetched; of relevant: of all relevant pages of the web
  PageRank: of the pages fetched, that of all being 100 %; of the best: of what the best choice of as many pages has
  least: the smallest ratio of a web; hubs: planted ones that were fetched, by web"""


class JudgedWeb(msgspec.Struct, frozen=True):
    """One web, and what the judge knows of it."""

    spec: WebSpec
    truth: TopicalTruth
    ranks: list[float]

    @property
    def budget(self) -> int:
        return int(BUDGET_SHARE * self.spec.pages)

    def judge(self, order: str, visits: Sequence[int]) -> Worth:
        """What the visits are worth here."""
        return judge(order, visits, self.truth.relevant, self.ranks, self.truth.hubs)


def web_spec(seed: int, pages: int, latency_ms: float = 0.0) -> WebSpec:
    """What the issue asks for; no faults, which have their own tests."""
    return WebSpec(
        seed=seed, hosts=200, pages=pages, seed_hosts=3, links_per_page=12, relevant_share=0.05,
        redirect_share=0.0, dead_share=0.0, robots_share=0.0, keep_alive_share=1.0, latency_ms=(latency_ms, latency_ms),
    )  # fmt: skip


def judged_web(seed: int, pages: int, latency_ms: float = 0.0) -> JudgedWeb:
    """The web of a seed."""
    spec = web_spec(seed, pages, latency_ms)
    truth = SimWeb(spec).topical_truth()
    return JudgedWeb(spec, truth, page_ranks(truth.targets))


def run_ideal(seeds: Sequence[int], pages: int) -> OrderPart:
    """Policies without a crawl: whether the webs are neither too kind nor hopeless."""
    worths = []
    for seed in seeds:
        web = judged_web(seed, pages)
        worths += [web.judge(name, visits) for name, visits in ideal_visits(web.truth, web.budget).items()]
    return OrderPart(table(worths), [], {"ideal": worths}, {})


def run_web(
    contenders: Sequence[Contender], seeds: Sequence[int], pages: int, latency_ms: float, scratch: Path
) -> OrderPart:
    """Each order on each web."""
    worths: list[Worth] = []
    failed: dict[str, str] = {}
    for seed in seeds:
        web = judged_web(seed, pages, latency_ms)
        for contender in contenders:
            if contender.name in failed:
                continue
            try:
                worths.append(crawled(web, contender, scratch))
            except CannotCrawl as error:
                failed[contender.name] = str(error)
                say(f"{contender.name}: {error}")
    notes = [f"{name}: not crawled: {why}" for name, why in failed.items()]
    return OrderPart(
        "\n".join([table(worths), *notes]), must_hold(worths), {"web": worths}, {"order-web.svg": picture(worths)}
    )


def crawled(web: JudgedWeb, contender: Contender, scratch: Path) -> Worth:
    """One crawl, judged by the requests that the server saw."""
    folder = scratch / "crawl"
    try:
        with SimProcess(web.spec, https=False) as sim:
            crawl(
                contender, TOPIC_WORDS, sim.seeds, folder, budget=web.budget, per_host=1, dns=sim.dns
            )  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    numbers = {url: number for number, url in enumerate(web.truth.urls)}
    fetched = [f"http://{request.host}{request.path}" for request in sim.log if request.whole and request.status == 200]
    return web.judge(contender.name, in_order(fetched, numbers, web.budget))


def table(worths: Sequence[Worth]) -> str:
    """A line for each order."""
    lines = [_line(name, worths) for name in dict.fromkeys(worth.order for worth in worths)]
    return "\n".join([*aligned([TITLES, *lines]), KEY])


def must_hold(worths: Sequence[Worth]) -> list[Target]:
    """The issue's lines."""
    targets = []
    for contender in CONTENDERS:
        name, of_best = contender.name, [worth.rank_of_best for worth in _of(worths, contender.name)]
        if contender.least_harvest is not None:
            ratio = _beside_bfs(worths, name, "harvest")
            targets.append(Target(f"1. {name}: harvest ÷ bfs's", ratio, contender.least_harvest))
        if contender.least_rank is not None:
            ratio = _beside_bfs(worths, name, "rank")
            targets.append(Target(f"2. {name}: true PageRank ÷ bfs's", ratio, contender.least_rank))
        if contender.least_of_best is not None:
            mean = sum(of_best) / len(of_best) if of_best else None
            targets.append(Target(f"2. {name}: true PageRank ÷ best possible", mean, contender.least_of_best))
    return targets


def picture(worths: Sequence[Worth]) -> str:
    """Harvest and PageRank over pages fetched."""
    names = list(dict.fromkeys(worth.order for worth in worths))
    harvest = {name: mean_curve([worth.harvest_curve for worth in _of(worths, name)]) for name in names}
    ranks = {name: mean_curve([worth.rank_curve for worth in _of(worths, name)]) for name in names}
    panels = [
        Panel(
            "harvest: relevant pages, % of those fetched", {name: _percent(curve) for name, curve in harvest.items()}
        ),
        Panel("true PageRank collected, % of all", {name: _percent(curve) for name, curve in ranks.items()}),
    ]
    return draw(panels, most_pages=max(worth.pages for worth in worths), is_even=True, unit="pages fetched")


def _line(name: str, worths: Sequence[Worth]) -> list[str]:
    mine, bfs = _of(worths, name), _of(worths, BASELINE)
    beside_bfs = []
    for figure in ("harvest", "rank"):
        ratio = _beside_bfs(worths, name, figure)
        ratios = [getattr(one, figure) / getattr(other, figure) for one, other in zip(mine, bfs, strict=False)]
        beside_bfs.append([f"{ratio:.2f}", f"{min(ratios):.2f}"] if ratio is not None else [NONE, NONE])
    count = len(mine)
    return [
        name, f"{sum(worth.pages for worth in mine) // count:,}",
        _share(worth.harvest for worth in mine), *beside_bfs[0], _share(worth.relevant_found for worth in mine),
        _share(worth.rank for worth in mine), _share(worth.rank_of_best for worth in mine), *beside_bfs[1],
        " ".join(str(worth.hubs) for worth in mine),
    ]  # fmt: skip


def _of(worths: Sequence[Worth], name: str) -> list[Worth]:
    return [worth for worth in worths if worth.order == name]


def _beside_bfs(worths: Sequence[Worth], name: str, figure: str) -> float | None:
    """A figure divided by that of bfs on the same web; None if one of them was not measured."""
    mine, bfs = ([getattr(worth, figure) for worth in _of(worths, order)] for order in (name, BASELINE))
    return mean_ratio(mine, bfs) if mine and len(mine) == len(bfs) else None


def _percent(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x, 100 * y) for x, y in curve]


def _share(values: Iterable[float]) -> str:
    found = list(values)
    return f"{100 * sum(found) / len(found):.1f} %"
