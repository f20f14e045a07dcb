"""The questions themselves: A and AAAA, put to name servers by c-ares through aiodns.

| A says            | AAAA is waited for        | and then                                             |
|-------------------|---------------------------|------------------------------------------------------|
| addresses         | 50 ms                     | both, IPv4 first                                     |
| no such name      | not at all                | not found; the name has no records of any kind       |
| no address        | to the end                | its addresses; not found if it has none either       |
| nothing, an error | to the end                | its addresses; else failed                           |

c-ares tries each server in turn, and again with doubled patience; whatever it does, after `timeout_s` in
all the question has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import aiodns
import pycares

from weft.errors import FetchError
from weft.types import Outcome

AAAA_GRACE_S = 0.05  # how long IPv4 addresses wait for IPv6 ones to arrive
# c-ares remembers each answer for its TTL, however many there are: 2 KB a name. Our own cache is enough, and bounded;
# so a channel is replaced after this many names. To make and to end one takes 0.2 ms.
NAMES_PER_CHANNEL = 2_000

_NO_SUCH_NAME = frozenset({pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_EBADNAME})
_NO_ADDRESS = _NO_SUCH_NAME | {pycares.errno.ARES_ENODATA}

_Query = asyncio.Future[pycares.DNSResult]


class Found(NamedTuple):
    """The addresses of a name, IPv4 first; none if there is no such name or it has none."""

    addresses: tuple[str, ...]
    ttl_s: float


class _Reply(NamedTuple):
    """What one question brought: addresses, or c-ares' number for the reason why not."""

    addresses: tuple[str, ...] = ()
    ttl_s: float = 0.0
    error: int = pycares.errno.ARES_ENODATA


class _Channel:
    """The way to the servers for a number of names."""

    def __init__(self, dns: aiodns.DNSResolver) -> None:
        self.dns = dns
        self.names_left = NAMES_PER_CHANNEL
        self.under_way = 0  # questions for names


class NameServers:
    """Servers as `checked_server` writes them, or the system's. Used from one running loop."""

    def __init__(self, servers: Sequence[str] = (), *, timeout_s: float = 10.0, tries: int = 3, ipv6: bool = True):
        self._servers = servers
        self._timeout_s = timeout_s
        self._tries = tries
        self._ipv6 = ipv6
        # The last one takes questions; the others have some under way. The first is made at the first question: it
        # binds to the running loop. Filled by _channel, emptied by ask; bound: look-ups.
        self._channels: list[_Channel] = []

    async def ask(self, host: str) -> Found:
        """The addresses of `host`; FetchError with DNS_FAILED if it cannot be found out."""
        channel = self._channel()
        channel.names_left -= 1
        channel.under_way += 1
        a = channel.dns.query_dns(host, "A")
        aaaa = channel.dns.query_dns(host, "AAAA") if self._ipv6 else None
        try:
            a_reply, aaaa_reply = await self._replies(a, aaaa)
        finally:
            for query in (a, aaaa):
                if query is not None:
                    query.cancel()  # also keeps one that has failed unseen from complaining when it is collected
            channel.under_way -= 1
            if not channel.names_left and not channel.under_way:
                await self._end(channel)
        found = [reply for reply in (a_reply, aaaa_reply) if reply.addresses]
        if found:
            return Found(a_reply.addresses + aaaa_reply.addresses, min(reply.ttl_s for reply in found))
        errors = {a_reply.error, aaaa_reply.error} - _NO_ADDRESS
        if not errors:
            return Found((), 0.0)
        reasons = sorted(str(pycares.errno.strerror(error)) for error in errors)
        raise FetchError(Outcome.DNS_FAILED, f"{host}: {'; '.join(reasons)}")

    async def _replies(self, a: _Query, aaaa: _Query | None) -> tuple[_Reply, _Reply]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._timeout_s
        a_reply = await _reply_to(a, self._timeout_s)
        if aaaa is None or a_reply.error in _NO_SUCH_NAME:
            return a_reply, _Reply()
        left_s = deadline - loop.time()
        return a_reply, await _reply_to(aaaa, min(left_s, AAAA_GRACE_S) if a_reply.addresses else left_s)

    def cancel(self) -> None:
        """Let all questions under way fail at once."""
        for channel in self._channels:
            channel.dns.cancel()

    async def close(self) -> None:
        """Let go of the sockets; no question may be under way."""
        for channel in list(self._channels):
            await self._end(channel)

    def _channel(self) -> _Channel:
        if not self._channels or not self._channels[-1].names_left:
            first_try_s = self._timeout_s / (2**self._tries - 1)
            self._channels.append(_Channel(aiodns.DNSResolver(self._servers, timeout=first_try_s, tries=self._tries)))
        return self._channels[-1]

    async def _end(self, channel: _Channel) -> None:
        self._channels.remove(channel)
        await channel.dns.close()


async def _reply_to(query: _Query, wait_s: float) -> _Reply:
    if not query.done():  # the second answer mostly is, when the first has come
        await asyncio.wait((query,), timeout=max(0.0, wait_s))
    if not query.done():
        return _Reply(error=pycares.errno.ARES_ETIMEOUT)
    try:
        answer = query.result().answer
    except aiodns.error.DNSError as error:
        return _Reply(error=error.args[0])
    # A name that is an alias holds no longer than the alias does.
    ttl_s = float(min((record.ttl for record in answer), default=0))
    found = (record.data for record in answer)
    addresses = [data.addr for data in found if isinstance(data, pycares.ARecordData | pycares.AAAARecordData)]
    return _Reply(tuple(dict.fromkeys(addresses)), ttl_s)
