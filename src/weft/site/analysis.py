"""From a crawl's rows to its findings, in a few passes, each in the order of nodes:

1  page                  columns of all URLs; what a visit alone shows: slow, large
2  graph, links          what pages say of themselves; where redirects lead; sitemaps against links
3  graph, links' marks   clicks from the seeds
4  graph, links' marks   referrers of all that was found: counted, then noted
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from weft.folder.page_rows import decode_page
from weft.folder.reading import CrawlReader
from weft.folder.readings import NodesReader
from weft.folder.refused_list import Rows
from weft.folder.refused_rows import decode_refused
from weft.folder.site_rows import decode_links, rows_of, targets_of
from weft.graph.rows import NODE_BYTES
from weft.page.link_marks import IN_GRAPH, PLACE_BITS, Place
from weft.site.clicks import UNREACHED, clicks_of
from weft.site.figures import VisitFigures
from weft.site.findings import FindingKind
from weft.site.found import Found
from weft.site.judging import DEEP_CLICKS, FactsJudge, judge_visit
from weft.site.link_rows import ways_of
from weft.site.pages import HTML, NOINDEX, NOWHERE, SEED, SITEMAP, Pages
from weft.site.redirects import Way, way_from
from weft.site.referrers import LINKED, REDIRECTED, Referrers
from weft.site.sitemaps import SitemapCheck
from weft.types import LinkNotes, PageRow
from weft.url import ID_BYTES, host_of, is_own_request, url_id

ROWS_BETWEEN_WORDS: Final = 4096
STEPS_SHOWN: Final = 5
MOST_EXTERNAL: Final = 100_000  # URLs of other sites that are asked for

Told = Callable[[str, int], None]  # what is done now, and how many rows of it are


class Answer(msgspec.Struct, frozen=True, gc=False):
    """How a URL of another site answered."""

    status: int  # 0 when no whole answer came
    failure: str  # its outcome then
    ended_at: str = ""  # where its redirects ended, if elsewhere


Check = Callable[[Iterable[str]], Mapping[str, Answer]]


class Analysis:
    """All findings of a crawl, and what tells of them."""

    def __init__(
        self,
        reader: CrawlReader,
        database: Rows,
        told: Told = lambda stage, rows: None,
        check: Check | None = None,
    ) -> None:
        self.database = database  # the reader's, with rows of links
        self.pages = Pages()
        self.found = Found()
        self.figures = VisitFigures()
        self.queued = reader.counters.queued
        self.links = 0
        self.external: Mapping[str, Answer] | None = None
        self._told = told
        self._leads_to: dict[int, int | str] = {}  # redirects; bound: these
        self._outside: dict[str, None] | None = None if check is None else {}  # bound: MOST_EXTERNAL
        self._read_visits(reader)
        self._read_pages()
        self._judge_clicks()
        named = self._external_subjects(check)
        self.referrers = self._find_referrers(named)
        self._judge_links()

    def _read_visits(self, reader: CrawlReader) -> None:
        for rows, (node, row) in enumerate(_visits(reader)):
            if not rows % ROWS_BETWEEN_WORDS:
                self._told("Reading visits", rows)
            number = self.pages.add(node, row)
            self.figures.add(row, is_html=bool(self.pages.flags[number] & HTML))
            judge_visit(self.found, number, row, self.pages.flags[number])

    def _read_pages(self) -> None:
        """The one pass in which all of a page's row is read."""
        pages, judge, sitemaps = self.pages, FactsJudge(self.found, self.pages), SitemapCheck(self.pages)
        for number, flags in enumerate(pages.flags):
            if flags & SITEMAP and (edges := self.database.get("graph", pages.node(number))):
                sitemaps.sitemap(number, targets_of(edges))
        has_sitemaps = sitemaps.begin_links()
        hosts = self.figures.hosts
        for rows, (node, edges, row) in enumerate(rows_of(self.database, decode_links, None)):
            if not rows % ROWS_BETWEEN_WORDS:
                self._told("Reading links", rows)
            number = pages.find(node)
            if number == NOWHERE:
                continue
            if row is None:
                row = LinkNotes()
            elif pages.flags[number] & HTML:
                judge.hear(number, row.facts)
            self.links += len(row.marks) + len(row.outside)
            if has_sitemaps and not pages.flags[number] & SITEMAP:
                sitemaps.links(node, ways_of(edges, row.marks))
            if pages.is_redirect(number):
                self._note_redirect(number, edges, row)
            if self._outside is not None and row.outside and len(self._outside) < MOST_EXTERNAL:
                self._outside.update((url, None) for url in _external(row, hosts))
        judge.end()
        if has_sitemaps:
            sitemaps.judge(self.found)

    def _note_redirect(self, number: int, edges: bytes, row: LinkNotes) -> None:
        for target in targets_of(edges):
            at = self.pages.find(target)
            self._leads_to[number] = at if at != NOWHERE else next((link.url for link in row.outside), "")
            return
        for link in row.outside:
            if link.mark & PLACE_BITS == Place.REDIRECT:
                self._leads_to[number] = link.url

    def _judge_clicks(self) -> None:
        self._told("Counting clicks", 0)
        self.clicks = clicks_of(self.database, self.pages, self._leads_to)
        for number, (flags, clicks) in enumerate(zip(self.pages.flags, self.clicks, strict=True)):
            if flags & HTML and DEEP_CLICKS < clicks < UNREACHED:
                self.found.add(FindingKind.DEEP_PAGE, number, f"{clicks} clicks from a seed", weight=clicks)

    def _external_subjects(self, check: Check | None) -> dict[str, int]:
        """Links to other sites that fail, as subjects."""
        if check is None or self._outside is None:
            return {}
        self._told("Asking other sites", 0)
        self.external = check(self._outside)
        named: dict[str, int] = {}
        for url, answer in self.external.items():
            if answer.failure or answer.status >= 400:
                named[url] = self.pages.name(url)
        return named

    def _find_referrers(self, named: Mapping[str, int]) -> Referrers:
        pages = self.pages
        subjects = self.found.subjects()
        self._forbidden = [pages.name(url) for url in _forbidden_urls(self.database) if pages.find_url(url) == NOWHERE]
        subjects.update(self._forbidden, named.values())
        subjects.update(
            number
            for number, flags in enumerate(pages.flags)
            if flags & NOINDEX or pages.is_broken(number) or pages.is_redirect(number)
        )
        self._named = named
        return Referrers(self.database, pages, sorted(subjects), named, self._told)

    def _judge_links(self) -> None:
        """What is a fault only because somebody refers to it."""
        pages, found, ways = self.pages, self.found, self.referrers.ways
        for number, flags in enumerate(pages.flags):
            if pages.is_broken(number):
                if self.referrers.count(number) or flags & SEED:
                    found.add(FindingKind.BROKEN_LINK, number, pages.failure(number) or "a seed" * (not ways[number]))
            elif pages.is_redirect(number):
                self._judge_redirect(number, ways[number])
            elif flags & NOINDEX and ways[number] & LINKED:
                found.add(FindingKind.NOINDEX_LINKED, number)
        for subject in self._forbidden:
            if ways[subject] & LINKED:
                found.add(FindingKind.ROBOTS_LINKED, subject)
        for url, subject in self._named.items():
            answer = (self.external or {})[url]
            found.add(FindingKind.BROKEN_EXTERNAL, subject, answer.failure or str(answer.status), answer.ended_at)

    def _judge_redirect(self, number: int, ways: int) -> None:
        way = way_from(number, self._leads_to)
        if way is None:  # its target is malformed, or was left out
            if ways & LINKED:
                self.found.add(FindingKind.REDIRECT_LINK, number, "leads nowhere")
            return
        # What only another redirect leads to is told of with that one.
        is_head = bool(ways & LINKED or self.pages.flags[number] & SEED or not ways & REDIRECTED)
        if way.is_loop:
            if is_head:
                self.found.add(FindingKind.REDIRECT_LOOP, number, self._steps(way), way.end)
            return
        if is_head and len(way.steps) > 1:
            self.found.add(FindingKind.REDIRECT_CHAIN, number, self._steps(way), way.end, weight=len(way.steps))
        if ways & LINKED:
            ended = self.pages.ended(way.end) if isinstance(way.end, int) else "not visited"
            self.found.add(FindingKind.REDIRECT_LINK, number, f"ends with {ended}", way.end)

    def _steps(self, way: Way) -> str:
        urls = [self.pages.url(step) if isinstance(step, int) else step for step in way.steps]
        if len(urls) > STEPS_SHOWN:
            urls = [*urls[: STEPS_SHOWN - 1], "…", urls[-1]]
        return f"{len(way.steps)} steps: → {' → '.join(urls)}"


def _visits(reader: CrawlReader) -> Iterator[tuple[bytes, PageRow]]:
    if isinstance(reader, NodesReader):  # which of several rows of a page counts, it knows
        rows = ((url_id(row.url)[:NODE_BYTES], row) for row in reader.rows())
    else:
        rows = ((key[:NODE_BYTES], decode_page(row)) for key, row in reader.database.scan("page"))
    return ((node, row) for node, row in rows if not is_own_request(row.parts))  # no link leads to what was posted


def _forbidden_urls(database: Rows) -> Iterator[str]:
    for key, value in database.scan("forbidden"):
        row = decode_refused(value)
        if not row.withdrawn and url_id(row.link.url) == key[-ID_BYTES:]:
            yield row.link.url


def _external(row: LinkNotes, hosts: Mapping[str, int]) -> Iterator[str]:
    for link in row.outside:
        if not link.mark & IN_GRAPH and link.url.startswith("http") and host_of(link.url) not in hosts:
            yield link.url
