"""What a person may tell a crawl that runs: the values that lie in state/commands, and their words in the log."""

from __future__ import annotations

from math import inf
from typing import Final

import msgspec

from weft.errors import BadInput, BadUrl
from weft.filter.patterns import check_pattern
from weft.url import canonicalize, host_of, split_login

SLOWEST_RATE: Final = 0.001  # pages a second


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """Begin no request until further notice."""


class Resume(msgspec.Struct, frozen=True, tag="resume"):
    """Go on after a pause."""


class SetRate(msgspec.Struct, frozen=True, tag="rate"):
    """Fetch at most this many pages a second in all; None: as many as manners allow."""

    pages_per_s: float | None


class SetDelay(msgspec.Struct, frozen=True, tag="delay"):
    """Wait at least this long between two requests to a host; None: as the crawl's settings say."""

    host: str
    seconds: float | None


class Block(msgspec.Struct, frozen=True, tag="block"):
    """Ask a host for nothing more."""

    host: str


class Unblock(msgspec.Struct, frozen=True, tag="unblock"):
    """Ask a host again that was blocked."""

    host: str


class AddSeeds(msgspec.Struct, frozen=True, tag="seeds"):
    """Begin at these URLs, too."""

    urls: list[str]


class Exclude(msgspec.Struct, frozen=True, tag="exclude"):
    """Visit no URL like this."""

    pattern: str


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End in order, so that it can be resumed."""


Command = Pause | Resume | SetRate | SetDelay | Block | Unblock | AddSeeds | Exclude | Stop


def checked(command: Command) -> Command:
    """The command as weft writes it: hosts and URLs in their canonical form. BadInput for what no crawl could do."""
    match command:
        case SetRate(pages_per_s) if pages_per_s is not None and not SLOWEST_RATE <= pages_per_s < inf:
            raise BadInput(f"a rate is at least {SLOWEST_RATE} pages a second, or none; not {pages_per_s}")
        case SetDelay(host, seconds):
            if seconds is not None and not 0 <= seconds < inf:
                raise BadInput(f"a delay is a number of seconds, or none; not {seconds}")
            return SetDelay(checked_host(host), seconds)
        case Block(host):
            return Block(checked_host(host))
        case Unblock(host):
            return Unblock(checked_host(host))
        case AddSeeds(urls):
            if not urls:
                raise BadInput("there is no URL to add")
            for url in urls:
                split_login(url)  # one that is none raises
        case Exclude(pattern):
            check_pattern(pattern)
    return command


def checked_host(name: str) -> str:
    """A host's name in its canonical form. BadInput for what is none."""
    address = f"[{name}]" if name.count(":") > 1 and not name.startswith("[") else name
    try:
        url = canonicalize(f"http://{address}/")
    except BadUrl:
        url = ""
    if not url or url.count("/") != 3 or any(mark in name for mark in "/?#@ "):
        raise BadInput(f"{name!r} is not the name of a host")
    return host_of(url)


def in_words(command: Command) -> str:
    """For log and page."""
    match command:
        case Pause():
            return "paused"
        case Resume():
            return "resumed"
        case SetRate(None):
            return "rate: no limit"
        case SetRate(pages_per_s):
            return f"rate: at most {pages_per_s:g} pages a second"
        case SetDelay(host, None):
            return f"delay of {host}: the crawl's"
        case SetDelay(host, seconds):
            return f"delay of {host}: {seconds:g} s"
        case Block(host):
            return f"blocked {host}"
        case Unblock(host):
            return f"unblocked {host}"
        case AddSeeds(urls):
            others = f" and {len(urls) - 1:,} more" if len(urls) > 1 else ""
            return f"seeds added: {split_login(urls[0])[0]}{others}"  # a login is nobody's business
        case Exclude(pattern):
            return f"excluded {pattern}"
        case Stop():
            return "stopped"
