"""Documentation of ten Debian packages behind one nginx, as one host, crawled by each order with a budget of a tenth.

The first crawl has no budget: what it finds are the pages. An order without a topic is crawled once and judged by each
topic. The only seed is a page that links to where each package begins.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

import msgspec

from bench.growth_plot import Panel, draw
from bench.order.contenders import BASELINE, Contender
from bench.order.crawl import CannotCrawl, crawl, in_order
from bench.order.documents import INDEX, TOPICS, make_site, read_words, relevant_pages
from bench.order.judge import Worth, judge
from bench.order.part import OrderPart
from bench.record import say
from bench.server import Manner, Server, free_port, served
from bench.table import NONE, aligned
from bench.targets import Target

ADDRESS = "127.0.0.1"
PER_HOST = 1  # so that each page is chosen with all before it read
BUDGET_SHARE = 0.1
LEAST_PAGES = 5_000
FIRST_PAGES = 20
SHOWN_TOPIC = next(iter(TOPICS))


class Site(msgspec.Struct, frozen=True):
    """The running site."""

    folder: Path
    server: Server
    port: int
    scratch: Path

    def crawled(self, contender: Contender, topic: Sequence[str], budget: int | None) -> list[str]:
        """The files that a crawl fetched, each once."""
        start = self.server.begin_anew()
        folder = self.scratch / "crawl"
        seed = f"http://{ADDRESS}:{self.port}/"
        try:
            crawl(contender, topic, [seed], folder, budget=budget, per_host=PER_HOST)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return pages_in(self.server.log_since(start), self.folder)


class Run(msgspec.Struct, frozen=True):
    """One order and one topic."""

    topic: str
    worth: Worth
    first: list[str]  # pages; a star before those that are relevant


def run_real(contenders: Sequence[Contender], documents: Path, scratch: Path) -> OrderPart:
    """Each order for each topic."""
    folder = scratch / "site"
    make_site(documents, folder)
    port = free_port()
    with served(str(folder), [ADDRESS], port, scratch, Manner(robots_txt="")) as server:
        site = Site(folder, server, port, scratch)
        files = sorted(set(site.crawled(Contender(BASELINE), (), None)))
        say(f"{len(files):,} pages; their words are read")
        runs, notes = _runs(contenders, site, files)
    tables = [_table(topic, runs) for topic in TOPICS]
    head = f"{len(files):,} pages, a budget of {int(BUDGET_SHARE * len(files)):,}"
    return OrderPart(
        "\n\n".join([head, *tables, *notes, _first_pages(runs)]),
        [Target("4. real pages", len(files), LEAST_PAGES)],
        {"real": runs},
        {"order-real.svg": _picture(runs)},
    )


def pages_in(log: Iterable[str], folder: Path) -> list[str]:
    """The pages among the lines METHOD STATUS ADDRESS URI, by the files that were sent, each where it came first."""
    found: dict[str, None] = {}
    for line in log:
        method, status, _, uri = line.split(" ", 3)
        path = unquote(uri.partition("?")[0]).lstrip("/")
        if (folder / path).is_dir():
            path = f"{path.rstrip('/')}/{INDEX}".lstrip("/")
        if method == "GET" and status == "200" and path.endswith(".html"):
            found[path] = None
    return list(found)


def _runs(contenders: Sequence[Contender], site: Site, files: Sequence[str]) -> tuple[list[Run], list[str]]:
    words = [read_words(site.folder / file) for file in files]
    relevant = {topic: relevant_pages(words, query) for topic, query in TOPICS.items()}
    numbers = {file: number for number, file in enumerate(files)}
    evenly = [1 / len(files)] * len(files)  # nobody asks for the PageRank of these pages
    budget = int(BUDGET_SHARE * len(files))
    runs, notes = [], []
    for contender in contenders:
        fetched: list[str] = []
        try:
            for topic, query in TOPICS.items():
                if contender.needs_topic or not fetched:
                    fetched = site.crawled(contender, query, budget)
                visits = in_order(fetched, numbers, budget)
                worth = judge(contender.name, visits, relevant[topic], evenly)
                marks = ((files[page], page in relevant[topic]) for page in visits[:FIRST_PAGES])
                runs.append(Run(topic, worth, [f"{'*' if is_relevant else ' '} {file}" for file, is_relevant in marks]))
        except CannotCrawl as error:
            notes.append(f"{contender.name}: not crawled: {error}")
            say(notes[-1])
    return runs, notes


def _table(topic: str, runs: Sequence[Run]) -> str:
    worths = [run.worth for run in runs if run.topic == topic]
    bfs = next((worth for worth in worths if worth.order == BASELINE), None)
    lines = [["order", "pages", "harvest", "× bfs", "of all relevant"]]
    for worth in worths:
        ratio = f"{worth.harvest / bfs.harvest:.2f}" if bfs and bfs.harvest else NONE
        lines.append(
            [worth.order, f"{worth.pages:,}", f"{worth.harvest:.1%}", ratio, f"{worth.relevant_found:.1%}"],
        )
    return "\n".join([f"{topic}: {' '.join(TOPICS[topic])}", "", *aligned(lines)])


def _picture(runs: Sequence[Run]) -> str:
    panels = []
    for topic in TOPICS:
        worths = [run.worth for run in runs if run.topic == topic]
        lines = {worth.order: [(pages, 100 * share) for pages, share in worth.harvest_curve] for worth in worths}
        panels.append(Panel(f"{topic}: relevant pages, % of those fetched", lines))
    return draw(panels, most_pages=max(run.worth.pages for run in runs), is_even=True, unit="pages fetched")


def _first_pages(runs: Sequence[Run]) -> str:
    """What a person can judge."""
    lines = [
        f"The first {FIRST_PAGES} pages by each order, the topic being {SHOWN_TOPIC}; a star: relevant by the rule"
    ]
    for run in runs:
        if run.topic == SHOWN_TOPIC:
            lines += ["", run.worth.order, *(f"  {page}" for page in run.first)]
    return "\n".join(lines)
