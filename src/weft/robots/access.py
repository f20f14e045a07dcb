"""What the answer to a request for /robots.txt means, and when to ask again (RFC 9309 §2.3.1, §2.4).

| answer                                        | access      | ask again                              |
|-----------------------------------------------|-------------|----------------------------------------|
| 2xx                                           | RULES       | after 24 h, or as max-age says, if     |
|                                               |             | that is less, but not within 1 h       |
| 304, with a copy at hand                      | RULES       | the same; the copy stays               |
| 3xx with a usable Location, up to 10 in a row | FOLLOW      | at once, at the new place, on any host |
| any other 3xx: an 11th, a loop, no Location   | ALLOW_ALL   | as 2xx                                 |
| 4xx but 429                                   | ALLOW_ALL   | as 2xx                                 |
| 429                                           | UNREACHABLE | see below; not before Retry-After      |
| 5xx                                           | UNREACHABLE | see below; not before Retry-After      |
| every other status                            | UNREACHABLE | see below                              |
| every Outcome but RESPONSE                    | UNREACHABLE | see below                              |

A response that is not whole ends with an Outcome, so half a file is never taken for the whole, save the one
that was cut at our own size limit. A file reached by redirects holds for the authority that was asked
first.

UNREACHABLE is «nothing for now»: the host's URLs wait, they are not refused. The policy:

| failures in a row        | 1     | 2     | 3      | 4   | 5   | 6 and more |
|--------------------------|-------|-------|--------|-----|-----|------------|
| ask again after          | 1 min | 5 min | 30 min | 2 h | 6 h | 24 h       |

| unreachable for   | with an older copy    | without one        |
|-------------------|-----------------------|--------------------|
| less than 30 days | nothing is fetched    | nothing is fetched |
| 30 days and more  | the copy's rules hold | nothing is fetched |

The RFC would also let a crawler take 30 days of silence for permission; we do not. The copy is not used in
the first 30 days either, although §2.4 can be read so: §2.3.1.4 demands a complete disallow, and waiting
loses nothing.

Why max-age: it lets an owner who changes the file often be heard within the hour. It cannot lengthen the 24
h, which the RFC asks not to exceed, and it cannot go below 1 h, because «max-age=0» is what many servers
say of everything.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import msgspec

from weft.regex import regex
from weft.robots.lines import within_limit
from weft.robots.rules import ALLOW_ALL, FORBID_ALL, Rules, parse_robots
from weft.types import Outcome

MINUTES = 60.0
HOURS = 60 * MINUTES
DAYS = 24 * HOURS

MAX_REDIRECTS = 10  # §2.3.1.2 asks for five at least
FRESH_FOR_S = 24 * HOURS
FRESH_FOR_AT_LEAST_S = 1 * HOURS
ASK_AGAIN_AFTER_S = (1 * MINUTES, 5 * MINUTES, 30 * MINUTES, 2 * HOURS, 6 * HOURS, 24 * HOURS)
LONG_UNREACHABLE_S = 30 * DAYS

# Many sites have the same short file, as their software makes it: they have the same rules, read once.
SHORT_FILE_BYTES = 1024
SHORT_FILES_KEPT = 1_000

# To read 500 KiB takes 60 ms, and rules of that size soon leave memory: such a file is read once, and its rules are
# kept with it in a form that is there again in 2 ms.
LONG_FILE_BYTES = 16 * 1024
_READ_BY = 2  # to be raised when files are read in another way, or rules kept in another form

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Rules).decode

_MAX_AGE = regex(rb"(?:^|[\s,])max-age\s*=\s*\"?([0-9]{1,12})", re.IGNORECASE)
_ALWAYS_ASK = regex(rb"(?:^|[\s,])(?:no-cache|no-store)(?:$|[\s,])", re.IGNORECASE)


class Access(StrEnum):
    """What an answer gives."""

    RULES = "rules"
    ALLOW_ALL = "allow-all"
    FOLLOW = "follow"  # a redirect: ask there
    UNREACHABLE = "unreachable"


class RobotsRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What the state keeps of one authority's robots.txt. Times are wall clock and survive a restart."""

    access: Access  # never FOLLOW
    asked_at: float
    expires_at: float  # when to ask again
    status: int  # of the last answer; 0 when none came
    outcome: Outcome = Outcome.RESPONSE
    failures: int = 0  # in a row
    unreachable_since: float = 0.0  # 0 when the last answer was one
    body: bytes | None = None  # the last copy of the file, whole lines, at most 500 KiB; kept while unreachable
    fetched_at: float = 0.0  # when that copy came
    asked_rest_s: float = 0.0  # for which the whole host rests, whose server has had enough: 429, 503
    rules: bytes = b""  # those of a long file, as `with_rules` keeps them
    rules_for: str = ""  # by whom and for what name it was read

    def is_fresh(self, now: float) -> bool:
        """Whether nothing needs to be asked yet. A clock that was set back keeps no row alive for ever."""
        return self.asked_at <= now < self.expires_at

    def access_at(self, now: float) -> Access:
        """What holds now; differs from `access` only when an old copy comes back into force."""
        if (
            self.access is Access.UNREACHABLE
            and self.body is not None
            and now - self.unreachable_since >= LONG_UNREACHABLE_S
        ):
            return Access.RULES
        return self.access


def access_for(
    status: int | None,
    outcome: Outcome = Outcome.RESPONSE,
    *,
    has_location: bool = False,
    redirects: int = 0,
    has_copy: bool = False,
) -> Access:
    """The access matrix. `redirects` counts those already followed on the way to this answer."""
    if outcome is not Outcome.RESPONSE or status is None:
        return Access.UNREACHABLE
    if 200 <= status < 300 or (status == 304 and has_copy):
        return Access.RULES
    if 300 <= status < 400:
        return Access.FOLLOW if has_location and redirects < MAX_REDIRECTS else Access.ALLOW_ALL
    if 400 <= status < 500 and status != 429:
        return Access.ALLOW_ALL
    return Access.UNREACHABLE


def row_after(
    previous: RobotsRow | None,
    access: Access,
    now: float,
    *,
    status: int | None,
    outcome: Outcome = Outcome.RESPONSE,
    body: bytes = b"",
    truncated: bool = False,
    max_age_s: float | None = None,
    retry_after_s: float | None = None,
) -> RobotsRow:
    """The row that follows on an answer; `access` is `access_for` the last answer of a chain of redirects."""
    if access is Access.FOLLOW:
        raise ValueError("a redirect is to be followed, not to be kept")
    if access is Access.UNREACHABLE:
        return _row_after_failure(previous, now, status or 0, outcome, retry_after_s or 0.0)
    row = RobotsRow(access, asked_at=now, expires_at=now + _fresh_for_s(max_age_s), status=status or 0)
    if access is Access.ALLOW_ALL:
        return row
    if status == 304 and previous is not None:
        return msgspec.structs.replace(row, body=previous.body, fetched_at=now)
    return msgspec.structs.replace(row, body=within_limit(body, truncated=truncated), fetched_at=now)


def rules_of(row: RobotsRow, product_token: str, now: float) -> Rules:
    """The rules that hold now by what the row says."""
    access = row.access_at(now)
    if access is Access.RULES:
        body = row.body or b""
        if row.rules and row.rules_for == _reading(product_token):
            return _decode(row.rules)
        return (_rules_of_short if len(body) <= SHORT_FILE_BYTES else parse_robots)(body, product_token)
    return ALLOW_ALL if access is Access.ALLOW_ALL else FORBID_ALL


def with_rules(row: RobotsRow, product_token: str) -> RobotsRow:
    """The row with the rules that a long file has for this name, so that `rules_of` need not read it again."""
    if row.access is not Access.RULES or row.body is None or len(row.body) < LONG_FILE_BYTES:
        return row
    rules = _encode(parse_robots(row.body, product_token))
    return msgspec.structs.replace(row, rules=rules, rules_for=_reading(product_token))


def _reading(product_token: str) -> str:
    return f"{_READ_BY} {product_token}"


@lru_cache(maxsize=SHORT_FILES_KEPT)
def _rules_of_short(body: bytes, product_token: str) -> Rules:
    return parse_robots(body, product_token)


def max_age_s(cache_control: bytes) -> float | None:
    """The max-age that a Cache-Control header states; 0 if it wants to be asked before every use."""
    if _ALWAYS_ASK.search(cache_control):
        return 0.0
    match = _MAX_AGE.search(cache_control)
    return float(match.group(1)) if match else None


def _fresh_for_s(max_age_s: float | None) -> float:
    return FRESH_FOR_S if max_age_s is None else min(FRESH_FOR_S, max(FRESH_FOR_AT_LEAST_S, max_age_s))


def _row_after_failure(
    previous: RobotsRow | None, now: float, status: int, outcome: Outcome, retry_after_s: float
) -> RobotsRow:
    failures = previous.failures + 1 if previous else 1
    wait_s = max(ASK_AGAIN_AFTER_S[min(failures, len(ASK_AGAIN_AFTER_S)) - 1], retry_after_s)
    return RobotsRow(
        Access.UNREACHABLE,
        asked_at=now,
        expires_at=now + wait_s,
        status=status,
        outcome=outcome,
        failures=failures,
        unreachable_since=previous.unreachable_since if previous and previous.failures else now,
        body=previous.body if previous else None,
        fetched_at=previous.fetched_at if previous else 0.0,
    )
