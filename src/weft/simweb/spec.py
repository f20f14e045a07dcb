"""What a synthetic web shall be like. One value says it all: equal specs give equal webs, byte for byte."""

from __future__ import annotations

import math
from typing import Self

import msgspec

from weft.errors import BadInput

# Shares that are parts of the same whole: a host has one robots.txt, a page one fault.
_PARTS_OF_ONE = {
    "page faults": ("reset_share", "stall_share", "status_5xx_share", "garbled_share"),
    "kinds of robots.txt": (
        "robots_share",
        "crawl_delay_share",
        "odd_robots_share",
        "late_robots_share",
        "closed_robots_share",
    ),
    "ways to end a body": ("http10_share", "close_delimited_share", "chunked_share"),
    "robots directives": ("meta_nofollow_share", "x_robots_nofollow_share", "noindex_share"),
}

# Hosts differ: those closest to the topic have three times this share of their pages.
_MOST_RELEVANT = 0.25


class WebSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The size, shape and manners of a synthetic web. A share is a number from 0 to 1.

    Everything here leaves a truth that can be worked out. What has none (traps, bombs, servers that never
    stop) is in `traps` and `hostile`, for a test to add by hand.
    """

    seed: int = 1
    hosts: int = 20
    pages: int = 500  # over all hosts, spread unevenly; every host has at least one
    size_spread: float = 1.0  # 1: the largest hosts have a hundred times the pages of the smallest; 0: all have as many
    seed_hosts: int = 4  # the home pages of so many hosts are the seeds
    links_per_page: int = 8  # random links, on top of those that make every page reachable
    page_bytes: int = 4_000  # mean size of a page
    cross_host_share: float = 0.15  # of the random links: to any host instead of the page's own
    redirect_share: float = 0.05  # of the pages: linked to by way of one to three redirects
    dead_share: float = 0.05  # of the pages: have a link to a URL that answers 404
    reset_share: float = 0.0  # of the pages: the connection breaks in the first attempts
    stall_share: float = 0.0  # of the pages: bytes stop coming in the first attempts
    failing_attempts: int = 2  # how many attempts at such a page fail
    stall_s: float = 60.0  # how long the server keeps a stalled connection before it gives up
    latency_ms: tuple[float, float] = (0.0, 0.0)  # of the fastest and of the slowest host
    robots_share: float = 0.2  # of the hosts: forbid /private/, and have links into it
    keep_alive_share: float = 0.9  # of the hosts: keep the connection for a next request
    addresses: int = 16  # loopback addresses that the hosts share

    # a topic, and a graph of another shape: `topical`
    relevant_share: float = 0.0  # of the pages: about the topic; 0 for a web without one
    locality_share: float = 0.3  # of a relevant page's links: to relevant pages
    misleading_share: float = 0.3  # of the links: with words of the topic to another page, or without to a relevant one
    mention_share: float = 0.03  # of the other pages: have a word of the topic once, all the same

    # https
    tls_share: float = 0.0  # of the hosts: https; over http they only redirect there
    www_share: float = 0.0  # of the domains: the bare name only redirects to https://www.
    broken_tls_share: float = 0.0  # of the https hosts: no handshake ever succeeds (never of a seed's host)

    # addresses
    ipv6_share: float = 0.0  # of the hosts: answer at ::1, too
    lame_address_share: float = 0.0  # of those: one of the two addresses refuses connections

    # how a host speaks HTTP
    http10_share: float = 0.0  # of the hosts: HTTP/1.0, without keep-alive
    close_delimited_share: float = 0.0  # of the hosts: a body ends with the connection
    chunked_share: float = 0.0  # of the hosts: bodies in chunks
    rate_limited_share: float = 0.0  # of the hosts: 429 to the first requests, robots.txt not counted
    rate_limited_requests: int = 2  # how many requests to such a host fail
    retry_after_s: int = 1  # what a 429 or 503 asks for, where it asks

    # robots.txt, on top of robots_share; `robotstxt` has the kinds
    agent: str = "weft"  # the product token by which rules and directives name the crawler
    crawl_delay_share: float = 0.0  # of the hosts: ask for a Crawl-delay
    crawl_delay_s: float = 1.0
    odd_robots_share: float = 0.0  # of the hosts: redirected, huge, endless, with a BOM, 403, no robots.txt at all
    late_robots_share: float = 0.0  # of the hosts: robots.txt fails in the first attempts, then gives rules
    closed_robots_share: float = 0.0  # of the hosts: all is forbidden, in words or by failing for ever

    # pages
    status_5xx_share: float = 0.0  # of the pages: 500, 502, 503 or 504 in the first attempts
    garbled_share: float = 0.0  # of the pages: what comes in the first attempts is no HTTP
    meta_nofollow_share: float = 0.0  # of the pages: forbid their links by a meta element
    x_robots_nofollow_share: float = 0.0  # of the pages: forbid their links by X-Robots-Tag
    noindex_share: float = 0.0  # of the pages: directives that forbid no link
    rel_nofollow_share: float = 0.0  # of the links: rel=nofollow
    loop_share: float = 0.0  # of the pages: have a link into redirects that go round in a circle
    coded_share: float = 0.0  # of the pages: gzip, deflate, br or zstd
    charset_share: float = 0.0  # of the pages: not UTF-8, and letters in queries encoded accordingly
    mistyped_share: float = 0.0  # of the pages: no Content-Type, or a wrong one

    def __post_init__(self) -> None:
        if self.hosts < 1 or self.pages < self.hosts:
            raise BadInput("a synthetic web needs at least one host, and one page for each host")
        if self.seed_hosts < 1:
            raise BadInput("a synthetic web needs at least one seed")
        if not 1 <= self.addresses <= 60_000:
            raise BadInput("a synthetic web lives on 1 to 60000 loopback addresses")
        if self.size_spread < 0:
            raise BadInput("size_spread is 0 or more")
        if self.relevant_share > _MOST_RELEVANT:
            raise BadInput(f"relevant_share is at most {_MOST_RELEVANT}")
        if not 0 <= self.latency_ms[0] <= self.latency_ms[1]:
            raise BadInput("latency_ms is two numbers, the smaller one first")
        for name in self.__struct_fields__:
            if name.endswith("_share") and not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"{name} is a share from 0 to 1")
        for whole, parts in _PARTS_OF_ONE.items():
            if math.fsum(getattr(self, part) for part in parts) > 1:
                raise BadInput(f"{whole} together are at most 1: {', '.join(parts)}")

    @classmethod
    def with_all_faults(cls, hosts: int, pages: int, seed: int = 1) -> Self:
        """A web with some of everything above. One failing attempt, so that every retry policy gets through."""
        return cls(
            hosts=hosts,
            pages=pages,
            seed=seed,
            reset_share=0.02,
            stall_share=0.005,
            stall_s=30.0,
            failing_attempts=1,
            latency_ms=(1, 100),
            tls_share=0.4,
            www_share=0.25,
            broken_tls_share=0.15,
            ipv6_share=0.2,
            lame_address_share=0.3,
            http10_share=0.1,
            close_delimited_share=0.1,
            chunked_share=0.2,
            rate_limited_share=0.05,
            rate_limited_requests=1,
            robots_share=0.2,
            crawl_delay_share=0.02,
            odd_robots_share=0.3,
            late_robots_share=0.1,
            closed_robots_share=0.06,
            status_5xx_share=0.02,
            garbled_share=0.01,
            meta_nofollow_share=0.03,
            x_robots_nofollow_share=0.02,
            noindex_share=0.05,
            rel_nofollow_share=0.1,
            loop_share=0.02,
            coded_share=0.3,
            charset_share=0.1,
            mistyped_share=0.05,
        )
