"""What is found wrong with a site, as data: `weft report --site --json` prints a `SiteReport`.

docs/site-quality.md says what each kind means and how to fix it; a test keeps its table equal to `FindingKind`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from weft.errors import BadInput
from weft.stats.figures import Count


class FindingKind(StrEnum):
    """What can be wrong, in the order of the report. The first word names a group, as in `--fail-on broken`."""

    BROKEN_LINK = "broken-link"
    BROKEN_EXTERNAL = "broken-external"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_CHAIN = "redirect-chain"
    REDIRECT_LINK = "redirect-link"
    MIXED_CONTENT = "mixed-content"
    ROBOTS_LINKED = "robots-linked"
    NOINDEX_LINKED = "noindex-linked"
    CANONICAL_BROKEN = "canonical-broken"
    CANONICAL_REDIRECT = "canonical-redirect"
    CANONICAL_NOINDEX = "canonical-noindex"
    CANONICAL_CHAIN = "canonical-chain"
    CANONICAL_OUTSIDE = "canonical-outside"
    HREFLANG_CODE = "hreflang-code"
    HREFLANG_BROKEN = "hreflang-broken"
    HREFLANG_RETURN = "hreflang-return"
    HREFLANG_SELF = "hreflang-self"
    TITLE_MISSING = "title-missing"
    TITLE_DUPLICATE = "title-duplicate"
    DESCRIPTION_MISSING = "description-missing"
    DESCRIPTION_DUPLICATE = "description-duplicate"
    H1_MISSING = "h1-missing"
    H1_DUPLICATE = "h1-duplicate"
    H1_SEVERAL = "h1-several"
    ALT_MISSING = "alt-missing"
    SCRIPT_PAGE = "script-page"
    SLOW_PAGE = "slow-page"
    LARGE_PAGE = "large-page"
    LARGE_FILE = "large-file"
    DEEP_PAGE = "deep-page"
    ORPHAN_PAGE = "orphan-page"
    SITEMAP_MISSING = "sitemap-missing"


class Severity(StrEnum):
    """How much it matters to those who visit the site."""

    ERROR = "error"  # visitors meet it
    WARNING = "warning"  # search engines do, or visitors wait
    NOTICE = "notice"  # worth a look


_ERRORS: Final = frozenset((
    FindingKind.BROKEN_LINK, FindingKind.BROKEN_EXTERNAL, FindingKind.REDIRECT_LOOP, FindingKind.MIXED_CONTENT,
    FindingKind.CANONICAL_BROKEN, FindingKind.HREFLANG_BROKEN,
))  # fmt: skip
_NOTICES: Final = frozenset((
    FindingKind.REDIRECT_LINK, FindingKind.NOINDEX_LINKED, FindingKind.CANONICAL_OUTSIDE, FindingKind.H1_SEVERAL,
    FindingKind.H1_DUPLICATE, FindingKind.HREFLANG_SELF, FindingKind.SCRIPT_PAGE, FindingKind.LARGE_FILE,
    FindingKind.DEEP_PAGE, FindingKind.SITEMAP_MISSING, FindingKind.DESCRIPTION_MISSING,
    FindingKind.DESCRIPTION_DUPLICATE, FindingKind.ROBOTS_LINKED,
))  # fmt: skip

TITLES: Final = {
    FindingKind.BROKEN_LINK: "Broken links",
    FindingKind.BROKEN_EXTERNAL: "Broken links to other sites",
    FindingKind.REDIRECT_LOOP: "Redirects without end",
    FindingKind.REDIRECT_CHAIN: "Redirects in a row",
    FindingKind.REDIRECT_LINK: "Links to redirects",
    FindingKind.MIXED_CONTENT: "Insecure content on https pages",
    FindingKind.ROBOTS_LINKED: "Linked, but forbidden by robots.txt",
    FindingKind.NOINDEX_LINKED: "Linked, but noindex",
    FindingKind.CANONICAL_BROKEN: "Canonical URL is broken",
    FindingKind.CANONICAL_REDIRECT: "Canonical URL redirects",
    FindingKind.CANONICAL_NOINDEX: "Canonical URL is noindex",
    FindingKind.CANONICAL_CHAIN: "Canonical URL names another one",
    FindingKind.CANONICAL_OUTSIDE: "Canonical URL on another host",
    FindingKind.HREFLANG_CODE: "Invalid hreflang codes",
    FindingKind.HREFLANG_BROKEN: "hreflang to a URL that is no page",
    FindingKind.HREFLANG_RETURN: "hreflang without a link back",
    FindingKind.HREFLANG_SELF: "hreflang without the page itself",
    FindingKind.TITLE_MISSING: "Pages without a title",
    FindingKind.TITLE_DUPLICATE: "Pages with the same title",
    FindingKind.DESCRIPTION_MISSING: "Pages without a description",
    FindingKind.DESCRIPTION_DUPLICATE: "Pages with the same description",
    FindingKind.H1_MISSING: "Pages without an h1",
    FindingKind.H1_DUPLICATE: "Pages with the same h1",
    FindingKind.H1_SEVERAL: "Pages with several h1",
    FindingKind.ALT_MISSING: "Images without alt",
    FindingKind.SCRIPT_PAGE: "Pages that only scripts fill",
    FindingKind.SLOW_PAGE: "Slow pages",
    FindingKind.LARGE_PAGE: "Large pages",
    FindingKind.LARGE_FILE: "Large files",
    FindingKind.DEEP_PAGE: "Pages many clicks away",
    FindingKind.ORPHAN_PAGE: "In the sitemap, but not linked",
    FindingKind.SITEMAP_MISSING: "Linked, but not in the sitemap",
}


class Referrer(msgspec.Struct, frozen=True):
    """A page that refers to the URL of a finding."""

    url: str
    anchor: str = ""  # its first words there
    place: str = ""  # what kind of reference: link, frame, embed, redirect, sitemap …
    rel: str = ""  # nofollow, ugc, sponsored


class Finding(msgspec.Struct, frozen=True):
    """One thing to fix. It is the same as one of an earlier crawl if kind and URL are."""

    kind: FindingKind
    url: str
    status: int = 0  # of the URL; 0 when no answer came, or nobody asked
    detail: str = ""  # what is wrong, in words
    other: str = ""  # another URL that has to do with it: where a redirect ends, what a page calls canonical
    is_new: bool | None = None  # beside an earlier crawl
    referrer_count: int = 0
    referrers: list[Referrer] = []  # perhaps not all of them


class Section(msgspec.Struct, frozen=True):
    """All findings of a kind."""

    kind: FindingKind
    severity: Severity
    title: str
    count: int
    new: int | None = None  # beside an earlier crawl …
    fixed: int | None = None  # … and of its findings those that are gone
    fixed_urls: list[str] = []
    findings: list[Finding] = []  # perhaps not all of them


class SiteReport(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. Sections without findings are left out, unless something of them was fixed."""

    verdict: str
    first_seed: str
    first_visit: str  # such as 2026-01-31T12:00:00Z
    last_visit: str
    since: str = ""  # the folder of the earlier crawl
    urls: int = 0  # visited
    pages: int = 0  # of them, HTML pages with a 2xx answer
    links: int = 0
    total: int = 0  # findings
    external_checked: int | None = None  # URLs of other sites that were asked for; None: nobody asked
    statuses: list[Count] = []  # of visits, by HTTP status or failure
    clicks: list[Count] = []  # pages by clicks from a seed
    waits: list[Count] = []  # pages by seconds to the first byte
    sizes: list[Count] = []  # pages by size
    sections: list[Section] = []


def severity_of(kind: FindingKind) -> Severity:
    """How much a kind of finding matters."""
    if kind in _ERRORS:
        return Severity.ERROR
    return Severity.NOTICE if kind in _NOTICES else Severity.WARNING


def kinds_named(names: str) -> frozenset[FindingKind]:
    """The kinds that a list such as `broken,title-missing` means: kinds, groups of them, severities, or `any`."""
    found: set[FindingKind] = set()
    for name in (part.strip() for part in names.split(",")):
        meant = {
            kind
            for kind in FindingKind
            if name in ("any", kind, kind.split("-")[0]) or name.removesuffix("s") == severity_of(kind)
        }
        if not meant:
            raise BadInput(f"there is no kind of finding named {name!r}; docs/site-quality.md lists them")
        found |= meant
    return frozenset(found)
