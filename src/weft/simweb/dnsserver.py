"""The names of the web over DNS, on a loopback UDP port."""

from __future__ import annotations

import asyncio
from collections import Counter
from enum import StrEnum
from types import TracebackType
from typing import Self, cast

import msgspec

from weft.simweb import chance
from weft.simweb.chance import Dice
from weft.simweb.dnswire import (
    BadQueryError,
    Query,
    ResponseCode,
    decode_query,
    encode_response,
    type_of_address,
)
from weft.simweb.model import SimWeb

DNS_ADDRESS = "127.0.0.1"


class DnsFailure(StrEnum):
    """How a name can fail to resolve."""

    SERVFAIL = "servfail"
    NXDOMAIN = "nxdomain"
    SILENCE = "silence"


class DnsSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How well the names of a web resolve."""

    ttl_s: int = 300
    delay_ms: float = 0.0
    failing_share: float = 0.0  # of the names: the first queries fail, by an error or by silence
    failing_attempts: int = 2  # how many queries for such a name fail
    always_failing: dict[str, DnsFailure] = {}
    # What the first query for a name gives, what the second, and so on; the last answer stays. Addresses of
    # both families, wherever they lead: a private network, where nobody listens, elsewhere the second time
    # (rebinding). A and AAAA are counted apart. Comes before what the web says.
    answers: dict[str, tuple[tuple[str, ...], ...]] = {}


class SimDns(asyncio.DatagramProtocol):
    """Answers as long as the `async with` lasts. `queries` counts them by name, of every type."""

    def __init__(self, web: SimWeb, spec: DnsSpec | None = None, port: int = 0) -> None:
        self.port = port
        self.queries: Counter[str] = Counter()
        self._web = web
        self._spec = spec or DnsSpec()
        self._dice = Dice(web.spec.seed)
        self._transport: asyncio.DatagramTransport | None = None
        self._closed = asyncio.Event()
        self._queries_by_type: Counter[tuple[str, int]] = Counter()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(DNS_ADDRESS, self.port))
        self.port = transport.get_extra_info("sockname")[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._transport:
            self._transport.close()
            await self._closed.wait()

    @property
    def server(self) -> str:
        """Address and port, as resolvers take them."""
        return f"{DNS_ADDRESS}:{self.port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._closed.set()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        try:
            query = decode_query(data)
        except BadQueryError:
            return  # as a real server does with noise
        self.queries[query.name] += 1
        self._queries_by_type[query.name, query.type] += 1
        response = self._answer(query)
        if response is None:
            return
        if self._spec.delay_ms:
            asyncio.get_running_loop().call_later(self._spec.delay_ms / 1000, self._send, response, addr)
        else:
            self._send(response, addr)

    def _send(self, response: bytes, addr: tuple[str, int]) -> None:
        if self._transport:
            self._transport.sendto(response, addr)

    def _answer(self, query: Query) -> bytes | None:
        match self._failure(query.name):
            case DnsFailure.SERVFAIL:
                return encode_response(query, ResponseCode.SERVFAIL)
            case DnsFailure.NXDOMAIN:
                return encode_response(query, ResponseCode.NXDOMAIN)
            case DnsFailure.SILENCE:
                return None
        addresses = self._addresses(query)
        if not addresses:
            return encode_response(query, ResponseCode.NXDOMAIN)
        asked_for = tuple(address for address in addresses if type_of_address(address) == query.type)
        return encode_response(query, ResponseCode.NOERROR, asked_for, self._spec.ttl_s)

    def _addresses(self, query: Query) -> tuple[str, ...]:
        if answers := self._spec.answers.get(query.name):
            return answers[min(self._queries_by_type[query.name, query.type], len(answers)) - 1]
        return self._web.dns_addresses_of(query.name)

    def _failure(self, name: str) -> DnsFailure | None:
        if name in self._spec.always_failing:
            return self._spec.always_failing[name]
        if self.queries[name] > self._spec.failing_attempts:
            return None
        unit = self._dice.unit_of(chance.DNS_FAILURE, name)
        if unit >= self._spec.failing_share:
            return None
        return DnsFailure.SERVFAIL if unit < self._spec.failing_share / 2 else DnsFailure.SILENCE
