"""Paper 2's table of answers by kind, its hosts and its bandwidth: node A of a cluster, on a web with these shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

import msgspec

from bench.cluster.paper import PHASES
from bench.cluster.trial import trial
from bench.command import bench_scratch
from bench.papers.charts import Bars, draw
from bench.papers.claims import Exhibit, cannot, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, SEED, PaperPart
from bench.record import say
from weft import report
from weft.cluster.servers import Servers
from weft.config import CrawlConfig
from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed

BUCKETS = 256
HOSTS = 367  # of which A, by its weight, has the paper's 117
PAPER_PERCENT = {"OK": 90.23, "404": 4.97, "time-out": 2.72, "too many redirects": 0.17, "other": 1.89}
PAPER_REDIRECTS = 6.79  # outside the total
PAPER_HOSTS = (624, 523, 498, 489, 487, 478, 471, 449, 446, 445)
# Of a web's pages, so that answers have the paper's shares; what redirects does so twice on average.
_PAGES = 0.9484  # OK, time-outs and others of all requests
NEVER = 99  # attempts that fail: all
TIMEOUT_S = 1.5
# A circle of redirects is recognised by its second round; too many of them are a chain that goes on and on.
CHAIN_SHARE, HOPS = 0.0017, 11  # of all requests; one more than weft follows
DEVIATIONS = 3.0  # standard ones, of a draw of as many requests
PLOT = "2-responses.svg"
OF_2012 = "which hosts had most pages is a matter of the web of 2012; `weft report` has the same table, shown here"
THEIR_LINE = "their line was the bound, and here nodes share the cores of one machine; the figure is shown"


class Answers(msgspec.Struct, frozen=True):
    """What node A says of its crawl."""

    total: int
    percent: dict[str, float]
    redirects: float  # percent of the total, outside it
    hosts: int
    megabytes: float
    kb_per_s: float
    by_host: list[int]  # pages, of the ten hosts with most


def run_responses(pages: int) -> PaperPart:
    """Three crawls, each of another web."""
    runs = []
    for number in range(RUNS):
        say(f"paper 2, answers by kind: run {number + 1}")
        runs.append(_crawl(pages, SEED + number))
    return shown(runs, pages)


def spec_of(pages: int, seed: int) -> WebSpec:
    """A web whose answers have the paper's shares."""
    return WebSpec(
        seed=seed, hosts=HOSTS, pages=pages, seed_hosts=20, page_bytes=8_000, robots_share=0.0, keep_alive_share=1.0,
        addresses=HOSTS, cross_host_share=0.5, size_spread=0.5, failing_attempts=NEVER, stall_s=60.0,
        dead_share=0.0497 / _PAGES, stall_share=0.0272 / _PAGES, garbled_share=0.0189 / _PAGES,
        redirect_share=(0.0679 - HOPS * CHAIN_SHARE) / _PAGES / 2,
    )  # fmt: skip


def chains_of(spec: WebSpec) -> dict[tuple[str, str], Behaviour]:
    """Redirects that lead on and on, each chain on a host of its own; the first of each is a seed."""
    count = max(1, round(CHAIN_SHARE * spec.pages / _PAGES))
    hosts = SimWeb(spec).hosts
    return {
        (hosts[number * len(hosts) // count].name, f"/on/{hop}"): Fixed(
            status=302, headers=(("Location", f"/on/{hop + 1}"),)
        )
        for number in range(count)
        for hop in range(HOPS + 1)
    }


def _crawl(pages: int, seed: int) -> Answers:
    spec = spec_of(pages, seed)
    chains = chains_of(spec)
    with (
        bench_scratch("paper-2", is_kept=False) as scratch,
        Servers(scratch / "nats", 1) as servers,
        SimProcess(spec, chains, https=False, counting_only=True) as sim,
    ):
        firsts = [f"http://{host}:{sim.http_port}{path}" for host, path in chains if path == "/on/0"]
        config = CrawlConfig(
            seeds=(*sim.seeds, *firsts), scope="any", delay_s=0.0, connections=100, connections_per_host=4,
            ignore_robots=True, dns_servers=(sim.dns,), allow_private=True, workers=1, retry_wait_scale=0.02,
            response_timeout_s=TIMEOUT_S, idle_timeout_s=TIMEOUT_S,
        )  # fmt: skip
        with trial("answers", servers, scratch, config, buckets=BUCKETS) as crawl:
            crawl.start(PHASES[0].weights)
            crawl.until(lambda now: bool(now.finished))
            for process in crawl.running.values():
                process.wait()
            found = report(crawl.folder("A"))
    totals = found.totals
    return Answers(
        found.responses.total, {kind.name: kind.percent for kind in found.responses.kinds},
        found.responses.redirects.percent, totals.hosts, totals.bytes / 1e6, totals.kb_per_s,
        [host.pages for host in found.hosts.by_pages],
    )  # fmt: skip


def shown(runs: Sequence[Answers], pages: int) -> PaperPart:
    """Tables, plot and claims. Pure."""
    rows = [["answer", "share", "runs", "paper"]]
    for kind, paper in PAPER_PERCENT.items():
        found = [run.percent.get(kind, 0.0) for run in runs]
        rows.append([kind, f"{fmean(found):.2f} %", _span(found, "%"), f"{paper:.2f} %"])
    redirects = [run.redirects for run in runs]
    rows.append(
        ["redirects (not of the total)", f"{fmean(redirects):.2f} %", _span(redirects, "%"), f"{PAPER_REDIRECTS} %"]
    )
    rows.append(["requests", f"{fmean(run.total for run in runs):,.0f}", "", "19,723 (printed: 19,732)"])
    rows.append(["hosts of node A", f"{fmean(run.hosts for run in runs):.0f}", "", "117"])
    rows.append(["MB", f"{fmean(run.megabytes for run in runs):.1f}", "", "1,594.6 in 60 min"])
    rows.append(["KB/s received", f"{fmean(run.kb_per_s for run in runs):,.0f}", "", "450 of at most 500"])
    hosts = [["host", *map(str, range(1, 11))], ["pages", *(str(count) for count in runs[0].by_host)]]
    hosts.append(["paper", *map(str, PAPER_HOSTS)])
    claims = [
        claim("each kind as often as it was planted, within what chance explains", map(_is_near, runs)),
        claim("OK > 404 > time-outs > other > too many redirects", map(_is_ordered, runs)),
    ]
    key = (
        f"node A of four, by `weft report`; a synthetic web of {HOSTS} hosts and {pages:,} pages with the paper's "
        f"shares, seeds {SEED} to {SEED + RUNS - 1}; time-outs after {TIMEOUT_S:g} s, three tries, counted once"
    )
    block = "\n\n".join([picture(PLOT, "Answers that are not OK, by kind"), markdown(rows, key),
                         markdown(hosts, "pages of the ten hosts with most, first run"),
                         markdown(claims_table(claims))])  # fmt: skip
    groups = {
        kind: {"node A": fmean(run.percent.get(kind, 0.0) for run in runs), "paper": paper}
        for kind, paper in PAPER_PERCENT.items()
        if kind != "OK"
    }
    plot = draw([Bars("Paper 2: answers that are not OK", "% of all requests", groups)])
    exhibits = [
        Exhibit(2, "answers by kind", "OK, 404, time-outs, redirects of node A", verdict(claims)),
        Exhibit(2, "pages by host", "the ten hosts with most pages", cannot(OF_2012)),
        Exhibit(2, "bandwidth of node A", "450 KB/s received of at most 500, 24 KB/s sent", cannot(THEIR_LINE)),
    ]
    return PaperPart({"2-responses": block}, claims, exhibits, {PLOT: plot}, {"answers": list(runs)})


def _span(values: Sequence[float], unit: str) -> str:
    return f"{min(values):.2f}–{max(values):.2f} {unit}"


def _is_near(run: Answers) -> bool:
    return all(
        abs(run.percent.get(kind, 0.0) - paper) <= DEVIATIONS * sqrt(paper * (100 - paper) / run.total)
        for kind, paper in PAPER_PERCENT.items()
    )


def _is_ordered(run: Answers) -> bool:
    numbers = [run.percent.get(kind, 0.0) for kind in ("OK", "404", "time-out", "other", "too many redirects")]
    return numbers == sorted(numbers, reverse=True)
