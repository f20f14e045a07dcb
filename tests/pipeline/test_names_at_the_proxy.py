"""Who looks names up when there is a proxy: an HTTP proxy and socks5h do it themselves, for socks5 we do."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec

from .internet import PUBLIC, Internet
from .small_web import page, redirect, text
from .test_private_addresses import DISGUISES, PRIVATE_NAMES

BY_NAME = pytest.mark.parametrize("proxy", ["http", "socks5h"])
HOME = "http://only-there.test/"
PAGES = {
    HOME: page("/a", "http://also-there.test/"),
    f"{HOME}a": page(),
    f"{HOME}robots.txt": redirect("http://rules-there.test/robots.txt"),
    "http://rules-there.test/robots.txt": text("User-agent: *\nDisallow: /no"),
    "http://also-there.test/": page(),
}


@BY_NAME
def test_names_that_only_the_proxy_knows_are_fetched_and_never_looked_up_here(proxy: str, tmp_path: Path) -> None:
    internet = Internet(PAGES)
    crawl, files = internet.crawl(tmp_path / "crawl", HOME, proxy=proxy)
    assert crawl.ending is Ending.DONE
    assert files.responses() == {HOME: 200, f"{HOME}a": 200, "http://also-there.test/": 200}
    assert set(internet.asked) == {*PAGES, "http://also-there.test/robots.txt"}
    assert internet.looked_up == set()
    if proxy == "socks5h":
        assert internet.names == {"only-there.test", "rules-there.test", "also-there.test"}


def test_socks5_is_told_addresses_that_were_looked_up_here(tmp_path: Path) -> None:
    internet = Internet(PAGES)
    dns = DnsSpec(answers={"only-there.test": ((PUBLIC,),), "rules-there.test": ((PUBLIC,),)})
    _, files = internet.crawl(tmp_path / "crawl", HOME, dns, proxy="socks5")
    assert files.outcomes()["http://also-there.test/"] == "dns-not-found"
    assert files.responses() == {HOME: 200, f"{HOME}a": 200}
    assert internet.names == set()
    assert internet.looked_up == {"only-there.test", "rules-there.test", "also-there.test"}


@BY_NAME
def test_hosts_that_are_private_addresses_by_themselves_are_refused_before_the_proxy_is_asked(
    proxy: str, tmp_path: Path
) -> None:
    private = [host for host in DISGUISES if host not in PRIVATE_NAMES]
    links = [f"http://{host}/{number}" for number, host in enumerate(private)]
    internet = Internet({HOME: page(*links, f"http://{PUBLIC}/"), f"http://{PUBLIC}/": page()})
    _, files = internet.crawl(tmp_path / "crawl", HOME, proxy=proxy)
    assert list(files.outcomes().values()).count("private-address") == len(private)
    assert files.responses() == {HOME: 200, f"http://{PUBLIC}/": 200}
    assert {url.split("/")[2] for url in internet.asked} == {"only-there.test", PUBLIC}


@BY_NAME
def test_a_host_by_a_proxy_keeps_to_its_delay(proxy: str, tmp_path: Path) -> None:
    internet = Internet({HOME: page("/a", "/b"), f"{HOME}a": page(), f"{HOME}b": page()})
    crawl, files = internet.crawl(tmp_path / "crawl", HOME, proxy=proxy, delay_s=0.05, connections_per_address=1)
    assert crawl.ending is Ending.DONE
    assert len(files.responses()) == 3
