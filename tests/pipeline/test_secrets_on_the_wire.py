"""Passwords and cookies go to the hosts that they are meant for, whatever links and redirects say."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvloop

from tests.folder.test_crawl_log import lines_of
from weft.config import CrawlConfig
from weft.folder.layout import load_config
from weft.pipeline.crawl import Crawl

from .crawling import CRAWL_WITHIN_S

SECRETS = ("authorization", "cookie", "proxy-authorization")


class Sites:
    """Two hosts, 127.0.0.1 and localhost, at one port: the first page redirects to the other host and links to it."""

    def __init__(self) -> None:
        self.told: dict[tuple[str, str], str] = {}  # host and name of a header → its value, when it came

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
        host, _, port = headers["Host"].partition(":")
        for name, value in headers.items():
            if name.lower() in SECRETS or name.startswith("X-"):
                self.told[host, name.lower()] = value
        other = f"http://{'localhost' if host == '127.0.0.1' else '127.0.0.1'}:{port}"
        is_first = head.startswith("GET / ") and host == "127.0.0.1"
        location = f"Location: {other}/there\r\n" if is_first else ""
        body = f'<a href="{other}/linked">x</a>'.encode()
        status = b"302 Found" if is_first else b"200 OK"
        writer.write(b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nConnection: close\r\n" % status)
        writer.write(b"%bContent-Length: %d\r\n\r\n%b" % (location.encode(), len(body), body))
        await writer.drain()
        writer.close()

    def crawl(self, folder: Path, seed: str = "http://127.0.0.1:{port}/", **settings: Any) -> int:
        """Crawl both from the first; {port} in a text is the port. Returns it."""
        return uvloop.run(asyncio.wait_for(self._crawl(folder, seed, settings), CRAWL_WITHIN_S))

    async def _crawl(self, folder: Path, seed: str, settings: dict[str, Any]) -> int:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        placed = msgspec.json.decode(msgspec.json.encode(settings).replace(b"{port}", str(port).encode()))
        config = msgspec.convert(placed | {"seeds": [seed.format(port=port)]}, CrawlConfig)
        config = msgspec.structs.replace(
            config, scope="any", delay_s=0.0, workers=1, allow_private=True, max_pages=10, slow_factor=0.0
        )
        async with server:
            await Crawl.create(folder, config).run()
        return port


@pytest.fixture
def sites() -> Sites:
    return Sites()


def basic(login: str) -> str:
    return f"Basic {b64encode(login.encode()).decode()}"


def test_headers_that_say_who_we_are_do_not_follow_a_seeds_redirect(sites: Sites, tmp_path: Path) -> None:
    headers = [("Authorization", "Bearer x"), ("Cookie", "a=b"), ("Proxy-Authorization", "p"), ("X-All", "1")]
    sites.crawl(tmp_path / "crawl", headers=headers)
    own = {("127.0.0.1", name): value for name, value in zip(SECRETS, ("Bearer x", "a=b", "p"), strict=True)}
    assert sites.told == own | {("127.0.0.1", "x-all"): "1", ("localhost", "x-all"): "1"}


def test_a_header_for_another_host_goes_there_alone(sites: Sites, tmp_path: Path) -> None:
    headers = [("http://localhost=Cookie", "a=b"), ("http://localhost:{port}=X-Key", "k"), ("localhost=X-Safe", "s")]
    sites.crawl(tmp_path / "crawl", headers=headers)
    assert sites.told == {("localhost", "cookie"): "a=b", ("localhost", "x-key"): "k"}


def test_a_login_in_a_seed_is_used_for_its_host_and_leaves_the_url(sites: Sites, tmp_path: Path) -> None:
    port = sites.crawl(tmp_path / "crawl", "http://me:se%3Acret@127.0.0.1:{port}/")
    assert sites.told == {("127.0.0.1", "authorization"): basic("me:se:cret")}
    config = load_config(tmp_path / "crawl")
    assert config.seeds == (f"http://127.0.0.1:{port}/",)
    assert config.auth == ((f"http://127.0.0.1:{port}", "me:se:cret"),)
    assert [line for line in lines_of(tmp_path / "crawl") if "cret" in str(line)] == []


@pytest.mark.parametrize(
    ("place", "is_told"),
    [("127.0.0.1", True), ("http://127.0.0.1", True), ("https://127.0.0.1", False), ("localhost", False)],
)
def test_a_login_goes_by_the_scheme_that_it_is_for(place: str, is_told: bool, sites: Sites, tmp_path: Path) -> None:
    sites.crawl(tmp_path / "crawl", auth=[(place, "me:secret")])
    assert sites.told == ({("127.0.0.1", "authorization"): basic("me:secret")} if is_told else {})
