"""Reports to make pages of: one like an ordinary site's, one of any size, one whose strings are hostile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.site.findings import TITLES, Finding, FindingKind, Referrer, Section, SiteReport, severity_of
from weft.stats.figures import Count
from weft.stats.tally import percent_of

START = "https://shop.example/"


def section(
    kind: FindingKind, findings: Sequence[Finding], count: int | None = None, fixed: Sequence[str] = ()
) -> Section:
    """All findings of a kind, or the first of them."""
    are_compared = any(finding.is_new is not None for finding in findings)
    return Section(
        kind,
        severity_of(kind),
        TITLES[kind],
        len(findings) if count is None else count,
        sum(finding.is_new is True for finding in findings) if are_compared else None,
        len(fixed) if are_compared else None,
        list(fixed),
        list(findings),
    )


def counts(**named: int) -> list[Count]:
    """A table; `_` stands for a space."""
    total = sum(named.values())
    return [Count(name.replace("_", " ").strip(), count, percent_of(count, total)) for name, count in named.items()]


def report(sections: Iterable[Section], since: str = "", first_seed: str = START) -> SiteReport:
    """A whole one."""
    sections = list(sections)
    total = sum(section.count for section in sections)
    return SiteReport(
        verdict=f"1,204 pages and 48,112 links looked at; {total:,} findings.",
        first_seed=first_seed,
        first_visit="2026-01-31T12:00:05Z",
        last_visit="2026-01-31T12:41:52Z",
        since=since,
        urls=1_377,
        pages=1_204,
        links=48_112,
        total=total,
        statuses=counts(_200=1_204, _301=88, _404=61, _302=12, _500=9, timeout=3),
        clicks=counts(_0=1, _1=24, _2=310, _3=655, _4=180, _5=22, _6=7, _7=3, not_linked=2),
        waits=[*counts(), *(Count(name, count, 0.0) for name, count in _WAITS)],
        sizes=[Count(name, count, 0.0) for name, count in _SIZES],
        sections=sections,
    )


_WAITS = (
    ("up to 0.1 s", 512), ("to 0.2 s", 401), ("to 0.5 s", 205), ("to 1 s", 62),
    ("to 2 s", 17), ("to 5 s", 6), ("more", 1),
)  # fmt: skip
_SIZES = (
    ("up to 10 KB", 120), ("to 50 KB", 830), ("to 100 KB", 190), ("to 500 KB", 58),
    ("to 1 MB", 3), ("to 5 MB", 3), ("more", 0),
)  # fmt: skip


def referrers(count: int, anchor: str = "Read more") -> list[Referrer]:
    """Pages that refer to something."""
    return [
        Referrer(f"{START}guides/page-{at}", f"{anchor} {at}", "link", "nofollow" if at % 4 == 3 else "")
        for at in range(count)
    ]


def ordinary(since: str = "") -> SiteReport:
    """A shop with faults."""
    is_new = None if not since else False
    broken = [
        Finding(
            FindingKind.BROKEN_LINK,
            f"{START}{name}",
            status,
            detail,
            is_new=is_new if at else (True if since else None),
            referrer_count=pages,
            referrers=referrers(min(pages, 150)),
        )
        for at, (name, status, detail, pages) in enumerate((
            ("terms-2019.html", 404, "", 1_204), ("products/blue-teapot", 410, "", 31),
            ("search?q=teapots&page=2", 500, "", 12), ("status", 0, "timeout", 3),
            *((f"archive/2021/post-{at}.html", 404, "", 9 - at % 9) for at in range(57)),
        ))
    ]  # fmt: skip
    chain = [
        Finding(
            FindingKind.REDIRECT_CHAIN,
            f"{START}old/{at}",
            301,
            f"2 steps: → {START}new/{at} → {START}newest/{at}",
            f"{START}newest/{at}",
            is_new,
            2,
            referrers(2, "Old"),
        )
        for at in range(4)
    ]
    alike = [
        Finding(
            FindingKind.TITLE_DUPLICATE, f"{START}teapots?colour={colour}", 200, "3 pages: Teapots of all sizes – Shop",
            f"{START}teapots?colour=red", is_new, 5, referrers(5, "Colour"),
        )
        for colour in ("red", "green", "blue")
    ]  # fmt: skip
    slow = [
        Finding(
            FindingKind.SLOW_PAGE, f"{START}reports/{seconds}", 200, f"{seconds:.2f} s to the first byte", "", is_new
        )
        for seconds in (12.5, 9.75, 2.0)
    ]
    bare = [
        Finding(
            FindingKind.DESCRIPTION_MISSING, f"{START}products/{at}", 200, "", "", is_new, 1, referrers(1, "Product")
        )
        for at in range(320)
    ]
    mixed = [
        Finding(
            FindingKind.MIXED_CONTENT, f"{START}blog/{at}", 200, "1 thing loaded over http",
            "http://cdn.example/logo.png", is_new, 2, referrers(2, "Blog"),
        )
        for at in range(6)
    ]  # fmt: skip
    kinds = (
        section(FindingKind.BROKEN_LINK, broken, fixed=[f"{START}gone"] if since else ()),
        section(FindingKind.REDIRECT_CHAIN, chain),
        section(FindingKind.MIXED_CONTENT, mixed),
        section(FindingKind.TITLE_DUPLICATE, alike),
        section(FindingKind.DESCRIPTION_MISSING, bare),
        section(FindingKind.SLOW_PAGE, slow),
    )
    return report(kinds, since)


def large(findings: int, referrers_each: int = 5) -> SiteReport:
    """A site of this many findings of all kinds, each with referrers; the newest one has a name of its own."""
    kinds = list(FindingKind)
    by_kind: dict[FindingKind, list[Finding]] = {kind: [] for kind in kinds}
    for at in range(findings):
        # The first kind has half of all, as a table of that many rows is what is hard to show.
        kind = kinds[0] if at % 2 else kinds[at // 2 % len(kinds)]
        url = f"{START}catalogue/{at % 97}/{at % 1_009}/article-{at:06d}.html?session={at * 2_654_435_761 % 2**32:08x}"
        pages = [
            Referrer(f"{START}catalogue/list-{(at * 7 + one) % (findings // 2 + 1)}.html", f"Article {at}", "link")
            for one in range(referrers_each)
        ]
        by_kind[kind].append(
            Finding(kind, url, 404, f"{at % 977 / 10:.1f} s", "", None, referrers_each + at % 50, pages)
        )
    return report(section(kind, some) for kind, some in by_kind.items() if some)
