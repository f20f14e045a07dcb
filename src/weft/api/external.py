"""Links to other sites, each asked for once: a small crawl of its own, with all of weft's manners.

Its folder lies in that of the crawl, so that what has answered is not asked again; whoever removes it asks all again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from weft.api.loop_thread import LoopThread
from weft.api.summary import crawl_to_end
from weft.config import CrawlConfig, HostTable
from weft.folder.layout import CrawlFolder, load_config
from weft.folder.reading import CrawlReader
from weft.folder.site_rows import targets_of
from weft.graph.rows import NODE_BYTES
from weft.pipeline.crawl import Crawl
from weft.pipeline.host_settings import without
from weft.settings.by_host import EVERY_HOST
from weft.site.analysis import Answer
from weft.site.pages import REDIRECTS
from weft.types import Outcome, PageRow
from weft.url import is_own_request, url_id
from weft.workers.grace import GRACE_S

FOLDER: Final = "external-links"
MAX_BODY_BYTES: Final = 64 * 1024  # whether it is there, the head has said
MOST_REDIRECTS: Final = 20
OWN: Final = ("headers", "auth", "include", "exclude", "ignore_robots")  # of the tables of hosts
PATIENCE_S: Final = GRACE_S  # for what was interrupted to close its files


class ExternalCheck:
    """Asks for URLs beside a crawl."""

    def __init__(self, crawl: Path, config: CrawlConfig) -> None:
        self._folder = crawl / FOLDER
        self._config = config

    def __call__(self, urls: Iterable[str]) -> Mapping[str, Answer]:
        """How each of them answered; those that robots.txt forbids are left out."""
        wanted = list(urls)
        if not wanted:
            return {}
        _run(self._crawl(wanted))
        with CrawlReader(self._folder) as reader:
            return _answers(reader, wanted)

    def _crawl(self, urls: list[str]) -> Crawl:
        if not CrawlFolder.is_one(self._folder):
            return Crawl.create(self._folder, config_for(self._config, urls))
        known = load_config(self._folder).seeds
        manners = config_for(self._config, list(dict.fromkeys((*known, *urls))))  # of today: they may have changed
        return Crawl.resume(self._folder, retry_failed=True, **msgspec.structs.asdict(manners))


def config_for(config: CrawlConfig, urls: list[str]) -> CrawlConfig:
    """A crawl of these URLs and of where they redirect to, and of nothing else.

    What was meant for one's own site stays there: logins, headers, cookies, leave to ignore robots.txt, and less delay
    than others bear. What the settings say of a host by its name holds.
    """
    usual = CrawlConfig()
    return CrawlConfig(
        seeds=tuple(urls),
        depth=0,
        graph=True,  # where redirects lead
        max_body_bytes=MAX_BODY_BYTES,
        user_agent=config.user_agent,
        robots_agent=config.robots_agent,
        delay_s=max(usual.delay_s, config.delay_s),
        hosts=tuple(map(_for_strangers, without(config.hosts, *OWN))),
        host_delays=config.host_delays,
        blocked_hosts=config.blocked_hosts,
        rate=config.rate,
        bandwidth=config.bandwidth,
        allow_private=config.allow_private,
        connections=config.connections,
        dns_servers=config.dns_servers,
        proxy=config.proxy,
        bind=config.bind,
        ca_file=config.ca_file,
        workers=1,
        connect_timeout_s=config.connect_timeout_s,
        response_timeout_s=config.response_timeout_s,
        idle_timeout_s=config.idle_timeout_s,
        retry_wait_scale=max(usual.retry_wait_scale, config.retry_wait_scale),
    )


def _for_strangers(table: HostTable) -> HostTable:
    """The table of every host says no more of one than the crawl's own settings do."""
    if table.pattern != EVERY_HOST:
        return table
    delay_s = None if table.delay_s is None else max(CrawlConfig().delay_s, table.delay_s)
    return msgspec.structs.replace(table, delay_s=delay_s, connections_per_host=None)


def _run(crawl: Crawl) -> None:
    """Crawl to the end, whether or not an event loop runs in this thread. Who interrupts it may go on another time."""
    thread = LoopThread(lambda over: over(), PATIENCE_S)
    try:
        thread.call(lambda: crawl_to_end(crawl))
    finally:
        thread.leave_soon()
        thread.wait()


def _answers(reader: CrawlReader, urls: list[str]) -> dict[str, Answer]:
    rows = {url_id(row.url)[:NODE_BYTES]: row for row in reader.rows() if not is_own_request(row.parts)}
    found: dict[str, Answer] = {}
    for url in urls:
        first = rows.get(url_id(url)[:NODE_BYTES])
        if first is None:
            continue
        last = _end_of(reader, rows, first)
        failure = "" if last.outcome is Outcome.RESPONSE else last.outcome.value
        found[url] = Answer(0 if failure else last.status, failure, last.url if last is not first else "")
    return found


def _end_of(reader: CrawlReader, rows: Mapping[bytes, PageRow], row: PageRow) -> PageRow:
    """Where its redirects end, as far as they were followed."""
    for _ in range(MOST_REDIRECTS):
        if row.outcome is not Outcome.RESPONSE or row.status not in REDIRECTS:
            break
        edges = reader.database.get("graph", url_id(row.url)[:NODE_BYTES]) or b""
        following = next((rows[target] for target in targets_of(edges) if target in rows), None)
        if following is None:
            break
        row = following
    return row
