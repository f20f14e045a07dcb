"""What one node asks another to do at once: fetch a robots.txt on a host of its own, to which another one redirects.

So a host is asked by its owner alone, in its turn, whoever wants to know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from weft.cluster.holdings import Holdings, Stage
from weft.errors import FetchError, HostGivenUp, WeftError
from weft.types import Fetched, Outcome
from weft.url import host_of

PATIENCE_S: Final = 300.0  # a host may have to rest before it is asked
ASK_AGAIN_S: Final = 1.0
AT_ONCE: Final = 64


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What came of it; neither: the host is not the asked node's, or that has too much to do."""

    fetched: Fetched | None = None
    outcome: Outcome | None = None
    detail: str = ""


ASK_AGAIN: Final = Answer()

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer).decode


class Errands:
    """A node's part in it: it asks, and is asked."""

    def __init__(self, client: Client, crawl: str, node: str) -> None:
        self._client = client
        self._crawl = crawl
        self._node = node
        self.holdings: Holdings  # of the life that uses it
        self._tasks: set[asyncio.Task[None]] = set()  # bound: AT_ONCE

    async def serve(self, fetch: Callable[[str], Awaitable[Fetched]]) -> None:
        """Do what others ask for, for as long as this is not cancelled."""

        async def take(message: Msg) -> None:
            if len(self._tasks) >= AT_ONCE:
                await _respond(message, ASK_AGAIN)
                return
            task = asyncio.create_task(self._do(message, fetch))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        subscription = await self._client.subscribe(self._subject(self._node), cb=take)
        try:
            await asyncio.Event().wait()
        finally:
            for task in self._tasks:
                task.cancel()
            with suppress(nats.errors.Error, OSError):
                await subscription.unsubscribe()

    async def _do(self, message: Msg, fetch: Callable[[str], Awaitable[Fetched]]) -> None:
        url = message.data.decode()
        try:
            answer = Answer(await fetch(url)) if self._is_ours(url) else ASK_AGAIN
        except FetchError as error:
            answer = Answer(outcome=error.outcome, detail=error.detail)
        except HostGivenUp:
            answer = ASK_AGAIN
        except WeftError as error:
            answer = Answer(outcome=Outcome.UNREACHABLE, detail=str(error))
        await _respond(message, answer)

    async def ask(self, url: str) -> Fetched | None:
        """Have a URL fetched by its host's owner; None if that is this node. FetchError when nothing comes."""
        bucket = self.holdings.shares.of_host(host_of(url))
        give_up_at = asyncio.get_running_loop().time() + PATIENCE_S
        while not self._is_ours(url):
            owner = self.holdings.owner_of(bucket)
            left_s = give_up_at - asyncio.get_running_loop().time()
            if left_s <= 0:
                raise FetchError(Outcome.UNREACHABLE, f"no node answers for {host_of(url)}")
            with suppress(nats.errors.Error, OSError, TimeoutError, msgspec.DecodeError):
                answer = await self._answer(owner, bucket, url, left_s)
                if answer.fetched is not None:
                    return answer.fetched
                if answer.outcome is not None:
                    raise FetchError(answer.outcome, answer.detail)
            await asyncio.sleep(ASK_AGAIN_S)  # it is being handed over, or nobody's yet
        return None

    async def _answer(self, owner: str, bucket: int, url: str, within_s: float) -> Answer:
        """TimeoutError when none comes, or another node is to be asked: this one may be dead."""
        asking = asyncio.ensure_future(
            self._client.request(self._subject(owner or "nobody"), url.encode(), timeout=within_s)
        )
        try:
            while not (await asyncio.wait((asking,), timeout=ASK_AGAIN_S))[0]:
                if self.holdings.owner_of(bucket) != owner:
                    raise TimeoutError
            return _decode(asking.result().data)
        finally:
            asking.cancel()

    def _is_ours(self, url: str) -> bool:
        holding = self.holdings.held.get(self.holdings.shares.of_host(host_of(url)))
        return holding is not None and holding.stage is Stage.OWNED

    def _subject(self, node: str) -> str:
        return f"w.{self._crawl}.ask.{node}"


async def _respond(message: Msg, answer: Answer) -> None:
    with suppress(nats.errors.Error, OSError):
        try:
            await message.respond(_encode(answer))
        except nats.errors.MaxPayloadError:
            await message.respond(_encode(Answer(outcome=Outcome.HEAD_TOO_LARGE, detail="for the cluster's servers")))
