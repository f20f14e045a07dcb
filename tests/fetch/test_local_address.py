"""Connections from the one address of this machine that the user has named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.namespace import run as run_in_namespace
from weft.errors import BadInput
from weft.fetch.local_address import LocalAddress
from weft.types import Outcome

from . import certificates
from .rig import ADDRESS, deaf_listener, open_sockets, open_sockets_before, rigged, run, serve_pages, serving, until
from .test_ftp_talk import FILE, Talk, get, sends
from .test_proxy import SmallProxy
from .test_socks import SmallSocks

LOCAL = "127.0.0.9"
REFUSING = "127.0.0.3"  # nobody listens there


@pytest.mark.parametrize(("server", "local"), [(ADDRESS, LOCAL), ("::1", "::1")])
def test_server_sees_the_bound_address(server: str, local: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, address=server, bind=local) as rig:
            fetched = await rig.fetch(addresses=(server,))
            assert (fetched.body, fetched.address) == (b"hello", server)
            assert rig.server.clients == [local]

    run(scenario())


def test_secure_connection_comes_from_the_bound_address(tmp_path: Path) -> None:
    async def scenario() -> None:
        context = certificates.server_context()
        async with rigged(tmp_path, serve_pages, tls=context, ca_file=certificates.ca_file(), bind=LOCAL) as rig:
            assert (await rig.fetch()).body == b"hello"
            assert rig.server.clients == [LOCAL]

    run(scenario())


@pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
def test_proxy_sees_the_bound_address(scheme: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        proxy = SmallProxy() if scheme == "http" else SmallSocks()
        async with serving(proxy) as proxy_server:
            by = f"{scheme}://{ADDRESS}:{proxy_server.port}"
            async with rigged(tmp_path, serve_pages, proxy=by, bind=LOCAL) as rig:
                proxy.server_port = rig.server.port
                assert (await rig.fetch()).body == b"hello"
            assert proxy_server.clients == [LOCAL]

    run(scenario())


def test_ftp_server_sees_the_bound_address_for_commands_and_for_data(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk = Talk()
        async with serving(sends(FILE, talk)) as data_server, rigged(tmp_path, talk, scheme="ftp", bind=LOCAL) as rig:
            talk.data_port = data_server.port
            assert (await get(rig)).body == FILE
            assert (rig.server.clients, data_server.clients) == ([LOCAL], [LOCAL])

    run(scenario())


@pytest.mark.parametrize(("server", "local"), [("::1", LOCAL), (ADDRESS, "::1")])
def test_address_of_the_other_ip_version_is_unreachable_and_never_asked(
    server: str, local: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, address=server, bind=local) as rig:
            error = await rig.fetch_error(addresses=(server,))
            assert error.outcome is Outcome.UNREACHABLE
            assert error.detail == f"{server} port {rig.server.port}: --bind {local} is of the other IP version"
            assert rig.server.connections == 0

    run(scenario())


def test_of_addresses_of_both_ip_versions_the_one_that_can_be_reached_is_taken(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            rigged(tmp_path, serve_pages, bind=LOCAL) as rig,
            serving(serve_pages, address="::1", port=rig.server.port) as other,
        ):
            assert (await rig.fetch(addresses=("::1", ADDRESS))).address == ADDRESS
            assert (rig.server.clients, other.clients) == ([LOCAL], [])

    run(scenario())


def test_failure_from_a_bound_address_has_its_usual_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, bind=LOCAL) as rig:
            error = await rig.fetch_error(addresses=("::1", REFUSING))
            assert error.outcome is Outcome.CONNECT_REFUSED
            assert error.detail == f"{REFUSING} port {rig.server.port}: Connection refused"

    run(scenario())


def test_connection_that_takes_too_long_leaves_nothing_open(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rigged(tmp_path, serve_pages, bind=LOCAL, connect_timeout_s=0.1) as rig:
            with deaf_listener(REFUSING, rig.server.port):
                sockets_before = open_sockets_before()
                error = await rig.fetch_error(addresses=(REFUSING,))
                assert error.outcome is Outcome.CONNECT_TIMEOUT
                await until(lambda: open_sockets() <= sockets_before)

    run(scenario())


@pytest.mark.parametrize("text", ["eth0", "localhost", "127.1", "[::1]", "127.0.0.1:80", "192.0.2.1", "fe80::1%none"])
def test_what_is_no_address_of_this_machine_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="an IP address of this machine, and"):
        LocalAddress(text)


CROWD = """
import asyncio
from pathlib import Path
from weft.fetch.local_address import LocalAddress

Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("40000 40003")

async def main():
    servers = [f"127.0.0.{number}" for number in range(10, 30)]
    listeners = [await asyncio.start_server(lambda reader, writer: None, address, 9000) for address in servers]
    sockets = [await LocalAddress("127.0.0.9").connect(address, 9000) for address in servers]
    print({sock.getsockname()[0] for sock in sockets}, len(sockets))
    for closing in (*sockets, *listeners):
        closing.close()

asyncio.run(main())
"""


def test_connections_to_different_servers_share_the_ports_of_the_bound_address(tmp_path: Path) -> None:
    """Else a wide crawl would run out of them."""
    done = run_in_namespace("python", "-c", CROWD, cwd=tmp_path)
    assert (done.out, done.errors) == ("{'127.0.0.9'} 20\n", "")
