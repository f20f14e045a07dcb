"""How far the log reaches, as a node's folder remembers it over all of its lives.

What was once acknowledged or seen there, is there. A log that ends before it was cut short: a server has lost its end,
or was set back to an old backup. Each life says so, before it wipes the rows of which `weft cluster rebuild` makes the
log again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from weft.cluster.events import LogDamaged
from weft.cluster.log import CUT_SHORT, PAUSE_S, STREAMS, Log
from weft.state import State

KEY: Final = b"log"
# A leader that has lost its lead tells an old end until it knows so. What is written meanwhile is acknowledged by the
# new one, so that nobody goes on with a log that is really shorter.
OLD_END_S: Final = 30.0


class ReachRow(msgspec.Struct, frozen=True, array_like=True):
    """What a folder remembers."""

    streams: list[str]  # when each was made: of one that was made again nothing is known
    ends: list[int]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ReachRow).decode


class Reach:
    """Of one life. The log itself notes what it acknowledges, in `known`."""

    def __init__(self, state: State, log: Log, streams: list[str]) -> None:
        self._state = state
        self._log = log
        self._streams = streams
        self._kept = reached([state], streams)
        log.known = list(self._kept)

    def check(self, ends: Sequence[int]) -> None:
        """LogDamaged if the streams end before what is known of them."""
        if is_short(ends, self._kept):
            raise LogDamaged(CUT_SHORT)

    async def ends(self) -> list[int]:
        """The last place of each stream. LogDamaged if one is shorter than it was, and stays so."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + OLD_END_S
        while True:
            known = list(self._log.known)
            ends = await self._log.ends()
            if not is_short(ends, known):
                break
            if loop.time() > give_up_at:
                raise LogDamaged(CUT_SHORT)
            await asyncio.sleep(PAUSE_S)
        self._log.known = list(map(max, self._log.known, ends))
        self.keep()
        return ends

    def keep(self) -> None:
        """Have the next life know it, too."""
        if self._log.known == self._kept:
            return
        self._kept = list(self._log.known)
        batch = self._state.batch()
        batch.put("meta", KEY, _encode(ReachRow(self._streams, self._kept)))
        self._state.write(batch)


def reached(states: Iterable[State], streams: list[str]) -> list[int]:
    """How far these folders know that the streams reach."""
    ends = [0] * STREAMS
    for state in states:
        if (data := state.get("meta", KEY)) is not None and (row := _decode(data)).streams == streams:
            ends = list(map(max, ends, row.ends))
    return ends


def is_short(ends: Sequence[int], known: Sequence[int]) -> bool:
    """Whether a stream ends before what is known of it."""
    return any(end < place for end, place in zip(ends, known, strict=True))
