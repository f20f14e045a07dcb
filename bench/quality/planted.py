"""The site with planted faults, as weft, LinkChecker and wget see it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import uvloop

import weft
from bench.quality.peers import LINKCHECKER, WGET, Said, Surroundings, linkchecker, wget
from bench.table import NONE, aligned
from tests.site.expected import Planted, planted_on
from tests.site.planted import HOSTS, SECURE, SEEDS, SITE, SLOW_S, PlantedSite
from weft.config import CrawlConfig
from weft.in_thread import in_thread
from weft.pipeline.crawl import Crawl
from weft.simweb import SimDns, SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Fixed
from weft.site.findings import FindingKind, SiteReport

BROKEN = (FindingKind.BROKEN_LINK, FindingKind.BROKEN_EXTERNAL, FindingKind.REDIRECT_LOOP)


def run_planted(peers: Path, scratch: Path) -> str:
    """The table."""
    return uvloop.run(_run(peers, scratch))


async def _run(peers: Path, scratch: Path) -> str:
    unplaced = SimWeb(WebSpec(hosts=1, pages=1), {(host, "/"): Fixed() for host in HOSTS})
    async with SimServer(unplaced, https=True) as server, SimDns(server.web) as dns:
        web = server.web
        site = PlantedSite(web)
        web.custom.update(site.behaviours())
        seeds = [*(web.url(SITE, path) for path in SEEDS), web.url(SECURE, "/", "https")]
        started = time.monotonic()
        report = await _weft(seeds, scratch / "crawl", dns.server, str(server.ca_file))
        took_s = time.monotonic() - started
        hosts = {host: web.dns_addresses_of(host)[0] for host in HOSTS}
        assert server.ca_file is not None
        trusted = scratch / "ca.pem"  # where LinkChecker, which becomes nobody, may read it
        trusted.write_bytes(server.ca_file.read_bytes())
        place = Surroundings(peers, scratch, trusted, hosts)
        said = {LINKCHECKER: await linkchecker(seeds, place), WGET: await wget(seeds, place)}
    return _table(site, _heard(report), took_s, said)


async def _weft(seeds: list[str], folder: Path, dns: str, ca_file: str) -> SiteReport:
    config = CrawlConfig(
        seeds=tuple(seeds), links=True, scope="host", sitemaps=True, requisites=True, delay_s=0.0, ca_file=ca_file,
        dns_servers=(dns,), allow_private=True, response_timeout_s=10 * SLOW_S, retry_wait_scale=0.01,
    )  # fmt: skip
    await Crawl.create(folder, config).run()
    return await in_thread(lambda: weft.site_report(folder, check_external=True))


Heard = Callable[[Planted, str], set[str] | None]  # the pages named for a fault; None: it is not found


def _heard(report: SiteReport) -> Heard:
    found = {
        (finding.kind, finding.url): {referrer.url for referrer in finding.referrers}
        for section in report.sections
        for finding in section.findings
    }
    return lambda fault, url: found.get((fault.kind, url))


def _heard_of(said: Said) -> Heard:
    by_kind = dict.fromkeys(BROKEN, said.broken)
    by_kind |= {FindingKind.REDIRECT_LINK: said.redirected, FindingKind.REDIRECT_CHAIN: said.chained}
    return lambda fault, url: by_kind.get(fault.kind, {}).get(url)


def _table(site: PlantedSite, ours: Heard, took_s: float, said: dict[str, Said | None]) -> str:
    there = {name: one for name, one in said.items() if one is not None}
    tools = {"weft": ours} | {name: _heard_of(one) for name, one in there.items()}
    lines = [["planted", "faults", *tools, "referrers", *tools]]
    faults = list(planted_on(site))
    for kind in FindingKind:
        planted = [(fault, site.url(fault.url)) for fault in faults if fault.kind is kind]
        pages = [{referrer[0] for referrer in site.referrers(url)} for _, url in planted]
        found = [sum(heard(*one) is not None for one in planted) for heard in tools.values()]
        told = [
            sum(len(some & (heard(*one) or set())) for one, some in zip(planted, pages, strict=True))
            for heard in tools.values()
        ]
        counts = [len(planted), *found, sum(map(len, pages)), *told]
        lines.append([kind, *(str(count or NONE) for count in counts)])
    urls = {site.url(fault.url) for fault in faults} | {fault.other for fault in faults}
    took = ", ".join(f"{name} {one.took_s:.0f} s" for name, one in there.items())
    notes: list[str] = []
    for name, one in there.items():
        heard = tools[name]
        missed = [fault.url for fault in faults if fault.kind in BROKEN and heard(fault, site.url(fault.url)) is None]
        notes.append(f"{name} misses of what is broken: {', '.join(missed) or NONE}")
        notes.append(f"{name} takes for broken what is no link: {', '.join(sorted(one.broken.keys() - urls)) or NONE}")
    return "\n".join([*aligned(lines), "", f"weft {took_s:.0f} s, {took}", *notes])
