"""How many engines a crawl has, and what of its settings each of them is given."""

from __future__ import annotations

from typing import Final

import msgspec

from weft.config import CrawlConfig
from weft.cores import core_count
from weft.errors import BadInput
from weft.order import LearningOrder, ScoringOrder, order_named
from weft.pipeline.config_parts import worker_slots
from weft.pipeline.crawl import Crawl

MOST_ENGINES: Final = 64
# An engine takes about as much of a core for a page as its parse workers do: docs/growth.md has the figures.
CORES_PER_ENGINE: Final = 2
ONE_ENGINE_CORES: Final = 3


def crawl_type(config: CrawlConfig) -> type[Crawl]:
    """What a new crawl is made as: with one engine it does without the code of several. BadInput as `engines_of`."""
    if engines_of(config, core_count()) == 1:
        return Crawl
    from weft.engines.crawl import CrawlOfEngines

    return CrawlOfEngines


def engines_of(config: CrawlConfig, cores: int, engines_now: int | None = None) -> int:
    """How many engines a crawl has: as it says, as it has them already, or as the cores bear. BadInput if it cannot."""
    reason = why_one(config)
    if config.engines > 1:
        if reason:
            raise BadInput(f"--engines {config.engines} cannot be: {reason}")
        most, by = most_engines(config)
        if config.engines > most:
            raise BadInput(f"--engines must be at most {most}{by}, not {config.engines}")
    if config.engines or reason:
        return config.engines or 1
    most, _ = most_engines(config)
    return min(most, engines_now or by_cores(config, cores))


def by_cores(config: CrawlConfig, cores: int) -> int:
    """As many as these cores can feed. One where something else is the limit: manners, or the number of sites."""
    is_held_back = config.delay_s or config.rate or config.bandwidth or config.fixed
    if cores <= ONE_ENGINE_CORES or is_held_back:
        return 1
    sites = cores if config.scope == "any" else len(config.seeds)
    return max(1, min(cores // CORES_PER_ENGINE, sites))


def most_engines(config: CrawlConfig) -> tuple[int, str]:
    """No engine can do with less than one connection, to an address or in all; and what the bound is, in words."""
    bounds = [
        (config.connections_per_address, ", as many as --connections-per-address"),
        (config.connections, ", as many as --connections"),
        (MOST_ENGINES, ""),
    ]
    return min(bounds, key=lambda bound: bound[0])


def why_one(config: CrawlConfig) -> str:
    """Why a crawl must have one engine; empty: it may have several."""
    if config.mirror:
        return "the files of a mirror are made from one engine's rows"
    if config.before_request or config.after_response:
        return "hooks (--before-request, --after-response) run in one process"
    if config.login:
        return "the session of --login is one engine's"
    if isinstance(order_named(config.order), ScoringOrder | LearningOrder):
        return f"the order {config.order} scores what waits, and each engine knows a part of that only"
    return ""


def share_of(config: CrawlConfig, number: int, engines: int) -> CrawlConfig:
    """The settings of one engine. Limits of pages and bytes are not divided but granted (`grants`)."""
    return msgspec.structs.replace(
        config,
        connections=_part(config.connections, number, engines),
        workers=_part(worker_slots(config), number, engines),
        memory_bytes=_part(config.memory_bytes, number, engines),
        rate=share_of_rate(config.rate, engines),
        bandwidth=None if config.bandwidth is None else config.bandwidth / engines,
    )


def share_of_rate(rate: float | None, engines: int) -> float | None:
    """Pages a second that each engine may fetch."""
    return None if rate is None else rate / engines


def _part(whole: int, number: int, engines: int) -> int:
    """Of something that is counted, at least one."""
    return max(1, whole // engines + (number < whole % engines))
