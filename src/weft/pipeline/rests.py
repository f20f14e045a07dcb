"""What follows a failure that concerns more than one URL: an authority or a host rests, and is left at last.

| what failed                       | who rests | by                                                          |
|-----------------------------------|-----------|-------------------------------------------------------------|
| a connection, TLS, the proxy      | authority | `fetch.retry`, counted in a row                             |
| robots.txt: no answer             | authority | the same                                                    |
| robots.txt: 429, 5xx              | authority | `robots.access`; after 429 and 503 its host, too, but short |
| the name: servers do not answer   | host      | `fetch.retry`                                               |
| the name: not found               | nobody    | its URLs fail …                                             |
| … of a host that has answered     | host      | `fetch.retry.LOST_NAME`                                     |
"""

from __future__ import annotations

from math import inf

from weft.fetch import after
from weft.fetch.retry import LOST_NAME, Rule
from weft.frontier import Clearance, Frontier, Preparation
from weft.logs import logger
from weft.pipeline.prepare import Preparer, RobotsUnreachable
from weft.types import Outcome

# No such host, or none that may be asked: an answer that holds for all of its URLs.
NO_ADDRESS = frozenset((Outcome.DNS_NOT_FOUND, Outcome.PRIVATE_ADDRESS))
NO_ADDRESS_HOLDS_S = 300.0
_log = logger("hosts")
_robots_log = logger("robots")


class Rests:
    """Tells the frontier who rests, and for how long."""

    def __init__(self, frontier: Frontier, preparer: Preparer, *, wait_scale: float) -> None:
        self._frontier = frontier
        self._preparer = preparer
        self._wait_scale = wait_scale

    def after_failure(self, by: Outcome | Rule, host: str, authority: str, why: str, began: float = inf) -> None:
        """An authority failed, or a host if none is given: it rests, longer each time, and is left at last."""
        failures = self._frontier.count_failure(host, authority, began_at=began)
        retry = after(by, failures, self._wait_scale)
        if retry is None:
            self._frontier.park(host, 0.0, why, authority=authority)  # it harms nobody if the next run tries at once
        else:
            _log.debug("%s rests for %.0f s: %s", authority or host, retry.wait_s, why)
            self._frontier.hold(host, retry.wait_s, why, authority=authority)

    def without_robots(self, preparation: Preparation, error: RobotsUnreachable) -> None:
        """The robots rules of an authority cannot be had."""
        host, authority = preparation.host, preparation.authority
        _robots_log.warning("%s: %s, so nothing of it is fetched for now", authority, error)
        self._frontier.fail_preparation(host, authority)
        if error.host_rest_s > 0:
            self._frontier.hold(host, error.host_rest_s, str(error))
        if error.outcome is Outcome.RESPONSE:
            self._frontier.hold(host, error.wait_s, str(error), authority=authority)
        else:
            self.after_failure(error.outcome, host, authority, str(error))

    def without_address(self, preparation: Preparation, outcome: Outcome) -> None:
        """A host has no address: that concerns all of its authorities."""
        host, authority = preparation.host, preparation.authority
        is_lost = outcome is Outcome.DNS_NOT_FOUND and self._frontier.has_answered(host)
        if outcome in NO_ADDRESS and not is_lost:
            self._frontier.clear(host, authority, Clearance((), NO_ADDRESS_HOLDS_S, trouble=outcome))
            return
        if is_lost:
            self._preparer.doubt(host)
        self._frontier.fail_preparation(host, authority)
        self.after_failure(LOST_NAME if is_lost else outcome, host, "", outcome)
