"""Where others come in: small protocols, each with what it is on one machine.

| door | asked | on one machine | who else |
|---|---|---|---|
| `Owner` | when links are found: whose are they? | all are ours | cluster, several engines |
| `Witness` | when a visit ends, in the same batch | `async for`, if somebody reads | outbox, graph of links, history |
| `Consent` | before a request begins, and before the run ends | none is needed | cluster, a person who pauses it |
| `Limits` | how much may still be begun | counted here | cluster, several engines |
| `Order` (`weft.order`) | what comes first; told of links and pages | breadth first | a user's own |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import msgspec

from weft.config import CrawlConfig
from weft.order import BreadthFirst, Order
from weft.pipeline.halts import Halt
from weft.state import Batch
from weft.stats import Counters
from weft.types import Fetched, FoundLink, PageRow, Processed


class Owner(Protocol):
    """Whose links are they?"""

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """Those that this engine visits; what becomes of the others goes into the same batch."""


class Finished(NamedTuple):
    """A visit that has ended for good."""

    id: bytes
    page: PageRow
    fetched: Fetched | None  # None: no response came
    processed: Processed | None


class Witness(Protocol):
    """Hears how visits end."""

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A visit has ended; what is put into the batch holds if the visit's own rows hold."""

    def settle(self) -> None:
        """The batch is written."""


class Consent(Protocol):
    """May something happen? Whoever withholds consent calls for the pump when that changes."""

    def halt(self) -> Halt | None:
        """Why no request may begin now."""

    def may_end(self) -> bool:
        """Whether a crawl that has nothing left to do is over: others might still send work."""


class Limits(Protocol):
    """How much of the crawl's limits is ours."""

    def is_near(self, under_way: int) -> bool:
        """Whether these pages that are under way may be all that is allowed."""


class AllOurs:
    """There is nobody else."""

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        return found


class OwnLimits:
    """The limits of the settings, all of them ours."""

    def __init__(self, config: CrawlConfig, counters: Counters) -> None:
        self._max_pages = config.max_pages
        self._max_bytes = config.max_bytes
        self._counters = counters

    def is_near(self, under_way: int) -> bool:
        counters = self._counters
        if self._max_bytes is not None and counters.bytes + counters.unpacked_bytes >= self._max_bytes:
            return True
        return self._max_pages is not None and counters.pages + under_way >= self._max_pages


class Doors(msgspec.Struct, frozen=True):
    """All of them, as they are on one machine."""

    owner: Owner = AllOurs()
    witnesses: tuple[Witness, ...] = ()
    consents: tuple[Consent, ...] = ()
    limits: Limits | None = None  # None: those of the settings
    order: Order = BreadthFirst()
