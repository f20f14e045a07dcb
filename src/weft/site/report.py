"""The findings put into words: as a `SiteReport` of bounded length, or one by one with all their referrers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from heapq import nsmallest

import msgspec

from weft.config import CrawlConfig
from weft.folder.page_rows import decode_page
from weft.folder.site_rows import decode_links
from weft.site.analysis import Analysis
from weft.site.clicks import UNREACHED, pages_by_clicks
from weft.site.findings import TITLES, Finding, FindingKind, Referrer, Section, SiteReport, severity_of
from weft.site.found import Kept
from weft.site.judging import text_of
from weft.site.pages import NOWHERE
from weft.stats.figures import Count
from weft.stats.tally import percent_of
from weft.stats.verdict import counted
from weft.url import url_id

# More findings than this of a kind stay in the order of nodes among equals.
MOST_SORTED_BY_URL = 100_000
_ALIKE = (FindingKind.TITLE_DUPLICATE, FindingKind.DESCRIPTION_DUPLICATE, FindingKind.H1_DUPLICATE)


class Earlier:
    """The findings of an earlier crawl: what is not among them is new, what is gone was fixed."""

    def __init__(self, name: str, analysis: Analysis) -> None:
        self.name = name
        self.urls = {
            kind: {analysis.pages.url(one) for one in analysis.found.of(kind).subjects} for kind in FindingKind
        }


class SiteFindings:
    """What an analysis found, while its crawl is open."""

    def __init__(self, analysis: Analysis, config: CrawlConfig, earlier: Earlier | None = None) -> None:
        self._analysis = analysis
        self._config = config
        self._earlier = earlier

    @property
    def visited(self) -> int:
        """How many URLs were."""
        return self._analysis.figures.urls

    def count(self, kind: FindingKind) -> int:
        """How many findings of a kind there are."""
        return self._analysis.found.count(kind)

    def each(self, kind: FindingKind, most: int | None = None) -> Iterator[Finding]:
        """The findings of a kind, the weightiest first, without referrers; and the subject of each."""
        return (finding for _, finding in self.subjects(kind, most))

    def subjects(self, kind: FindingKind, most: int | None = None) -> Iterator[tuple[int, Finding]]:
        """The same, with what `referrers` takes."""
        kept = self._analysis.found.of(kind)
        for at in self._order(kind, kept, most):
            yield kept.subjects[at], self._finding(kind, kept, at)

    def referrers(self, subject: int, most: int | None = None) -> Iterator[Referrer]:
        """The pages that refer to a subject."""
        return self._analysis.referrers.of(subject, most)

    def report(self, most_findings: int | None = None, most_referrers: int | None = None) -> SiteReport:
        """All in one, with this many findings a kind and referrers a finding."""
        sections = [self.section(kind, most_findings, most_referrers) for kind in self.kinds()]
        return self.head(sections)

    def kinds(self) -> list[FindingKind]:
        """Those that have something to tell."""
        earlier = self._earlier
        return [kind for kind in FindingKind if self.count(kind) or (earlier is not None and earlier.urls[kind])]

    def head(self, sections: list[Section]) -> SiteReport:
        """The report with these sections."""
        analysis, figures = self._analysis, self._analysis.figures
        return SiteReport(
            verdict=self._verdict(),
            first_seed=self._config.seeds[0] if self._config.seeds else "",
            first_visit=_moment(figures.first_at) if figures.urls else "",
            last_visit=_moment(figures.last_at) if figures.urls else "",
            since=self._earlier.name if self._earlier is not None else "",
            urls=figures.urls,
            pages=figures.pages,
            links=analysis.links,
            total=sum(self.count(kind) for kind in FindingKind),
            external_checked=None if analysis.external is None else len(analysis.external),
            statuses=figures.statuses(),
            clicks=_clicks(pages_by_clicks(analysis.pages, analysis.clicks)),
            waits=figures.waits(),
            sizes=figures.sizes(),
            sections=sections,
        )

    def section(
        self,
        kind: FindingKind,
        most_findings: int | None = None,
        most_referrers: int | None = None,
        *,
        all_fixed: bool = False,
    ) -> Section:
        """The findings of a kind."""
        findings = [
            msgspec.structs.replace(finding, referrers=list(self.referrers(subject, most_referrers)))
            for subject, finding in self.subjects(kind, most_findings)
        ]
        new, fixed = self._compared(kind)
        return Section(
            kind=kind,
            severity=severity_of(kind),
            title=TITLES[kind],
            count=self.count(kind),
            new=new,
            fixed=None if fixed is None else len(fixed),
            fixed_urls=sorted(fixed or ())[: None if all_fixed else most_findings],
            findings=findings,
        )

    def _compared(self, kind: FindingKind) -> tuple[int | None, set[str] | None]:
        if self._earlier is None:
            return None, None
        pages = self._analysis.pages
        now = {pages.url(one) for one in self._analysis.found.of(kind).subjects}
        before = self._earlier.urls[kind]
        return len(now - before), before - now

    def _finding(self, kind: FindingKind, kept: Kept, at: int) -> Finding:
        pages, subject, other = self._analysis.pages, kept.subjects[at], kept.others[at]
        url = pages.url(subject)
        detail = kept.details[at]
        if kind in _ALIKE:
            detail = f"{detail}: {self._text(kind, url)}"
        if isinstance(other, int):
            other = "" if other == NOWHERE else pages.url(other)
        is_new = None if self._earlier is None else url not in self._earlier.urls[kind]
        status = pages.status(subject)
        if kind is FindingKind.BROKEN_EXTERNAL and self._analysis.external is not None:
            status = self._analysis.external[url].status
        return Finding(kind, url, status, detail, other, is_new, self._analysis.referrers.count(subject))

    def _text(self, kind: FindingKind, url: str) -> str:
        database, key = self._analysis.database, url_id(url)
        row = database.get("page", key)
        links = database.get("links", self._analysis.pages.node(self._analysis.pages.find_url(url)))
        return text_of(
            kind,
            decode_page(row) if row is not None else None,
            decode_links(links).facts if links is not None else None,
        )

    def _order(self, kind: FindingKind, kept: Kept, most: int | None) -> Iterable[int]:
        """By weight; else those that most pages refer to first; then by URL. Of many only the first are sorted."""
        count, pages, subjects, weights = (
            self._analysis.referrers.count,
            self._analysis.pages,
            kept.subjects,
            kept.weights,
        )
        everything = range(len(subjects))
        if kind in _ALIKE:  # groups stay together
            return sorted(everything, key=lambda at: -weights[at])[:most]
        if len(subjects) <= MOST_SORTED_BY_URL:
            return sorted(everything, key=lambda at: (-weights[at], -count(subjects[at]), pages.url(subjects[at])))[
                :most
            ]
        if most is not None:
            return nsmallest(most, everything, key=lambda at: (-weights[at], -count(subjects[at])))
        return sorted(sorted(everything, key=lambda at: -count(subjects[at])), key=lambda at: -weights[at])

    def _verdict(self) -> str:
        figures, found, queued = self._analysis.figures, self._analysis.found, self._analysis.queued
        total = sum(found.count(kind) for kind in FindingKind)
        said = [f"{counted(figures.pages, 'page')} and {counted(self._analysis.links, 'link')} looked at"]
        if not figures.urls:
            said = ["nothing was visited, so nothing can be said of the site"]
        elif not total:
            said.append("nothing to fix was found")
        else:
            first = [f"{TITLES[kind].lower()} × {found.count(kind):,}" for kind in FindingKind if found.count(kind)][:3]
            more = ", …" if len(self.kinds()) > 3 else ""
            said.append(f"{counted(total, 'finding')}: {', '.join(first)}{more}")
        if queued:
            said.append(f"{counted(queued, 'URL')} still queued")
        verdict = "; ".join(said)
        return f"{verdict[0].upper()}{verdict[1:]}."


def _moment(wall_time: float) -> str:
    return datetime.fromtimestamp(wall_time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _clicks(counts: dict[int, int]) -> list[Count]:
    total = sum(counts.values())
    return [
        Count("not linked" if away == UNREACHED else str(away), count, percent_of(count, total))
        for away, count in sorted(counts.items())
    ]
