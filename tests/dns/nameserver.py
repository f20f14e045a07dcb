"""A small name server: it answers from a dict, late, wrongly or not at all, and notes what was asked."""

from __future__ import annotations

import asyncio
import ipaddress
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

A, AAAA, CNAME = 1, 28, 5
NXDOMAIN, SERVFAIL, REFUSED = 3, 2, 5


@dataclass
class Zone:
    """What the server says of one name."""

    addresses: tuple[str, ...] = ()
    ttl_s: int = 0  # 0 keeps c-ares from remembering the answer, too
    rcode: int = 0
    delay_s: float = 0.0
    aaaa_delay_s: float | None = None
    aaaa_rcode: int | None = None
    alias: str = ""
    silent: bool = False


@dataclass
class NameServer(asyncio.DatagramProtocol):
    zones: dict[str, Zone]
    asked: list[tuple[str, int]] = field(default_factory=list)
    port: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)  # uvloop's is none by class
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, query: bytes, client: tuple[str | int, ...]) -> None:
        name, kind, question = _question(query)
        self.asked.append((name, kind))
        self._news.set()
        zone = self.zones.get(name, Zone(rcode=NXDOMAIN))
        if zone.silent:
            return
        delay_s = zone.aaaa_delay_s if kind == AAAA and zone.aaaa_delay_s is not None else zone.delay_s
        answer = _answer(query[:2], question, kind, zone)
        asyncio.get_running_loop().call_later(delay_s, self._send, answer, client)

    def questions(self, name: str, kind: int = A) -> int:
        """How often the name was asked for."""
        return self.asked.count((name, kind))

    async def has_been_asked(self, questions: int) -> None:
        """Wait until so many questions have come."""
        while len(self.asked) < questions:
            self._news.clear()
            await self._news.wait()

    def _send(self, answer: bytes, client: tuple[str | int, ...]) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(answer, client)


@asynccontextmanager
async def name_server(zones: dict[str, Zone]) -> AsyncIterator[NameServer]:
    """A server on a free port of 127.0.0.1 for as long as the block runs."""
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(lambda: NameServer(zones), ("127.0.0.1", 0))
    try:
        yield server
    finally:
        transport.close()


def _question(query: bytes) -> tuple[str, int, bytes]:
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode().lower())
        at += 1 + length
    (kind,) = struct.unpack_from("!H", query, at + 1)
    return ".".join(labels), kind, query[12 : at + 5]


def _answer(query_id: bytes, question: bytes, kind: int, zone: Zone) -> bytes:
    rcode = zone.aaaa_rcode if kind == AAAA and zone.aaaa_rcode is not None else zone.rcode
    records = []
    owner = b"\xc0\x0c"
    if zone.alias:
        target = b"".join(bytes([len(label)]) + label.encode() for label in zone.alias.split(".")) + b"\0"
        records.append(owner + struct.pack("!HHIH", CNAME, 1, zone.ttl_s, len(target)) + target)
        owner = target
    for address in map(ipaddress.ip_address, zone.addresses):
        if address.version == (4 if kind == A else 6):
            packed = address.packed
            records.append(owner + struct.pack("!HHIH", kind, 1, zone.ttl_s, len(packed)) + packed)
    if rcode:
        records = []
    header = query_id + struct.pack("!HHHHH", 0x8180 | rcode, 1, len(records), 0, 0)
    return header + question + b"".join(records)
