"""A crawl's settings, as the parts that are used elsewhere too want to have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from weft.config import CrawlConfig, user_agent
from weft.cores import core_count
from weft.errors import BadInput
from weft.fetch import FetchConfig
from weft.fetch.retry import longest_wait_s
from weft.settings.by_host import ByHost

if TYPE_CHECKING:
    from weft.frontier import Manners

LONGEST_HOOK_WAIT_S: Final = 3600.0


def check_archive(config: CrawlConfig) -> None:
    """BadInput for what cannot be had of a crawl that keeps no archive."""
    if config.archive == "none" and config.mirror:
        raise BadInput("a mirror is made from the archive: --archive is full or lean for it, not none")
    if config.archive == "none" and config.with_forms:
        raise BadInput("--with keeps forms of pages in the archive: it has no meaning with --archive none")


def fetch_config(config: CrawlConfig) -> FetchConfig:
    """What the fetcher needs to know."""
    return FetchConfig(
        user_agent=user_agent(config),
        extra_headers=config.headers,
        seeds=config.seeds,
        auth=config.auth,
        cookies=config.cookies or bool(config.login),
        cookie_file=config.cookie_file,
        archive_secrets=config.archive_secrets,
        proxy=config.proxy,
        bind=config.bind,
        ca_file=config.ca_file,
        insecure_hosts=config.insecure_hosts,
        connect_timeout_s=config.connect_timeout_s,
        head_timeout_s=config.response_timeout_s,
        idle_timeout_s=config.idle_timeout_s,
        max_body_bytes=config.max_body_bytes,
        max_idle_connections_per_host=_most_connections(config),
        hosts=config.hosts,
    )


def _most_connections(config: CrawlConfig) -> int:
    """To any host."""
    by_host = ByHost.saying(config.hosts, "connections_per_host")
    return max(config.connections_per_host, by_host.largest("connections_per_host") if by_host is not None else 0)


def manners_of(config: CrawlConfig) -> Manners:
    """What the frontier needs to know."""
    from weft.frontier import HostRules, Manners  # who fetches one page has none

    return Manners(
        delay_s=config.delay_s,
        connections_per_host=config.connections_per_host,
        connections_per_address=config.connections_per_address,
        # Who asks for less delay asks for more requests to an address as well.
        address_interval_s=min(1.0, config.delay_s) / config.requests_per_address_s,
        slow_factor=config.slow_factor,
        max_host_wait_s=config.max_host_wait_s,
        max_retry_wait_s=longest_retry_wait_s(config),
        address_interval_per_s=1 / config.requests_per_address_s,
        hosts=HostRules(
            dict(config.host_delays),
            config.blocked_hosts,
            ByHost.saying(config.hosts, "delay_s", "connections_per_host"),
        ),
    )


def longest_retry_wait_s(config: CrawlConfig) -> float:
    """No try waits longer for the next one: by the rules, or by the user's hook, which a site may have."""
    by_rules = longest_wait_s(config.retry_wait_scale)
    return max(by_rules, LONGEST_HOOK_WAIT_S) if config.after_response or config.extractors else by_rules


def worker_slots(config: CrawlConfig) -> int:
    """How many parse workers there may be."""
    return config.workers or core_count()
