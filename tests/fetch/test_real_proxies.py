"""HTTP, https and FTP through real proxies: tinyproxy (HTTP) and microsocks (SOCKS5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ports import closed_port
from weft.errors import FetchError
from weft.types import Fetched, Outcome

from . import certificates, servers
from .rig import ADDRESS, Rig, rigged, run, serve_pages
from .servers import PASSWORD, USER

LOGIN = f"{USER}:{PASSWORD}@"
KINDS = ["http", "socks5", "socks5h"]


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    """Where each kind of proxy is, all of them with a password."""
    with (
        servers.tinyproxy(tmp_path_factory.mktemp("tinyproxy"), password=PASSWORD) as http,
        servers.microsocks(tmp_path_factory.mktemp("microsocks"), password=PASSWORD) as socks,
    ):
        yield {"http": http, "socks5": socks, "socks5h": socks}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_pages_come_through_a_proxy_over_http_and_https(kind: str, ports: dict[str, int], tmp_path: Path) -> None:
    async def scenario(**settings: Any) -> None:
        proxy = f"{kind}://{LOGIN}{ADDRESS}:{ports[kind]}"
        async with rigged(tmp_path, serve_pages, proxy=proxy, **settings) as rig:
            for _ in range(3):
                fetched = await _page(rig)
                assert (fetched.status, fetched.body) == (200, b"hello")
                assert PASSWORD.encode() not in fetched.request

    run(scenario())
    run(scenario(tls=certificates.server_context(), ca_file=certificates.ca_file(), insecure_hosts=("localhost",)))


def test_files_come_through_a_proxy_by_ftp(kind: str, ports: dict[str, int], tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    large = bytes(range(256)) * 10_000
    (files / "large.bin").write_bytes(large)

    async def scenario(port: int) -> None:
        proxy = f"{kind}://{LOGIN}{ADDRESS}:{ports[kind]}"
        async with rigged(tmp_path, serve_pages, proxy=proxy, scheme="ftp") as rig:
            rig.server.port = port
            folder = await rig.fetch("/", host=ADDRESS)
            assert b'href="large.bin"' in (folder.body or b"")
            fetched = await rig.fetch("/large.bin", host=ADDRESS)
            assert fetched.spool is not None
            assert Path(fetched.spool).read_bytes() == large

    with servers.vsftpd(files, tmp_path) as port:
        run(scenario(port))


@pytest.mark.parametrize("login", ["", f"{USER}:wrong@"])
def test_a_proxy_that_does_not_know_us_has_failed(kind: str, login: str, ports: dict[str, int], tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = f"{kind}://{login}{ADDRESS}:{ports[kind]}"
        # By a tunnel: for plain http tinyproxy answers a wrong password with 401, which a server might say as well.
        async with rigged(tmp_path, serve_pages, proxy=proxy, scheme="https") as rig:
            assert await _outcome(rig) is Outcome.PROXY_FAILED
            assert rig.server.connections == 0

    run(scenario())


def test_a_server_that_refuses_is_told_apart_from_a_proxy_that_fails(ports: dict[str, int], tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = f"socks5://{LOGIN}{ADDRESS}:{ports['socks5']}"
        async with rigged(tmp_path, serve_pages, proxy=proxy) as rig:
            rig.server.port = closed_port()
            assert await _outcome(rig) is Outcome.CONNECT_REFUSED

    run(scenario())


async def _page(rig: Rig) -> Fetched:
    try:
        return await rig.fetch("/a?b", host="localhost")
    except FetchError as error:
        if not error.on_kept:  # tinyproxy closes after each response, and does not say so
            raise
        return await rig.fetch("/a?b", host="localhost")


async def _outcome(rig: Rig) -> Outcome:
    return (await rig.fetch_error(host=ADDRESS)).outcome
