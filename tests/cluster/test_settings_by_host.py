"""Settings by host travel to every node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.pipeline.named_sites import Answer, named_sites
from weft.cluster import control
from weft.cluster.servers import Servers
from weft.settings.host_tables import read_hosts

from .crawling import run_nodes, with_client

NAMES = tuple(f"www.site{n}.test" for n in range(8))


def pages(host: str, path: str, port: int) -> Answer:
    links = "".join(f'<p><a href="/{n}">x</a>' for n in range(4)) if path == "/" else ""
    return 200, {}, f"<!DOCTYPE html><title>x</title>{links}"


def test_each_host_is_told_what_is_for_it_whichever_node_asks(nats: Servers, tmp_path: Path) -> None:
    tables: dict[str, Any] = {
        f"*.site{n}.test": {"user-agent": f"bot{n}/1.0", "header": f"Accept-Language: x-{n}", "exclude": f"/{n % 4}"}
        for n in range(8)
    }
    with named_sites(NAMES, pages) as sites:
        config = sites.config(*NAMES, hosts=read_hosts(tables, "x"), ignore_robots=True)

        async def crawl(client: Any) -> list[Path]:
            await control.start(client, "by-host", config, buckets=64, replicas=1, lease_s=20)
            return await run_nodes(client, "by-host", tmp_path, "ab")

        with_client(nats.urls, crawl)
        for number, name in enumerate(NAMES):
            asked = sites.of(name)
            assert {one.headers["user-agent"] for one in asked} == {f"bot{number}/1.0"}
            assert {one.headers["accept-language"] for one in asked} == {f"x-{number}"}
            assert sites.pages(name) == {"/", *(f"/{n}" for n in range(4) if n != number % 4)}
