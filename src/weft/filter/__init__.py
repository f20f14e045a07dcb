"""Which of the links found are worth a request: each filter returns a named reason against one, or none.

    found ──▶ FilterChain.at(SCHEDULE) ──▶ frontier ──▶ FilterChain.at(FETCH) ──▶ fetch
              scheme, length, depth, host,               whatever must be judged
              suffix, scope, pattern, user's             at the last moment

A chain is a list that may be changed while the crawl runs; the first refusal wins, and nobody else in the
crawler knows which filters there are. A user's own is a few lines in a file of theirs, named to weft by its
import path, `myrules:no_calendar`:

    def no_calendar(link):
        \"\"\"Refuse the endless months of a calendar.\"\"\"
        return "/calendar/" in link.url and link.depth > 3

It returns True or a Refusal to refuse, False or None to let pass. A class with the one method `refuses(link)`
does the same and may keep what it needs; either may carry `stage = "fetch"`, to be asked right before the
request.
"""

from __future__ import annotations

from weft.filter.chain import FilterChain
from weft.filter.load import load_filter
from weft.filter.patterns import PatternFilter
from weft.filter.plain import (
    DepthFilter,
    HostFilter,
    LengthFilter,
    RedirectFilter,
    SchemeFilter,
    SuffixFilter,
)
from weft.filter.rule import Stage, UrlFilter, UrlOnlyFilter
from weft.filter.scope import Scope, ScopeFilter
from weft.filter.session_ids import SessionRule, SessionRules
from weft.filter.sieve import LinkSieve
from weft.filter.standard import standard_chain
from weft.filter.trail import Trails
from weft.filter.traps import TrapFilter, trap_rules

__all__ = [
    "DepthFilter",
    "FilterChain",
    "HostFilter",
    "LengthFilter",
    "LinkSieve",
    "PatternFilter",
    "RedirectFilter",
    "SchemeFilter",
    "Scope",
    "ScopeFilter",
    "SessionRule",
    "SessionRules",
    "Stage",
    "SuffixFilter",
    "Trails",
    "TrapFilter",
    "UrlFilter",
    "UrlOnlyFilter",
    "load_filter",
    "standard_chain",
    "trap_rules",
]
