"""What follows a failed try: a table, not branches.

A rule says whose trouble it is: the page's; the authority's, that is of scheme, host and port; or the host's. The wait
then holds for all of their URLs. `tries` counts the first one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from weft.types import Outcome


class Who(StrEnum):
    """Who waits."""

    URL = "URL"
    AUTHORITY = "authority"
    HOST = "host"


class Rule(NamedTuple):
    """How often to try in all, and how the wait between tries grows."""

    tries: int
    first_wait_s: float = 0.0
    growth: float = 1.0
    who: Who = Who.URL
    spares_url: bool = False  # it says nothing of the URL, which never fails by it: `who` is left for another run


class Retry(NamedTuple):
    """Try again after this wait."""

    wait_s: float
    who: Who


_ONCE: Final = Rule(tries=1)

OUTCOME_RULES: Final[dict[Outcome, Rule]] = {
    Outcome.RESPONSE: _ONCE,  # its status decides: STATUS_RULES
    Outcome.DNS_NOT_FOUND: _ONCE,  # an answer, not a failure
    Outcome.DNS_FAILED: Rule(tries=4, first_wait_s=5, growth=4, who=Who.HOST),
    Outcome.CONNECT_REFUSED: Rule(tries=3, first_wait_s=5, growth=3, who=Who.AUTHORITY),
    Outcome.CONNECT_TIMEOUT: Rule(tries=3, first_wait_s=5, growth=3, who=Who.AUTHORITY),
    Outcome.UNREACHABLE: Rule(tries=3, first_wait_s=5, growth=3, who=Who.AUTHORITY),
    Outcome.TLS_CERTIFICATE: Rule(tries=2, first_wait_s=30, who=Who.AUTHORITY),  # one of several servers may be right
    Outcome.TLS_FAILED: Rule(tries=3, first_wait_s=5, growth=3, who=Who.AUTHORITY),
    Outcome.PROXY_FAILED: Rule(tries=4, first_wait_s=5, growth=3, who=Who.AUTHORITY, spares_url=True),
    Outcome.RESET: Rule(tries=3, first_wait_s=2, growth=5),
    Outcome.CLOSED: Rule(tries=3, first_wait_s=2, growth=5),
    Outcome.RESPONSE_TIMEOUT: Rule(tries=3, first_wait_s=5, growth=6),
    Outcome.STALLED: Rule(tries=3, first_wait_s=5, growth=6),
    Outcome.TOO_SLOW: _ONCE,  # it has had its time; the next try would take it as well
    Outcome.HEAD_TOO_LARGE: _ONCE,
    Outcome.BAD_RESPONSE: Rule(tries=2, first_wait_s=5),  # a server that speaks no HTTP stays so
    Outcome.PRIVATE_ADDRESS: _ONCE,  # a rule of ours, not a failure
    Outcome.POISON: _ONCE,
}
# A name that is not found although its host has answered in this crawl: one such answer is more likely wrong than not.
# The waits are long because name servers keep «no such name» for minutes.
LOST_NAME: Final = Rule(tries=4, first_wait_s=60, growth=4, who=Who.HOST)
ASKED_AGAIN: Final = Rule(tries=4, first_wait_s=5, growth=4)  # a user's hook says that an answer is no use

STATUS_RULES: Final[dict[int, Rule]] = {
    408: Rule(tries=2, first_wait_s=5),
    # Retry-After, where it is given, is the caller's to obey.
    429: Rule(tries=4, first_wait_s=30, growth=4, who=Who.HOST),
    500: Rule(tries=2, first_wait_s=10),
    502: Rule(tries=3, first_wait_s=5, growth=6),
    503: Rule(tries=4, first_wait_s=15, growth=4, who=Who.HOST),
    504: Rule(tries=3, first_wait_s=5, growth=6),
    522: Rule(tries=3, first_wait_s=5, growth=6),  # Cloudflare's: it could not connect to the server behind it …
    524: Rule(tries=3, first_wait_s=5, growth=6),  # … or that did not answer in time
}


def after(result: Outcome | int | Rule, attempts: int, wait_scale: float = 1.0) -> Retry | None:
    """What follows an outcome or an HTTP status, when `attempts` tries have failed by now; None: nothing."""
    rule = result if isinstance(result, Rule) else _rule_of(result)
    if attempts >= rule.tries:
        return None
    wait_s = rule.first_wait_s * rule.growth ** max(0, attempts - 1)
    return Retry(wait_s * wait_scale, rule.who)


def longest_wait_s(wait_scale: float = 1.0) -> float:
    """No rule asks for a longer wait before the next try."""
    rules = (*OUTCOME_RULES.values(), *STATUS_RULES.values())  # LOST_NAME is no rule for a URL
    return wait_scale * max(rule.first_wait_s * rule.growth ** max(0, rule.tries - 2) for rule in rules)


def _rule_of(result: Outcome | int) -> Rule:
    return OUTCOME_RULES[result] if isinstance(result, Outcome) else STATUS_RULES.get(result, _ONCE)
