"""The settings of a crawl as keyword arguments: `weft.crawl(url, depth=2, delay_s=0.5)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from weft.config import CleanForm, CleanPreset, Scope


class CrawlSettings(TypedDict, total=False):
    """Each field of CrawlConfig but the seeds; its comments say what they mean."""

    # When to stop
    depth: int | None
    max_pages: int | None
    max_bytes: int | None
    max_time_s: float | None
    max_pages_per_host: int | None
    # What to visit
    scope: Scope
    include: Sequence[str]
    exclude: Sequence[str]
    refuse_suffixes: Sequence[str]
    filters: Sequence[str]
    requisites: bool
    requisites_anywhere: bool
    sitemaps: bool
    obey_rel_nofollow: bool
    max_url_chars: int
    max_redirects: int
    traps: str
    order: str
    # Manners
    user_agent: str
    robots_agent: str
    delay_s: float
    connections_per_host: int
    connections_per_address: int
    requests_per_address_s: float
    rate: float | None
    bandwidth: float | None
    slow_factor: float
    max_host_wait_s: float
    ignore_robots: bool
    allow_private: bool
    # Network
    connections: int
    dns_servers: Sequence[str]
    headers: Mapping[str, str] | Sequence[tuple[str, str]]
    auth: Mapping[str, str] | Sequence[tuple[str, str]]
    cookies: bool
    cookie_file: str
    proxy: str
    ca_file: str
    insecure_hosts: Sequence[str]
    max_body_bytes: int
    connect_timeout_s: float
    response_timeout_s: float
    idle_timeout_s: float
    retry_wait_scale: float
    # Output
    extractors: Sequence[str]
    near_duplicates: bool
    clean: CleanForm | None
    clean_preset: CleanPreset
    archive_outlinks: bool
    archive_secrets: bool
    warc_bytes: int
    operator: str
    mirror: bool
    # Machine
    workers: int
    fixed: bool
    memory_bytes: int
