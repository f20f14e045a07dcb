"""Where others come in: small protocols, each with what it is on one machine.

| door | asked | on one machine | who else |
|---|---|---|---|
| `Owner` | when links are found: whose are they? | all are ours | cluster, several engines |
| `Witness` | when a visit ends, in the same batch | `async for`, if somebody reads | outbox, graph of links, history |
| `Consent` | before a request begins, and before the run ends | none is needed | cluster, a person who pauses it |
| `Limits` | how much may still be begun | counted here | cluster, several engines |
| `PageFetcher` | for each page | the fetcher itself | a browser, whose requests the fetcher makes |
| `Order` (`weft.order`) | what comes first; told of links and pages | breadth first | a user's own |
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from weft.config import CrawlConfig
from weft.fetch import Fetcher, Validators
from weft.fetch.exchange import Refuses
from weft.frontier import Frontier
from weft.order import BreadthFirst, Order
from weft.pipeline.halts import Halt
from weft.pipeline.messages import AddSeed
from weft.seen import Seen
from weft.state import Batch, State
from weft.stats import Counters
from weft.store import Archive
from weft.store.archive import ALL_NUMBERS, FileNumbers
from weft.types import Fetched, FoundLink, Link, PageRow, Processed, RequestParts
from weft.url import Target

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger
    from weft.pipeline.pace import Pace
    from weft.pipeline.parse_workers import ParseWorkers
    from weft.pipeline.preparations import Preparations
    from weft.pipeline.work import Work


class Inside(NamedTuple):
    """What an owner is given of a run: by these buckets of hosts come and go, and links arrive."""

    state: State
    seen: Seen
    frontier: Frontier
    ledger: Ledger
    archive: Archive
    fetcher: Fetcher
    workers: ParseWorkers[Work]
    pace: Pace
    preparations: Preparations

    def widen(self, seeds: Iterable[str]) -> None:
        """The scope has grown elsewhere, by seeds of which some may be known here."""
        new = [seed for seed in dict.fromkeys(seeds) if not self.ledger.scope.knows(seed)]
        if new:
            batch = self.ledger.batch()
            self.ledger.scope.add(batch, new)
            self.ledger.write(batch)
            for seed in new:
                self.workers.pool.broadcast(AddSeed(seed))


class Owner(Protocol):
    """Whose links are they? Who shares a crawl with others hears of all that these must know."""

    # Told of each of ours that was new, or nearer than known. None: nobody wants to know.
    news: Callable[[FoundLink], None] | None

    def begin(self, inside: Inside) -> None:
        """A run begins."""

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """Those that this engine visits; what becomes of the others goes into the same batch."""

    def widens(self, seeds: Iterable[str]) -> Iterable[str]:
        """Redirected seeds lead out of the scope: those by which it grows now."""

    def queued_again(self, link: Link) -> None:
        """A page that was visited returns to the queue."""

    def came_nearer(self, page: PageRow, depth: int) -> None:
        """A page's links have been read again for this depth."""

    def lost(self, url_ids: Iterable[bytes]) -> None:
        """Records of these pages did not survive a power cut."""

    async def asks_for_delay(self, host: str, delay_s: float) -> None:
        """A host's robots.txt asks for a longer delay than the crawl's; it is asked for pages once this returns."""

    async def fetched_elsewhere(self, url: str) -> Fetched | None:
        """A robots.txt to which another redirects, by whom its host belongs to; None: it is ours to ask."""

    def seal(self, batch: Batch) -> None:
        """Last before the write: add what others must hear of."""

    def settle(self) -> None:
        """The batch is written."""


class Finished(NamedTuple):
    """A visit that has ended for good."""

    id: bytes
    host: str
    page: PageRow
    fetched: Fetched | None  # None: no response came
    processed: Processed | None
    counts: bool = True  # whether this answer is the one that is known of the URL now: in an update, it may not be


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


class PageFetcher(Protocol):
    """Another way to get a page."""

    async def fetch(
        self,
        url: str,
        target: Target,
        addresses: Sequence[str],
        *,
        validators: Validators | None = None,
        may_reuse: bool = True,
        parts: RequestParts | None = None,
        refuses: Refuses | None = None,
    ) -> Fetched:
        """As `Fetcher.fetch`: from no other place than these addresses; FetchError when no whole response comes."""


class Limits(Protocol):
    """How much of the crawl's limits is ours."""

    def is_near(self, under_way: int) -> bool:
        """Whether these pages that are under way may be all that is allowed."""

    def is_reached(self) -> bool:
        """Whether nothing more will ever be allowed, with nothing under way."""


class AllOurs:
    """There is nobody else, and nothing to tell."""

    news: Callable[[FoundLink], None] | None = None

    def begin(self, inside: Inside) -> None:
        pass

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        return found

    def widens(self, seeds: Iterable[str]) -> Iterable[str]:
        return seeds

    def queued_again(self, link: Link) -> None:
        pass

    def came_nearer(self, page: PageRow, depth: int) -> None:
        pass

    def lost(self, url_ids: Iterable[bytes]) -> None:
        pass

    async def asks_for_delay(self, host: str, delay_s: float) -> None:
        pass

    async def fetched_elsewhere(self, url: str) -> Fetched | None:
        return None

    def seal(self, batch: Batch) -> None:
        pass

    def settle(self) -> None:
        pass


def itself(fetcher: Fetcher) -> Fetcher:
    """Pages are fetched as everything is."""
    return fetcher


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

    def is_reached(self) -> bool:
        return self.is_near(0)


def may_end_early(config: CrawlConfig) -> bool:
    """Whether there is a limit that may end a run with work left."""
    return (config.max_pages, config.max_bytes, config.max_time_s) != (None, None, None)


class Doors(msgspec.Struct, frozen=True):
    """All of them, as they are on one machine."""

    owner: Owner = AllOurs()
    witnesses: tuple[Witness, ...] = ()
    consents: tuple[Consent, ...] = ()
    limits: Limits | None = None  # None: those of the settings
    fetching: Callable[[Fetcher], PageFetcher] = itself
    order: Order = BreadthFirst()
    beside: tuple[Callable[[], Coroutine[Any, Any, None]], ...] = ()  # run beside the engine; an error ends the run
    label: str = ""  # in the names of WARC files, where those of several machines may come together
    file_numbers: FileNumbers = ALL_NUMBERS  # of WARC files, where several engines share a folder
