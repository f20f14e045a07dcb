"""The settings of a crawl as keyword arguments: `weft.crawl(url, depth=2, delay=0.5)`. Made by `make settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict


class HostSettings(TypedDict, total=False):
    """What may be said of some hosts: `hosts={"*.example.org": {"delay": 5}}`."""

    include: Sequence[str]
    exclude: Sequence[str]
    user_agent: str
    robots_agent: str
    delay: float | str
    connections_per_host: int
    ignore_robots: bool
    header: Mapping[str, str] | Sequence[str | tuple[str, str]]
    auth: str


class CrawlSettings(TypedDict, total=False):
    """Each setting of `weft.config.CrawlConfig`, which says what it means."""

    depth: int | None
    max_pages: int | None
    max_bytes: int | str | None
    max_time: float | str | None
    max_pages_per_host: int | None
    scope: Literal["host", "domain", "prefix", "any"]
    include: Sequence[str]
    exclude: Sequence[str]
    rule: Sequence[str]
    refuse_suffix: Sequence[str]
    filter: Sequence[str | Callable[..., object]]
    sitemap: bool
    requisites: bool
    requisites_anywhere: bool
    other_host: Sequence[str]
    other_depth: int
    near: bool
    strip_query: Sequence[str]
    https_only: bool
    follow_tags: Sequence[str]
    ignore_tags: Sequence[str]
    follow: Literal["links", "yielded"]
    obey_rel_nofollow: bool
    traps: str
    order: str | Callable[..., object]
    topic: str
    topic_file: str
    topic_pages: Sequence[str]
    graph: bool
    links: bool
    patience: int | None
    user_agent: str
    robots_agent: str
    delay: float | str
    rate: float | None
    bandwidth: float | str | None
    connections_per_host: int
    connections_per_address: int
    max_host_wait: float | str
    ignore_robots: bool
    allow_private: bool
    hosts: Mapping[str, HostSettings] | str
    connections: int
    dns_server: Sequence[str]
    header: Mapping[str, str] | Sequence[str | tuple[str, str]]
    auth: Mapping[str, str] | Sequence[str | tuple[str, str]]
    login: str
    login_field: Mapping[str, str] | Sequence[str | tuple[str, str]]
    cookies: str
    keep_cookies: bool
    proxy: str
    bind: str
    insecure: Sequence[str]
    ca_file: str
    max_body: int | str
    workers: int
    engines: int
    fixed: bool
    extract: Sequence[str | Callable[..., object]]
    before_request: str | Callable[..., object]
    after_response: str | Callable[..., object]
    items: str
    handler_time: float | str
    handler_memory: int | str
    near_duplicates: bool
    with_: Literal["html", "text", "markdown", "article"] | Sequence[Literal["html", "text", "markdown", "article"]]
    clean_preset: Literal["none", "paper", "text", "article", "safe"] | None
    archive: Literal["full", "lean", "none"]
    archive_secrets: bool
    operator: str
    accept: Sequence[str]
    host_folder: bool
    cut_dirs: int
    flat: bool
    query_names: bool
    keep_versions: int
    index: bool
    max_url_chars: int
    max_redirects: int
    requests_per_address: float
    slow_factor: float
    connect_timeout: float | str
    response_timeout: float | str
    idle_timeout: float | str
    retry_wait_scale: float
    warc_size: int | str
    memory: int | str


class GetSettings(TypedDict, total=False):
    """Those of them that mean something for a single page: `weft.get(url, user_agent="mybot/1.0")`."""

    max_time: float | str | None
    user_agent: str
    robots_agent: str
    ignore_robots: bool
    allow_private: bool
    hosts: Mapping[str, HostSettings] | str
    dns_server: Sequence[str]
    header: Mapping[str, str] | Sequence[str | tuple[str, str]]
    auth: Mapping[str, str] | Sequence[str | tuple[str, str]]
    cookies: str
    keep_cookies: bool
    proxy: str
    bind: str
    insecure: Sequence[str]
    ca_file: str
    max_body: int | str
    max_redirects: int
    connect_timeout: float | str
    response_timeout: float | str
    idle_timeout: float | str
