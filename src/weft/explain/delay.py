"""How long a host rests between two requests, and who asked for it."""

from __future__ import annotations

from typing import NamedTuple

from weft.explain.by_robots import robots_of_host
from weft.folder.reading import CrawlReader
from weft.robots.by_host import RobotsByHost
from weft.settings.by_host import ByHost, named


class Delay(NamedTuple):
    """The longest that anybody asks for."""

    seconds: float
    words: str


def delay_of(reader: CrawlReader, host: str, now: float) -> Delay:
    """Of the crawl's setting and all that the host's robots.txt files ask for."""
    config = reader.config
    by_hand = dict(config.host_delays).get(host)
    table = ByHost(config.hosts).table_for(host, "delay_s")
    said_s = config.delay_s if table is None or table.delay_s is None else table.delay_s
    own_s = said_s if by_hand is None else by_hand
    asks = f"--delay for {own_s:g} s" if table is None else f"{named(table)} for {own_s:g} s"
    whose = asks if by_hand is None else f"{own_s:g} s were set by hand"
    is_ignored = RobotsByHost(config).is_ignored(host)
    robots = [] if is_ignored else robots_of_host(reader.database, host, config, now)
    asked = max(robots, key=lambda one: one.rules.crawl_delay_s or 0.0, default=None)
    asked_s = (asked.rules.crawl_delay_s or 0.0) if asked is not None else 0.0
    if asked is not None and asked_s > own_s:
        return Delay(asked_s, f"{asked.file} asks for it (Crawl-delay), and {whose} only")
    if by_hand is not None:
        return Delay(by_hand, "it was set by hand for this host (`weft control`)")
    if table is not None:
        return Delay(own_s, f"the setting {named(table)} of this crawl says so")
    if not config.delay_s:
        return Delay(0.0, "--delay 0 asks for none, and neither does robots.txt")
    return Delay(config.delay_s, f"it is the crawl's own (--delay {config.delay_s:g})")
