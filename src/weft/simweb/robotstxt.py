"""Every kind of robots.txt, what each does when asked for, and what it permits (RFC 9309). Pure.

| permits                | kinds                                                                     |
|------------------------|---------------------------------------------------------------------------|
| everything             | none, empty, 401, 403, 410, a page of HTML, redirects in a circle         |
| all but /private/      | rules: plain, with a Crawl-delay, by name, after redirects, huge, endless,|
|                        | with BOM and CR, with NUL, of a wrong type, coded, late                   |
| nothing                | `Disallow: /`; 429, 5xx, reset or stall for ever                          |

A *late* file fails in the first attempts. An *odd* one gives its answer at once, but not in plain words.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from enum import StrEnum

from weft.simweb.behaviour import Broken, Fault, Fixed, Framing, Stream
from weft.simweb.spec import WebSpec

RobotsAnswer = Fixed | Stream | Broken

REDIRECTS = 4  # of a redirected robots.txt; with the one from http to https they are the RFC's five
_HUGE_BYTES = 2_000_000
_READ_BYTES = 500 * 1024  # what every crawler has to read
_RULES = b"User-agent: *\nDisallow: /private/\n"
_TEXT = "text/plain"


class Permits(StrEnum):
    """What a robots.txt leaves to a crawler."""

    EVERYTHING = "everything"
    ALL_BUT_PRIVATE = "all-but-private"
    NOTHING = "nothing"


class RobotsTxt(StrEnum):
    """What a host answers when asked for /robots.txt."""

    MISSING = "missing"  # 404
    EMPTY = "empty"
    FORBIDS_PRIVATE = "forbids-private"
    CRAWL_DELAY = "crawl-delay"
    # odd
    BY_NAME = "by-name"
    ALL_BUT_US = "all-but-us"
    REDIRECTED = "redirected"
    HUGE = "huge"
    ENDLESS = "endless"
    BOM_AND_CR = "bom-and-cr"
    NUL = "nul"
    WRONG_TYPE = "wrong-type"
    CODED = "coded"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    GONE = "gone"
    HTML_PAGE = "html-page"
    REDIRECT_LOOP = "redirect-loop"
    # late
    LATE_429 = "late-429"
    LATE_500 = "late-500"
    LATE_503 = "late-503"
    LATE_RESET = "late-reset"
    LATE_STALL = "late-stall"
    # closed
    FORBIDS_ALL = "forbids-all"
    ALWAYS_429 = "always-429"
    ALWAYS_500 = "always-500"
    ALWAYS_503 = "always-503"
    ALWAYS_RESET = "always-reset"
    ALWAYS_STALL = "always-stall"


_ALL = tuple(RobotsTxt)
ODD = _ALL[_ALL.index(RobotsTxt.BY_NAME) : _ALL.index(RobotsTxt.LATE_429)]
LATE = _ALL[_ALL.index(RobotsTxt.LATE_429) : _ALL.index(RobotsTxt.FORBIDS_ALL)]
CLOSED = _ALL[_ALL.index(RobotsTxt.FORBIDS_ALL) :]

_PERMIT_EVERYTHING = frozenset(
    {
        RobotsTxt.MISSING,
        RobotsTxt.EMPTY,
        RobotsTxt.UNAUTHORIZED,
        RobotsTxt.FORBIDDEN,
        RobotsTxt.GONE,
        RobotsTxt.HTML_PAGE,
        RobotsTxt.REDIRECT_LOOP,
    }
)


def permits(kind: RobotsTxt) -> Permits:
    """What a crawler may ask of a host with such a robots.txt."""
    if kind in _PERMIT_EVERYTHING:
        return Permits.EVERYTHING
    return Permits.NOTHING if kind in CLOSED else Permits.ALL_BUT_PRIVATE


def has_private_pages(kind: RobotsTxt) -> bool:
    """Whether there is anything below /private/, forbidden or not."""
    return kind not in (RobotsTxt.MISSING, RobotsTxt.EMPTY)


def answer_robots(kind: RobotsTxt, spec: WebSpec, next_url: str) -> RobotsAnswer:
    """What the host does when asked. `next_url` is where a redirected file is, or the next redirect to it."""
    if kind in (RobotsTxt.REDIRECTED, RobotsTxt.REDIRECT_LOOP):
        return redirect_robots(next_url if kind is RobotsTxt.REDIRECTED else "/robots.txt")
    return _ANSWERS[kind](spec)


def redirect_robots(url: str) -> Fixed:
    """One step on the way to a redirected file."""
    return Fixed(b"", 302, _TEXT, (("Location", url),))


def plain_rules() -> Fixed:
    """The file that forbids /private/ in plain words."""
    return Fixed(_RULES, content_type=_TEXT)


def _text(body: bytes) -> Callable[[WebSpec], RobotsAnswer]:
    return lambda spec: Fixed(body, content_type=_TEXT)


def _status(status: int) -> Callable[[WebSpec], RobotsAnswer]:
    # The words in the body would forbid everything, but no such body counts.
    return lambda spec: Fixed(b"User-agent: *\nDisallow: /\n", status, _TEXT)


def _crawl_delay(spec: WebSpec) -> RobotsAnswer:
    return Fixed(_RULES + f"Crawl-delay: {spec.crawl_delay_s:g}\n".encode(), content_type=_TEXT)


def _by_name(spec: WebSpec) -> RobotsAnswer:
    lines = f"User-agent: *\nDisallow:\n\nUser-agent: {spec.agent.upper()}\nDisallow: /private/\n"
    return Fixed(lines.encode(), content_type=_TEXT)


def _all_but_us(spec: WebSpec) -> RobotsAnswer:
    lines = f"User-agent: {spec.agent}\nUser-agent: otherbot\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n"
    return Fixed(lines.encode(), content_type=_TEXT)


def _huge(spec: WebSpec) -> RobotsAnswer:
    """The deciding rule is the last that must be read; what comes after it concerns no page."""
    head, rule = b"User-agent: *\n", b"Disallow: /private/\n"
    filler = b"# nothing to see here\n"
    before = filler * ((_READ_BYTES - len(head) - len(rule)) // len(filler))
    return Fixed((head + before + rule).ljust(_HUGE_BYTES - 40) + b"\nDisallow: /beyond/\n", content_type=_TEXT)


def _endless(spec: WebSpec) -> RobotsAnswer:
    # After the rules the body is words without a line end: a line that is cut and says nothing.
    return Stream(None, Framing.CHUNKED, prefix=_RULES + b"# ", content_type=_TEXT)


def _wrong_type(spec: WebSpec) -> RobotsAnswer:
    return Fixed(_RULES, content_type="text/html")


def _coded(spec: WebSpec) -> RobotsAnswer:
    return Fixed(gzip.compress(_RULES, mtime=0), content_type=_TEXT, headers=(("Content-Encoding", "gzip"),))


def _html_page(spec: WebSpec) -> RobotsAnswer:
    """What a site answers that has the same page for every path it does not know."""
    return Fixed(b"<!DOCTYPE html>\n<title>Welcome</title>\n<p>Disallow: nothing, do come in.\n")


def _late(fault: Fault) -> Callable[[WebSpec], RobotsAnswer]:
    return lambda spec: _failing(fault, spec, spec.failing_attempts)


def _always(fault: Fault) -> Callable[[WebSpec], RobotsAnswer]:
    return lambda spec: _failing(fault, spec, None)


def _failing(fault: Fault, spec: WebSpec, attempts: int | None) -> Broken:
    asks_to_wait = fault in (Fault.STATUS_429, Fault.STATUS_503)
    return Broken(
        fault,
        plain_rules(),
        attempts,
        spec.stall_s,
        retry_after_s=spec.retry_after_s if asks_to_wait else None,
        retry_after_as_date=fault is Fault.STATUS_503,
    )


# All but MISSING, which is like any other path where nothing is, and the two that redirect.
_ANSWERS: dict[RobotsTxt, Callable[[WebSpec], RobotsAnswer]] = {
    RobotsTxt.EMPTY: _text(b""),
    RobotsTxt.FORBIDS_PRIVATE: _text(_RULES),
    RobotsTxt.CRAWL_DELAY: _crawl_delay,
    RobotsTxt.BY_NAME: _by_name,
    RobotsTxt.ALL_BUT_US: _all_but_us,
    RobotsTxt.HUGE: _huge,
    RobotsTxt.ENDLESS: _endless,
    RobotsTxt.BOM_AND_CR: _text(b"\xef\xbb\xbfUser-agent: *\rDisallow: /private/\r"),
    RobotsTxt.NUL: _text(b"# \x00 nothing\x00\n" + _RULES),
    RobotsTxt.WRONG_TYPE: _wrong_type,
    RobotsTxt.CODED: _coded,
    RobotsTxt.UNAUTHORIZED: _status(401),
    RobotsTxt.FORBIDDEN: _status(403),
    RobotsTxt.GONE: _status(410),
    RobotsTxt.HTML_PAGE: _html_page,
    RobotsTxt.LATE_429: _late(Fault.STATUS_429),
    RobotsTxt.LATE_500: _late(Fault.STATUS_500),
    RobotsTxt.LATE_503: _late(Fault.STATUS_503),
    RobotsTxt.LATE_RESET: _late(Fault.RESET_BEFORE_HEAD),
    RobotsTxt.LATE_STALL: _late(Fault.STALL_BEFORE_HEAD),
    RobotsTxt.FORBIDS_ALL: _text(b"User-agent: *\nDisallow: /\n"),
    RobotsTxt.ALWAYS_429: _always(Fault.STATUS_429),
    RobotsTxt.ALWAYS_500: _always(Fault.STATUS_500),
    RobotsTxt.ALWAYS_503: _always(Fault.STATUS_503),
    RobotsTxt.ALWAYS_RESET: _always(Fault.RESET_BEFORE_HEAD),
    RobotsTxt.ALWAYS_STALL: _always(Fault.STALL_BEFORE_HEAD),
}
