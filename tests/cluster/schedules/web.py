"""Pages that are computed, and a record of who asked for them."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from weft.types import FoundLink, Kind, Link
from weft.url import host_of, url_id

DELAY_S: Final = 1.0  # of the crawl
LONG_DELAY_S: Final = 3.0  # that some hosts ask for
REQUEST_S: Final = 1.0
LONGEST_REQUEST_S: Final = 15.0
LONG_REQUESTS: Final = 0.03  # of all
HOSTS: Final = 9
PAGES: Final = 64
STABLE: Final = 50  # pages to which others link at every visit


CHAINS: Final = 0.25  # of all webs: a page has one link, to the next, so that all seems to be done again and again
CHAIN_PAGES: Final = 14


class Web:
    """The page with number n has links to 2n + 1 and 2n + 2, perhaps to another, and to others at each visit."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.hosts = [f"h{number}.com" for number in range(HOSTS)]
        self._delays = dict.fromkeys(self.hosts[::4], LONG_DELAY_S)
        self._host_of_page = [self._random.choice(self.hosts) for _ in range(PAGES)]
        self._salt = self._random.random()
        self._is_chain = self._random.random() < CHAINS

    @property
    def seed(self) -> str:
        """Where the crawl begins."""
        return self.url(0)

    @property
    def late_seed(self) -> str:
        """A page to which nothing links."""
        return f"http://{self.hosts[3]}/late"

    def url(self, number: int) -> str:
        """Of a page."""
        return f"http://{self._host_of_page[number]}/{number}"

    def delay_s(self, host: str) -> float:
        """What the host's robots.txt asks for."""
        return self._delays.get(host, 0.0)

    def request_s(self, random: Random) -> float:
        """How long one takes."""
        return random.random() * (LONGEST_REQUEST_S if random.random() < LONG_REQUESTS else REQUEST_S)

    def links(self, url: str, visit: int) -> list[str]:
        """Those of a page, at its first visit, or a later one."""
        if url.endswith("late"):
            return [self.url(1)]
        number = int(url.rpartition("/")[2])
        if self._is_chain:
            return [self.url(number + 1)] if number + 1 < CHAIN_PAGES else []
        always = Random(f"{self._salt} {number}")
        numbers = [one for one in (2 * number + 1, 2 * number + 2) if one < STABLE]
        if always.random() < 0.4:
            numbers.append(always.randrange(STABLE))
        if always.random() < 0.4:
            numbers.append(Random(f"{self._salt} {number} {visit}").randrange(STABLE, PAGES))
        return [self.url(one) for one in dict.fromkeys(numbers)]


def found(url: str, depth: int, via: str = "") -> FoundLink:
    """A link as a worker reports it."""
    return FoundLink(url_id(url), host_of(url), Link(url, depth, Kind.LINK, via))


class Request(NamedTuple):
    """One that has ended, or whose node was stopped or killed."""

    node: str
    until_s: float
