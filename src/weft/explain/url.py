"""A URL explained: each place where a row may tell of it is looked at, in the order in which a page goes its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from weft.explain import by_robots, in_queue
from weft.explain.admission import Admission, admission
from weft.explain.asked import Asked
from weft.explain.by_request import posted_to
from weft.explain.delay import delay_of
from weft.explain.found import found, linked
from weft.explain.log_tail import tries_of
from weft.explain.refusal import refused
from weft.explain.result import Counted, Linked, Refused, RobotsLine, State, Try, UrlExplanation, Visited, Wait, Waiting
from weft.explain.visit import visited
from weft.explain.waiting import CrawlNow, Surroundings, waiting
from weft.filter.session_ids import session_id_in
from weft.folder.history import UPDATE, decode_earlier
from weft.folder.page_rows import link_of
from weft.folder.reading import CrawlReader
from weft.folder.refused_rows import LINES_PER_RULE, decode_refused
from weft.pipeline.growing_scope import SEEDS
from weft.pipeline.sessions import first_version, proven_of
from weft.state.keys import authority_prefix, host_prefix
from weft.state.several import SeveralStates
from weft.stats.verdict import counted
from weft.types import Link, Refusal
from weft.url import host_of, origin_of, scheme_of, url_id

_decode_link = msgspec.msgpack.Decoder(Link).decode
_SLASH: Final = "/"
MOST_COUNTED: Final = 10_000  # of what waits anywhere


class _Told(NamedTuple):
    """What a row tells of a URL."""

    state: State
    words: str
    link: Link | None = None  # how it was found
    visited: Visited | None = None
    waiting: Waiting | None = None
    refused: Refused | None = None
    remarks: tuple[str, ...] = ()


class UrlExplainer:
    """Reads one crawl."""

    def __init__(
        self,
        reader: CrawlReader,
        crawl: CrawlNow,
        now: float,
        *,
        logs: Sequence[Path] = (),
        most_rows: int = in_queue.MOST_ROWS,
    ) -> None:
        self._reader = reader
        self._rows = reader.database
        self._config = reader.config
        self._crawl = crawl
        self._now = now
        self._logs = logs
        self._most_rows = most_rows  # of the queue that are read
        stored = self._rows.get("meta", SEEDS)
        self._scope_seeds: list[str] = (
            msgspec.msgpack.decode(stored, type=list[str]) if stored else list(self._config.seeds)
        )

    def explain(self, asked: Asked) -> UrlExplanation:
        """What has become of the URL, and why."""
        url = asked.url
        instead = self._fetched_instead(url)
        links = linked(self._reader, instead or url)
        told = self._told(instead or url, links)
        words, refusal = told.words, told.refused
        if instead:
            session = refused(Link(url, 1), Refusal.SESSION_ID, instead, self._config, [], None)
            words, refusal = f"{session.words}. That URL: {told.words}", refusal or session
        is_seed = url in self._config.seeds
        posted = [words_of] if (words_of := posted_to(self._rows, instead or url, self._most_rows)) else []
        return UrlExplanation(
            asked=asked.shown,
            url=url,
            changes=asked.changes,
            state=told.state,
            words=words,
            is_seed=is_seed,
            fetched_as=instead,
            found=found(self._reader, told.link, self._config.seeds) if told.link is not None else None,
            linked=None if links is not None and not links.count and _is_left_out(refusal) else links,
            visited=told.visited,
            waiting=told.waiting,
            tries=self._tries(instead or url, told),
            refused=refusal,
            remarks=["it is a seed of the crawl"] * (is_seed and told.link is None) + [*told.remarks, *posted],
        )

    def _fetched_instead(self, url: str) -> str:
        """The URL that stands for one with a session id; empty if it is asked for as it is."""
        session = session_id_in(url)
        if session is None or url in self._config.seeds or self._reader.row_of(url_id(url)) is not None:
            return ""
        host = host_of(url)
        settled = proven_of(self._rows, host).settled(url, host, "", 0)
        if settled == url:
            return ""
        first = first_version(self._rows, session.bare)
        row = self._reader.row_of(first) if first is not None else None
        return row.url if row is not None else settled

    def _told(self, url: str, links: Linked | None) -> _Told:
        return self._visited(url) or self._refused(url) or self._waiting(url) or self._never_found(url, links)

    # ── visited ────────────────────────────────────────────────────────────────────────────────────────

    def _visited(self, url: str) -> _Told | None:
        row = self._reader.row_of(url_id(url))
        if row is None:
            return None
        told = visited(self._reader, row)
        return _Told(State.VISITED, told.words, link_of(row), visited=told)

    # ── refused ────────────────────────────────────────────────────────────────────────────────────────

    def _refused(self, url: str) -> _Told | None:
        own_id, rows = url_id(url), self._rows
        forbidden = rows.get("forbidden", authority_prefix(origin_of(url)) + own_id)
        if forbidden is not None:
            row = decode_refused(forbidden)
            line = by_robots.forbidding(self._robots(url), url, row.rule)
            return self._says(row.link, Refusal.ROBOTS, row.rule, line)
        stored = rows.get("refused", host_prefix(host_of(url)) + own_id)
        if stored is not None:
            row = decode_refused(stored)
            if not row.withdrawn and (row.was_queued or rows.get("seen", own_id) is None):
                return self._says(row.link, row.reason, row.rule)
        if (over := rows.get("over", own_id)) is not None:
            link = _decode_link(over)
            return self._says(link, Refusal.DEPTH)
        return None

    def _says(self, link: Link, reason: Refusal, rule: str = "", line: RobotsLine | None = None) -> _Told:
        told = refused(link, reason, rule, self._config, self._scope_seeds, line)
        return _Told(State.REFUSED, told.words, link, refused=told)

    # ── waiting ────────────────────────────────────────────────────────────────────────────────────────

    def _waiting(self, url: str) -> _Told | None:
        own_id = url_id(url)
        if self._rows.get("seen", own_id) is None:
            return None
        look = in_queue.look_up(self._rows, url, self._most_rows)
        if look.place is None:
            over = in_queue.over_budget(self._rows, url, self._most_rows)
            if over.place is not None:
                return self._says(over.place.link, Refusal.HOST_BUDGET)
        if look.place is None and not look.is_cut:
            return self._not_listed(url)
        told = waiting(url, look.place, self._config, self._surroundings(url))
        link = look.place.link if look.place is not None else None
        return _Told(State.WAITING, told.words, link, waiting=told, remarks=tuple(self._around(own_id, told)))

    def _not_listed(self, url: str) -> _Told:
        """It has left the queue, and has no row: one of very many that a rule refused when their turn had come."""
        would = admission(self._rows, Link(url, 1), self._config, self._scope_seeds, self._robots(url))
        words = (
            f"found and left out: a rule that refuses more than {LINES_PER_RULE:,} URLs of a host lists no more of them"
        )
        why = f"; it would be {would.refused.words}" if would.refused is not None else ""
        return _Told(State.REFUSED, words + why, refused=would.refused, remarks=tuple(would.remarks))

    def _surroundings(self, url: str) -> Surroundings:
        host = host_of(url)
        delay = delay_of(self._reader, host, self._now)
        row = in_queue.host_row(self._rows, host)
        return Surroundings(row, self._robots(url), delay.seconds, self._crawl, self._now)

    def _tries(self, url: str, told: _Told) -> list[Try]:
        """The log is read only where it has more to say than the row."""
        visited_again = told.visited is not None and told.visited.attempts > 1
        waits_again = told.waiting is not None and bool(told.waiting.attempts)
        return tries_of(self._logs, url) if visited_again or waits_again else []

    def _around(self, own_id: bytes, told: Waiting) -> Iterator[str]:
        if told.wait is Wait.TURN and self._crawl.limit:
            yield f"what limits the crawl now: {self._crawl.limit}"
        if self._rows.get("meta", UPDATE) is not None and (row := self._rows.get("earlier", own_id)) is not None:
            yield f"an update is under way; before it: {visited(self._reader, decode_earlier(row).page).words}"

    # ── never found ────────────────────────────────────────────────────────────────────────────────────

    def _never_found(self, url: str, links: Linked | None) -> _Told:
        if not isinstance(self._rows, SeveralStates) and self._rows.get("sent", url_id(url)) is not None:
            words = "another node of the cluster has it: --crawl DIR, once for each node's folder, reads them together"
            return _Told(State.ELSEWHERE, words)
        if url in self._config.seeds:
            return _Told(State.NEVER_FOUND, "it is a seed, and the crawl has not begun with it yet")
        nearest = links.nearest if links is not None else None
        link = Link(url, nearest + 1 if nearest is not None else 1)
        would = admission(self._rows, link, self._config, self._scope_seeds, self._robots(url))
        words = _never_found_words(url, would, links)
        return _Told(
            State.NEVER_FOUND, words, refused=would.refused, remarks=(*would.remarks, *self._hints(url, would))
        )

    def _robots(self, url: str) -> by_robots.Robots | None:
        if not scheme_of(url).is_web:
            return None
        return by_robots.robots_of(self._rows, origin_of(url), self._config, self._now)

    def _hints(self, url: str, would: Admission) -> Iterator[str]:
        """What else may be the reason."""
        for other in _nearly(url):
            if self._rows.get("seen", url_id(other)) is not None:
                yield f"{other} was found, which is another URL"
        if (robots := self._robots(url)) is not None and url == robots.file:
            yield f"robots.txt is asked for on the side: {by_robots.described(robots).words}"
        if would.refused is not None or not scheme_of(url).is_web:
            return
        if (queued := in_queue.counted(self._rows.scan("queue"), MOST_COUNTED)).count:
            yield f"{queued} {'URL still waits' if queued == Counted(1) else 'URLs still wait'}, and may lead to it"
        if not self._config.requisites:
            yield "images, scripts and style sheets are looked for with --requisites only"
        if not self._config.sitemaps:
            yield "what sitemaps name is looked for with --sitemap only"


def _is_left_out(refusal: Refused | None) -> bool:
    """Whether the filters refuse it: then the graph has no link to it."""
    return refusal is not None and refusal.reason not in (Refusal.DEPTH, Refusal.ROBOTS, Refusal.HOST_BUDGET)


def _never_found_words(url: str, would: Admission, links: Linked | None) -> str:
    if would.refused is not None:
        links_to_it = (
            f" ({counted(links.count, 'page')} with a link to it)" if links is not None and links.count else ""
        )
        return f"never asked for{links_to_it}; it would be {would.refused.words}"
    if not scheme_of(url).is_web:
        return f"never found: only a seed, or a page that came by {scheme_of(url).name} itself, leads to such URLs"
    return "never found: nothing would refuse it, but no page that was read links to it"


def _nearly(url: str) -> Iterator[str]:
    """URLs that a person may take for this one."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition(_SLASH)
    if scheme in ("http", "https"):
        yield f"{'https' if scheme == 'http' else 'http'}://{rest}"
    other = authority.removeprefix("www.") if authority.startswith("www.") else f"www.{authority}"
    yield f"{scheme}://{other}/{path}"
    if path and "?" not in path:
        yield url[:-1] if url.endswith(_SLASH) else url + _SLASH
