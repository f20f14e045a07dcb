"""What each kind of finding means, and how it is fixed: one sentence each."""

from __future__ import annotations

from typing import Final

from weft.site.findings import FindingKind

MEANINGS: Final = {
    FindingKind.BROKEN_LINK: "A link leads to a URL that answers with an error, or not at all.",
    FindingKind.BROKEN_EXTERNAL: "A link leads to a URL of another site that answers with an error, or not at all.",
    FindingKind.REDIRECT_LOOP: "Redirects lead back to where they began, so that no visitor arrives.",
    FindingKind.REDIRECT_CHAIN: "A redirect leads to another redirect: each step costs visitors a round trip.",
    FindingKind.REDIRECT_LINK: "A link leads to a URL that only redirects to another one.",
    FindingKind.MIXED_CONTENT: "A page that is read over https loads things over http: browsers block them, or warn.",
    FindingKind.ROBOTS_LINKED: "Pages link to a URL that robots.txt forbids to crawlers.",
    FindingKind.NOINDEX_LINKED: "Pages link to a page that asks search engines not to list it.",
    FindingKind.CANONICAL_BROKEN: "A page calls a URL its canonical one that answers with an error, or not at all.",
    FindingKind.CANONICAL_REDIRECT: "A page calls a URL its canonical one that redirects elsewhere.",
    FindingKind.CANONICAL_NOINDEX: "A page calls a page its canonical one that asks search engines not to list it.",
    FindingKind.CANONICAL_CHAIN: "A page's canonical URL is a page that names yet another one.",
    FindingKind.CANONICAL_OUTSIDE: "A page's canonical URL is on another host, which search engines will list instead.",
    FindingKind.HREFLANG_CODE: "A page names its versions in other languages by codes that do not exist.",
    FindingKind.HREFLANG_BROKEN: "A page names a version in another language that is no page: an error, or a redirect.",
    FindingKind.HREFLANG_RETURN: "A page names a version in another language that does not name this page in turn.",
    FindingKind.HREFLANG_SELF: "A page names its versions in other languages, but not itself.",
    FindingKind.TITLE_MISSING: "A page has no title: search engines and browser tabs show its URL.",
    FindingKind.TITLE_DUPLICATE: "Several pages have the same title, so that they cannot be told apart in a list.",
    FindingKind.DESCRIPTION_MISSING: "A page has no description, so search engines choose a passage of it themselves.",
    FindingKind.DESCRIPTION_DUPLICATE: "Several pages have the same description.",
    FindingKind.H1_MISSING: "A page has no main heading (h1), by which readers and screen readers find their way.",
    FindingKind.H1_DUPLICATE: "Several pages have the same main heading (h1).",
    FindingKind.H1_SEVERAL: "A page has more than one main heading (h1).",
    FindingKind.ALT_MISSING: "A page has images without alternative text, which blind readers and search engines miss.",
    FindingKind.SCRIPT_PAGE: "A page has next to no text until its scripts have run.",
    FindingKind.SLOW_PAGE: "The server took more than a second until the first byte of its answer.",
    FindingKind.LARGE_PAGE: "The HTML of a page alone is larger than 1 MB.",
    FindingKind.LARGE_FILE: "A file that is no page is larger than 10 MB.",
    FindingKind.DEEP_PAGE: "A page is more than four clicks away from where the crawl began.",
    FindingKind.ORPHAN_PAGE: "A sitemap names a page that no other page links to.",
    FindingKind.SITEMAP_MISSING: "The site has a sitemap, but it does not name this page.",
}

FIXES: Final = {
    FindingKind.BROKEN_LINK: "Correct or remove the link where it stands, or redirect its URL to what replaced it.",
    FindingKind.BROKEN_EXTERNAL: "Try it in a browser, as some sites refuse programs; then correct or remove the link.",
    FindingKind.REDIRECT_LOOP: "Let the last redirect lead to a page that answers with 200.",
    FindingKind.REDIRECT_CHAIN: "Let the first redirect lead straight to where the last one ends.",
    FindingKind.REDIRECT_LINK: "Link to where the redirect ends.",
    FindingKind.MIXED_CONTENT: "Load them over https, or from the site itself.",
    FindingKind.ROBOTS_LINKED: "If it should be found, allow it in robots.txt; if not, this is as it should be.",
    FindingKind.NOINDEX_LINKED: "If it should be listed, remove noindex; if not, this is as it should be.",
    FindingKind.CANONICAL_BROKEN: "Name a URL that answers with 200, usually the page's own.",
    FindingKind.CANONICAL_REDIRECT: "Name the URL at which the redirect ends.",
    FindingKind.CANONICAL_NOINDEX: "Name a page that may be listed, or remove its noindex.",
    FindingKind.CANONICAL_CHAIN: "Name the last page of the chain.",
    FindingKind.CANONICAL_OUTSIDE: "If that is not meant, name the URL on this host.",
    FindingKind.HREFLANG_CODE: "Use a language such as de, a language and a region such as de-AT, or x-default.",
    FindingKind.HREFLANG_BROKEN: "Name the URL at which that version answers with 200.",
    FindingKind.HREFLANG_RETURN: "Add a link back to that version, or search engines ignore both.",
    FindingKind.HREFLANG_SELF: "Add the page itself to its list of versions.",
    FindingKind.TITLE_MISSING: "Give it a title that says in a few words what is on it.",
    FindingKind.TITLE_DUPLICATE: "Say in each title what only this page has; if they are one page, name one canonical.",
    FindingKind.DESCRIPTION_MISSING: "Add a meta description of one or two sentences.",
    FindingKind.DESCRIPTION_DUPLICATE: "Describe what only this page has, or leave the description out.",
    FindingKind.H1_MISSING: "Make its main heading an h1.",
    FindingKind.H1_DUPLICATE: "Say in each heading what only this page has.",
    FindingKind.H1_SEVERAL: "Keep one h1, and make the others h2.",
    FindingKind.ALT_MISSING: 'Say in alt what the image shows; alt="" if it is decoration.',
    FindingKind.SCRIPT_PAGE: "Let the server send the text, for readers and search engines that run no scripts.",
    FindingKind.SLOW_PAGE: "Look for what the server does meanwhile: queries, missing caches, other services.",
    FindingKind.LARGE_PAGE: "Split it, or move scripts, styles and images that stand in it to files of their own.",
    FindingKind.LARGE_FILE: "Compress it, or say its size beside the link.",
    FindingKind.DEEP_PAGE: "Link to it from a page nearer to the start.",
    FindingKind.ORPHAN_PAGE: "Link to it from a page that it belongs to, or remove it from the sitemap.",
    FindingKind.SITEMAP_MISSING: "Add it to the sitemap, or mark it noindex if it should not be found.",
}

# What `Finding.other` is to the URL, by the group of the kind.
_OTHERS: Final = {
    "broken": "ended at", "redirect": "ends at", "mixed": "loads", "canonical": "canonical", "hreflang": "version",
    "title": "also", "description": "also", "h1": "also",
}  # fmt: skip


def other_word(kind: FindingKind) -> str:
    """What stands before the other URL of a finding."""
    return _OTHERS.get(kind.split("-")[0], "")
