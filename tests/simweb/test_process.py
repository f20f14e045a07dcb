from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import aiodns
import pycares
import pytest

from weft.simweb import DnsSpec, SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed, Framing, Stream, TlsFault
from weft.simweb.process import started
from weft.simweb.requestlog import read_log

from .reference import Response, fetch, fetch_with_retries
from .serving import WITHIN_S

SPEC = WebSpec(seed=7, hosts=10, pages=60, reset_share=0.2, failing_attempts=1)


def test_a_process_serves_the_same_web_and_hands_back_its_log() -> None:
    async def use(process: SimProcess) -> list[Response]:
        return [await fetch_with_retries(process.web, url) for url in process.seeds]

    with SimProcess(SPEC) as process:
        responses = asyncio.run(use(process))
        truth = process.web.truth()
        assert process.seeds == process.web.seeds()
        assert [response.status for response in responses] == [truth.status[url] for url in process.seeds]
    by_url = process.log.requests_by_url(process.http_port)
    assert by_url.keys() == set(process.seeds)
    for url, requests in by_url.items():
        assert len(requests) == 1 + truth.failing_attempts.get(url, 0)
    assert process.totals == process.log.totals
    assert process.connections_accepted == len(process.log)


def test_a_process_takes_custom_behaviours_and_answers_dns() -> None:
    custom: dict[tuple[str, str], Behaviour] = {
        ("own.test", "/"): Fixed(b"\x00\xff"),
        ("own.test", "/big"): Stream(10**6, Framing.LENGTH),
    }

    async def use(process: SimProcess) -> None:
        resolver = aiodns.DNSResolver(nameservers=[process.dns], timeout=WITHIN_S, tries=1)
        result = await resolver.query_dns("own.test", "A")
        answers = [r.data.addr for r in result.answer if isinstance(r.data, pycares.ARecordData)]
        assert answers == [process.web.address_of("own.test")]
        await resolver.close()
        assert (await fetch(process.web, process.web.url("own.test", "/"))).body == b"\x00\xff"
        assert len((await fetch(process.web, process.web.url("own.test", "/big"))).body) == 10**6

    with SimProcess(SPEC, custom, DnsSpec(ttl_s=5), counting_only=True) as process:
        asyncio.run(use(process))
    assert process.dns_queries == {"own.test": 1}
    assert process.totals == {"200": 2}
    assert len(process.log) == 0


def test_a_process_serves_https_with_its_own_authority_and_ipv6() -> None:
    custom: dict[tuple[str, str], Behaviour] = {("own.test", "/"): Fixed(b"own"), ("bad.test", "/"): Fixed()}
    dns = DnsSpec(answers={"own.test": (("::1",),)})
    with SimProcess(SPEC, custom, dns, tls_faults={"bad.test": TlsFault.EXPIRED}) as process:
        assert process.ca_file
        context = ssl.create_default_context(cafile=str(process.ca_file))
        for name in ("own.test", "bad.test"):
            with socket.create_connection(("::1", process.https_port or 0), WITHIN_S) as raw:
                if name == "bad.test":
                    with pytest.raises(ssl.SSLCertVerificationError):
                        context.wrap_socket(raw, server_hostname=name)
                    continue
                with context.wrap_socket(raw, server_hostname=name) as tls:
                    tls.sendall(b"GET / HTTP/1.1\r\nHost: own.test\r\n\r\n")
                    assert tls.recv(1000).endswith(b"own")
        assert process.web.url("bad.test", "/") == f"https://bad.test:{process.https_port}/"
    assert [(request.host, request.address, request.scheme, request.sni, request.fault) for request in process.log] == [
        ("own.test", "::1", "https", "own.test", ""),
        ("bad.test", "::1", "https", "bad.test", "tls-expired"),
    ]
    assert not process.ca_file.exists()


def test_a_process_without_https_says_so() -> None:
    with SimProcess(SPEC) as process:
        assert (process.https_port, process.ca_file) == (None, None)


def test_a_web_that_cannot_be_ends_with_a_sentence() -> None:
    command = [sys.executable, "-m", "weft.simweb", "--hosts", "5", "--pages", "1"]
    ended = subprocess.run(command, capture_output=True, timeout=WITHIN_S, stdin=subprocess.DEVNULL)
    assert ended.returncode == 2
    assert b"simweb: a synthetic web needs" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("how", ["end of stdin", "SIGTERM"])
def test_the_command_says_where_it_serves_and_writes_its_log_at_the_end(how: str, tmp_path: Path) -> None:
    log_path = tmp_path / "requests.jsonl"
    flags = ["--hosts", "3", "--pages", "9", "--seed", "7", "--latency-ms", "0", "1", "--log", str(log_path)]
    command = [sys.executable, "-m", "weft.simweb", *flags]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        ready = json.loads(process.stdout.readline())
        url = f"http://127.0.0.1:{ready['http_port']}/robots.txt"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=WITHIN_S)
        if how == "SIGTERM":
            process.send_signal(signal.SIGTERM)
        else:
            process.communicate(timeout=WITHIN_S)
        assert process.wait(timeout=WITHIN_S) == 0
    assert ready["dns"] == f"127.0.0.1:{ready['dns_port']}"
    assert len(ready["seeds"]) == 3
    assert [(request.path, request.status) for request in read_log(log_path)] == [("/robots.txt", 404)]


def test_the_process_dies_with_its_parent(tmp_path: Path) -> None:
    program = (
        "import os\n"
        "from weft.simweb import SimProcess, WebSpec\n"
        "with SimProcess(WebSpec()) as process:\n"
        "    print(process.pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    # The grandchild holds the other end of stderr, so this waits for it, and fails if it stays.
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=WITHIN_S)
    assert (ended.returncode, ended.stderr) == (-9, b"")
    assert int(ended.stdout) > 0
    # It did not just break down: its log is written.
    assert [path.name for path in tmp_path.glob("*/*")] == ["requests.jsonl"]


class StartedAsUsual(SimProcess):
    """Not as tests have it, which fork it from a process that has loaded simweb."""

    started = staticmethod(started)


@pytest.mark.parametrize("kind", [SimProcess, StartedAsUsual])
def test_however_a_process_is_started_it_serves_and_its_death_is_told(kind: type[SimProcess]) -> None:
    with kind(WebSpec(hosts=1, pages=1)) as sim:
        assert asyncio.run(fetch(sim.web, sim.seeds[0])).status == 200
    assert sum(sim.totals.values()) == 1
    with pytest.raises(RuntimeError, match="simweb ended with -9"), kind(WebSpec(hosts=1, pages=1)) as sim:
        os.kill(sim.pid, signal.SIGKILL)
