"""The hosts: their names, sizes, speeds and manners. The only table that a web keeps; it has no pages.

Names look like `amber3.test`, `www.amber3.test`, `blog.amber3.test`, `shop.amber3.test`: four hosts share a
registrable domain, under two top-level domains that are reserved and can never be reached by mistake. In some
domains the bare name is no host but a door to `https://www.amber3.test`; the other three are then
`wiki.`, `blog.` and `shop.`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import accumulate
from typing import TypeVar

import msgspec

from weft.simweb import chance
from weft.simweb.behaviour import Framing, TlsFault
from weft.simweb.chance import Dice
from weft.simweb.robotstxt import CLOSED, LATE, ODD, RobotsTxt
from weft.simweb.spec import WebSpec

T = TypeVar("T")

_WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "hazel",
    "iris",
    "jade",
    "kite",
    "lotus",
)
_LABELS = ("", "www.", "blog.", "shop.")
_LABELS_BEHIND_A_DOOR = ("www.", "wiki.", "blog.", "shop.")
_TOP_LEVELS = ("test", "example")
_BROKEN_TLS = tuple(fault for fault in TlsFault if fault is not TlsFault.NO_CLOSE_NOTIFY)

IPV6_ADDRESS = "::1"
# Nobody listens there, and neither leaves the machine: the whole of 127.0.0.0/8 is loopback, but only ::1 is.
LAME_ADDRESS = "127.2.0.1"
LAME_IPV6_ADDRESS = "::ffff:127.2.0.1"


class Host(msgspec.Struct, frozen=True, gc=False):
    """One host. Its pages are numbered 0 … page_count-1 here, and first_page + those in the whole web."""

    index: int
    name: str
    address: str  # at which it answers
    first_page: int
    page_count: int
    corridor: int  # so many pages in a row, from the home page on, lead only to the next
    branch: int  # children of a page in the tree behind the corridor
    slowness: float  # 0 for the fastest, 1 for the slowest
    latency_s: float
    robots: RobotsTxt
    keep_alive: bool
    dns_addresses: tuple[str, ...]  # what DNS says, of both families; with a lame one, perhaps
    tls: bool = False
    tls_fault: TlsFault | None = None
    bare_name: str = ""  # of the domain, if that is a door to this host
    framing: Framing = Framing.LENGTH
    http10: bool = False
    rate_limited: bool = False

    @property
    def has_odd_framing(self) -> bool:
        """Whether its responses are not simply of a given length."""
        return self.http10 or self.framing is not Framing.LENGTH


def address_number(number: int, addresses: int) -> str:
    """The loopback address that a host with this number gets."""
    upper, lower = divmod(number % addresses, 250)
    return f"127.1.{upper}.{lower + 1}"


def make_hosts(spec: WebSpec, dice: Dice) -> tuple[Host, ...]:
    """All hosts of a web."""
    sizes = _sizes(spec, dice)
    hosts = []
    first_page = 0
    turns = _Turns()
    for index, page_count in enumerate(sizes):
        hosts.append(_host(spec, dice, index, first_page, page_count, turns))
        first_page += page_count
    return tuple(hosts)


class _Turns:
    """Gives out the kinds of a thing in turn, so that a web has all of them if it has enough hosts."""

    def __init__(self) -> None:
        self._given: Counter[Hashable] = Counter()

    def next(self, kinds: tuple[T, ...]) -> T:
        self._given[kinds] += 1
        return kinds[self._given[kinds] % len(kinds)]


def _sizes(spec: WebSpec, dice: Dice) -> list[int]:
    """Pages of each host: by `size_spread`, the largest has some hundred times as many as the smallest, or as many."""
    weights = [(0.05 + dice.unit(chance.HOST_SIZE, index)) ** (-2 * spec.size_spread) for index in range(spec.hosts)]
    spare = spec.pages - spec.hosts
    total = sum(weights)
    sizes = [1 + int(spare * weight / total) for weight in weights]
    left_by_rounding = spec.pages - sum(sizes)
    for index in range(left_by_rounding):
        sizes[index % spec.hosts] += 1
    return sizes


def _host(spec: WebSpec, dice: Dice, index: int, first_page: int, page_count: int, turns: _Turns) -> Host:
    shape = dice.draw(chance.HOST_SHAPE, index)
    corridor = 2 + shape % 4 if shape & 0x100 else 0
    slowness = _slowness(spec, dice, index)
    fastest_ms, slowest_ms = spec.latency_ms
    name, bare_name = _names(spec, dice, index)
    tls = bool(bare_name) or _chosen(spec.tls_share, dice, chance.HOST_TLS, index)
    address, dns_addresses = _addresses(spec, dice, index)
    http10, framing = _wire(spec, dice, index)
    return Host(
        index=index,
        name=name,
        address=address,
        first_page=first_page,
        page_count=page_count,
        corridor=min(corridor, page_count - 1),
        branch=2 + (shape >> 16) % 5,
        slowness=slowness,
        # The cube makes most hosts quick and a few very slow, as on the real web.
        latency_s=(fastest_ms + (slowest_ms - fastest_ms) * slowness**3) / 1000,
        robots=_robots(spec, dice, index, turns),
        keep_alive=dice.unit(chance.HOST_KEEP_ALIVE, index) < spec.keep_alive_share,
        dns_addresses=dns_addresses,
        tls=tls,
        tls_fault=_tls_fault(spec, dice, index, turns) if tls else None,
        bare_name=bare_name,
        framing=framing,
        http10=http10,
        rate_limited=_chosen(spec.rate_limited_share, dice, chance.HOST_RATE_LIMIT, index),
    )


def _chosen(share: float, dice: Dice, purpose: int, number: int) -> bool:
    return dice.pick(share, 1, purpose, number) is not None


def _slowness(spec: WebSpec, dice: Dice, index: int) -> float:
    # Seeds are by turns the fastest and the slowest host there is, so that a crawl finds many pages first
    # on a long way over quick hosts and only later on the short way over a slow one.
    if index < spec.seed_hosts:
        return float(index % 2)
    return dice.unit(chance.HOST_SLOWNESS, index)


def _robots(spec: WebSpec, dice: Dice, index: int, turns: _Turns) -> RobotsTxt:
    draw = dice.unit(chance.HOST_ROBOTS, index)
    shares = (
        spec.robots_share,
        spec.crawl_delay_share,
        spec.odd_robots_share,
        spec.late_robots_share,
        spec.closed_robots_share,
    )
    match sum(draw >= limit for limit in accumulate(shares)):
        case 1:
            return RobotsTxt.CRAWL_DELAY
        case 2:
            return turns.next(ODD)
        case 3:
            return turns.next(LATE)
        case 4 if index >= spec.seed_hosts:  # without its seeds there would be no web
            return turns.next(CLOSED)
        case 5:
            return RobotsTxt.MISSING if int(draw * 1_000_000) % 2 else RobotsTxt.EMPTY
        case _:
            return RobotsTxt.FORBIDS_PRIVATE


def _names(spec: WebSpec, dice: Dice, index: int) -> tuple[str, str]:
    """The name of a host, and that of its domain if that is a door to this host."""
    domain, label = divmod(index, len(_LABELS))
    draw = dice.draw(chance.HOST_WORD, domain)
    word = _WORDS[draw % len(_WORDS)]
    bare_name = f"{word}{domain}.{_TOP_LEVELS[(draw >> 32) % len(_TOP_LEVELS)]}"
    if _chosen(spec.www_share, dice, chance.DOMAIN_WWW, domain):
        return _LABELS_BEHIND_A_DOOR[label] + bare_name, "" if label else bare_name
    return _LABELS[label] + bare_name, ""


def _addresses(spec: WebSpec, dice: Dice, index: int) -> tuple[str, tuple[str, ...]]:
    """Where a host answers, and where DNS says that it does."""
    address = address_number(index, spec.addresses)
    if not _chosen(spec.ipv6_share, dice, chance.HOST_IPV6, index):
        return address, (address,)
    match dice.pick(spec.lame_address_share, 2, chance.HOST_IPV6, index, 1):
        case 0:
            return IPV6_ADDRESS, (LAME_ADDRESS, IPV6_ADDRESS)
        case 1:
            return address, (address, LAME_IPV6_ADDRESS)
        case _:
            return address, (address, IPV6_ADDRESS)


def _wire(spec: WebSpec, dice: Dice, index: int) -> tuple[bool, Framing]:
    """Whether a host speaks HTTP/1.0, and how its bodies end."""
    shares = (spec.http10_share, spec.close_delimited_share, spec.chunked_share)
    draw = dice.unit(chance.HOST_WIRE, index)
    match sum(draw >= limit for limit in accumulate(shares)):
        case 0:
            return True, (Framing.LENGTH, Framing.CLOSE)[index % 2]
        case 1:
            return False, Framing.CLOSE
        case 2:
            return False, Framing.CHUNKED
        case _:
            return False, Framing.LENGTH


def _tls_fault(spec: WebSpec, dice: Dice, index: int, turns: _Turns) -> TlsFault | None:
    if index < spec.seed_hosts or not _chosen(spec.broken_tls_share, dice, chance.HOST_TLS_FAULT, index):
        return None
    return turns.next(_BROKEN_TLS)
