"""A report as the page's script reads it: strings once, in order, and everything else as columns of numbers.

urls    sorted, each without what it shares with the one before; so to sort by URL is to sort by number
texts   details, anchors and places, sorted as people sort numbers in text; the same holds
lists   referrers of a URL, once for all kinds of findings that it has
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TypeVar

import msgspec

from weft.regex import regex
from weft.site.findings import FindingKind, Referrer, Section, Severity, SiteReport
from weft.site.fixing import FIXES, MEANINGS, other_word
from weft.stats.figures import Count

_Value = TypeVar("_Value")
_NUMBER = regex(r"(\d[\d,]*(?:\.\d+)?)")
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
    fixing: str
    other_word: str
    count: int
    new: int | None
    fixed: int | None
    fixed_urls: list[int]
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
    strings = _Strings(report)
    return PageData(
        verdict=report.verdict,
        first_seed=report.first_seed,
        first_visit=report.first_visit,
        last_visit=report.last_visit,
        since=report.since.encode(errors="replace").decode(),  # the name of a folder may be no text
        visited=report.urls,
        pages=report.pages,
        links=report.links,
        total=report.total,
        external_checked=report.external_checked,
        statuses=report.statuses,
        clicks=report.clicks,
        waits=report.waits,
        sizes=report.sizes,
        url_shared=(shared := [_shared(one, following) for one, following in pairwise(["", *strings.urls])]),
        url_rest=[url[length:] for url, length in zip(strings.urls, shared, strict=True)],
        texts=list(strings.texts),
        lists=strings.pack_lists(),
        sections=[strings.pack(section) for section in report.sections],
    )


class _Strings:
    """The number of each string, list of referrers, and way to refer."""

    def __init__(self, report: SiteReport) -> None:
        findings = [finding for section in report.sections for finding in section.findings]
        urls, texts = {""}, {""}
        for section in report.sections:
            urls.update(section.fixed_urls)
        for finding in findings:
            urls.update((finding.url, finding.other))
            texts.add(finding.detail)
        self.lists = _numbered(dict.fromkeys(tuple(finding.referrers) for finding in findings))
        for referrers in self.lists:
            urls.update([referrer.url for referrer in referrers])
        self.hows = _numbered(dict.fromkeys(_how(each) for referrers in self.lists for each in referrers))
        for anchor, place, rel in self.hows:
            texts.update((anchor, _place(place, rel)))
        self.urls = _numbered(sorted(urls))
        self.texts = _numbered(sorted(texts, key=_as_people_sort))

    def pack(self, section: Section) -> SectionData:
        findings = section.findings
        return SectionData(
            kind=section.kind,
            severity=section.severity,
            title=section.title,
            meaning=MEANINGS[section.kind],
            fixing=FIXES[section.kind],
            other_word=other_word(section.kind),
            count=section.count,
            new=section.new,
            fixed=section.fixed,
            fixed_urls=[self.urls[url] for url in section.fixed_urls],
            urls=[self.urls[finding.url] for finding in findings],
            statuses=[finding.status for finding in findings],
            details=[self.texts[finding.detail] for finding in findings],
            others=[self.urls[finding.other] for finding in findings],
            are_new=[int(bool(finding.is_new)) for finding in findings],
            referrer_counts=[finding.referrer_count for finding in findings],
            lists=[self.lists[tuple(finding.referrers)] for finding in findings],
        )

    def pack_lists(self) -> ListsData:
        return ListsData(
            starts=[0, *accumulate(map(len, self.lists))],
            pages=[self.urls[each.url] for referrers in self.lists for each in referrers],
            hows=[self.hows[_how(each)] for referrers in self.lists for each in referrers],
            anchors=[self.texts[anchor] for anchor, _, _ in self.hows],
            places=[self.texts[_place(place, rel)] for _, place, rel in self.hows],
        )


def _numbered(values: Iterable[_Value]) -> dict[_Value, int]:
    return {value: number for number, value in enumerate(values)}


def _how(referrer: Referrer) -> tuple[str, str, str]:
    return referrer.anchor, referrer.place, referrer.rel


def _place(place: str, rel: str) -> str:
    return f"{place} {rel}".strip()


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
