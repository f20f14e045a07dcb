"""`weft.cluster.connection`: what stands in the way of a connection is told in one sentence; then it lasts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trustme
import uvloop
from nats.aio.client import Client

from tests.cluster.nats_servers import answered, client_of, connected
from tests.cluster.relay import Relay
from tests.pipeline.engine_process import await_others
from tests.scratch import scratch_folder
from weft.cluster import connection, greeting
from weft.cluster.connection import connect, enough_servers
from weft.cluster.nats_program import find_program
from weft.cluster.servers import LOOPBACK, Servers, free_ports
from weft.errors import BadInput

WITHIN_S = 60.0
INFO = {"server_id": "A", "version": "2.15.1", "max_payload": 1_048_576}


@pytest.fixture
def folder() -> Iterator[Path]:
    with scratch_folder() as folder:
        yield folder


@pytest.fixture
def hasty() -> None:
    """For a test of a server that is silent on purpose: the time that weft has for it."""


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a server that is silent for seconds is one that gets no CPU."""
    if "hasty" not in request.fixturenames:
        monkeypatch.setattr(greeting, "SILENCE_S", WITHIN_S / 2)
        monkeypatch.setattr(connection, "_STEP_S", WITHIN_S / 2)
        monkeypatch.setattr(connection, "PATIENCE_S", WITHIN_S)


async def attempt(*urls: str, **words: Any) -> None:
    """Connect, and close it again."""
    client = await connect(urls, name="test", **words)
    await client.close()


def failure(*urls: str, **words: Any) -> str:
    """The sentence with which it fails."""

    async def run() -> str:
        with pytest.raises(BadInput) as caught:
            await asyncio.wait_for(attempt(*urls, **words), 2 * WITHIN_S)
        return str(caught.value)

    return asyncio.run(run())


@contextmanager
def tcp_server(first_words: bytes | None) -> Iterator[str]:
    """Says this to whoever connects, and nothing else; with None it closes the connection."""
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if first_words is None:
                connection.close()
            else:
                held.append(connection)
                connection.sendall(first_words)

    with socket.create_server((LOOPBACK, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"nats://{LOOPBACK}:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in held:
                connection.close()


@contextmanager
def configured_server(folder: Path, **told: Any) -> Iterator[str]:
    """A nats-server with a configuration of the test's own."""
    (port,) = free_ports(1)
    file = folder / "server.json"
    file.write_text(json.dumps({"listen": f"{LOOPBACK}:{port}", **told}))
    process = subprocess.Popen([find_program(), "-c", file], stderr=subprocess.DEVNULL)
    try:
        await_listener(port)
        yield f"{LOOPBACK}:{port}"
    finally:
        process.kill()
        process.wait()


def await_listener(port: int) -> None:
    while True:
        try:
            socket.create_connection((LOOPBACK, port)).close()
            return
        except ConnectionRefusedError:
            pass


def said_first(**words: Any) -> bytes:
    return b"INFO " + json.dumps(INFO | words).encode() + b"\r\n"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:4222",
        "http://127.0.0.1:4222",
        "nats://",
        "nats://:4222",
        "nats://host:port",
        "nats://host:99999",
        "nats://host:4222/path",
        "nats://ho st:4222",
        "nats://[::1:4222",
        "nats://user:secret@host:4222?x",
    ],
)
def test_what_is_no_url_of_a_server_is_refused_without_showing_a_password(url: str) -> None:
    sentence = failure(url)
    assert "nats://HOST:4222" in sentence
    assert "secret" not in sentence


def test_it_is_told_that_no_server_listens() -> None:
    port, other = free_ports(2)
    sentence = failure(f"nats://{LOOPBACK}:{port}", f"nats://user:secret@{LOOPBACK}:{other}")
    assert f"no server listens at {LOOPBACK}:{port}; no server listens at {LOOPBACK}:{other}" in sentence
    assert "weft cluster up DIR" in sentence


def test_a_name_that_is_nobodys_is_told() -> None:
    assert "no server listens at nobody.invalid:4222" in failure("nats://nobody.invalid")


@pytest.mark.parametrize(
    "first_words",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"220 ready\r\n", b"INFO {\r\n", b"INFO {}\r\n", b"x" * 100_000],
    ids=["http", "ftp", "cut off", "no version", "endless"],
)
def test_a_server_of_another_protocol_is_told(first_words: bytes) -> None:
    with tcp_server(first_words) as url:
        assert f"{url.removeprefix('nats://')} does not speak NATS" in failure(url)


@pytest.mark.usefixtures("hasty")
def test_a_server_that_says_nothing_is_told() -> None:
    with tcp_server(b"") as url:
        assert "says nothing" in failure(url)


def test_a_server_that_hangs_up_is_told() -> None:
    with tcp_server(None) as url:
        assert "closes the connection at once" in failure(url)


@pytest.mark.usefixtures("hasty")
def test_a_server_that_greets_and_then_hangs_is_told() -> None:
    with tcp_server(said_first()) as url:
        assert "does not answer in time" in failure(url)


@pytest.mark.parametrize("version", ["2.9.10", "2.10.22", "1.4.1", "what"])
def test_a_server_that_is_too_old_is_told(version: str) -> None:
    with tcp_server(said_first(version=version)) as url:
        assert f"NATS {version}, and weft needs 2.10.23 or later" in failure(url)


def test_a_server_that_is_too_old_is_refused_even_if_another_is_not(nats: Servers) -> None:
    with tcp_server(said_first(version="2.9.10")) as url:
        assert "NATS 2.9.10" in failure(*nats.urls, url)


def test_a_server_without_jetstream_is_told(folder: Path) -> None:
    with configured_server(folder) as address:
        assert "no JetStream" in failure(f"nats://{address}")


def test_an_account_without_jetstream_is_told(folder: Path) -> None:
    accounts = {"A": {"users": [{"user": "u", "password": "p"}], "jetstream": "disabled"}}
    with configured_server(folder, jetstream={"store_dir": str(folder)}, accounts=accounts) as address:
        assert "no JetStream" in failure(f"nats://u:p@{address}")


def test_credentials_that_are_missing_or_wrong_are_told(folder: Path) -> None:
    told = {"authorization": {"user": "u", "password": "right"}, "jetstream": {"store_dir": str(folder)}}
    with configured_server(folder, **told) as address:
        assert "wants credentials: --nats-creds FILE" in failure(f"nats://{address}")
        sentence = failure(f"nats://u:wrong@{address}")
        assert "refuses these credentials" in sentence
        assert "wrong" not in sentence
        asyncio.run(attempt(f"nats://u:right@{address}"))


@pytest.mark.usefixtures("hasty")
def test_credentials_that_may_not_use_jetstream_are_told(folder: Path) -> None:
    user = {"user": "u", "password": "p", "permissions": {"publish": "other.>"}}
    told = {"authorization": {"users": [user]}, "jetstream": {"store_dir": str(folder)}}
    with configured_server(folder, **told) as address:
        assert "does not let these credentials use JetStream" in failure(f"nats://u:p@{address}")


def test_a_file_of_credentials_is_looked_at_first(folder: Path, nats: Servers) -> None:
    assert "cannot read the credentials" in failure(nats.urls[0], creds=folder / "absent")
    (folder / "creds").write_text("nothing")
    assert "holds no credentials" in failure(nats.urls[0], creds=folder / "creds")


def test_the_library_that_credentials_need_is_named(folder: Path, nats: Servers) -> None:
    (folder / "creds").write_text("-----BEGIN NATS USER JWT-----\nx\n-----BEGIN USER NKEY SEED-----\ny\n")
    assert "install 'nats-py[nkeys]'" in failure(nats.urls[0], creds=folder / "creds")


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@contextmanager
def tls_server(folder: Path, authority: trustme.CA, **tls: Any) -> Iterator[str]:
    """Its certificate is for loopback, and from this authority, whose own is in `ca.pem`."""
    own = authority.issue_cert(LOOPBACK)
    own.private_key_pem.write_to_path(folder / "key.pem")
    own.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    files = {"cert_file": str(folder / "cert.pem"), "key_file": str(folder / "key.pem")}
    with configured_server(folder, jetstream={"store_dir": str(folder)}, tls=files | tls) as address:
        yield f"tls://{address}"


def test_tls_works_with_the_authority_and_is_told_without(
    folder: Path, authority: trustme.CA, caplog: pytest.LogCaptureFixture
) -> None:
    with tls_server(folder, authority) as url:
        asyncio.run(attempt(url, ca=folder / "ca.pem"))
        assert caplog.messages == []
        asyncio.run(attempt(url.replace("tls://", "nats://"), ca=folder / "ca.pem"))
        assert "is not trusted" in failure(url)
        assert "name its authority by --nats-ca" in failure(url.replace("tls://", "nats://"))
        trustme.CA().cert_pem.write_to_path(folder / "other.pem")
        assert "is not trusted" in failure(url, ca=folder / "other.pem")


def test_a_server_that_wants_a_certificate_of_the_client_is_told(folder: Path, authority: trustme.CA) -> None:
    with tls_server(folder, authority, verify=True, ca_file=str(folder / "ca.pem")) as url:
        assert "wants certificates of its clients" in failure(url, ca=folder / "ca.pem")


def test_a_server_without_tls_is_told_where_tls_is_wanted(nats: Servers) -> None:
    assert "does not speak TLS" in failure(nats.urls[0].replace("nats://", "tls://"))


def test_a_file_that_is_no_certificate_is_told(folder: Path, nats: Servers) -> None:
    assert "no certificate" in failure(nats.urls[0], ca=folder / "absent")
    (folder / "ca.pem").write_text("nothing")
    assert "no certificate" in failure(nats.urls[0], ca=folder / "ca.pem")


@pytest.mark.usefixtures("hasty")
def test_a_server_that_is_away_does_no_harm_if_another_answers(nats: Servers) -> None:
    (port,) = free_ports(1)
    with tcp_server(b"") as silent:

        async def run() -> None:
            async with client_of([silent, f"nats://{LOOPBACK}:{port}", nats.urls[0]]) as client:
                assert client.is_connected

        asyncio.run(run())


@pytest.mark.usefixtures("hasty")
def test_servers_without_a_leader_are_told(nats3: Servers) -> None:
    nats3.kill(1)
    nats3.kill(2)
    try:
        await_others(lambda: not nats3.is_healthy(0), "the end of its leading, if it was the leader")
        assert "no leader: more than half of its servers must be up" in failure(*nats3.urls)
    finally:
        nats3.start()


def test_fewer_servers_than_replicas_are_told(nats: Servers, nats3: Servers) -> None:
    async def try_replicas(urls: list[str], replicas: int) -> None:
        client = await connect(urls, name="test")
        try:
            await enough_servers(client, replicas)
        finally:
            async with asyncio.timeout(WITHIN_S):
                while await answered(client.jsm().streams_info):  # noqa: ASYNC110  # a deletion takes its time
                    await asyncio.sleep(0.01)
            await client.close()

    asyncio.run(try_replicas(nats.urls, 1))
    asyncio.run(try_replicas(nats3.urls, 3))
    with pytest.raises(BadInput, match=r"3 replicas want 3 .*--replicas 1"):
        asyncio.run(try_replicas(nats.urls, 3))
    with pytest.raises(BadInput, match="5 replicas want 5"):
        asyncio.run(try_replicas(nats3.urls, 5))


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not holds():  # noqa: ASYNC110  # a library's state, which tells nobody
            await asyncio.sleep(0.01)


async def reconnected(client: Client, act: Callable[[], None]) -> None:
    """Returns when the client has reconnected after this."""
    before = client.stats["reconnects"]
    act()
    await until(lambda: client.stats["reconnects"] > before and client.is_connected)
    await answered(client.jsm().account_info)


async def fill_buffers(client: Client) -> None:
    """More than the kernel takes: the rest waits in this process."""
    assert client._transport is not None
    writer = client._transport._io_writer  # type: ignore[attr-defined]
    async with asyncio.timeout(WITHIN_S):
        while not writer.transport.get_write_buffer_size():
            await client.publish("into.the.void", bytes(500_000))
            await asyncio.sleep(0)


async def through_relay(servers: Servers, play: Callable[[Client, Relay], Awaitable[None]]) -> None:
    with Relay(int(servers.urls[0].rpartition(":")[2])) as relay:
        client = await connected([relay.url])
        try:
            await play(client, relay)
        finally:
            await client.close()


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_client_comes_back_after_a_cut(runner: Callable[..., None], nats3: Servers) -> None:
    async def play(client: Client, relay: Relay) -> None:
        relay.cut()
        await until(lambda: not client.is_connected)
        await reconnected(client, relay.restore)

    runner(through_relay(nats3, play))


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_client_leaves_a_server_that_is_silent_even_with_bytes_to_send(
    runner: Callable[..., None], nats3: Servers
) -> None:
    async def run() -> None:
        first, second = (int(url.rpartition(":")[2]) for url in nats3.urls[:2])
        with Relay(first) as relay, Relay(second) as other:
            other.cut()
            client = await connected([relay.url, other.url])
            relay.pause()
            await fill_buffers(client)
            await reconnected(client, other.restore)
            assert client.connected_url is not None
            assert client.connected_url.port == other.port
            await client.close()

    runner(run())


@pytest.mark.usefixtures("hasty")
def test_no_connection_stays_open_while_servers_do_not_answer(nats: Servers) -> None:
    async def play(client: Client, relay: Relay) -> None:
        relay.pause()
        await client.force_reconnect()
        before = open_sockets()
        tried: list[Exception] = []

        async def note(error: Exception) -> None:
            tried.append(error)

        client._error_cb = note
        await until(lambda: len(tried) >= 4)
        assert open_sockets() <= before + 4  # two at either end of the relay, which is in this process
        await reconnected(client, relay.restore)

    asyncio.run(through_relay(nats, play))


def open_sockets() -> int:
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # closed meanwhile
            found += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
    return found


def test_a_client_comes_back_after_an_error_that_the_server_reports(nats: Servers) -> None:
    async def play(client: Client, _: Relay) -> None:
        async def complain() -> None:
            await client._process_err("'slow consumer'")

        task = asyncio.create_task(complain())
        await reconnected(client, lambda: None)
        await task

    asyncio.run(through_relay(nats, play))


def test_a_client_comes_back_after_its_server_was_killed_and_started_again(nats: Servers) -> None:
    async def run() -> None:
        client = await connected(nats.urls)
        nats.kill(0)
        await reconnected(client, nats.start)
        await client.close()

    asyncio.run(run())


@pytest.mark.usefixtures("hasty")
def test_closing_does_not_wait_for_a_server_that_hangs(nats: Servers) -> None:
    async def run() -> None:
        client = await connected(nats.urls)
        os.kill(nats.pid(0), signal.SIGSTOP)
        try:
            await fill_buffers(client)
            await asyncio.wait_for(client.close(), WITHIN_S)
        finally:
            os.kill(nats.pid(0), signal.SIGCONT)
        assert client.is_closed

    asyncio.run(run())


def test_nothing_is_said_on_stderr_while_the_servers_are_away(nats: Servers, capfd: pytest.CaptureFixture[str]) -> None:
    async def play(client: Client, relay: Relay) -> None:
        relay.cut()
        await until(lambda: not client.is_connected)
        await reconnected(client, relay.restore)

    asyncio.run(through_relay(nats, play))
    assert capfd.readouterr() == ("", "")
