"""robots: what a site's /robots.txt lets weft ask for (RFC 9309).

One file an authority (scheme, host, port) is asked for before the first page, and its story is short:

    response or error ──access──▶ Access, RobotsRow ──rules──▶ Rules ──▶ may this path be fetched?

`access` decides what an answer means: rules to read, everything allowed, or nothing for now; and when to
ask again. Its `RobotsRow` is what the state keeps, so a restart asks no site twice. `rules` turns a row's
body into `Rules`, the only object on the hot path. Below it `lines` reads the bytes and `patterns` matches
paths. Everything here is pure; the caller moves the bytes, follows the redirects and keeps the rows.
"""

from weft.robots.access import (
    MAX_REDIRECTS,
    Access,
    RobotsRow,
    access_for,
    row_after,
    rules_of,
    with_rules,
)
from weft.robots.lines import MAX_PARSED_BYTES
from weft.robots.rules import ALLOW_ALL, FORBID_ALL, ROBOTS_PATH, Rules, Verdict, parse_robots

__all__ = [
    "ALLOW_ALL",
    "FORBID_ALL",
    "MAX_PARSED_BYTES",
    "MAX_REDIRECTS",
    "ROBOTS_PATH",
    "Access",
    "RobotsRow",
    "Rules",
    "Verdict",
    "access_for",
    "parse_robots",
    "row_after",
    "rules_of",
    "with_rules",
]
