"""A crawl of hostile hosts beside a good web, in a process of its own whose memory is measured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.memory_watch import memory_watched
from tests.pipeline.crawling import CrawlFiles, Row, assert_server_saw_the_truth, quick_config
from tests.pipeline.engine_process import engine, prepare_folder
from weft.simweb import DnsSpec, RequestLog, SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, TlsFault

MEGABYTE = 1_000_000
BOUND_BYTES = 600 * MEGABYTE
GOOD_WEB = WebSpec(hosts=8, pages=120, seed=5, robots_share=0.25)
MAX_BODY_BYTES = 3 * MEGABYTE
WITHIN_S = 200.0
PATIENCE_S = 30.0  # servers that are slow on purpose are met where it is short

Sites = Mapping[tuple[str, str], Behaviour]


class Met(NamedTuple):
    """What came of a crawl beside hostile hosts."""

    web: SimWeb
    files: CrawlFiles
    log: RequestLog
    peak_bytes: int
    exit_code: int

    def row(self, host: str, path: str = "/") -> Row:
        """How the visit of a URL ended."""
        return self.files.row(self.web.url(host, path, "http"))

    def good_responses(self) -> dict[str, int]:
        """What the crawl got from the good hosts."""
        good = {host.name for host in self.web.hosts}
        return {url: status for url, status in self.files.responses().items() if _host_of(url) in good}

    def assert_neighbours_are_unharmed(self) -> None:
        """Every page of the good web is there, asked for once, and nothing that is forbidden."""
        truth = self.web.truth()
        assert self.good_responses() == truth.status
        good = {host.name for host in self.web.hosts}
        log = RequestLog(request for request in self.log if request.host in good)
        assert_server_saw_the_truth(log, self.web.port, truth)


def _host_of(url: str) -> str:
    return url.split("/")[2].partition(":")[0]


def meet(
    folder: Path,
    sites: Sites,
    *,
    seeds: list[tuple[str, str]] | None = None,
    good: WebSpec = GOOD_WEB,
    dns: DnsSpec | None = None,
    tls_faults: Mapping[str, TlsFault] | None = None,
    **changes: Any,
) -> Met:
    """Crawl the hostile hosts, from the given URLs or from all that there are, and the good web."""
    with SimProcess(good, sites, dns, tls_faults=tls_faults) as sim:
        hostile = [sim.web.url(host, path, "http") for host, path in seeds or list(sites)]
        settings: dict[str, Any] = {
            "seeds": (*hostile, *sim.seeds),
            "connections_per_host": 1,
            "connect_timeout_s": PATIENCE_S,
            "response_timeout_s": PATIENCE_S,
            "idle_timeout_s": PATIENCE_S,
            "retry_wait_scale": 0.002,
            "max_host_wait_s": 5.0,
            "max_body_bytes": MAX_BODY_BYTES,
            "workers": 2,
        }
        prepare_folder(folder, quick_config(sim, **(settings | changes)))
        with engine(folder, is_forked=False) as process, memory_watched(process.pid) as meter:
            process.popen.communicate(timeout=WITHIN_S)
    assert os.listdir(folder / "state" / "spool") == []
    return Met(sim.web, CrawlFiles(folder), sim.log, meter.peak_bytes, process.popen.returncode)
