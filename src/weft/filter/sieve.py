"""What is left of a page's links: those that no filter refuses and that were not just reported."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

import msgspec

from weft.filter.chain import FilterChain
from weft.filter.folders import folder_of
from weft.filter.reach import Reach
from weft.filter.reported import Reported, ReportedUrls
from weft.filter.strip_query import Strip
from weft.filter.trail import Trail
from weft.members import GUESS
from weft.types import COUNTED_ONLY, HOP_OF, MAX_HOPS, FoundLink, Kind, Link, Refusal, RefusedLink
from weft.url import host_of, id_of, is_own_request, url_id
from weft.url.ids import identity

REMEMBERED_REFUSALS = 5_000  # of each of two generations
REMEMBERED_GUESSES = 5_000  # likewise
# A page of more links is reported in parts, so that neither side has to hold them all at once.
LINKS_PER_PART = 500
BODY_BYTES_PER_PART = 4 * 1024 * 1024  # likewise, of what requests send

Report = Callable[[list[FoundLink], list[RefusedLink]], None]


class Told:
    """What became of a page's links, where it is not that they passed: which most do, so nothing is done for those.

    One that is merely too deep counts as passed: that depends on the way by which the page was found, and it may be a
    page of the crawl on another.
    """

    __slots__ = ("refused", "settled", "too_deep")

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.settled: dict[str, str] = {}  # asked for by another URL: without a session id
        self.too_deep: list[str] = []

    def passed(self, urls: Iterable[str]) -> list[str]:
        """Of these links those that passed, each once, as they are asked for."""
        if self.settled:
            urls = dict.fromkeys(self.settled.get(url, url) for url in urls)
        return [url for url in urls if url not in self.refused] if self.refused else list(urls)


class LinkSieve:
    """Steps 1 and 2 for one worker.

    A link that this worker reported before, at the same depth or nearer, is left out: the engine commits a worker's
    reports in their order, so the earlier one is committed before this page is, or neither is. `outside` are
    links known to be out of scope, which need not be judged again: the same few stand at the foot of every page.
    A link that belongs to the crawl and is refused is reported once likewise, with the rule that refuses it.
    """

    def __init__(
        self,
        chain: FilterChain,
        report: Report | None = None,
        outside: Container[str] = (),
        *,
        strip: Strip | None = None,
        reported: Reported | None = None,
    ) -> None:
        self._chain = chain
        self._strip = strip
        reach = next((rule for rule in chain if isinstance(rule, Reach) and rule.counts_steps), None)
        self._beyond = None if reach is None else reach.beyond
        self._report = report
        self._young_refused: set[str] = set()
        self._old_refused: set[str] = set()
        self._reported = ReportedUrls() if reported is None else reported
        self._guessed = ReportedUrls(REMEMBERED_GUESSES)  # apart: a link to one of them is news
        self._outside = outside

    def sift(
        self,
        page: Link,
        urls: Iterable[tuple[str, Kind, int]],
        redirects: int = 0,
        trail: Trail | None = None,
        told: Told | None = None,
        may_be_kept_back: bool = False,
    ) -> tuple[list[FoundLink], dict[Refusal, int], list[RefusedLink]]:
        """The links that the engine should hear of, how many were refused why, and which of those are to be listed.

        Where somebody takes reports, all but the last LINKS_PER_PART of them go there. Links from day to day of a
        calendar go to the trail instead: whether they are taken up is the engine's to say, so they are always told.
        The target of a redirect is always told, too: it may be asked for again once it has set a cookie.

        `told` hears which links do not pass. Those into its own folder of a page that `may_be_kept_back` by the engine,
        as it may be the same as those above it, count as not reported: another page's may be let pass.
        """
        found: list[FoundLink] = []
        refused: dict[Refusal, int] = {}
        listed: list[RefusedLink] = []
        known_outside = 0
        refuses_url, refuses_link = self._chain.refuses_url, self._chain.refuses_link
        hops_before = page.hops[1 - MAX_HOPS :]
        is_calendar = trail is not None and bool(trail.calendar)
        strip, steps_beyond, beyond = self._strip, self._beyond, 0
        depth_of, outside = self._reported.depth_of, self._outside
        kept_back = folder_of(page.url) if may_be_kept_back else None
        for url, kind, depth in urls:
            if strip is not None and "?" in url and (bare := strip(url)) != url:
                if told is not None:
                    told.settled[url] = bare
                url = bare
            if url in outside:  # first, as nothing of it was ever reported: it is most of what the scanner leaves
                known_outside += 1
                if told is not None:
                    told.refused.add(url)
                continue
            reported_at = depth_of(url)
            if reported_at is not None and reported_at <= depth and not redirects:
                continue
            if kind is GUESS and (guessed_at := self._guessed.depth_of(url)) is not None and guessed_at <= depth:
                continue
            host = host_of(url)
            if trail is not None and ("=" in url or "(" in url) and (settled := trail.settled(url, host)) != url:
                if told is not None:
                    told.settled[url] = settled
                url = settled  # all that follows is about the URL that is asked for
                reported_at = depth_of(url)
                if reported_at is not None and reported_at <= depth and not redirects:
                    continue
            if steps_beyond is not None:
                beyond = steps_beyond(page, url, kind)
            refusal = refuses_url(url, host, depth)
            if refusal is None:
                link = Link(
                    url, depth, kind, page.url, redirects, 0, 0.0, hops_before + HOP_OF[kind], page.seed, beyond=beyond
                )
                refusal = refuses_link(link)
            if told is not None and refusal is not None:
                if refusal is Refusal.DEPTH:
                    told.too_deep.append(url)
                else:
                    told.refused.add(url)
            if refusal is not None:
                refused[refusal] = refused.get(refusal, 0) + 1
                if refusal not in COUNTED_ONLY and url not in self._young_refused and url not in self._old_refused:
                    link = Link(url, depth, kind, page.url, redirects, 0, 0.0, hops_before + HOP_OF[kind], page.seed)
                    listed = self._list(listed, link, host, refusal)
                continue
            if is_calendar and trail is not None and trail.is_walk(url):
                trail.walk.append(FoundLink(url_id(url, host), host, link))
                continue
            if self._report is not None and len(found) == LINKS_PER_PART:
                self._report(found, [])
                found = []
            found.append(FoundLink(url_id(url, host), host, link))
            if kept_back is None or not url.startswith(kept_back):
                (self._guessed if kind is GUESS else self._reported).add(url, depth)
        if known_outside:
            refused[Refusal.SCOPE] = refused.get(Refusal.SCOPE, 0) + known_outside
        return found, refused, listed

    def ask(self, links: Iterable[Link]) -> tuple[list[FoundLink], dict[Refusal, int], list[RefusedLink]]:
        """As `sift`, of links that a user's function asks for: each is told, and none goes to a trail."""
        found: list[FoundLink] = []
        refused: dict[Refusal, int] = {}
        listed: list[RefusedLink] = []
        body_bytes = 0
        for link in links:
            if (refusal := self._chain.refuses(link)) is None:
                body_bytes += len(link.parts.body) if link.parts is not None else 0
                if self._report is not None and (len(found) == LINKS_PER_PART or body_bytes > BODY_BYTES_PER_PART):
                    self._report(found, [])
                    found, body_bytes = [], 0
                host = host_of(link.url)
                found.append(FoundLink(id_of(link, host), host, link))
                continue
            refused[refusal] = refused.get(refusal, 0) + 1
            if refusal not in COUNTED_ONLY:
                listed = self._list(listed, without_body(link), host_of(link.url), refusal)
        return found, refused, listed

    def passed(self, link: Link) -> FoundLink | None:
        """A link that no page has, if no filter refuses it."""
        return None if self._chain.refuses(link) else FoundLink(url_id(link.url), host_of(link.url), link)

    def _list(self, listed: list[RefusedLink], link: Link, host: str, reason: Refusal) -> list[RefusedLink]:
        """The refused links that are still to be reported, now with this one, if it belongs to the crawl."""
        if not self._chain.is_in_scope(link):
            return listed
        if self._report is not None and len(listed) == LINKS_PER_PART:
            self._report([], listed)
            listed = []
        listed.append(RefusedLink(id_of(link, host), host, link, reason, self._chain.rule_of(link)))
        if not is_own_request(link.parts):
            self._young_refused.add(link.url)
        if len(self._young_refused) >= REMEMBERED_REFUSALS:
            self._old_refused = self._young_refused
            self._young_refused = set()
        return listed


def without_body(link: Link) -> Link:
    """A link as it may be listed: what its request says is nobody's business."""
    return link if link.parts is None else msgspec.structs.replace(link, parts=identity(link.parts))
