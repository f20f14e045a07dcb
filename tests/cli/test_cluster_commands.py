"""`weft node` and the commands of `weft cluster`, with a real server: what they do, and what they say of bad input."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nats.aio.client import Client

from tests.cluster.nats_servers import single_server
from tests.pipeline.engine_process import weft_command
from tests.scratch import scratch_folder
from tests.warm_weft import start_program
from weft.cluster import control
from weft.cluster.connection import connect
from weft.cluster.members import Member, new_life
from weft.cluster.node import Node
from weft.cluster.servers import Servers
from weft.cluster.shared import open_shared
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.simweb import SimProcess, WebSpec

from .running import WITHIN_S, Finished, assert_is_one_sentence, closed_port, logged, own_environment, simweb_flags

__all__ = ["single_server"]

SEED = "http://example.test/"
CONFIG = CrawlConfig(seeds=(SEED,))


def ask(servers: Servers, work: Callable[[Client], Awaitable[Any]]) -> Any:
    """What a program does with a cluster."""

    async def run() -> Any:
        client = await connect(servers.urls, name="test")
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())


async def prepare(client: Client, folder: Path) -> None:
    """Two crawls, one of which has ended; a living node of the other; folders of nodes and of a crawl of its own."""
    for crawl in ("running", "ended"):
        await control.start(client, crawl, CONFIG, replicas=1)
        await Node.open(client, crawl, folder / f"node-{crawl}", name="a")
    shared = await open_shared(client, "running")
    await shared.write_member("b", Member(new_life(1), folder="elsewhere", address="machine-b"), 0)
    ended = await open_shared(client, "ended")
    await ended.change_table(lambda table: msgspec.structs.replace(table, finished="done"))
    Crawl.create(folder / "own", CONFIG).folder.close()
    (folder / "file").touch()


@pytest.fixture(name="cluster", scope="module")
def prepared(nats: Servers) -> Iterator[tuple[str, Path]]:
    """The servers' URL, and a folder with what is prepared."""
    with scratch_folder() as folder:
        ask(nats, lambda client: prepare(client, folder))
        yield nats.urls[0], folder


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("cluster start Big_Name http://a.test/", 2, "a crawl's name is of 1 to 32 small letters"),
        ("cluster start http://a.test/", 2, "a crawl's name is of 1 to 32 small letters"),
        ("cluster start running http://a.test/ --replicas 1", 2, "there is a crawl named running already"),
        ("cluster start new", 2, "nothing to crawl"),
        ("cluster start new nonsense", 2, "'nonsense' is not a URL"),
        ("cluster start new http://a.test/ --buckets 100", 2, "--buckets is a power of 2 from 64 to 16,384, not 100"),
        ("cluster start new http://a.test/ --buckets 32", 2, "--buckets is a power of 2"),
        ("cluster start new http://a.test/ --buckets x", 2, "--buckets must be a whole number"),
        ("cluster start new http://a.test/ --replicas 2", 2, "--replicas is 1 or 3, not 2"),
        ("cluster start new http://a.test/", 2, "3 replicas want 3 JetStream servers"),
        ("cluster start new http://a.test/ --lease 0", 2, "--lease must be"),
        ("cluster start new http://a.test/ --lease nan", 2, "--lease must be"),
        ("cluster start new http://a.test/ --lease 2h", 2, "--lease is from 5s to 1h"),
        ("cluster start new http://a.test/ -o folder", 2, "there is no flag -o"),
        ("cluster start new http://a.test/ --filter missing:x", 2, "--filter"),
        ("cluster status unknown", 2, "there is no crawl named unknown here"),
        ("cluster status Unknown", 2, "a crawl's name is of"),
        ("cluster seeds unknown http://a.test/", 2, "there is no crawl named unknown here"),
        ("cluster seeds ended http://a.test/", 2, "the crawl ended has ended"),
        ("cluster seeds running", 2, "nothing to crawl"),
        ("cluster seeds running nonsense", 2, "'nonsense' is not a URL"),
        ("cluster seeds running http://me:secret@a.test/", 2, "--auth of `weft cluster start`"),
        ("cluster pause unknown", 2, "there is no crawl named unknown here"),
        ("cluster pause ended", 2, "the crawl ended has ended"),
        ("cluster resume ended", 2, "the crawl ended has ended"),
        ("cluster stop ended", 2, "the crawl ended has ended"),
        ("cluster drain ended b", 2, "the crawl ended has ended"),
        ("cluster drain running z", 2, "there is no node named z; there are: b"),
        ("cluster drain running >", 2, "a node's name is of"),
        ("cluster drain running", 2, "NODE is missing"),
        ("node unknown", 2, "there is no crawl named unknown here"),
        ("node ended", 2, "the crawl ended has ended"),
        ("node Unknown", 2, "a crawl's name is of"),
        ("node running --weight 0", 2, "--weight must be a whole number of at least 1, not 0"),
        ("node running --weight 10001", 2, "--weight must be from 1 to 10,000, not 10001"),
        ("node running --weight x", 2, "--weight must be a whole number"),
        ("node running --name A_B", 2, "a node's name is of"),
        ("node running --name b -o new", 2, "a node named b lives elsewhere, at machine-b"),
        ("node running --bind nowhere -o new", 2, "'nowhere' is none"),
        ("node running -o node-ended", 6, "node-ended belongs to node a of the crawl ended"),
        ("node running --name c -o node-running", 6, "node-running belongs to node a of the crawl running"),
        ("node running -o own", 6, "own holds a crawl of its own"),
        ("node running -o file", 6, "cannot use file: Not a directory"),
        ("cluster rebuild running node-running --replicas 1", 6, "there is no database in node-running"),
        ("cluster rebuild running own --replicas 1", 2, "own holds a crawl of its own"),
        ("cluster rebuild running file --replicas 1", 6, "file"),
        ("cluster rebuild running", 2, "DIR is missing"),
        ("cluster rebuild running node-running --replicas 2", 2, "--replicas is 1 or 3"),
        ("resume node-running", 6, "`weft node running -o node-running` goes on with it"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(
    cluster: tuple[str, Path], arguments: str, code: int, words: str
) -> None:
    nats, folder = cluster
    before = sorted(folder.iterdir())
    done = Finished(*arguments.split(), *([] if arguments.startswith("resume") else ["--nats", nats]), cwd=folder)
    assert (done.code, words in done.errors) == (code, True), done.errors
    assert_is_one_sentence(done)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("command", ["status", "pause", "resume", "stop", "seeds", "drain", "start", "node"])
def test_no_server_is_told_in_one_sentence(command: str, tmp_path: Path) -> None:
    more = {"seeds": [SEED], "drain": ["a"], "start": [SEED]}.get(command, [])
    words = ["node"] if command == "node" else ["cluster", command]
    port = closed_port()
    done = Finished(*words, "trial", *more, "--nats", f"nats://127.0.0.1:{port}", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert f"no server listens at 127.0.0.1:{port}" in done.errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("nats", "words"),
    [
        ([], "--nats is missing"),
        (["--nats", ""], "names no server"),
        (["--nats", "http://127.0.0.1"], "is no URL of a NATS server"),
    ],
)
def test_what_names_no_server_is_told_in_one_sentence(nats: list[str], words: str, tmp_path: Path) -> None:
    done = Finished("cluster", "status", "trial", *nats, cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert words in done.errors


def test_commands_change_what_status_shows(nats: Servers, tmp_path: Path) -> None:
    at = ["--nats", nats.urls[0]]

    def status() -> dict[str, Any]:
        done = Finished("cluster", "status", "shown", "--json", *at, cwd=tmp_path)
        found = json.loads(done.out)
        assert isinstance(found, dict)
        return found

    begun = Finished("cluster", "start", "shown", SEED, "--replicas", "1", "--buckets", "64", *at, cwd=tmp_path)
    assert (begun.code, begun.errors) == (0, "")
    assert (status()["buckets"], status()["moving"], status()["paused"]) == (64, 64, False)
    events = status()["events"]
    added = Finished("cluster", "seeds", "shown", "http://more.test/", *at, cwd=tmp_path)
    assert added.out == "Added 1 seed.\n"
    assert status()["events"] > events
    for command, paused, stopped in (("pause", True, False), ("stop", True, True), ("resume", False, False)):
        assert Finished("cluster", command, "shown", *at, cwd=tmp_path).code == 0
        assert (status()["paused"], status()["stopped"]) == (paused, stopped)
    silent = Member(new_life(1), folder="elsewhere", address="machine-b")

    async def enter(client: Client) -> None:
        await (await open_shared(client, "shown")).write_member("b", silent, 0)

    ask(nats, enter)
    for flags, is_drained in (([], True), (["--back"], False)):
        assert Finished("cluster", "drain", "shown", "b", *flags, *at, cwd=tmp_path).code == 0
        assert [node["is_drained"] for node in status()["nodes"]] == [is_drained]


def test_a_crawl_is_begun_and_done_with_servers_named_by_the_environment(nats: Servers, tmp_path: Path) -> None:
    environment = own_environment() | {"WEFT_NATS": nats.urls[0]}
    flags = ["--replicas", "1", "--buckets", "64", "--lease", "6s"]
    with SimProcess(WebSpec(hosts=1, pages=4)) as sim:
        done = Finished(
            "cluster", "start", "small", *sim.seeds, *simweb_flags(sim), *flags, cwd=tmp_path, environment=environment
        )
        assert done.code == 0, done.errors
        nodes = [
            start_program(
                weft_command("node", "small", "--name", name, "-o", name, "--json"),
                env=environment,
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for name in ("a", "b")
        ]
        try:
            printed, logs = zip(*(process.communicate(timeout=WITHIN_S) for process in nodes), strict=True)
        finally:
            for process in nodes:
                process.kill()
                process.wait()
    # One of them had no host, which is no failure.
    assert [process.returncode for process in nodes] == [0, 0]
    assert sorted(json.loads(out)["pages"] for out in printed) == [0, 4]
    for name, log in zip(("a", "b"), logs, strict=True):
        begins, *_, ended = logged(log, "crawl")
        assert begins.startswith(f"begins: node {name} of the crawl small into {tmp_path}/{name};")
        assert ended.startswith("ended: done (exit code 0). Done.")
    status = Finished("cluster", "status", "small", "--nats", nats.urls[0], cwd=tmp_path)
    assert status.out.startswith("small: ended, as nothing was left to do; 4 pages\n")
    removed = Finished("cluster", "remove", "small", cwd=tmp_path, environment=environment)
    assert removed.code == 0, removed.errors
    gone = Finished("cluster", "status", "small", cwd=tmp_path, environment=environment)
    assert gone.code == 2
    assert "no crawl named small" in gone.errors
