"""All hostile servers at once, beside good hosts: memory has a bound, and the good hosts hardly notice.

Two crawls of the same good web, without and with the hostile hosts, each for the same time. Throughput is what the
server's log says of the good hosts: how many requests they got in the time after the first one. They are asked
politely, as in any crawl, so the machine has time to spare; whether the hostile ones take more than that is the
question.
"""

from __future__ import annotations

from bisect import bisect
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from weft.simweb import WebSpec
from weft.simweb.behaviour import Behaviour, Fixed, TlsFault, Trap, TrapKind
from weft.simweb.hostile import MIB, hostile_answers
from weft.simweb.hostile_pages import cookie_bomb, hostile_pages, hostile_robots, many_links, many_sitemap_entries

from .beside import BOUND_BYTES, MEGABYTE, Met, meet

GOOD_WEB = WebSpec(hosts=100, pages=20_000, seed=8, seed_hosts=100, robots_share=0.0)
DELAY_S = 0.5
LEAST_SHARE = 0.8
WINDOW_S = 60.0
LEADS_OUT = ("redirect-into-private-network",)
SETTINGS: dict[str, Any] = {
    "delay_s": DELAY_S,
    "requests_per_address_s": 1_000.0,
    "retry_wait_scale": 0.02,
    "max_time_s": WINDOW_S + 5.0,
    "max_body_bytes": 50 * MEGABYTE,
    "slow_factor": 0.0,
}


class Run(NamedTuple):
    """One crawl, as the good hosts and the machine saw it."""

    met: Met

    def good_pages_per_s(self) -> float:
        good = {host.name for host in self.met.web.hosts}
        asked = sorted(request.started_at for request in self.met.log if request.host in good)
        assert asked[-1] - asked[0] > 0.8 * WINDOW_S, "the good web is too small for this machine"
        return bisect(asked, asked[0] + WINDOW_S) / WINDOW_S

    def hostile_requests(self) -> int:
        good = {host.name for host in self.met.web.hosts}
        return sum(request.host not in good for request in self.met.log)


def hostile_sites() -> dict[tuple[str, str], Behaviour]:
    """A host for each, and for those that lead on the whole host."""
    answers = hostile_answers(256 * MIB) | hostile_pages()
    sites: dict[tuple[str, str], Behaviour] = {
        (f"{name}.test", "/"): answer for name, answer in answers.items() if name not in LEADS_OUT
    }
    for name, robots in hostile_robots().items():
        sites |= {(f"robots-{name}.test", "/robots.txt"): robots, (f"robots-{name}.test", "/"): Fixed(b"<a href=/x>")}
    for number in range(3):
        sites[f"links{number}.test", "/"] = many_links(4 * MIB + number)
        sites[f"more-links{number}.test", "/"] = many_links()
    for kind in TrapKind:
        sites |= {(f"{kind}-trap.test", "/robots.txt"): Fixed(b""), (f"{kind}-trap.test", "*"): Trap(kind)}
    sites["cookies.test", "*"] = cookie_bomb()
    sites["sitemap.test", "/sitemap.xml"] = many_sitemap_entries()
    sites["sitemap.test", "/"] = Fixed(b"x")
    return sites


def crawl(folder: Path, sites: dict[tuple[str, str], Behaviour]) -> Run:
    seeds = [(host, "/") for host in dict.fromkeys(host for host, _ in sites)]
    faults = {f"{fault}.test": fault for fault in TlsFault} if sites else {}
    return Run(meet(folder, sites, seeds=seeds, good=GOOD_WEB, tls_faults=faults, **SETTINGS))


@pytest.mark.large
def test_all_hostile_servers_at_once_take_neither_the_memory_nor_the_good_hosts_time(tmp_path: Path) -> None:
    alone = crawl(tmp_path / "alone", {})
    beside = crawl(tmp_path / "beside", hostile_sites())
    share = beside.good_pages_per_s() / alone.good_pages_per_s()
    print(f"\n{'hostile hosts':20}{'requests to them':>18}{'to good hosts/s':>18}{'memory':>12}")
    for name, run in (("none", alone), ("all at once", beside)):
        figures = f"{run.hostile_requests():>18,}{run.good_pages_per_s():>18.1f}"
        print(f"{name:20}{figures}{run.met.peak_bytes / MEGABYTE:>9.0f} MB")
    print(f"good hosts keep {share:.0%} of their throughput")
    assert beside.met.peak_bytes < BOUND_BYTES
    assert share >= LEAST_SHARE
