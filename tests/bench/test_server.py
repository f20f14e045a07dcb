"""Against a real nginx with its Lua module, which `bench/install-site` brings: hence with the large tests."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench.corpus import Corpus, Stage, is_gone, staged
from bench.names import host_name
from bench.pages import Shape, host_address, page_path
from bench.server import Manner, Weather, at_once, nginx_config

pytestmark = pytest.mark.large

SHAPE = Shape(hosts=2, pages_a_host=60, page_bytes=2_000, links_a_page=12)
STORMY = Weather(latency_ms=1, latency_max_ms=2, gone_share=100, cut_share=200)


def _staged(corpus: Corpus, folder: Path) -> Iterator[Stage]:
    with staged(corpus, folder) as stage:
        yield stage


@pytest.fixture
def calm(tmp_path: Path) -> Iterator[Stage]:
    yield from _staged(Corpus("t", "calm", SHAPE), tmp_path)


@pytest.fixture
def stormy(tmp_path: Path) -> Iterator[Stage]:
    yield from _staged(Corpus("t", "stormy", SHAPE, weather=STORMY), tmp_path)


def _status(stage: Stage, host: str, path: str) -> int:
    """What the server answers; 444 when it closes the connection unanswered, as it says so in its log."""
    port = int(stage.seeds[0].rsplit(":", 1)[1].rstrip("/"))
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except http.client.RemoteDisconnected:
        return 444
    finally:
        connection.close()


def test_the_log_has_each_request_of_a_run_and_none_of_the_one_before(calm: Stage) -> None:
    first, second = calm.hosts
    _status(calm, first, "/")
    start = calm.server.begin_anew()
    _, requests_before = calm.server.counts()
    assert [_status(calm, second, path) for path in ("/", "/s1/page-1.html", "/robots.txt", "/gone")] == [200] * 3 + [
        404
    ]
    assert calm.server.log_since(start) == [
        f"GET 200 {second} /",
        f"GET 200 {second} /s1/page-1.html",
        f"GET 200 {second} /robots.txt",
        f"GET 404 {second} /gone",
    ]
    assert calm.server.counts()[1] - requests_before == 5  # and this question


def test_requests_at_once_are_told_by_when_each_began_and_ended() -> None:
    assert at_once([]) == (0, 0.0)
    assert at_once([(0.0, 1.0), (1.0, 2.0)]) == (1, 1.0), "on one connection, one after the other"
    assert at_once([(0.0, 4.0), (1.0, 2.0), (1.5, 3.0), (3.0, 4.0)]) == (3, 7.5 / 4)


def test_requests_at_once_are_those_of_a_run(tmp_path: Path) -> None:
    late = Weather(latency_ms=300, latency_max_ms=300)
    with staged(Corpus("t", "late", SHAPE, weather=late), tmp_path) as stage, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda host: _status(stage, host, "/"), stage.hosts * 4))
        stage.server.begin_anew()
        began = time.time()
        list(threads.map(lambda host: _status(stage, host, "/"), stage.hosts))
        assert stage.server.at_once(began).most == 2
        assert stage.server.at_once(time.time() + 1) == (0, 0.0)


def test_a_connection_that_is_kept_counts_as_open(calm: Stage) -> None:
    port = int(calm.seeds[0].rsplit(":", 1)[1].rstrip("/"))
    assert calm.server.connections_now() == 0
    connection = http.client.HTTPConnection(calm.hosts[0], port, timeout=60)
    connection.request("GET", "/")
    connection.getresponse().read()
    assert calm.server.connections_now() == 1
    connection.close()


def test_hosts_may_have_names_and_then_one_is_the_seed(tmp_path: Path) -> None:
    with staged(Corpus("t", "by name", SHAPE, has_names=True), tmp_path) as stage:
        assert [urlsplit(seed).hostname for seed in stage.seeds] == [host_name(0)]
        assert stage.hosts == [host_name(0), host_name(1)]
        assert stage.hosts_file
        assert f"{host_address(1)} {host_name(1)}" in stage.hosts_file.read_text()
        assert _status(stage, host_address(1), "/") == 200
    assert len(stage.truth) == SHAPE.hosts * SHAPE.pages_a_host


def test_the_truth_knows_which_pages_the_weather_takes_and_a_cut_page_comes_when_asked_again(stormy: Stage) -> None:
    address = host_address(0)
    seen: dict[bool, set[int]] = {True: set(), False: set()}
    cut = []
    for page in range(1, SHAPE.pages_a_host):
        path = page_path(page)
        status = _status(stormy, address, path)
        if status == 444:
            cut.append(path)
            status = _status(stormy, address, path)
        seen[is_gone(address, path, STORMY)].add(status)
    assert seen == {True: {404}, False: {200}}
    assert cut
    stormy.server.begin_anew()  # each tool meets the same weather
    assert _status(stormy, address, cut[0]) == 444


def test_only_loopback_addresses_are_served() -> None:
    config = nginx_config("/pages", [host_address(0), host_address(1)], 8000, Path("/scratch"), Manner())
    listening = [line.split()[1] for line in config.splitlines() if line.strip().startswith("listen")]
    assert listening == ["127.0.1.1:8000", "127.0.1.2:8000", "unix:/scratch/status;"]
