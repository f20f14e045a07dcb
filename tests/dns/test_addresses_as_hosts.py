"""A host that is an address already is not asked for."""

from __future__ import annotations

import asyncio

import pytest

from weft.clock import FakeClock
from weft.dns import Resolver


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::", "::"),
        ("::1", "::1"),
        ("2001:db8::abcd", "2001:db8::abcd"),  # ends as a name might
        ("[2001:db8::abcd]", "2001:db8::abcd"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"),  # as a name server's answer would have it
    ],
)
def test_an_address_is_its_own_answer(host: str, address: str) -> None:
    async def known() -> tuple[str, ...]:
        resolver = Resolver(["127.0.0.1:9"], clock=FakeClock(), hosts={})
        answer = resolver.known(host)
        await resolver.close()
        assert answer is not None
        return answer.addresses

    assert asyncio.run(known()) == (address,)


@pytest.mark.parametrize("host", ["a.example", "7.example", "example7", "dead.beef"])
def test_a_name_is_none(host: str) -> None:
    async def known() -> object:
        resolver = Resolver(["127.0.0.1:9"], clock=FakeClock(), hosts={})
        answer = resolver.known(host)
        await resolver.close()
        return answer

    assert asyncio.run(known()) is None
