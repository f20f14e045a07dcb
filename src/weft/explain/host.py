"""A host explained: how it is treated, how it stands, and what came of it."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from weft.config import CrawlConfig
from weft.dns import addresses_in
from weft.errors import FolderError
from weft.explain import by_robots, in_queue
from weft.explain.asked import Asked
from weft.explain.delay import delay_of
from weft.explain.moments import moment, said, span
from weft.explain.result import Authority, Counted, HostExplanation
from weft.explain.waiting import CrawlNow, rest_of
from weft.folder.reading import CrawlReader
from weft.folder.refused_rows import decode_rule
from weft.frontier.lane import label
from weft.frontier.manners import LONGEST_SLOW_REST_S
from weft.frontier.rows import HostRow
from weft.settings.by_host import ByHost, named
from weft.state.keys import bucket_range, end_of, host_prefix, rule_of_key
from weft.stats.verdict import counted
from weft.store import read_record
from weft.types import Outcome, PageRow, RecordPlace, Refusal
from weft.url import bucket_of, host_of

MOST_PAGES: Final = 200_000  # rows of the host's site that are looked at
MOST_SIDES: Final = 200_000  # likewise, of archived answers of name servers
ADDRESSES_SHOWN: Final = 20
_RECORD_BYTES: Final = 16 * 1024
DNS_FIELDS: Final = 5  # of a line: name, time to live, class, type, address

_decode_page = msgspec.msgpack.Decoder(PageRow).decode


class _Visits(NamedTuple):
    """What came of a host's URLs."""

    visited: Counted
    failed: Counted
    newest: PageRow | None
    addresses: list[str]  # that answered


def explain_host(reader: CrawlReader, asked: Asked, crawl: CrawlNow, now: float) -> HostExplanation:
    """How the host stands."""
    host, config, rows = asked.host, reader.config, reader.database
    row = in_queue.host_row(rows, host)
    queued = in_queue.queued_of(rows, host)
    visits = _visits(reader, host)
    delay = delay_of(reader, host, now)
    refused = _refused(reader, host)
    robots = [by_robots.described(one) for one in by_robots.robots_of_host(rows, host, config, now)]
    return HostExplanation(
        asked=asked.shown,
        host=host,
        words=f"{_counts(host, queued, visits, refused)}; {_standing(host, row, queued, crawl, config, now)}",
        delay_s=delay.seconds,
        delay=delay.words,
        robots=robots,
        addresses=_addresses(reader, host, visits.addresses),
        authorities=_authorities(host, row, now),
        failures=row.failures if row is not None else 0,
        rests_until=rest_of(row, now) if row is not None else "",
        left=row.parked if row is not None else "",
        queued=queued,
        visited=visits.visited,
        failed=visits.failed,
        refused=refused,
        remarks=list(_remarks(reader, host, visits)),
    )


def _counts(host: str, queued: Counted, visits: _Visits, refused: dict[str, int]) -> str:
    parts = [f"{visits.visited} visited"] if visits.visited.count else []
    parts += [f"{visits.failed} failed"] if visits.failed.count or (parts and not visits.failed.is_more) else []
    parts += [f"{queued} waiting"] if queued.count else []
    parts += [f"{sum(refused.values()):,} refused"] if refused else []
    return f"URLs of {host}: {', '.join(parts)}" if parts else f"no URL of {host} was found"


def _standing(host: str, row: HostRow | None, queued: Counted, crawl: CrawlNow, config: CrawlConfig, now: float) -> str:
    """What is to be expected of it."""
    if host in config.blocked_hosts:
        return f"it is blocked by hand: `{crawl.control} unblock {host}` lets it pass again"
    if not queued.count:
        return "nothing of it waits"
    if row is not None and row.is_left:
        why = row.parked or next(lane.parked for lane in row.lanes if lane.parked)
        return f"it is left for another run ({why}): `{crawl.go_on}` tries it again"
    if not crawl.is_running:
        return f"nobody works on the crawl now: `{crawl.go_on}` goes on with it"
    if config.paused:
        return f"the crawl is paused: `{crawl.control} resume` goes on with it"
    if row is not None and (rest_s := row.sleep_at(now)) > 0:
        why = crawl.rests.get(host, "")
        return f"it is asked again at {said(now + rest_s)}" + f" ({why})" * bool(why)
    return "its next URL may be asked for now, or is being asked for"


def _authorities(host: str, row: HostRow | None, now: float) -> list[Authority]:
    return [
        Authority(
            label(host, lane.authority),
            lane.failures,
            moment(now + lane.rest_at(now)) if lane.rest_at(now) > 0 else "",
            lane.parked,
        )
        for lane in (row.lanes if row is not None else ())
    ]


def _visits(reader: CrawlReader, host: str) -> _Visits:
    """Page rows lie by site: of those of a large one, only some are looked at."""
    start, stop = bucket_range(bucket_of(host))
    visited = failed = read = 0
    newest: PageRow | None = None
    addresses: dict[str, None] = {}
    for _, stored in islice(reader.database.scan("page", start, stop), MOST_PAGES):
        read += 1
        page = _decode_page(stored)
        if host_of(page.url) != host:
            continue
        visited += 1
        failed += page.outcome is not Outcome.RESPONSE
        if page.address and len(addresses) < ADDRESSES_SHOWN:
            addresses[page.address] = None
        if newest is None or page.fetched_at > newest.fetched_at:
            newest = page
    is_cut = read >= MOST_PAGES
    return _Visits(Counted(visited, is_cut), Counted(failed, is_cut), newest, list(addresses))


def _refused(reader: CrawlReader, host: str) -> dict[str, int]:
    """How many URLs of the host were refused, by reason. Those out of scope or too deep are not listed by host."""
    prefix, rows = host_prefix(host), reader.database
    counts: Counter[str] = Counter()
    for key, row in islice(rows.scan("rule", prefix, end_of(prefix)), MOST_PAGES):
        rule = decode_rule(row)
        counts[rule_of_key(key)[1]] += rule.listed + rule.more
    counts[Refusal.ROBOTS] += in_queue.counted(rows.scan("forbidden", prefix, end_of(prefix))).count
    counts[Refusal.HOST_BUDGET] += in_queue.counted(rows.scan("over", prefix, end_of(prefix))).count
    return {str(reason): count for reason, count in counts.most_common() if count}


def _addresses(reader: CrawlReader, host: str, answered: list[str]) -> list[str]:
    """What the name servers said last, as far as it is found in the archive; and the addresses that answered."""
    own = list(addresses_in(host))
    newest: tuple[int, int, int] | None = None
    name = f"dns:{host}"
    for file_id, offset, side in islice(reader.sides(), MOST_SIDES) if not own else ():
        if side.url == name:
            newest = file_id, offset, side.length
    return list(dict.fromkeys([*own, *(_archived(reader, *newest) if newest is not None else ()), *answered]))


def _archived(reader: CrawlReader, file_id: int, offset: int, length: int) -> list[str]:
    """The addresses in an archived answer: a line each, the address last (`store.warc.dns_text`)."""
    try:
        record = read_record(RecordPlace(str(reader.path_of(file_id)), offset, length), _RECORD_BYTES)
    except (FolderError, OSError):
        return []
    fields = (line.split("\t") for line in record.block.decode("ascii", "replace").splitlines())
    return [each[-1] for each in fields if len(each) == DNS_FIELDS]


def _remarks(reader: CrawlReader, host: str, visits: _Visits) -> list[str]:
    config, newest = reader.config, visits.newest
    tables = list(ByHost(config.hosts).tables_for(host))
    remarks = [f"settings by host hold for it: {', '.join(map(named, tables))}"] if tables else []
    said_s = ByHost(tables).value(host, "delay_s")
    delay_s = config.delay_s if said_s is None else said_s
    if newest is not None:
        waited_s = newest.timing.connect_s + newest.timing.wait_s
        rest_s = min(waited_s * config.slow_factor, LONGEST_SLOW_REST_S) if delay_s else 0.0
        remarks.append(f"its last answer, at {said(newest.fetched_at)}, began after {span(waited_s)}")
        if rest_s > delay_s:
            remarks.append(f"so slow a server rests longer: {span(rest_s)} after that answer (--slow-factor)")
    if visits.visited.is_more:
        remarks.append(f"only {counted(MOST_PAGES, 'row')} of its site were looked at; there may be more of it")
    return remarks
