from __future__ import annotations

import asyncio

import pytest

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Framing
from weft.simweb.hosts import IPV6_ADDRESS, LAME_ADDRESS, LAME_IPV6_ADDRESS

from .reference import ask_model, crawl_model, fetch
from .serving import asked, with_server


def test_https_hosts_have_https_urls_and_keep_their_share() -> None:
    web = SimWeb(WebSpec(hosts=400, pages=400, tls_share=0.5), port=8080, https_port=8443)
    assert 160 < sum(host.tls for host in web.hosts) < 240
    for host in web.hosts:
        assert web.url(host.name, "/").startswith("https://" if host.tls else "http://")


def test_a_bare_name_leads_to_https_www() -> None:
    web = SimWeb(WebSpec(hosts=8, pages=100, www_share=1.0), port=8080, https_port=8443)
    www = web.hosts[0]
    assert www.name == f"www.{www.bare_name}"
    assert web.seeds()[0] == f"http://{www.bare_name}:8080/"
    for scheme in ("http", "https"):
        for path in ("/", "/p1.html", "/robots.txt"):
            response = ask_model(web, web.url(www.bare_name, path, scheme))
            assert response.status in (301, 308)
            assert response.headers["location"] == f"https://{www.name}:8443{path}"
    assert web.address_of(www.bare_name) == web.address_of(www.name)
    assert len({host.name for host in web.hosts} | {www.bare_name}) == 9


def test_a_site_behind_a_bare_name_can_be_crawled_from_it() -> None:
    web = SimWeb(WebSpec(hosts=1, pages=50, www_share=1.0), port=8080, https_port=8443)
    truth = web.truth()
    assert list(truth.status.values()).count(200) == 50
    assert truth.depth[web.seeds()[0]] == truth.depth[web.url(web.hosts[0].name, "/")] == 0
    assert crawl_model(web, 99, lowers_depth=True) == truth.fetchable


def test_some_links_go_through_doors_and_robots_txt_holds_for_them() -> None:
    web = SimWeb(WebSpec(hosts=12, pages=600, tls_share=1.0, robots_share=1.0), port=8080, https_port=8443)
    truth = web.truth()
    through_doors = [url for url in truth.depth if url.startswith("http:")]
    assert any(url in truth.fetchable for url in through_doors)
    assert any(url in truth.forbidden and "/private/" in url for url in through_doors)
    assert not any("/private/" in url for url in truth.fetchable)


def test_a_host_whose_tls_is_broken_cannot_be_asked_anything() -> None:
    web = SimWeb(WebSpec(hosts=40, pages=800, tls_share=0.8, broken_tls_share=0.4), port=8080, https_port=8443)
    broken = {host.name for host in web.hosts if host.tls_fault}
    truth = web.truth()
    hosts_of = [{url.split("/")[2].partition(":")[0] for url in urls} for urls in (truth.fetchable, truth.forbidden)]
    assert broken & hosts_of[1]
    assert not broken & hosts_of[0]
    assert not broken & {host.name for host in web.hosts[: web.spec.seed_hosts]}


@pytest.mark.parametrize(
    ("share", "status_line", "headers"),
    [
        ("http10_share", b"HTTP/1.0 200 OK", {b""}),
        ("close_delimited_share", b"HTTP/1.1 200 OK", {b"connection: close"}),
        ("chunked_share", b"HTTP/1.1 200 OK", {b"transfer-encoding: chunked"}),
    ],
)
def test_hosts_speak_http_in_their_own_way(share: str, status_line: bytes, headers: set[bytes]) -> None:
    spec = WebSpec(hosts=2, pages=2, keep_alive_share=1.0, **{share: 1.0})  # type: ignore[arg-type]

    async def use(server: SimServer) -> None:
        for host in server.web.hosts:
            async with asked(server, "/", host=host.name) as reader:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                assert head.startswith(status_line.lower())
                assert headers <= set(head.split(b"\r\n"))
                assert (b"content-length:" in head) is (host.framing is Framing.LENGTH)
                if host.framing is Framing.CHUNKED:
                    assert (await reader.readuntil(b"\r\n0\r\n\r\n")).endswith(b"</html>\n\r\n0\r\n\r\n")
                else:
                    assert (await reader.read()).endswith(b"</html>\n")

    with_server(spec, use)


def test_a_host_that_limits_its_rate_refuses_its_first_requests_but_those_for_robots_txt() -> None:
    spec = WebSpec(hosts=1, pages=1, rate_limited_share=1.0, rate_limited_requests=2, robots_share=1.0)

    async def use(server: SimServer) -> None:
        name = server.web.hosts[0].name
        paths = ["/robots.txt", "/", "/robots.txt", "/gone", "/", "/gone"]
        statuses = [(await fetch(server.web, server.web.url(name, path))).status for path in paths]
        assert statuses == [200, 429, 200, 429, 200, 404]
        assert server.web.truth().rate_limited == {name: 2}

    with_server(spec, use)


def test_hosts_with_ipv6_have_both_addresses_and_some_a_lame_one() -> None:
    web = SimWeb(WebSpec(hosts=400, pages=400, ipv6_share=0.5, lame_address_share=0.5))
    pairs = [host.dns_addresses for host in web.hosts if len(host.dns_addresses) == 2]
    assert 160 < len(pairs) < 240
    assert sum(pair == (LAME_ADDRESS, IPV6_ADDRESS) for pair in pairs) > 30
    assert sum(pair[1] == LAME_IPV6_ADDRESS for pair in pairs) > 30
    assert sum(LAME_ADDRESS not in pair and pair[1] == IPV6_ADDRESS for pair in pairs) > 60
    for host in web.hosts:
        assert host.address in host.dns_addresses


def test_a_host_answers_where_it_says_and_not_at_its_lame_address() -> None:
    spec = WebSpec(hosts=40, pages=40, ipv6_share=1.0, lame_address_share=0.6)

    async def use(server: SimServer) -> None:
        for host in server.web.hosts:
            assert (await fetch(server.web, server.web.url(host.name, "/"))).status == 200
        for address in (LAME_ADDRESS, LAME_IPV6_ADDRESS):
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection(address, server.port)

    server = with_server(spec, use)
    assert IPV6_ADDRESS in server.log.requests_by_address()


@pytest.mark.parametrize(("spread", "times"), [(0.0, 1.2), (0.3, 10.0)])
def test_hosts_are_of_like_size_where_the_spread_is_small(spread: float, times: float) -> None:
    sizes = [host.page_count for host in SimWeb(WebSpec(hosts=50, pages=2000, size_spread=spread)).hosts]
    assert sum(sizes) == 2000
    assert max(sizes) <= times * min(sizes)
