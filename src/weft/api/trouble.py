"""What a person can do about a failure: a sentence an outcome.

A seed that fails is most often a word that was mistyped, or a flag that is missing. Its failure is told at once, and
not when all tries have failed some minutes later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft.config import CrawlConfig
from weft.fetch.retry import OUTCOME_RULES
from weft.folder.crawl_log import LogLine
from weft.types import Kind, Outcome, Refusal
from weft.url import host_of, origin_of

TOLD_AT_MOST = 5
FORBIDDEN = f"refused:{Refusal.ROBOTS}"  # as the log says it

_ADVICE = {
    Outcome.DNS_NOT_FOUND: "there is no such host: is the name right?",
    Outcome.DNS_FAILED: "the name servers do not answer: is there a network? --dns-server IP asks another one",
    Outcome.CONNECT_REFUSED: "nothing listens there: is the port right, and does the server run?",
    Outcome.CONNECT_TIMEOUT: "it does not answer: a firewall, or a wrong address?",
    Outcome.RESPONSE_TIMEOUT: "no answer began in time: --response-timeout TIME waits longer",
    Outcome.UNREACHABLE: "there is no way to it: is there a network?",
    Outcome.TLS_CERTIFICATE: "its certificate is not trusted: --ca-file FILE trusts its authority, --insecure {host} "
    "any certificate of this host",
    Outcome.TLS_FAILED: "no TLS connection could be made: is http:// meant? --insecure {host} accepts old TLS",
    Outcome.PROXY_FAILED: "the proxy does not let it through: is --proxy right?",
    Outcome.PRIVATE_ADDRESS: "it has a private address: --allow-private permits it",
    FORBIDDEN: "its robots.txt forbids it: --ignore-robots is for sites of your own",
}


def advice(outcome: str, host: str) -> str:
    """What an outcome most likely means, and the flag that helps."""
    return _ADVICE.get(outcome, f"no answer came ({outcome})").format(host=host)


def known_troubles(outcomes: Iterable[str]) -> list[str]:
    """Those for which there is advice, in the order of the table."""
    found = set(outcomes)
    return [outcome for outcome in _ADVICE if outcome in found]


class SeedTroubles:
    """Tells when a seed's first try fails; the tries go on behind it."""

    def __init__(self, config: CrawlConfig, tell: Callable[[str], None]) -> None:
        self._tell = tell
        # Hosts of seeds that have not been told of. Emptied by `hear`; bound: seeds.
        self._untold = {host_of(seed) for seed in config.seeds}
        self._told = 0

    def hear(self, line: LogLine) -> None:
        """A request brought no response, or a URL was refused; if a seed's, or on the way to one, it is told."""
        is_look_up = line.url.startswith("dns:")
        is_on_the_way = is_look_up or (line.url.endswith("/robots.txt") and not line.via)
        if not is_on_the_way and line.kind is not Kind.SEED:
            return
        host = line.url.removeprefix("dns:") if is_look_up else host_of(line.url)
        if host not in self._untold:
            return
        self._untold.discard(host)
        self._told += 1
        if self._told > TOLD_AT_MOST:
            self._untold.clear()
            self._tell("further seeds that fail are in crawl.log")
            return
        where = host if is_look_up or line.outcome == Outcome.DNS_NOT_FOUND else origin_of(line.url)
        is_tried_again = any(line.outcome == outcome and rule.tries > 1 for outcome, rule in OUTCOME_RULES.items())
        again = " (it is tried again)" if is_tried_again else ""
        self._tell(f"{where}: {advice(line.outcome, host)}{again}")
