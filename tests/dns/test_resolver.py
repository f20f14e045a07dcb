"""The resolver against a name server of our own on loopback."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from weft.clock import Clock, FakeClock
from weft.dns import NameCache, Resolver, name_servers
from weft.dns.server_address import checked_server
from weft.errors import BadInput, FetchError
from weft.types import Outcome

from .nameserver import AAAA, NXDOMAIN, SERVFAIL, A, NameServer, Zone, name_server

A_WHILE_S = 60.0


def with_resolver(
    zones: dict[str, Zone],
    scenario: Callable[[Resolver, NameServer], Awaitable[None]],
    *,
    clock: Clock | None = None,
    cache: NameCache | None = None,
    hosts: dict[str, tuple[str, ...]] | None = None,
    timeout_s: float = A_WHILE_S,
    ipv6: bool = True,
) -> None:
    """Run the scenario, and see that nothing is left behind."""
    complaints: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context["message"]))
        async with name_server(zones) as server:
            resolver = Resolver(
                [f"127.0.0.1:{server.port}"],
                clock=clock or Clock(),
                cache=cache,
                hosts=hosts or {},
                timeout_s=timeout_s,
                ipv6=ipv6,
            )
            try:
                await asyncio.wait_for(scenario(resolver, server), A_WHILE_S)
            finally:
                await asyncio.wait_for(resolver.close(), A_WHILE_S)
            assert asyncio.all_tasks() == {asyncio.current_task()}
            gc.collect()  # what was forgotten complains when it is collected

    uvloop.run(run())
    assert complaints == []


async def outcome_of(resolver: Resolver, host: str) -> Outcome:
    with pytest.raises(FetchError) as caught:
        await resolver.resolve(host)
    return caught.value.outcome


def test_a_name_is_resolved_by_the_server_that_was_named() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        answer = await resolver.resolve("a.example")
        assert answer.addresses == ("192.0.2.1", "192.0.2.2")
        assert not answer.from_cache

    with_resolver({"a.example": Zone(("192.0.2.1", "192.0.2.2"))}, scenario)


def test_both_kinds_of_address_are_asked_for_and_ipv4_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_servers, "AAAA_GRACE_S", A_WHILE_S)

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.1", "2001:db8::1")
        assert server.questions("a.example", A) == server.questions("a.example", AAAA) == 1

    with_resolver({"a.example": Zone(("2001:db8::1", "192.0.2.1"))}, scenario)


def test_a_name_with_ipv6_addresses_only_is_resolved() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("six.example")).addresses == ("2001:db8::1",)

    with_resolver({"six.example": Zone(("2001:db8::1",))}, scenario)


def test_ipv6_is_not_asked_for_where_it_is_not_wanted() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.1",)
        assert await outcome_of(resolver, "six.example") is Outcome.DNS_NOT_FOUND
        assert server.questions("a.example", AAAA) == 0

    zones = {"a.example": Zone(("192.0.2.1", "2001:db8::1")), "six.example": Zone(("2001:db8::1",))}
    with_resolver(zones, scenario, ipv6=False)


def test_ipv4_addresses_do_not_wait_long_for_ipv6_ones() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        answer = await resolver.resolve("a.example")
        assert answer.addresses == ("192.0.2.1",)

    never_s = 10 * A_WHILE_S
    zones = {"a.example": Zone(("192.0.2.1", "2001:db8::1"), aaaa_delay_s=never_s)}
    with_resolver(zones, scenario, timeout_s=never_s)


def test_ipv4_addresses_are_used_although_the_question_for_ipv6_failed() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.1",)

    with_resolver({"a.example": Zone(("192.0.2.1",), aaaa_rcode=SERVFAIL)}, scenario)


def test_an_alias_is_followed_and_bounds_the_ttl() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        answer = await resolver.resolve("alias.example")
        assert answer.addresses == ("192.0.2.1",)
        assert answer.ttl_s == 90

    with_resolver({"alias.example": Zone(("192.0.2.1",), alias="real.example", ttl_s=90)}, scenario)


def test_a_name_that_does_not_exist_is_dns_not_found() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "no.example") is Outcome.DNS_NOT_FOUND

    with_resolver({}, scenario)


def test_a_name_that_does_not_exist_needs_no_second_opinion() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "no.example") is Outcome.DNS_NOT_FOUND

    zone = Zone(rcode=NXDOMAIN, delay_s=0.05, aaaa_rcode=SERVFAIL, aaaa_delay_s=0.0)
    with_resolver({"no.example": zone}, scenario)


def test_an_address_that_is_given_twice_is_one_address() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.1",)

    with_resolver({"a.example": Zone(("192.0.2.1", "192.0.2.1"))}, scenario)


def test_a_name_without_addresses_is_dns_not_found() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "bare.example") is Outcome.DNS_NOT_FOUND

    with_resolver({"bare.example": Zone()}, scenario)


@pytest.mark.parametrize("name", ["a..example", "x" * 64 + ".example", "x." * 130 + "example"])
def test_a_name_that_cannot_be_is_dns_not_found(name: str) -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, name) is Outcome.DNS_NOT_FOUND
        assert server.asked == []

    with_resolver({}, scenario)


def test_a_server_that_fails_is_dns_failed() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "ill.example") is Outcome.DNS_FAILED

    with_resolver({"ill.example": Zone(rcode=SERVFAIL)}, scenario)


def test_no_ipv4_address_and_a_failure_for_ipv6_is_dns_failed() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "half.example") is Outcome.DNS_FAILED

    with_resolver({"half.example": Zone(aaaa_rcode=SERVFAIL)}, scenario)


def test_a_server_that_never_answers_is_dns_failed_in_time() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "mute.example") is Outcome.DNS_FAILED

    with_resolver({"mute.example": Zone(silent=True)}, scenario, timeout_s=0.4)


def test_a_second_look_up_is_answered_from_the_cache() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        await resolver.resolve("a.example")
        again = await resolver.resolve("a.example")
        assert again.from_cache
        assert again.addresses == ("192.0.2.1",)
        assert resolver.known("a.example") == again
        assert server.questions("a.example") == 1

    with_resolver({"a.example": Zone(("192.0.2.1",))}, scenario, clock=FakeClock())


def test_an_answer_says_when_it_ends() -> None:
    clock = FakeClock(1_000_000.0)

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).expires_at == 1_000_600.0
        clock.advance(100)
        assert (await resolver.resolve("a.example")).expires_at == 1_000_600.0

    with_resolver({"a.example": Zone(("192.0.2.1",), ttl_s=600)}, scenario, clock=clock)


def test_an_answer_that_has_ended_is_asked_for_anew() -> None:
    clock = FakeClock()
    zones = {"a.example": Zone(("192.0.2.1",))}

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        await resolver.resolve("a.example")
        zones["a.example"] = Zone(("192.0.2.2",))
        clock.advance(61)
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.2",)

    with_resolver(zones, scenario, clock=clock, cache=NameCache(ttl_floor_s=60, stale_for_s=60))


def test_that_a_name_does_not_exist_is_remembered_for_a_while() -> None:
    clock = FakeClock()

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        for _ in range(3):
            assert await outcome_of(resolver, "no.example") is Outcome.DNS_NOT_FOUND
        assert server.questions("no.example") == 1
        clock.advance(31)
        assert await outcome_of(resolver, "no.example") is Outcome.DNS_NOT_FOUND
        assert server.questions("no.example") == 2

    with_resolver({}, scenario, clock=clock, cache=NameCache(negative_ttl_s=30))


def test_a_failure_is_not_remembered() -> None:
    zones = {"ill.example": Zone(rcode=SERVFAIL)}

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert await outcome_of(resolver, "ill.example") is Outcome.DNS_FAILED
        zones["ill.example"] = Zone(("192.0.2.1",))
        assert (await resolver.resolve("ill.example")).addresses == ("192.0.2.1",)

    with_resolver(zones, scenario)


def test_look_ups_of_one_name_at_once_share_one_query() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        answers = await asyncio.gather(*(resolver.resolve("a.example") for _ in range(50)))
        assert {answer.addresses for answer in answers} == {("192.0.2.1",)}
        assert server.questions("a.example") == 1
        assert resolver.statistics().joined == 49

    with_resolver({"a.example": Zone(("192.0.2.1",), delay_s=0.05)}, scenario)


def test_those_who_share_a_query_share_its_failure() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        outcomes = await asyncio.gather(*(outcome_of(resolver, "no.example") for _ in range(5)))
        assert outcomes == [Outcome.DNS_NOT_FOUND] * 5

    with_resolver({}, scenario)


def test_a_caller_who_gives_up_does_not_spoil_it_for_the_others() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        first = asyncio.create_task(resolver.resolve("a.example"))
        second = asyncio.create_task(resolver.resolve("a.example"))
        await asyncio.sleep(0.01)
        first.cancel()
        assert (await second).addresses == ("192.0.2.1",)
        assert first.cancelled()

    with_resolver({"a.example": Zone(("192.0.2.1",), delay_s=0.05)}, scenario)


def test_a_busy_name_is_renewed_without_anybody_waiting() -> None:
    clock = FakeClock()
    zones = {"busy.example": Zone(("192.0.2.1",))}

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        for _ in range(4):
            await resolver.resolve("busy.example")
        zones["busy.example"] = Zone(("192.0.2.2",))
        clock.advance(61)
        for _ in range(3):
            assert (await resolver.resolve("busy.example")).addresses == ("192.0.2.1",)
        await asyncio.wait([task for task in asyncio.all_tasks() if task.get_name() == "dns busy.example"])
        assert (await resolver.resolve("busy.example")).addresses == ("192.0.2.2",)
        assert resolver.statistics().renewed == 1
        assert server.questions("busy.example") == 2

    with_resolver(zones, scenario, clock=clock, cache=NameCache(ttl_floor_s=60, stale_for_s=60))


def test_addresses_are_answered_as_they_are() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("192.0.2.33")).addresses == ("192.0.2.33",)
        assert (await resolver.resolve("[2001:DB8::0:1]")).addresses == ("2001:db8::1",)
        assert server.asked == []

    with_resolver({}, scenario)


def test_localhost_never_goes_to_the_network() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("localhost")).addresses == ("127.0.0.1", "::1")
        assert (await resolver.resolve("app.localhost")).addresses == ("127.0.0.1", "::1")
        assert server.asked == []

    with_resolver({}, scenario)


def test_the_hosts_file_comes_before_the_name_server() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert (await resolver.resolve("a.example")).addresses == ("192.0.2.77",)
        assert server.asked == []

    with_resolver({"a.example": Zone(("192.0.2.1",))}, scenario, hosts={"a.example": ("192.0.2.77",)})


def test_statistics_count_what_happened() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        await resolver.resolve("a.example")
        await resolver.resolve("a.example")
        await resolver.resolve("192.0.2.1")
        await outcome_of(resolver, "no.example")
        await outcome_of(resolver, "ill.example")
        statistics = resolver.statistics()
        assert (statistics.hits, statistics.misses, statistics.queries) == (2, 3, 3)
        assert (statistics.not_found, statistics.failures) == (1, 1)
        assert (statistics.cached_names, statistics.in_flight) == (2, 0)
        assert statistics.mean_query_ms > 0

    with_resolver({"a.example": Zone(("192.0.2.1",)), "ill.example": Zone(rcode=SERVFAIL)}, scenario)


def test_closing_ends_the_queries_under_way() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        waiting = [asyncio.create_task(outcome_of(resolver, f"mute{i}.example")) for i in range(5)]
        await server.has_been_asked(10)
        await resolver.close()
        assert await asyncio.gather(*waiting) == [Outcome.DNS_FAILED] * 5
        assert await outcome_of(resolver, "late.example") is Outcome.DNS_FAILED
        await resolver.close()  # twice is once

    with_resolver({f"mute{i}.example": Zone(silent=True) for i in range(5)}, scenario, timeout_s=30.0)


def test_a_resolver_that_asked_nothing_closes_in_peace() -> None:
    async def scenario(resolver: Resolver, server: NameServer) -> None:
        assert resolver.known("a.example") is None
        assert server.asked == []

    with_resolver({}, scenario)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("192.0.2.1", "192.0.2.1:53"),
        ("192.0.2.1:5353", "192.0.2.1:5353"),
        ("2001:db8::1", "[2001:db8::1]:53"),
        ("[2001:db8::1]", "[2001:db8::1]:53"),
        ("[2001:db8::1]:5353", "[2001:db8::1]:5353"),
    ],
)
def test_servers_are_addresses_with_or_without_a_port(written: str, meant: str) -> None:
    assert checked_server(written) == meant


@pytest.mark.parametrize(
    "written",
    ["", "ns.example", "192.0.2.1:", "192.0.2.1:x", "192.0.2.1:0", "192.0.2.1:65536", "1:2", "[::1]x"],
)
def test_a_server_that_is_no_address_is_refused(written: str) -> None:
    with pytest.raises(BadInput, match="name server"):
        Resolver([written], clock=Clock(), hosts={})


def test_answers_of_many_names_are_remembered_here_alone_and_not_by_c_ares_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_servers, "NAMES_PER_CHANNEL", 2)

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        for name in ("a.example", "b.example", "c.example"):
            assert (await resolver.resolve(name)).addresses == ("192.0.2.1",)
        resolver.forget("a.example")
        await resolver.resolve("a.example")
        assert server.questions("a.example") == 2

    with_resolver({f"{name}.example": Zone(("192.0.2.1",), ttl_s=3600) for name in "abc"}, scenario)


def test_a_slow_answer_comes_although_many_names_were_asked_for_since(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_servers, "NAMES_PER_CHANNEL", 1)

    async def scenario(resolver: Resolver, server: NameServer) -> None:
        slow = asyncio.create_task(resolver.resolve("slow.example"))
        await server.has_been_asked(1)
        for name in ("a.example", "b.example"):
            await resolver.resolve(name)
        assert (await slow).addresses == ("192.0.2.9",)

    quick = {f"{name}.example": Zone(("192.0.2.1",)) for name in "ab"}
    with_resolver({"slow.example": Zone(("192.0.2.9",), delay_s=0.5), **quick}, scenario)
