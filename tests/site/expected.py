"""What is wrong with the planted site, written by hand."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tests.site.planted import SPACED, PlantedSite
from weft.site.findings import FindingKind

K = FindingKind


class Planted(msgspec.Struct, frozen=True):
    """What has to be found."""

    kind: FindingKind
    url: str
    status: int = 200
    other: str = ""
    detail: str | None = None  # None: not looked at


def planted_on(site: PlantedSite) -> Iterator[Planted]:
    """What has to be found there, in the order of the report."""
    yield from (
        Planted(K.BROKEN_LINK, "/gone", 404),
        Planted(K.BROKEN_LINK, "/removed", 410),
        Planted(K.BROKEN_LINK, "/crash", 500),
        Planted(K.BROKEN_LINK, "/cut", 0, detail="reset"),
        Planted(K.BROKEN_LINK, "/login", 401),
        Planted(K.BROKEN_LINK, "/gone.png", 404),
        Planted(K.BROKEN_LINK, "/gone.css", 404),
        Planted(K.BROKEN_LINK, "/gone-frame", 404),
        Planted(K.BROKEN_LINK, "/gone-refresh", 404),
        Planted(K.BROKEN_LINK, "/gone-behind-a-redirect", 404),
        Planted(K.BROKEN_LINK, "/gone-from-the-map", 404),
        Planted(K.BROKEN_LINK, "/gone-canonical", 404),
        Planted(K.BROKEN_LINK, "/gone-version", 404),
        Planted(K.BROKEN_LINK, "/gone-area", 404),
        Planted(K.BROKEN_LINK, SPACED, 404),
        Planted(K.BROKEN_EXTERNAL, f"{site.other}/nothing", 404),
        Planted(K.BROKEN_EXTERNAL, f"{site.other}/lost", 410, f"{site.other}/nothing-there"),
        Planted(K.BROKEN_EXTERNAL, site.nowhere, 0, detail="dns-not-found"),
        Planted(K.REDIRECT_LOOP, "/round-1", 301, site.url("/round-1")),
        Planted(K.REDIRECT_LOOP, "/myself", 301, site.url("/myself")),
        Planted(K.REDIRECT_LOOP, "/to-the-round", 301, site.url("/round-2")),
        Planted(K.REDIRECT_CHAIN, "/one", 301, site.url("/faq")),
        Planted(K.REDIRECT_CHAIN, "/two", 301, site.url("/faq")),
        Planted(K.REDIRECT_CHAIN, "/out-1", 301, f"{site.other}/fine"),
        Planted(K.REDIRECT_LINK, "/old", 301, site.url("/new"), "ends with 200"),
        Planted(K.REDIRECT_LINK, "/one", 301, site.url("/faq"), "ends with 200"),
        Planted(K.REDIRECT_LINK, "/two", 301, site.url("/faq"), "ends with 200"),
        Planted(K.REDIRECT_LINK, "/to-gone", 301, site.url("/gone-behind-a-redirect"), "ends with 404"),
        Planted(K.REDIRECT_LINK, "/out-1", 301, f"{site.other}/fine", "ends with not visited"),
        Planted(K.MIXED_CONTENT, f"{site.secure}/mixed", other=f"{site.base}/logo.png"),
        Planted(K.MIXED_CONTENT, f"{site.secure}/mixed-frame", other=f"{site.base}/faq"),
        Planted(K.ROBOTS_LINKED, "/private/plans", 0),
        Planted(K.NOINDEX_LINKED, "/hidden"),
        Planted(K.NOINDEX_LINKED, "/hidden-by-header"),
        Planted(K.NOINDEX_LINKED, "/t-noindex"),
        Planted(K.NOINDEX_LINKED, "/next-hidden"),
        Planted(K.CANONICAL_BROKEN, "/c-broken", other=site.url("/gone-canonical")),
        Planted(K.CANONICAL_REDIRECT, "/c-redirect", other=site.url("/old")),
        Planted(K.CANONICAL_NOINDEX, "/c-noindex", other=site.url("/hidden")),
        Planted(K.CANONICAL_CHAIN, "/c-chain", other=site.url("/c-link")),
        Planted(K.CANONICAL_OUTSIDE, "/c-outside", other=f"{site.other}/fine"),
        Planted(K.CANONICAL_OUTSIDE, "/c-secure", other=f"{site.secure}/fine"),
        Planted(K.HREFLANG_CODE, "/h-code", detail="en-UK, german"),
        Planted(K.HREFLANG_BROKEN, "/h-broken", other=site.url("/gone-version")),
        Planted(K.HREFLANG_BROKEN, "/h-redirect", other=site.url("/old")),
        Planted(K.HREFLANG_RETURN, "/h-return", other=site.url("/faq")),
        Planted(K.HREFLANG_SELF, "/h-self"),
        Planted(K.TITLE_MISSING, "/t-none"),
        Planted(K.TITLE_MISSING, "/t-blank"),
        Planted(K.TITLE_MISSING, "/t-svg"),
        Planted(K.TITLE_DUPLICATE, "/t-same-1"),
        Planted(K.TITLE_DUPLICATE, "/t-same-2"),
        Planted(K.DESCRIPTION_MISSING, "/d-none"),
        Planted(K.DESCRIPTION_MISSING, "/d-blank"),
        Planted(K.DESCRIPTION_MISSING, "/d-og"),
        Planted(K.DESCRIPTION_DUPLICATE, "/d-same-1"),
        Planted(K.DESCRIPTION_DUPLICATE, "/d-same-2"),
        Planted(K.H1_MISSING, "/h1-none"),
        Planted(K.H1_MISSING, "/h1-comment"),
        Planted(K.H1_DUPLICATE, "/h1-same-1"),
        Planted(K.H1_DUPLICATE, "/h1-same-2"),
        Planted(K.H1_SEVERAL, "/h1-three", detail="3 h1"),
        Planted(K.ALT_MISSING, "/no-alt", detail="2 of 5 images"),
        Planted(K.SCRIPT_PAGE, "/app"),
        Planted(K.SLOW_PAGE, "/slow"),
        Planted(K.LARGE_PAGE, "/large", detail="1.1 MB"),
        Planted(K.LARGE_FILE, "/film.zip", detail="10.1 MB"),
        Planted(K.DEEP_PAGE, "/deep-5", detail="5 clicks from a seed"),
        Planted(K.ORPHAN_PAGE, "/alone"),
        Planted(K.ORPHAN_PAGE, "/alone-by-itself"),
        Planted(K.ORPHAN_PAGE, "/alone-by-relation"),
        Planted(K.SITEMAP_MISSING, "/unmapped"),
    )  # fmt: skip
