"""What can be set about fetching."""

from __future__ import annotations

import msgspec

from weft.config import HostTable

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


class FetchConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits, time-outs, the way to a server, and what every request carries."""

    # What every request says
    user_agent: str = "weft"
    accept: str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    # zstd is read where it comes, but not asked for: replay tools (pywb, warcio) do not know it.
    accept_encoding: str = "gzip, deflate, br"
    accept_language: str = ""  # not sent when empty
    # One that is named above replaces it. `host=Name` is for one host; some are for the seeds' hosts: audience.py.
    extra_headers: tuple[tuple[str, str], ...] = ()

    # What only some servers are told
    seeds: tuple[str, ...] = ()  # canonical URLs
    auth: tuple[tuple[str, str], ...] = ()  # ("[scheme://]host[:port]", "user:password")
    cookies: bool = False  # what a server sets is sent back to it, for as long as the fetcher lives
    cookie_file: str = ""  # cookies to begin with, in the format of Netscape and curl; switches cookies on
    hosts: tuple[HostTable, ...] = ()  # other user agents, headers and logins than these, for some hosts: by_host.py
    archive_secrets: bool = False  # whether Fetched.request has these as they were sent

    # Secure connections
    ca_file: str = ""  # certificates of authorities to trust besides the system's, in PEM
    insecure_hosts: tuple[str, ...] = ()  # host or host:port; no certificate is checked there, and old TLS will do

    # The way there
    proxy: str = ""  # http://, socks5:// or socks5h://, then [user:password@]host[:port]
    bind: str = ""  # an IP address of this machine; the system chooses one for each connection when empty

    # Time, phase by phase; each has an Outcome of its own
    connect_timeout_s: float = 10.0  # all addresses, the proxy and TLS included
    head_timeout_s: float = 30.0  # request sent → head whole
    idle_timeout_s: float = 20.0  # between two pieces of the body
    total_timeout_s: float = 3600.0  # the whole request; long, because a body may be gigabytes
    slowest_bytes_per_s: float = 100.0  # of a body, on average, once it has had three idle time-outs to get going
    sweep_interval_s: float = 0.25  # how often they are looked at, so how late they may fire

    # Size
    max_head_bytes: int = 256 * KIB
    max_headers: int = 2000
    max_body_bytes: int = 4 * GIB  # more is cut off: truncated="length"
    spool_over_bytes: int = 1 * MIB  # a longer body goes to a file
    early_spool_over_bytes: int = 64 * KIB  # the same while the memory budget has no room

    # Connections kept for the next request
    max_idle_connections: int = 1000
    max_idle_connections_per_host: int = 64
    idle_connection_timeout_s: float = 30.0
