from __future__ import annotations

import hashlib
import tracemalloc

import pytest

from weft.simweb import SimWeb, WebSpec
from weft.simweb.behaviour import Broken, Delayed, Fixed

from .reference import ask_model, canonical, crawl_model, host_and_path, permissions_of_model

SPEC = WebSpec(seed=7, hosts=40, pages=800, reset_share=0.05, stall_share=0.05, latency_ms=(1, 400))


def test_equal_specs_give_equal_webs() -> None:
    one, other = SimWeb(SPEC, port=8080), SimWeb(SPEC, port=8080)
    urls = sorted(one.truth().fetchable)
    assert one.truth() == other.truth()
    assert [one.answer(*host_and_path(url)) for url in urls] == [
        other.answer(*host_and_path(url)) for url in reversed(urls)
    ][::-1]


@pytest.mark.parametrize(
    ("spec", "digest"),
    [
        (SPEC, "ddb0582bde159d9dfae4db57d42e2358644dfd3fb296174818d288242a60591f"),
        (
            WebSpec(hosts=9, pages=200, seed=3, robots_share=0.5, keep_alive_share=0.3, addresses=3),
            "7d8742a543e4c00f58e2964ed4234e1861e65a6fb3e1552a0221a73959566ef9",
        ),
    ],
)
def test_a_spec_gives_the_same_web_as_ever(spec: WebSpec, digest: str) -> None:
    """New oddities must not change the webs that benchmarks were measured on."""
    web = SimWeb(spec, port=8080)
    truth = web.truth()
    everything = hashlib.sha256()
    for url in sorted(truth.depth) + [web.url(host.name, "/robots.txt") for host in web.hosts]:
        answer = web.answer(*host_and_path(url))
        fault, delay_s = "", 0.0
        if isinstance(answer, Delayed):
            delay_s, answer = answer.delay_s, answer.then
        if isinstance(answer, Broken):
            fault, answer = f"{answer.fault}{answer.attempts}", answer.then
        assert isinstance(answer, Fixed)
        facts = f"{url} {delay_s or 0} {fault} {truth.depth.get(url)} {truth.status.get(url)}"
        everything.update(facts.encode() + answer.head() + answer.body)
    assert everything.hexdigest() == digest


def test_another_seed_gives_another_web() -> None:
    assert SimWeb(SPEC).truth() != SimWeb(WebSpec(seed=8, hosts=40, pages=800)).truth()


def test_every_page_is_reachable_from_the_seeds() -> None:
    for seed in range(5):
        spec = WebSpec(seed=seed, hosts=60, pages=700, seed_hosts=1, links_per_page=0, redirect_share=0.3)
        statuses = list(SimWeb(spec).truth().status.values())
        assert statuses.count(200) == 700
        assert sum(300 < status < 400 for status in statuses) > 200


def test_the_smallest_web_is_one_page() -> None:
    spec = WebSpec(hosts=1, pages=1, redirect_share=0, dead_share=0, robots_share=0, links_per_page=0)
    truth = SimWeb(spec).truth()
    assert list(truth.status.values()) == [200]


def test_hosts_differ_much_in_size_and_speed_and_share_domains() -> None:
    hosts = SimWeb(SPEC).hosts
    sizes = [host.page_count for host in hosts]
    assert sum(sizes) == SPEC.pages
    assert min(sizes) >= 1
    assert max(sizes) > 20 * min(sizes)
    assert max(host.latency_s for host in hosts) > 100 * min(host.latency_s for host in hosts)
    assert len({host.name for host in hosts}) == len(hosts)
    assert len({".".join(host.name.split(".")[-2:]) for host in hosts}) == len(hosts) // 4


def test_shares_are_kept() -> None:
    spec = WebSpec(
        hosts=500,
        pages=10_000,
        reset_share=0.1,
        stall_share=0.05,
        robots_share=0.3,
        keep_alive_share=0.6,
        redirect_share=0.2,
        dead_share=0.1,
    )
    web = SimWeb(spec)
    truth = web.truth()
    statuses = list(truth.status.values())
    assert 1300 < len(truth.failing_attempts) < 1700
    assert 900 < statuses.count(404) < 1100
    assert 2000 < sum(300 < status < 400 for status in statuses) < 3200
    assert 250 < sum(host.keep_alive for host in web.hosts) < 350
    answers = [ask_model(web, web.url(host.name, "/robots.txt")) for host in web.hosts]
    assert 120 < sum(b"Disallow: /private/" in answer.body for answer in answers) < 180
    assert {(answer.status, bool(answer.body)) for answer in answers} == {
        (200, True),
        (200, False),
        (404, True),
    }


def test_pages_have_about_the_size_asked_for() -> None:
    web = SimWeb(WebSpec(hosts=10, pages=300, page_bytes=9_000))
    sizes = [len(ask_model(web, url).body) for url, status in web.truth().status.items() if status == 200]
    assert 8_000 < sum(sizes) / len(sizes) < 10_000
    assert max(sizes) > 3 * min(sizes)


def test_links_are_written_in_many_ways() -> None:
    web = SimWeb(SPEC, port=8080)
    pages = [ask_model(web, url).body for url, status in web.truth().status.items() if status == 200]
    everything = b"".join(pages)
    for way in (
        b'"http://',
        b'"HTTP://',
        b'"//',
        b'"/',
        b'"../',
        b'"./',
        b"/x/./../",
        b"#part",
        b'" http',
        b"&amp;",
        "café".encode(),
    ):
        assert way in everything, way


def test_links_with_detours_stay_within_the_web() -> None:
    web = SimWeb(SPEC, port=8080)
    truth = web.truth()
    known = truth.fetchable | truth.forbidden
    for url in truth.fetchable:
        targets, _ = ask_model(web, url).targets(url)
        assert set(targets) <= known


def test_all_urls_are_canonical() -> None:
    truth = SimWeb(SPEC, port=8080).truth()
    assert [url for url in truth.depth if canonical(url, url) != url] == []
    assert all(url.startswith("http://") and ":80/" not in url for url in SimWeb(SPEC).truth().depth)


def test_the_truth_is_what_a_crawl_finds_that_lowers_depths() -> None:
    web = SimWeb(SPEC)
    for max_depth in (0, 2, 4):
        assert crawl_model(web, max_depth, lowers_depth=True) == web.truth(max_depth).fetchable


def test_a_crawl_that_never_lowers_a_depth_misses_pages() -> None:
    web = SimWeb(SPEC)
    for max_depth in (3, 4, 5):
        truth = web.truth(max_depth).fetchable
        found = crawl_model(web, max_depth, lowers_depth=False)
        assert found < truth
        assert len(truth - found) >= 5


def test_depth_is_counted_on_the_shortest_way_and_redirects_are_free() -> None:
    web = SimWeb(SPEC)
    truth = web.truth()
    for url in truth.fetchable:
        targets, deeper = ask_model(web, url).targets(url)
        assert all(truth.depth[target] <= truth.depth[url] + deeper for target in targets)
    assert {url for url, depth in truth.depth.items() if depth == 0} >= set(web.seeds())
    for max_depth in range(5):
        cut = web.truth(max_depth)
        assert cut.fetchable == {url for url in truth.fetchable if truth.depth[url] <= max_depth}
        assert cut.forbidden == {url for url in truth.forbidden if truth.depth[url] <= max_depth}


def test_forbidden_urls_are_those_that_robots_txt_forbids() -> None:
    web = SimWeb(SPEC)
    truth = web.truth()
    permissions = permissions_of_model(web)
    assert truth.forbidden
    assert not any(permissions.allow(url) for url in truth.forbidden)
    assert all(permissions.allow(url) for url in truth.fetchable)


def test_failing_attempts_are_those_that_the_answers_promise() -> None:
    web = SimWeb(SPEC)
    truth = web.truth()
    for url in truth.fetchable:
        answer = web.answer(*host_and_path(url))
        if isinstance(answer, Delayed):
            assert isinstance(answer.then, Fixed | Broken)
            answer = answer.then
        promised = answer.attempts if isinstance(answer, Broken) else 0
        assert truth.failing_attempts.get(url, 0) == promised


def test_a_custom_behaviour_comes_first_and_its_host_has_an_address() -> None:
    web = SimWeb(SPEC)
    home = web.hosts[0].name
    own = Fixed(b"own")
    customised = SimWeb(SPEC, {(home, "/"): own, ("poison.test", "/x?y=1"): own})
    assert customised.answer(home, "/") == own
    assert customised.answer("poison.test", "/x?y=1") == own
    assert customised.answer("poison.test", "/x") == Fixed(customised.answer("nowhere.test", "/").body, 404)  # type: ignore[union-attr]
    assert customised.address_of("poison.test") in customised.addresses()
    assert web.address_of("poison.test") is None


def test_a_web_of_millions_of_pages_takes_the_memory_of_its_hosts() -> None:
    tracemalloc.start()
    try:
        web = SimWeb(WebSpec(hosts=2_000, pages=50_000_000))
        for host in web.hosts:
            assert web.answer(host.name, "/")
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held_bytes < 5_000_000
