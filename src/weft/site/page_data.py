"""A report as the page's script reads it: strings once, in order, and everything else as columns of numbers.

urls    sorted, each without what it shares with the one before; so to sort by URL is to sort by number
texts   details, anchors and places, sorted as people sort numbers in text; the same holds
lists   referrers of a URL, once for all kinds of findings that it has
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from weft.site.findings import Finding, FindingKind, Referrer, Section, Severity, SiteReport
from weft.site.mending import MEANINGS, MENDING, other_word
from weft.stats.figures import Count

_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)")
_MOST_DIGITS = 300  # a float has no more


class ListsData(msgspec.Struct):
    """Lists of referrers, one behind the other."""

    starts: list[int]  # of each list, and the end of the last one
    pages: list[int]  # URLs
    hows: list[int]
    anchors: list[int]  # of each how: texts
    places: list[int]


class SectionData(msgspec.Struct):
    """The findings of a kind, in columns."""

    kind: FindingKind
    severity: Severity
    title: str
    meaning: str
    mending: str
    other_word: str
    count: int
    new: int | None
    mended: int | None
    mended_urls: list[int]
    urls: list[int]
    statuses: list[int]
    details: list[int]
    others: list[int]
    are_new: list[int]
    referrer_counts: list[int]
    lists: list[int]


class PageData(msgspec.Struct, kw_only=True):
    """All that the page shows."""

    verdict: str
    first_seed: str
    first_visit: str
    last_visit: str
    since: str
    visited: int
    pages: int
    links: int
    total: int
    external_checked: int | None
    statuses: list[Count]
    clicks: list[Count]
    waits: list[Count]
    sizes: list[Count]
    url_shared: list[int]  # characters that a URL shares with the one before
    url_rest: list[str]
    texts: list[str]
    lists: ListsData
    sections: list[SectionData]


def page_data(report: SiteReport) -> PageData:
    """The report in the form of the page."""
    findings = [finding for section in report.sections for finding in section.findings]
    lists = {tuple(finding.referrers): None for finding in findings}
    urls = sorted(set(_urls_in(report, findings, lists)))
    shared = [_shared(one, following) for one, following in pairwise(["", *urls])]
    texts = sorted(set(_texts_in(findings, lists)), key=_as_people_sort)
    packing = _Packing(urls, texts, lists)
    return PageData(
        verdict=report.verdict,
        first_seed=report.first_seed,
        first_visit=report.first_visit,
        last_visit=report.last_visit,
        since=report.since,
        visited=report.urls,
        pages=report.pages,
        links=report.links,
        total=report.total,
        external_checked=report.external_checked,
        statuses=report.statuses,
        clicks=report.clicks,
        waits=report.waits,
        sizes=report.sizes,
        url_shared=shared,
        url_rest=[url[length:] for url, length in zip(urls, shared, strict=True)],
        texts=texts,
        lists=packing.lists(),
        sections=[packing.section(section) for section in report.sections],
    )


class _Packing:
    def __init__(self, urls: Sequence[str], texts: Sequence[str], lists: Iterable[tuple[Referrer, ...]]) -> None:
        self._urls = {url: number for number, url in enumerate(urls)}
        self._texts = {text: number for number, text in enumerate(texts)}
        self._lists = {each: number for number, each in enumerate(lists)}

    def section(self, section: Section) -> SectionData:
        findings = section.findings
        return SectionData(
            kind=section.kind,
            severity=section.severity,
            title=section.title,
            meaning=MEANINGS[section.kind],
            mending=MENDING[section.kind],
            other_word=other_word(section.kind),
            count=section.count,
            new=section.new,
            mended=section.mended,
            mended_urls=[self._urls[url] for url in section.mended_urls],
            urls=[self._urls[finding.url] for finding in findings],
            statuses=[finding.status for finding in findings],
            details=[self._texts[finding.detail] for finding in findings],
            others=[self._urls[finding.other] for finding in findings],
            are_new=[int(bool(finding.is_new)) for finding in findings],
            referrer_counts=[finding.referrer_count for finding in findings],
            lists=[self._lists[tuple(finding.referrers)] for finding in findings],
        )

    def lists(self) -> ListsData:
        data = ListsData([0], [], [], [], [])
        hows: dict[tuple[int, int], int] = {}
        for referrers in self._lists:
            for referrer in referrers:
                data.pages.append(self._urls[referrer.url])
                how = self._texts[referrer.anchor], self._texts[_place(referrer)]
                data.hows.append(hows.setdefault(how, len(hows)))
            data.starts.append(len(data.pages))
        data.anchors.extend(anchor for anchor, _ in hows)
        data.places.extend(place for _, place in hows)
        return data


def _urls_in(report: SiteReport, findings: Iterable[Finding], lists: Iterable[tuple[Referrer, ...]]) -> Iterator[str]:
    yield ""
    for finding in findings:
        yield finding.url
        yield finding.other
    for section in report.sections:
        yield from section.mended_urls
    for referrers in lists:
        for referrer in referrers:
            yield referrer.url


def _texts_in(findings: Iterable[Finding], lists: Iterable[tuple[Referrer, ...]]) -> Iterator[str]:
    yield ""
    for finding in findings:
        yield finding.detail
    for referrers in lists:
        for referrer in referrers:
            yield referrer.anchor
            yield _place(referrer)


def _place(referrer: Referrer) -> str:
    return f"{referrer.place} {referrer.rel}".strip()


def _shared(one: str, following: str) -> int:
    """How many characters both begin with; ASCII only, which Python and JavaScript count alike."""
    lengths = range(1, min(len(one), len(following)) + 1)
    shared = bisect_left(lengths, True, key=lambda length: one[:length] != following[:length])
    return shared if one[:shared].isascii() else 0


def _as_people_sort(text: str) -> tuple[list[str | float], str]:
    """Numbers in a text by their value: 9.5 MB before 10 MB. Words and numbers alternate, so that both compare."""
    parts: list[str | float] = [*_NUMBER.split(text.casefold())]
    for at in range(1, len(parts), 2):
        parts[at] = float(str(parts[at]).replace(",", "")[:_MOST_DIGITS])
    return parts, text
