"""What a user can say about a crawl, with the defaults that suit a guest on other people's servers."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from weft._version import __version__
from weft.errors import BadInput
from weft.product_token import is_name, name_in

Scope = Literal["host", "domain", "prefix", "any"]
CleanForm = Literal["html", "text", "markdown", "article"]  # weft.clean.Form
CleanPreset = Literal["paper", "text", "article", "safe"]  # weft.clean.PRESETS

MIB = 1024 * 1024

Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
AboveZero = Annotated[float, msgspec.Meta(gt=0)]


class CrawlConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One crawl's settings; stored in its folder, so that `resume` goes on with the same ones."""

    seeds: tuple[str, ...] = ()

    # When to stop
    depth: Count | None = None
    max_pages: Positive | None = None
    max_bytes: Positive | None = None
    max_time_s: NotNegative | None = None
    max_pages_per_host: Positive | None = None

    # What to visit
    scope: Scope = "host"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    refuse_suffixes: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()  # a user's own, "module:name"
    requisites: bool = False  # also images, scripts, style sheets
    requisites_anywhere: bool = False  # these may come from beyond the scope, and beyond the depth
    sitemaps: bool = False  # also what the seeds' sitemaps name
    obey_rel_nofollow: bool = False  # rel=nofollow is advice about trust, not about crawling
    max_url_chars: Positive = 8192
    max_redirects: Count = 10
    traps: str = "on"  # "off"; or the rules against endless walks to go by: "tangle,calendar", "-calendar"
    order: str = "bfs"

    # Manners
    user_agent: str = ""
    robots_agent: str = ""  # what robots.txt calls us; empty: the name in the user agent
    delay_s: NotNegative = 1.0
    connections_per_host: Positive = 1
    connections_per_address: Positive = 4  # at least as many as to a host
    requests_per_address_s: AboveZero = 10.0  # fewer delay, more of them in proportion
    rate: AboveZero | None = None  # pages a second in all, whatever the hosts would bear
    bandwidth: AboveZero | None = None  # bytes a second in all
    slow_factor: NotNegative = 2.0  # a host rests at least this many times as long as its last answer let wait
    max_host_wait_s: NotNegative = 3600.0
    ignore_robots: bool = False
    allow_private: bool = False

    # Network
    connections: Positive = 1024  # at most: how many are worth it, weft finds out by itself
    dns_servers: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    auth: tuple[tuple[str, str], ...] = ()  # (host, "user:password")
    cookies: bool = False
    cookie_file: str = ""
    proxy: str = ""
    ca_file: str = ""  # authorities to trust besides the system's
    insecure_hosts: tuple[str, ...] = ()
    max_body_bytes: Positive = 1024 * MIB
    connect_timeout_s: AboveZero = 10.0
    response_timeout_s: AboveZero = 30.0
    idle_timeout_s: AboveZero = 20.0
    retry_wait_scale: NotNegative = 1.0  # 0.1: a failed URL is tried again after a tenth of the usual time

    # Output
    extractors: tuple[str, ...] = ()  # a user's functions, "module:name"; what they give goes to items.jsonl
    near_duplicates: bool = False  # mark pages whose text is almost that of another
    clean: CleanForm | None = None  # keep HTML pages cleaned, too, in this form
    clean_preset: CleanPreset | None = None  # by these rules; None: by those that suit the form
    archive_outlinks: bool = False  # list each page's links in its metadata record
    archive_secrets: bool = False  # also the values of Authorization, Proxy-Authorization and Cookie, as sent
    warc_bytes: Positive = 1_000_000_000  # a WARC file of this size is finished, and another begun
    operator: str = ""  # who runs the crawl, for the archive's warcinfo record
    mirror: bool = False  # note what `weft mirror` needs to make files of the pages

    # Machine
    workers: Count = 0  # at most; 0: one a core
    fixed: bool = False  # as many connections and workers as are allowed, from the start
    memory_bytes: Positive = 64 * MIB  # of response bodies on their way from the network to the archive


# What decides which URLs belong to a crawl cannot be changed when it goes on: its queue is made by it. Scope and
# patterns can (`pipeline.rules`), and seeds can be added.
FIXED = frozenset((
    "seeds", "refuse_suffixes", "filters", "requisites", "requisites_anywhere",
    "sitemaps", "obey_rel_nofollow", "max_url_chars", "max_redirects", "traps", "order", "mirror",
))  # fmt: skip


def checked(settings: Mapping[str, object]) -> CrawlConfig:
    """The settings as a CrawlConfig; what is wrong with them is told in one sentence."""
    known = CrawlConfig.__struct_fields__
    for name in settings:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise BadInput(f"there is no setting {name!r}{hint}")
    pairs = {name: tuple(value.items()) for name, value in settings.items() if isinstance(value, Mapping)}
    try:
        return msgspec.convert({**settings, **pairs}, CrawlConfig)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise BadInput(f"the setting {where.rstrip('`') or '?'} cannot be used: {what.lower()}") from error


def user_agent(config: CrawlConfig) -> str:
    """What weft calls itself to servers."""
    return config.user_agent or f"weft/{__version__}"


def product_token(config: CrawlConfig) -> str:
    """The name by which robots.txt and meta robots address this crawler."""
    if config.robots_agent:
        if not is_name(config.robots_agent):
            raise BadInput(
                f"--robots-agent must be one word of letters, digits, - _ and ., not {config.robots_agent!r}"
            )
        return config.robots_agent
    name = name_in(user_agent(config))
    if name is None:
        raise BadInput(
            f"robots.txt cannot address the user agent {config.user_agent!r} by name; --robots-agent NAME says it"
        )
    return name
