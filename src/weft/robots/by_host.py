"""Whether a host's robots.txt is asked for, and which of its groups is ours: settings by host have a say in both."""

from __future__ import annotations

from xxhash import xxh3_128_digest

from weft.config import CrawlConfig, named_agent, product_token, robots_name
from weft.product_token import name_in
from weft.settings.by_host import ByHost
from weft.url import host_of, scheme_of


class RobotsByHost:
    """What a crawl's settings say of robots.txt. Without settings by host nothing is looked up."""

    def __init__(self, config: CrawlConfig) -> None:
        self._robots_agent = config.robots_agent
        self._name = product_token(config)
        self._ignores = config.ignore_robots
        self._tables = [one for one in config.hosts if one.user_agent is not None or one.robots_agent is not None]
        self._agents = ByHost.saying(config.hosts, "user_agent", "robots_agent")
        self._ignoring = ByHost.saying(config.hosts, "ignore_robots")

    def name_for(self, host: str) -> str:
        """The name by which robots.txt, meta robots and X-Robots-Tag of a host address us.

        A host that is told another user agent reads its name there; --robots-agent is for the crawl's own, and for
        a user agent that has none. BadInput if there is no name.
        """
        if self._agents is None:
            return self._name
        if said := self._agents.value(host, "robots_agent"):
            return robots_name("", said)
        if (agent := self._agents.value(host, "user_agent")) is None:
            return self._name
        return _name_in(agent, self._robots_agent)

    def names_hash(self) -> bytes:
        """The same as long as every host knows us by the same name."""
        said = sorted((one.pattern, one.robots_agent, one.user_agent) for one in self._tables)
        return xxh3_128_digest(repr((self._name, said)).encode())

    def is_ignored(self, host: str) -> bool:
        """Whether robots.txt of a host is not asked for."""
        said = None if self._ignoring is None else self._ignoring.value(host, "ignore_robots")
        return self._ignores if said is None else bool(said)

    def is_ignored_everywhere(self) -> bool:
        """Whether no robots.txt at all is asked for, as far as is said without a host's name."""
        return self._ignores and self._ignoring is None

    def has_say(self, url: str) -> bool:
        """Whether robots.txt has a say about a canonical URL, or all URLs of an authority."""
        if self._ignoring is None:
            return not self._ignores and scheme_of(url).is_web
        return scheme_of(url).is_web and not self.is_ignored(host_of(url))


def _name_in(user_agent: str, robots_agent: str) -> str:
    return name_in(named_agent(user_agent)) or robots_name(user_agent, robots_agent)
