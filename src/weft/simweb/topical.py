"""A web with a topic: which pages are relevant, and links that know of it. For judging the order of a crawl.

    share of the pages that are relevant          s     `relevant_share`, .05 in the bench; from .2 s to 3.4 s by host
    a relevant page's link leads to a relevant    p     `locality_share`, .3
    another page's link does                      q     s (1 - p) / (1 - s), .037: so relevant pages get s of all links
    a link stays on its host                      .75
    in-links of the page of rank r on its host    ~ r^(-3/4)

Relevance decides the class of a link's target; which page of this class it is, popularity does: a page's number on its
host is its rank, the home page being the first. So a few pages have more than a thousand in-links and most have six, as
preferential attachment leaves them. The tail of all in-degrees falls with the power 2.5 (literature: 2.1 on the whole
web, 2.1 to 2.7 in parts of it). Being popular says nothing of being relevant. Davison (2000) and Menczer (2004) find
linked pages to be alike several times as often as by chance; here p / s is 6, p / q is 8.

Hubs are planted: relevant pages of high rank whose links are many, and lead to the first pages of all hosts.

Everything is a hash of seed and page: only the hosts are in memory. Classes within a host are spread evenly, by a
formula that has an inverse.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import msgspec

from weft.simweb import chance
from weft.simweb.chance import Dice
from weft.simweb.hosts import Host
from weft.simweb.spec import WebSpec

_SAME_HOST_SHARE = 0.75
_DANGLING_SHARE = 0.08  # pages without links
_SKEW = 4.0  # a target's rank is that of a uniform draw to this power
_HUB_SKEW = 12.0
_HUB_SHARE = 0.25  # of the hosts that have enough relevant pages for one
_HUB_RANK = 1  # among the relevant pages of its host
_HUB_LINKS = 5  # times the links of another page
_TRIES = 12  # for a target that the page does not link to already
_TRIES_NEAR = 8  # of these


class Classes(msgspec.Struct, frozen=True, gc=False):
    """Which pages of one host are relevant: so many of them, spread evenly. Numbers are those within the host."""

    pages: int
    relevant: int
    home_is_relevant: bool

    def count(self, *, relevant: bool) -> int:
        """Pages of a class."""
        return self.relevant if relevant else self.pages - self.relevant

    def is_relevant(self, number: int) -> bool:
        """The class of a page."""
        step = number if self.home_is_relevant else self.pages - 1 - number
        return step * self.relevant % self.pages < self.relevant

    def nth(self, rank: int, *, relevant: bool) -> int:
        """The page of this rank in its class, from 0 on: the inverse of the above."""
        if not self.home_is_relevant:
            rank = self.count(relevant=relevant) - 1 - rank
        step = (
            -(-rank * self.pages // self.relevant)
            if relevant
            else rank * self.pages // (self.pages - self.relevant) + (self.relevant > 0)
        )
        return step if self.home_is_relevant else self.pages - 1 - step


class TopicalTruth(msgspec.Struct, frozen=True):
    """The whole graph, by numbers of pages: also of those that no crawl from the seeds finds."""

    urls: list[str]
    targets: list[list[int]]  # of each page
    misleading: list[list[bool]]  # of each of these links: whether its anchor says the opposite of what the target is
    relevant: frozenset[int]
    hubs: frozenset[int]
    seeds: list[int]


class TopicalLinks:
    """The relevance of the pages of one web, and the links between them, by numbers of pages."""

    def __init__(self, spec: WebSpec, dice: Dice, hosts: tuple[Host, ...]) -> None:
        self._spec = spec
        self._dice = dice
        self._hosts = hosts
        self._first_pages = [host.first_page for host in hosts]
        self._classes = _classes(spec, dice, hosts)
        self._up_to = {
            relevant: list(accumulate(classes.count(relevant=relevant) for classes in self._classes))
            for relevant in (False, True)
        }
        self.other_share = spec.relevant_share * (1 - spec.locality_share) / (1 - spec.relevant_share)

    def is_relevant(self, page: int) -> bool:
        """Whether a page is about the topic."""
        host = self._host_of(page)
        return self._classes[host.index].is_relevant(page - host.first_page)

    def is_hub(self, page: int) -> bool:
        """Whether a page is one of those that were planted."""
        host = self._host_of(page)
        classes = self._classes[host.index]
        return (
            classes.relevant > _HUB_RANK
            and classes.nth(_HUB_RANK, relevant=True) == page - host.first_page
            and self._dice.pick(_HUB_SHARE, 1, chance.HOST_HUB, host.index) is not None
        )

    def seeds(self) -> list[int]:
        """Where a crawl starts: at home pages, but for one seed that is relevant."""
        first = max(self._hosts[: self._spec.seed_hosts], key=lambda host: self._classes[host.index].relevant)
        relevant = first.first_page + self._classes[first.index].nth(0, relevant=True)
        others = (host.first_page for host in self._hosts[: self._spec.seed_hosts] if host is not first)
        return [relevant, *others]

    def targets(self, page: int) -> list[int]:
        """The pages that a page links to, in its order: each once, and never itself."""
        is_hub = self.is_hub(page)
        share = self._spec.locality_share if self.is_relevant(page) else self.other_share
        found = {page}
        targets = []
        for number in range(self._degree(page, is_hub)):
            relevant = self._dice.unit(chance.TOPICAL_LINK, page, number) < share
            target = self._target(page, number, is_hub, found, relevant=relevant)
            if target is not None:
                found.add(target)
                targets.append(target)
        return targets

    def misleads(self, page: int, number: int) -> bool:
        """Whether the anchor of a page's link says the opposite of what the target is."""
        return self._dice.unit(chance.MISLEADING, page, number) < self._spec.misleading_share

    def _degree(self, page: int, is_hub: bool) -> int:
        mean = self._spec.links_per_page
        if is_hub:
            return _HUB_LINKS * mean
        draw = self._dice.unit(chance.TOPICAL_DEGREE, page)
        # From a quarter of the mean on, so that it is the mean with those that have none.
        return 0 if draw < _DANGLING_SHARE else round(mean * (0.25 + 1.66 * (draw - _DANGLING_SHARE)))

    def _target(self, page: int, number: int, is_hub: bool, found: set[int], *, relevant: bool) -> int | None:
        """A page of a class that is not found yet; for a link that stays on its host, elsewhere if there is none."""
        home = self._host_of(page)
        stays = not is_hub and self._dice.unit(chance.TOPICAL_STAY, page, number) < _SAME_HOST_SHARE
        for attempt in range(_TRIES):
            draw = self._dice.draw(chance.TOPICAL_TARGET, page, number * _TRIES + attempt)
            near = stays and attempt < _TRIES_NEAR and self._classes[home.index].count(relevant=relevant) > 0
            host = home if near else self._any_host(draw & 0xFFFFFF, relevant=relevant)
            classes = self._classes[host.index]
            height = (draw >> 24) / 0x100_0000_0000
            rank = int(classes.count(relevant=relevant) * height ** (_HUB_SKEW if is_hub else _SKEW))
            target = host.first_page + classes.nth(rank, relevant=relevant)
            if target not in found:
                return target
        return None

    def _any_host(self, draw: int, *, relevant: bool) -> Host:
        """By the number of its pages of this class."""
        up_to = self._up_to[relevant]
        return self._hosts[bisect_right(up_to, draw * up_to[-1] >> 24)]

    def _host_of(self, page: int) -> Host:
        return self._hosts[bisect_right(self._first_pages, page) - 1]


def _classes(spec: WebSpec, dice: Dice, hosts: tuple[Host, ...]) -> list[Classes]:
    """Of each host. The cube makes the topic a matter of few hosts, while most have a page or two."""
    wanted = [host.page_count * (0.2 + 3.2 * dice.unit(chance.HOST_RELEVANCE, host.index) ** 3) for host in hosts]
    scale = spec.relevant_share * spec.pages / sum(wanted)
    up_to = [0, *(round(scale * sum_) for sum_ in accumulate(wanted))]
    classes = []
    for host in hosts:
        relevant = min(host.page_count, up_to[host.index + 1] - up_to[host.index])
        home_is_relevant = dice.unit(chance.HOST_RELEVANCE, host.index, 1) < relevant / host.page_count
        classes.append(Classes(host.page_count, relevant, home_is_relevant))
    return classes
