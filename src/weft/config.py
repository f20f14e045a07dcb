"""What a user can say about a crawl, with the defaults that suit a guest on other people's servers.

This is the one declaration of each setting: `weft.settings` tells what is made from it.
"""

# No `from __future__ import annotations`: msgspec would compile each of them again whenever weft starts.

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from weft._version import __version__
from weft.errors import BadInput
from weft.product_token import is_name, name_in
from weft.settings import pairs
from weft.settings.setting import Group, Setting

Scope = Literal["host", "domain", "prefix", "any"]
Follow = Literal["links", "yielded"]
PageForm = Literal["html", "text", "markdown", "article"]  # weft.clean.Form
ArchiveKind = Literal["full", "lean", "none"]
CleanPreset = Literal["none", "paper", "text", "article", "safe"]  # weft.clean.PRESETS

MIB = 1024 * 1024

Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
AboveZero = Annotated[float, msgspec.Meta(ge=0.001)]
Texts = tuple[str, ...]
Pairs = tuple[tuple[str, str], ...]

_STOP, _VISIT, _MANNERS = Group.STOP, Group.VISIT, Group.MANNERS
_NETWORK, _OUTPUT, _FILES, _FINE = Group.NETWORK, Group.OUTPUT, Group.FILES, Group.FINE


class HostTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is said for some hosts, in the place of the crawl's own settings of these names; None: nothing.

    `settings.host_tables` reads it, `settings.by_host` finds what holds for a host.
    """

    pattern: str  # example.org, *.example.org (also itself), *
    delay_s: NotNegative | None = None
    connections_per_host: Positive | None = None
    user_agent: str | None = None
    robots_agent: str | None = None
    headers: Pairs | None = None
    auth: str | None = None  # user:password
    include: Texts | None = None
    exclude: Texts | None = None
    ignore_robots: bool | None = None


class CrawlConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One crawl's settings; stored in its folder, so that `resume` goes on with the same ones."""

    # fmt: off
    seeds: Texts = ()
    mirror: bool = False  # note what `weft mirror` needs to make files of the pages
    # Said while it runs, by `weft control` or the dashboard.
    paused: bool = False
    host_delays: tuple[tuple[str, NotNegative], ...] = ()
    blocked_hosts: Texts = ()

    depth: Annotated[Count | None, Setting(_STOP, "N", "Follow links at most N steps from a seed.")] = None
    max_pages: Annotated[Positive | None, Setting(_STOP, "N", "Stop after N pages.")] = None
    max_bytes: Annotated[Positive | None, Setting(
        _STOP, "SIZE", "Stop when this much was received: 500M, 2G.")] = None
    max_time_s: Annotated[NotNegative | None, Setting(
        _STOP, "TIME", "Stop after this time: 90s, 10min, 2h.", name="max-time")] = None
    max_pages_per_host: Annotated[Positive | None, Setting(_STOP, "N", "Visit at most N URLs of a host.")] = None

    scope: Annotated[Scope, Setting(
        _VISIT, "NAME", "How far from the seeds: host, domain, prefix (the seed's folder) or any.")] = "host"
    include: Annotated[Texts, Setting(_VISIT, "PATTERN", "Visit only URLs like this.", commas=False)] = ()
    exclude: Annotated[Texts, Setting(_VISIT, "PATTERN", "Visit no URL like this.", commas=False)] = ()
    rules: Annotated[Texts, Setting(
        _VISIT, "RULE", "In order, what to visit (+PATTERN) and what not (-PATTERN): the last that matches decides.",
        name="rule", commas=False)] = ()
    refuse_suffixes: Annotated[Texts, Setting(
        _VISIT, "SUFFIX", "Visit no URL whose path ends with this: zip, mp4.",
        name="refuse-suffix", on_resume=False)] = ()
    filters: Annotated[Texts, Setting(
        _VISIT, "MODULE:NAME", "Your own URL filter, by import path.", name="filter", on_resume=False)] = ()
    sitemaps: Annotated[bool, Setting(
        _VISIT, "", "Also visit what the seeds' sitemaps name.", name="sitemap", on_resume=False)] = False
    requisites: Annotated[bool, Setting(
        _VISIT, "", "Also fetch images, scripts and style sheets.", on_resume=False)] = False
    requisites_anywhere: Annotated[bool, Setting(
        _VISIT, "", "What pages need may come from beyond scope and depth.", on_resume=False)] = False
    other_hosts: Annotated[Texts, Setting(
        _VISIT, "NAME", "Also visit this host: example.org, or *.example.org with all below it.",
        name="other-host", short="--host")] = ()
    other_depth: Annotated[Count, Setting(_VISIT, "N", "Follow links N steps beyond the scope.")] = 0
    near: Annotated[bool, Setting(
        _VISIT, "", "Also fetch files, not pages, that pages link to beyond the scope.")] = False
    strip_query: Annotated[Texts, Setting(
        _VISIT, "KEYS", "Visit URLs without these arguments: utm_*,fbclid; * is all of them.", on_resume=False)] = ()
    https_only: Annotated[bool, Setting(_VISIT, "", "Follow links by https only.")] = False
    follow_tags: Annotated[Texts, Setting(
        _VISIT, "TAGS", "Follow only links of these elements, or attributes: a,img, or a/href.", on_resume=False)] = ()
    ignore_tags: Annotated[Texts, Setting(
        _VISIT, "TAGS", "Follow no links of these elements.", on_resume=False)] = ()
    follow: Annotated[Follow, Setting(
        _VISIT, "WHAT", "Where pages lead: links, or yielded: only what your functions ask for.",
        on_resume=False)] = "links"
    # It is advice about trust, not about crawling.
    obey_rel_nofollow: Annotated[bool, Setting(
        _VISIT, "", "Do not follow links marked rel=nofollow.", on_resume=False)] = False
    traps: Annotated[str, Setting(
        _VISIT, "RULES", "Against endless walks: on, off, only these rules (tangle,calendar), or all but these "
        "(-calendar).", on_resume=False)] = "on"
    order: Annotated[str, Setting(
        _VISIT, "NAME|MODULE:NAME", "Which URLs first: bfs, dfs, best-first, fish, shark, opic, pagerank, hits, or "
        "your own order by import path.", on_resume=False)] = "bfs"
    topic: Annotated[str, Setting(
        _VISIT, "WORDS", "What best-first, fish and shark look for; a phrase in quotes counts as one.",
        on_resume=False)] = ""
    topic_file: Annotated[str, Setting(
        _VISIT, "FILE", "Likewise, the telling words of a text.", on_resume=False)] = ""
    topic_pages: Annotated[Texts, Setting(
        _VISIT, "URL", "Likewise, of these pages, which are fetched first.", on_resume=False)] = ()
    topic_words: tuple[tuple[str, float], ...] = ()  # all of that, weighed
    topic_pages_read: bool = False  # those of the pages are among them
    graph: Annotated[bool, Setting(
        _VISIT, "", "Keep the graph of links, for `weft rank` and `weft export --to graph`.", on_resume=False)] = False
    links: Annotated[bool, Setting(
        _VISIT, "", "Keep the graph, each link's kind, rel and anchor text, and what pages say of themselves.",
        on_resume=False)] = False
    patience: Annotated[Positive | None, Setting(
        _VISIT, "N", "Let no URL wait while more than N that were found later on its host are visited.",
        on_resume=False)] = None

    user_agent: Annotated[str, Setting(
        _MANNERS, "TEXT", "How to introduce yourself to servers, with a contact.")] = ""
    robots_agent: Annotated[str, Setting(
        _MANNERS, "NAME", "What robots.txt calls you, if not by your user agent's name.")] = ""
    delay_s: Annotated[NotNegative, Setting(
        _MANNERS, "TIME", "Wait between two requests to a host: 2, 500ms.", name="delay")] = 1.0
    rate: Annotated[AboveZero | None, Setting(_MANNERS, "N", "Fetch at most N pages a second in all.")] = None
    bandwidth: Annotated[Annotated[float, msgspec.Meta(ge=1)] | None, Setting(
        _MANNERS, "SIZE", "Receive at most this much a second in all: 5M.")] = None
    connections_per_host: Annotated[Positive, Setting(_MANNERS, "N", "Connections to a host at once.")] = 1
    connections_per_address: Annotated[Positive, Setting(
        _MANNERS, "N", "Connections to an IP address at once, at least as many as to a host.")] = 4
    max_host_wait_s: Annotated[NotNegative, Setting(
        _MANNERS, "TIME", "Wait at most this long for a host that asks for a pause, or leave it for a later run.",
        name="max-host-wait")] = 3600.0
    ignore_robots: Annotated[bool, Setting(_MANNERS, "", "Do not ask for robots.txt.")] = False
    allow_private: Annotated[bool, Setting(_MANNERS, "", "Also crawl private and loopback addresses.")] = False
    hosts: Annotated[tuple[HostTable, ...], Setting(
        _MANNERS, "FILE", "Settings for some hosts only: the [host] tables of this TOML file.")] = ()

    connections: Annotated[Positive, Setting(
        _NETWORK, "N", "Open at most N connections in all; weft uses as many as make it faster.")] = 1024
    dns_servers: Annotated[Texts, Setting(_NETWORK, "IP[:PORT]", "Ask this DNS server.", name="dns-server")] = ()
    headers: Annotated[Pairs, Setting(
        _NETWORK, "'[HOST=]NAME: VALUE'",
        "Send this header too, to every host (Authorization and Cookie: to the seeds' hosts), or to this one.",
        name="header", pair=pairs.header, commas=False)] = ()
    auth: Annotated[Pairs, Setting(
        _NETWORK, "HOST=USER:PASSWORD", "Log in to this host ([scheme://]host[:port]), by basic authentication or FTP.",
        pair=pairs.login, commas=False)] = ()
    login: Annotated[str, Setting(
        _NETWORK, "URL", "First log in by the form on this page, and keep cookies.")] = ""
    login_fields: Annotated[Pairs, Setting(
        _NETWORK, "NAME=VALUE", "What to fill in there: a field of the form, and its value.",
        name="login-field", pair=pairs.field, commas=False)] = ()
    cookie_file: Annotated[str, Setting(
        _NETWORK, "FILE", "Keep cookies, beginning with those of a Netscape cookie file.", name="cookies")] = ""
    cookies: Annotated[bool, Setting(
        _NETWORK, "", "Keep cookies, beginning with none.", name="keep-cookies")] = False
    proxy: Annotated[str, Setting(
        _NETWORK, "URL", "Go through this proxy: http://, socks5://, socks5h://.", secret=True)] = ""
    bind: Annotated[str, Setting(_NETWORK, "ADDRESS", "Connect from this address of this machine.")] = ""
    insecure_hosts: Annotated[Texts, Setting(
        _NETWORK, "HOST", "Accept any certificate and old TLS from this host.", name="insecure")] = ()
    ca_file: Annotated[str, Setting(_NETWORK, "FILE", "Trust these authorities too, in PEM form.")] = ""
    max_body_bytes: Annotated[Positive, Setting(
        _NETWORK, "SIZE", "Cut off bodies that are longer: 10M.", name="max-body")] = 1024 * MIB
    workers: Annotated[Count, Setting(_NETWORK, "N", "At most N parse workers; 0 is one a core.")] = 0
    engines: Annotated[Count, Setting(
        _NETWORK, "N", "Share the hosts out to N engines; 0 is by cores, and one where delays are the limit anyway.")
    ] = 0
    fixed: Annotated[bool, Setting(
        _NETWORK, "", "Use all of --connections and --workers from the start.")] = False

    extractors: Annotated[Texts, Setting(
        _OUTPUT, "MODULE:NAME", "Your function, called with each page; what it returns goes to items.jsonl.",
        name="extract")] = ()
    before_request: Annotated[str, Setting(
        _OUTPUT, "MODULE:NAME", "Your function, called before each request; it may change its headers.")] = ""
    after_response: Annotated[str, Setting(
        _OUTPUT, "MODULE:NAME", "Your function, called with each answer; it may ask for another try.")] = ""
    items: Annotated[str, Setting(
        _OUTPUT, "FILE", "Write the items to this file, too, when a run ends: .csv, .parquet, .sqlite, .jsonl.")] = ""
    handler_time_s: Annotated[AboveZero, Setting(
        _OUTPUT, "TIME", "Interrupt a function of yours that takes longer with a page.", name="handler-time")] = 30.0
    handler_memory_bytes: Annotated[Positive, Setting(
        _OUTPUT, "SIZE", "Memory by which functions of yours may let a worker grow.",
        name="handler-memory")] = 1_000_000_000
    near_duplicates: Annotated[bool, Setting(_OUTPUT, "", "Mark pages whose text is almost that of another.")] = False
    with_forms: Annotated[tuple[PageForm, ...], Setting(
        _OUTPUT, "FORM,…", "Keep HTML pages in these forms, too: html, text, markdown, article (its main content).",
        name="with", splits=True, was=("clean",))] = ()
    clean_preset: Annotated[CleanPreset | None, Setting(
        _OUTPUT, "NAME", "Delete by these rules before --with: none, paper, text, article or safe.",
        default_text="none")] = None
    archive: Annotated[ArchiveKind, Setting(
        _OUTPUT, "WHAT", "What the WARC files hold: full, lean (responses, without requests and notes), or none: there "
        "are no files.", on_resume=False)] = "full"
    archive_secrets: Annotated[bool, Setting(
        _OUTPUT, "", "Archive passwords and cookies in requests as they were sent.")] = False
    operator: Annotated[str, Setting(
        _OUTPUT, "NAME", "Who runs the crawl, for the archive's warcinfo record.")] = ""

    accept: Annotated[Texts, Setting(
        _FILES, "PATTERN", "Visit pages, and save only what is like this.", commas=False)] = ()
    host_folder: Annotated[bool, Setting(
        _FILES, "", "Put the files of each host into a folder of its name. [default: yes]", on_resume=False)] = True
    cut_dirs: Annotated[Count, Setting(
        _FILES, "N", "Leave out the first N folders of paths.", on_resume=False)] = 0
    flat: Annotated[bool, Setting(_FILES, "", "Put all files into one folder.", on_resume=False)] = False
    query_names: Annotated[bool, Setting(
        _FILES, "", "Have the query of a URL in its file's name. [default: yes]", on_resume=False)] = True
    keep_versions: Annotated[Count, Setting(
        _FILES, "N", "Keep what the last N updates replaced or removed, in versions/DATE.")] = 0
    index: Annotated[bool, Setting(_FILES, "", "Write a page that lists and finds all others.")] = False

    max_url_chars: Annotated[Positive, Setting(_FINE, "N", "Visit no URL that is longer.", on_resume=False)] = 8192
    max_redirects: Annotated[Count, Setting(_FINE, "N", "Follow at most N redirects in a row.", on_resume=False)] = 10
    requests_per_address_s: Annotated[AboveZero, Setting(
        _FINE, "N", "Requests a second to an IP address, at a delay of a second; in proportion at a shorter one.",
        name="requests-per-address")] = 10.0
    slow_factor: Annotated[NotNegative, Setting(
        _FINE, "N", "A host rests at least N times as long as its last answer's first byte took, up to 30 s.")] = 2.0
    connect_timeout_s: Annotated[AboveZero, Setting(
        _FINE, "TIME", "Wait at most this long for a connection, TLS included.", name="connect-timeout")] = 10.0
    response_timeout_s: Annotated[AboveZero, Setting(
        _FINE, "TIME", "Wait at most this long for an answer's head.", name="response-timeout")] = 30.0
    idle_timeout_s: Annotated[AboveZero, Setting(
        _FINE, "TIME", "Wait at most this long for more of a body.", name="idle-timeout")] = 20.0
    retry_wait_scale: Annotated[NotNegative, Setting(
        _FINE, "N", "Try again what failed after N times the usual time.")] = 1.0
    warc_bytes: Annotated[Positive, Setting(
        _FINE, "SIZE", "Begin another WARC file when one is this large.", name="warc-size")] = 1_000_000_000
    memory_bytes: Annotated[Positive, Setting(
        _FINE, "SIZE", "Memory for bodies on their way from the network to the archive.", name="memory")] = 64 * MIB
    # fmt: on


def checked(settings: Mapping[str, object]) -> CrawlConfig:
    """The settings as a CrawlConfig; what is wrong with them is told in one sentence."""
    try:
        return msgspec.convert(settings, CrawlConfig)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise BadInput(f"the setting {where.rstrip('`') or '?'} cannot be used: {what.lower()}") from error


def user_agent(config: CrawlConfig) -> str:
    """What weft calls itself to servers."""
    return named_agent(config.user_agent)


def named_agent(user_agent: str) -> str:
    """A user agent as it is sent: where none is given it is weft's."""
    return user_agent or f"weft/{__version__}"


def product_token(config: CrawlConfig) -> str:
    """The name by which robots.txt and meta robots address this crawler."""
    return robots_name(config.user_agent, config.robots_agent)


def robots_name(user_agent: str, robots_agent: str) -> str:
    """The name that robots.txt has for such a user agent; BadInput if it can have none."""
    if robots_agent:
        if not is_name(robots_agent):
            raise BadInput(
                f"the name in robots.txt must be one word of letters, digits, - _ and ., not {robots_agent!r}"
            )
        return robots_agent
    name = name_in(named_agent(user_agent))
    if name is None:
        raise BadInput(f"robots.txt cannot address the user agent {user_agent!r} by name; --robots-agent NAME says it")
    return name
