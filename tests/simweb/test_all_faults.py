"""Webs with some of everything: what two crawlers of another making find in them is what the truth says."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from weft.simweb import SimProcess, SimWeb, WebSpec
from weft.simweb.behaviour import Fault, Framing, TlsFault
from weft.simweb.robotstxt import RobotsTxt

from .browser import crawl_process
from .reference import canonical, crawl_model, host_and_path

# Quick enough for a client that waits for nothing.
QUICK = replace(WebSpec.with_all_faults(hosts=60, pages=400, seed=2), latency_ms=(0, 0), stall_s=0.02, retry_after_s=0)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("max_depth", [3, 99])
def test_a_crawl_of_the_model_finds_the_truth(seed: int, max_depth: int) -> None:
    web = SimWeb(WebSpec.with_all_faults(hosts=40, pages=400, seed=seed), port=8080, https_port=8443)
    assert crawl_model(web, max_depth, lowers_depth=True) == web.truth(max_depth).fetchable


def test_a_crawl_over_http_and_https_finds_the_truth_and_the_log_shows_it() -> None:
    with SimProcess(QUICK) as process:
        found = crawl_process(process)
        truth = process.web.truth()
    assert found == truth.status
    assert process.https_port
    by_url = process.log.requests_by_url(process.http_port, https_port=process.https_port)
    assert by_url.keys() == truth.fetchable
    assert {url: sum(request.whole for request in requests) for url, requests in by_url.items()} == dict.fromkeys(
        truth.fetchable, 1
    )
    for url, requests in by_url.items():
        if host_and_path(url)[0] not in truth.rate_limited:
            assert len(requests) == 1 + truth.failing_attempts.get(url, 0)
    refused = Counter(
        request.host for request in process.log if request.fault == Fault.STATUS_429 and not request.is_robots
    )
    assert refused
    assert refused == {host: truth.rate_limited[host] for host in refused}
    assert {request.scheme for request in process.log} == {"http", "https"}


def test_all_faults_are_there() -> None:
    web = SimWeb(WebSpec.with_all_faults(hosts=200, pages=5000))
    truth = web.truth()
    assert {host.robots for host in web.hosts} == set(RobotsTxt)
    assert {host.tls_fault for host in web.hosts} == {None, *TlsFault} - {TlsFault.NO_CLOSE_NOTIFY}
    assert {(host.http10, host.framing) for host in web.hosts} == {
        (True, Framing.LENGTH),
        (True, Framing.CLOSE),
        (False, Framing.LENGTH),
        (False, Framing.CLOSE),
        (False, Framing.CHUNKED),
    }
    assert {len(host.dns_addresses) for host in web.hosts} == {1, 2}
    # And still it is a web, of which a crawler can get the most.
    assert list(truth.status.values()).count(200) > 4000
    assert len(truth.forbidden) > 500
    assert truth.rate_limited
    assert truth.crawl_delay_s
    assert truth.noindex
    assert max(truth.depth.values()) >= 8


def test_every_share_is_on() -> None:
    spec = WebSpec.with_all_faults(hosts=10, pages=100)
    off = [name for name in spec.__struct_fields__ if name.endswith("_share") and not getattr(spec, name)]
    assert off == ["relevant_share"]  # no fault: a web with a topic has a graph of its own


def test_all_urls_are_canonical() -> None:
    truth = SimWeb(WebSpec.with_all_faults(hosts=40, pages=800), port=8080, https_port=8443).truth()
    assert [url for url in truth.depth if canonical(url, url) != url] == []


def test_what_is_forbidden_is_not_fetchable_and_both_have_a_depth() -> None:
    truth = SimWeb(WebSpec.with_all_faults(hosts=40, pages=800)).truth()
    assert not truth.fetchable & truth.forbidden
    assert truth.depth.keys() == truth.fetchable | truth.forbidden
    assert truth.status.keys() == truth.fetchable
    assert truth.failing_attempts.keys() | truth.noindex <= truth.fetchable
