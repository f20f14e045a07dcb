from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiodns
import pycares
import pytest
import uvloop

from weft.simweb import DnsSpec, SimDns, SimWeb, WebSpec
from weft.simweb.behaviour import Fixed
from weft.simweb.dnsserver import DnsFailure

WEB = SimWeb(WebSpec(hosts=50, pages=50), {("own.test", "/"): Fixed()})

WITHIN_S = 60.0
SILENCE_S = 0.5


def with_dns(spec: DnsSpec, use: Callable[[SimDns, aiodns.DNSResolver], Awaitable[None]], web: SimWeb = WEB) -> None:
    async def run() -> None:
        async with asyncio.timeout(2 * WITHIN_S), SimDns(web, spec) as dns, asking(dns, WITHIN_S) as resolver:
            await use(dns, resolver)

    uvloop.run(run())


@asynccontextmanager
async def asking(dns: SimDns, timeout_s: float) -> AsyncIterator[aiodns.DNSResolver]:
    resolver = aiodns.DNSResolver(nameservers=[dns.server], timeout=timeout_s, tries=1)
    try:
        yield resolver
    finally:
        await resolver.close()


async def addresses(resolver: aiodns.DNSResolver, name: str, kind: str = "A") -> list[tuple[str, int]]:
    result = await resolver.query_dns(name, kind)
    records = (pycares.ARecordData, pycares.AAAARecordData)
    return [(r.data.addr, r.ttl) for r in result.answer if isinstance(r.data, records)]


def test_every_host_resolves_to_its_address_with_the_ttl() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        for host in WEB.hosts:
            assert await addresses(resolver, host.name) == [(host.address, 77)]
        assert await addresses(resolver, "own.test") == [(WEB.address_of("own.test"), 77)]
        assert dns.queries == dict.fromkeys([host.name for host in WEB.hosts] + ["own.test"], 1)

    with_dns(DnsSpec(ttl_s=77), use)


def test_an_unknown_name_is_nxdomain() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        with pytest.raises(aiodns.error.DNSError) as caught:
            await resolver.query_dns("nobody.test", "A")
        assert caught.value.args[0] == aiodns.error.ARES_ENOTFOUND

    with_dns(DnsSpec(), use)


def test_a_known_name_has_no_ipv6_address() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        with pytest.raises(aiodns.error.DNSError) as caught:
            await resolver.query_dns(WEB.hosts[0].name, "AAAA")
        assert caught.value.args[0] == aiodns.error.ARES_ENODATA

    with_dns(DnsSpec(), use)


def test_failing_names_resolve_after_the_promised_number_of_queries() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        failures = []
        for host in WEB.hosts[6:8]:  # of which one fails by silence and one by an error
            async with asking(dns, SILENCE_S) as hasty:
                for _ in range(2):
                    with pytest.raises(aiodns.error.DNSError) as caught:
                        await hasty.query_dns(host.name, "A")
                    failures.append(caught.value.args[0])
            assert await addresses(resolver, host.name) == [(host.address, 300)]
            assert dns.queries[host.name] == 3
        assert set(failures) == {aiodns.error.ARES_ESERVFAIL, aiodns.error.ARES_ETIMEOUT}

    with_dns(DnsSpec(failing_share=1.0, failing_attempts=2), use)


def test_a_name_can_fail_for_ever() -> None:
    name = WEB.hosts[0].name

    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        for _ in range(5):
            with pytest.raises(aiodns.error.DNSError) as caught:
                await resolver.query_dns(name, "A")
            assert caught.value.args[0] == aiodns.error.ARES_ENOTFOUND

    with_dns(DnsSpec(always_failing={name: DnsFailure.NXDOMAIN}), use)


def test_ipv6_addresses_and_lame_ones_are_told_as_the_web_has_them() -> None:
    web = SimWeb(WebSpec(hosts=30, pages=30, ipv6_share=0.7, lame_address_share=0.5))

    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        for host in web.hosts:
            told = [address for address, _ in await addresses(resolver, host.name)]
            if len(host.dns_addresses) == 2:
                told += [address for address, _ in await addresses(resolver, host.name, "AAAA")]
            assert tuple(told) == host.dns_addresses

    with_dns(DnsSpec(), use, web=web)


def test_bare_names_have_the_address_of_their_host() -> None:
    web = SimWeb(WebSpec(hosts=4, pages=4, www_share=1.0))

    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        for name in (web.hosts[0].name, web.hosts[0].bare_name):
            assert await addresses(resolver, name) == [(web.hosts[0].address, 300)]

    with_dns(DnsSpec(), use, web=web)


def test_a_name_can_be_given_any_addresses() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        assert await addresses(resolver, "inner.test") == [("10.0.0.1", 300), ("192.168.0.1", 300)]
        assert await addresses(resolver, "inner.test", "AAAA") == [("fe80::1", 300)]
        assert await addresses(resolver, "six.test", "AAAA") == [("::1", 300)]
        with pytest.raises(aiodns.error.DNSError) as caught:
            await resolver.query_dns("six.test", "A")
        assert caught.value.args[0] == aiodns.error.ARES_ENODATA

    answers: dict[str, tuple[tuple[str, ...], ...]] = {
        "inner.test": (("10.0.0.1", "192.168.0.1", "fe80::1"),),
        "six.test": (("::1",),),
    }
    with_dns(DnsSpec(answers=answers), use)


def test_an_answer_can_change_with_the_number_of_the_query() -> None:
    name = WEB.hosts[0].name

    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        for expected in ("127.1.0.1", "127.1.0.1", "10.0.0.1", "10.0.0.1"):
            # A and AAAA are counted apart, so it does not matter whether both are asked for.
            with pytest.raises(aiodns.error.DNSError):
                await resolver.query_dns(name, "AAAA")
            assert await addresses(resolver, name) == [(expected, 0)]

    rebinding = (("127.1.0.1",), ("127.1.0.1",), ("10.0.0.1",))
    with_dns(DnsSpec(ttl_s=0, answers={name: rebinding}), use)


def test_a_delay_holds_answers_back() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        loop = asyncio.get_running_loop()
        started_at = loop.time()
        await resolver.query_dns(WEB.hosts[0].name, "A")
        assert loop.time() - started_at > 0.04

    with_dns(DnsSpec(delay_ms=50), use)


def test_noise_is_ignored() -> None:
    async def use(dns: SimDns, resolver: aiodns.DNSResolver) -> None:
        dns.datagram_received(b"noise", ("127.0.0.1", 9))
        assert await addresses(resolver, WEB.hosts[0].name) == [(WEB.hosts[0].address, 300)]
        assert sum(dns.queries.values()) == 1

    with_dns(DnsSpec(), use)
