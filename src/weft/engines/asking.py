"""A robots.txt to which another redirects, on a host of another engine: that one fetches it, in the host's turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Final

from weft.engines.messages import Answered, Ask
from weft.errors import FetchError, HostGivenUp, HostParked, WeftError
from weft.types import Fetched, Outcome

PATIENCE_S: Final = 300.0  # a host may have to rest before it is asked

Send = Callable[[Ask | Answered], None]


class Asking:
    """One engine's part in it: it asks, and is asked."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._awaited: dict[int, asyncio.Future[Answered]] = {}  # bound: preparations under way
        self._tasks: set[asyncio.Task[None]] = set()  # bound: preparations under way in the other engines

    @property
    def is_asked(self) -> bool:
        """Whether another engine waits for something."""
        return bool(self._tasks)

    async def ask(self, send: Send, url: str) -> Fetched:
        """What the host's engine fetched. FetchError when nothing comes."""
        number = next(self._numbers)
        answer: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._awaited[number] = answer
        send(Ask(number, url))
        try:
            answered = await asyncio.wait_for(answer, PATIENCE_S)
        except TimeoutError:
            raise FetchError(Outcome.UNREACHABLE, "the engine that has this host does not answer") from None
        finally:
            del self._awaited[number]
        if answered.fetched is None:
            raise FetchError(answered.outcome or Outcome.UNREACHABLE, answered.detail)
        return answered.fetched

    def answered(self, message: Answered) -> None:
        """The other engine has done it."""
        waiting = self._awaited.get(message.number)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def asked(self, message: Ask, send: Send, fetch: Callable[[str], Awaitable[Fetched]]) -> None:
        """Do it for another engine."""
        task = asyncio.get_running_loop().create_task(self._do(message, send, fetch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _do(self, message: Ask, send: Send, fetch: Callable[[str], Awaitable[Fetched]]) -> None:
        try:
            answer = Answered(message.number, await fetch(message.url))
        except FetchError as error:
            answer = Answered(message.number, outcome=error.outcome, detail=error.detail)
        except (HostParked, HostGivenUp):
            answer = Answered(message.number, detail="its host is left for another run")
        except WeftError as error:
            answer = Answered(message.number, outcome=Outcome.UNREACHABLE, detail=str(error))
        send(answer)

    def close(self) -> None:
        """Nobody waits any more."""
        for task in self._tasks:
            task.cancel()
