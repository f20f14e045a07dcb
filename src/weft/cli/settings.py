"""The table of all settings: the one place that says which there are.

Flags, the settings file, the environment, `weft config` and the help are made from it. A setting `max-pages` is

    --max-pages 10           as a flag
    max-pages = 10           in a settings file, or max_pages
    WEFT_MAX_PAGES=10        in the environment
    CrawlConfig.max_pages    for the crawl; `field` says so where the names differ
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final, get_args

from weft.config import CleanForm, CleanPreset, CrawlConfig, Scope
from weft.dns.name_servers import checked_server
from weft.errors import BadInput
from weft.order.order import ORDERS


class Group(StrEnum):
    """Subjects, in the order in which the help shows them."""

    STOP = "When to stop"
    VISIT = "What to visit"
    MANNERS = "Manners"
    NETWORK = "Network and machine"
    OUTPUT = "Output"


class Kind(Enum):
    """What a value is, in words for the person who gave another."""

    WHOLE = "a whole number"
    NUMBER = "a number"
    TEXT = "a text"
    SWITCH = "true or false"
    LIST = "a text, or a list of texts"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. With `field` None it concerns the command and not the crawl."""

    name: str
    kind: Kind
    group: Group
    metavar: str
    help: str
    field: str | None = ""  # empty: as the name
    short: str = ""
    at_least: float | None = None
    choices: tuple[str, ...] = ()
    entry: Callable[[str], Any] = str  # makes of a list's entry what the crawl wants, or says BadInput
    commas: bool = True  # in the environment commas separate entries; not where an entry may contain one
    on_resume: bool = False  # may be changed when a crawl goes on
    default_text: str = ""  # where the default depends

    @property
    def parameter(self) -> str:
        """The name as Python writes it."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return f"WEFT_{self.parameter.upper()}"

    @property
    def config_field(self) -> str | None:
        """The field of CrawlConfig; None if there is none."""
        return self.parameter if self.field == "" else self.field

    @property
    def default(self) -> Any:
        """The value when nobody says anything."""
        if self.config_field is not None:
            return getattr(_DEFAULTS, self.config_field)
        return False if self.kind is Kind.SWITCH else None


_DEFAULTS: Final = CrawlConfig()


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise BadInput(f"a header must look like 'Name: value', not {text!r}")
    return name.strip(), value.strip()


def _login(text: str) -> tuple[str, str]:
    host, equals, login = text.partition("=")
    if not equals or not host or ":" not in login:
        raise BadInput("a login must look like example.org=user:password")  # without the password that was given
    return host, login


def _name_server(text: str) -> str:
    checked_server(text)
    return text


_WHOLE, _NUMBER, _TEXT, _SWITCH, _LIST = Kind.WHOLE, Kind.NUMBER, Kind.TEXT, Kind.SWITCH, Kind.LIST
_STOP, _VISIT, _MANNERS, _NETWORK, _OUTPUT = Group.STOP, Group.VISIT, Group.MANNERS, Group.NETWORK, Group.OUTPUT

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("depth", _WHOLE, _STOP, "N", "Follow links at most so far from a seed.", at_least=0, on_resume=True),
    Setting("max-pages", _WHOLE, _STOP, "N", "Stop after so many pages.", at_least=1, on_resume=True),
    Setting("max-bytes", _WHOLE, _STOP, "N", "Stop after so many bytes received.", at_least=1, on_resume=True),
    Setting("max-time", _NUMBER, _STOP, "SECONDS", "Stop after so many seconds.",
            field="max_time_s", at_least=0, on_resume=True),
    Setting("max-pages-per-host", _WHOLE, _STOP, "N", "Visit at most so many URLs of a host.",
            at_least=1, on_resume=True),

    Setting("seeds", _TEXT, _VISIT, "FILE|-", "A file of seed URLs, one a line; - reads standard input.", field=None),
    Setting("scope", _TEXT, _VISIT, "NAME", "How far from the seeds: host, domain, prefix (the seed's folder) or any.",
            choices=get_args(Scope)),
    Setting("include", _LIST, _VISIT, "PATTERN", "Visit only URLs like this.", commas=False),
    Setting("exclude", _LIST, _VISIT, "PATTERN", "Visit no URL like this.", commas=False),
    Setting("refuse-suffix", _LIST, _VISIT, "SUFFIX", "Visit no URL whose path ends so: zip, mp4 …",
            field="refuse_suffixes"),
    Setting("filter", _LIST, _VISIT, "MODULE:NAME", "Your own URL filter, by import path.", field="filters"),
    Setting("sitemap", _SWITCH, _VISIT, "", "Also visit what the seeds' sitemaps name.", field="sitemaps"),
    Setting("requisites", _SWITCH, _VISIT, "", "Also fetch images, scripts and style sheets."),
    Setting("requisites-anywhere", _SWITCH, _VISIT, "",
            "What pages need may come from beyond scope and depth."),
    Setting("obey-rel-nofollow", _SWITCH, _VISIT, "", "Do not follow links marked rel=nofollow."),
    Setting("traps", _TEXT, _VISIT, "RULES",
            "Against endless walks: on, off, only these rules (tangle,calendar), or all but these (-calendar)."),
    Setting("order", _TEXT, _VISIT, "NAME", f"Which URLs first: {', '.join(ORDERS)}.", choices=tuple(ORDERS)),

    Setting("user-agent", _TEXT, _MANNERS, "TEXT", "How to introduce yourself to servers, with a contact.",
            on_resume=True),
    Setting("delay", _NUMBER, _MANNERS, "SECONDS", "Seconds between two requests to a host.",
            field="delay_s", at_least=0, on_resume=True),
    Setting("rate", _NUMBER, _MANNERS, "N", "Fetch at most so many pages a second in all.",
            at_least=0.001, on_resume=True),
    Setting("bandwidth", _NUMBER, _MANNERS, "N", "Receive at most so many bytes a second in all.",
            at_least=1, on_resume=True),
    Setting("connections-per-host", _WHOLE, _MANNERS, "N", "Connections to a host at once.",
            at_least=1, on_resume=True),
    Setting("connections-per-address", _WHOLE, _MANNERS, "N",
            "Connections to an IP address at once, at least as many as to a host.", at_least=1, on_resume=True),
    Setting("max-host-wait", _NUMBER, _MANNERS, "SECONDS", "Leave a host for later that wants a longer rest.",
            field="max_host_wait_s", at_least=0, on_resume=True),
    Setting("ignore-robots", _SWITCH, _MANNERS, "", "Do not ask for robots.txt."),
    Setting("allow-private", _SWITCH, _MANNERS, "", "Also crawl private and loopback addresses.", on_resume=True),

    Setting("connections", _WHOLE, _NETWORK, "N",
            "At most so many connections in all; how many are worth it weft finds out.", at_least=1, on_resume=True),
    Setting("dns-server", _LIST, _NETWORK, "IP[:PORT]", "Ask this DNS server.",
            field="dns_servers", entry=_name_server, on_resume=True),
    Setting("header", _LIST, _NETWORK, "'NAME: VALUE'", "Send this header too.",
            field="headers", entry=_header, commas=False, on_resume=True),
    Setting("auth", _LIST, _NETWORK, "HOST=USER:PASSWORD", "Log in to this host, by basic authentication or FTP.",
            entry=_login, commas=False, on_resume=True),
    Setting("cookies", _TEXT, _NETWORK, "FILE", "Keep cookies, beginning with those of a Netscape cookie file.",
            field="cookie_file", on_resume=True),
    Setting("proxy", _TEXT, _NETWORK, "URL", "Go through this proxy: http://, socks5://, socks5h://.", on_resume=True),
    Setting("insecure", _LIST, _NETWORK, "HOST", "Accept any certificate and old TLS from this host.",
            field="insecure_hosts", on_resume=True),
    Setting("ca-file", _TEXT, _NETWORK, "FILE", "Trust these authorities too, in PEM form.", on_resume=True),
    Setting("max-body", _WHOLE, _NETWORK, "N", "Cut off bodies at so many bytes.",
            field="max_body_bytes", at_least=1, on_resume=True),
    Setting("workers", _WHOLE, _NETWORK, "N", "At most so many parse workers; 0 is one a core.",
            at_least=0, on_resume=True),
    Setting("fixed", _SWITCH, _NETWORK, "", "Use all of --connections and --workers from the start.", on_resume=True),

    Setting("output", _TEXT, _OUTPUT, "DIR", "The crawl folder.", field=None, short="-o", default_text="crawl-HOST"),
    Setting("extract", _LIST, _OUTPUT, "MODULE:NAME",
            "Your function, called with each page; what it gives goes to items.jsonl.", field="extractors"),
    Setting("near-duplicates", _SWITCH, _OUTPUT, "", "Mark pages whose text is almost that of another."),
    Setting("clean", _TEXT, _OUTPUT, "FORM",
            f"Keep HTML pages cleaned, too, as {', '.join(get_args(CleanForm))}.", choices=get_args(CleanForm)),
    Setting("clean-preset", _TEXT, _OUTPUT, "NAME", f"Clean by these rules: {', '.join(get_args(CleanPreset))}.",
            choices=get_args(CleanPreset), default_text="the one that suits --clean"),
    Setting("archive-outlinks", _SWITCH, _OUTPUT, "", "Also list each page's links in its metadata record."),
    Setting("operator", _TEXT, _OUTPUT, "NAME", "Who runs the crawl, for the archive's warcinfo record."),
    Setting("json", _SWITCH, _OUTPUT, "", "Print the summary as one JSON object.", field=None, on_resume=True),
    Setting("quiet", _SWITCH, _OUTPUT, "", "Print nothing but errors.", field=None, short="-q", on_resume=True),
)  # fmt: skip

BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
