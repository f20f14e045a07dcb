"""What one page says of itself, and what of it is worth fixing: pure decisions, a page at a time."""

from __future__ import annotations

from array import array
from typing import Final

from weft.site.alike import groups_alike
from weft.site.findings import FindingKind
from weft.site.found import Found
from weft.site.hreflang import Alternates, is_code
from weft.site.pages import CANDIDATE, HTML, NOINDEX, NOWHERE, Pages
from weft.stats.verdict import counted
from weft.types import PageFacts, PageRow
from weft.url import host_of

SLOW_S: Final = 1.0  # to the first byte
LARGE_PAGE_BYTES: Final = 1_000_000  # as received
LARGE_FILE_BYTES: Final = 10_000_000
DEEP_CLICKS: Final = 4  # more than this many clicks are far
# A page with next to no text and a script, or little text and many scripts, shows nothing until these have run.
EMPTY_WORDS, SOME_SCRIPTS = 10, 1
FEW_WORDS, MANY_SCRIPTS = 50, 5


def judge_visit(found: Found, number: int, row: PageRow, flags: int) -> None:
    """What the row of a visit shows."""
    if not 200 <= row.status < 300:
        return
    wait_s = row.timing.wait_s
    if wait_s > SLOW_S:
        found.add(FindingKind.SLOW_PAGE, number, f"{wait_s:.2f} s to the first byte", weight=wait_s)
    size = row.body_bytes
    if flags & HTML:
        if size > LARGE_PAGE_BYTES:
            found.add(FindingKind.LARGE_PAGE, number, f"{size / 1e6:.1f} MB", weight=size)
    elif size > LARGE_FILE_BYTES:
        found.add(FindingKind.LARGE_FILE, number, f"{size / 1e6:.1f} MB", weight=size)


class FactsJudge:
    """Hears the facts of all HTML pages, each once; some can be judged when all are known."""

    def __init__(self, found: Found, pages: Pages) -> None:
        self._found = found
        self._pages = pages
        self._descriptions = array("q", bytes(8 * len(pages)))
        self._h1s = array("q", bytes(8 * len(pages)))
        self._alternates = Alternates()
        self._canonical: dict[int, int] = {}  # of pages that name a visited one; bound: these

    def hear(self, number: int, facts: PageFacts) -> None:
        """What a page says."""
        url = self._pages.url(number)
        names_another = bool(facts.canonical) and facts.canonical != url
        if names_another:
            self._judge_canonical(number, facts.canonical, host_of(url))
        if facts.hreflangs:
            self._judge_alternates(number, url, facts.hreflangs)
        if facts.insecure:
            self._found.add(
                FindingKind.MIXED_CONTENT,
                number,
                f"{counted(len(facts.insecure), 'thing')} loaded over http",
                facts.insecure[0],
            )
        if not names_another and not self._pages.flags[number] & NOINDEX:
            self._pages.flags[number] |= CANDIDATE
            self._judge_texts(number, facts)
        if facts.images_without_alt:
            detail = f"{facts.images_without_alt:,} of {counted(facts.images, 'image')}"
            self._found.add(FindingKind.ALT_MISSING, number, detail)
        words, scripts = facts.words, facts.scripts
        if (scripts >= SOME_SCRIPTS and words < EMPTY_WORDS) or (scripts >= MANY_SCRIPTS and words < FEW_WORDS):
            detail = f"{counted(words, 'word')}, {counted(scripts, 'script')}"
            self._found.add(FindingKind.SCRIPT_PAGE, number, detail)

    def end(self) -> None:
        """All pages have been heard."""
        for page, target in self._canonical.items():
            if target in self._canonical and self._canonical[target] != target:
                self._found.add(FindingKind.CANONICAL_CHAIN, page, "names another page in turn", target)
        missing: dict[int, tuple[int, int]] = {}  # each page once: the first of its versions, and how many
        for page, other in self._alternates.not_returned():
            first, count = missing.get(page, (other, 0))
            missing[page] = first, count + 1
        for page, (other, count) in missing.items():
            detail = f"{counted(count, 'version')} without a link back"
            self._found.add(FindingKind.HREFLANG_RETURN, page, detail, other)
        flags = self._pages.flags
        titles = array(
            "q", (each if flag & CANDIDATE else 0 for each, flag in zip(self._pages.titles, flags, strict=True))
        )
        for kind, hashes in (
            (FindingKind.TITLE_DUPLICATE, titles),
            (FindingKind.DESCRIPTION_DUPLICATE, self._descriptions),
            (FindingKind.H1_DUPLICATE, self._h1s),
        ):
            for pages in groups_alike(hashes):
                for at, page in enumerate(pages):
                    self._found.add(kind, page, f"{len(pages):,} pages", pages[at - 1], weight=len(pages))

    def _judge_texts(self, number: int, facts: PageFacts) -> None:
        if not self._pages.titles[number]:
            self._found.add(FindingKind.TITLE_MISSING, number)
        if facts.description:
            self._descriptions[number] = hash(facts.description)
        else:
            self._found.add(FindingKind.DESCRIPTION_MISSING, number)
        if facts.h1:
            self._h1s[number] = hash(facts.h1)
        else:
            self._found.add(FindingKind.H1_MISSING, number)
        if facts.h1s > 1:
            self._found.add(FindingKind.H1_SEVERAL, number, f"{facts.h1s:,} h1", weight=facts.h1s)

    def _judge_canonical(self, number: int, canonical: str, host: str) -> None:
        target = self._pages.find_url(canonical)
        if target == NOWHERE:
            if host_of(canonical) != host:
                self._found.add(FindingKind.CANONICAL_OUTSIDE, number, "on another host", canonical)
            return
        self._canonical[number] = target
        if self._pages.is_broken(target):
            kind = FindingKind.CANONICAL_BROKEN
        elif self._pages.is_redirect(target):
            kind = FindingKind.CANONICAL_REDIRECT
        elif self._pages.flags[target] & NOINDEX:
            kind = FindingKind.CANONICAL_NOINDEX
        elif self._pages.host(target) != host:
            kind = FindingKind.CANONICAL_OUTSIDE
        else:
            return
        detail = "on another host" if kind is FindingKind.CANONICAL_OUTSIDE else self._pages.ended(target)
        self._found.add(kind, number, detail, target)

    def _judge_alternates(self, number: int, url: str, hreflangs: list[tuple[str, str]]) -> None:
        if bad := [code for code, _ in hreflangs if not is_code(code)]:
            self._found.add(FindingKind.HREFLANG_CODE, number, ", ".join(dict.fromkeys(bad)))
        others = {other for _, other in hreflangs}
        if url not in others:
            self._found.add(FindingKind.HREFLANG_SELF, number, "names others, not itself")
        targets = {self._pages.find_url(other) for other in sorted(others - {url})} - {NOWHERE}
        broken = [target for target in targets if not self._pages.flags[target] & HTML]
        if broken:
            more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
            self._found.add(FindingKind.HREFLANG_BROKEN, number, self._pages.ended(broken[0]) + more, broken[0])
        for target in targets.difference(broken):
            self._alternates.add(number, target)


def text_of(kind: FindingKind, row: PageRow | None, facts: PageFacts | None) -> str:
    """What pages of a kind of finding have in common."""
    if kind is FindingKind.TITLE_DUPLICATE:
        return row.title if row is not None else ""
    if facts is None:
        return ""
    return facts.description if kind is FindingKind.DESCRIPTION_DUPLICATE else facts.h1
