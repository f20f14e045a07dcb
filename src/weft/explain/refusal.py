"""Why a URL is refused, in a sentence that names the rule."""

from __future__ import annotations

from typing import Final

from weft.config import CrawlConfig
from weft.explain import by_robots
from weft.explain.result import Refused, RobotsLine
from weft.filter.accept import NOT_ACCEPTED
from weft.filter.by_answer import NEAR
from weft.filter.patterns import NOT_INCLUDED
from weft.settings.by_host import ByHost, named
from weft.stats.verdict import counted
from weft.types import Link, Refusal
from weft.url import host_of, registrable_domain, scheme_of

NAMED: Final = 5  # seeds' hosts, or patterns, in a sentence

TRAPS: Final = {
    "too-many-segments": "its path has more than 32 folders",
    "repeated-segment": "one folder of its path comes again and again, one time right after the other",
    "segment-cycle": "some folders of its path come again and again, one row of them right after the other",
    "tangle": "its path is long, and goes through the same few folders again and again",
    "repeated-argument": "an argument of its query comes four times or more with the same value",
    "too-many-arguments": "its query has more than 64 arguments",
    "nested-escapes": "it is escaped again and again, as a URL that is made from itself",
    "session-ids": "its page was fetched under several session ids before, and each visit brings another one",
    "calendar": "it is a day of a calendar in which nothing more came, many days beyond the last that had something",
    "same-page": "the page that links to it is the same as the two above it, and each lies below the one before",
    "guesses": "only a script seems to name it, and hundreds of such names on its host led to nothing",
}


def refused(
    link: Link, reason: Refusal, rule: str, config: CrawlConfig, scope_seeds: list[str], robots: RobotsLine | None
) -> Refused:
    """The refusal with its words."""
    return Refused(_words(link, reason, rule, config, scope_seeds, robots), reason, rule, robots)


def _words(
    link: Link, reason: Refusal, rule: str, config: CrawlConfig, scope_seeds: list[str], robots: RobotsLine | None
) -> str:
    url = link.url
    if rule and rule in config.filters:
        return f"refused by your filter {rule}" + f", which calls it {reason}" * (reason is not Refusal.USER)
    match reason:
        case Refusal.SCHEME:
            return f"refused for its scheme: a filter takes no {scheme_of(url).name} URLs"
        case Refusal.LENGTH:
            most = f"{config.max_url_chars:,}"
            return f"refused for its length: it has {len(url):,} characters, and --max-url-chars allows {most}"
        case Refusal.SUFFIX:
            return f"refused for its suffix: its path ends with '{rule}', which --refuse-suffix names"
        case Refusal.SCOPE:
            return f"out of scope: {_scope(config, scope_seeds)}"
        case Refusal.HOST:
            return f"refused for its host: a filter takes no URLs of {host_of(url)}"
        case Refusal.DEPTH:
            away = f"it is {counted(link.depth, 'link')} away from a seed"
            return f"too deep: {away}, and --depth allows {config.depth or 0:,}"
        case Refusal.PATTERN if rule == NOT_INCLUDED:
            return _not_included(config, host_of(url))
        case Refusal.PATTERN if rule == NOT_ACCEPTED:
            return f"refused because it matches no --accept: {_listed(list(config.accept))}"
        case Refusal.PATTERN if rule == NEAR:
            return f"refused as {rule}"
        case Refusal.PATTERN if rule in config.rules:
            return f"refused by --rule '{rule}'"
        case Refusal.PATTERN:
            return f"refused by {_who_excludes(config, host_of(url), rule)} '{rule}'"
        case Refusal.TRAP:
            how = f"; --traps -{rule} would let it pass" if rule else ""
            return f"refused as a walk without end ({rule or 'trap'}): {TRAPS.get(rule, 'it looks like one')}{how}"
        case Refusal.SESSION_ID:
            return f"not asked for as it is: its session id changes nothing on its host, so {rule} is asked for instead"
        case Refusal.USER:
            return f"refused by your filter {rule}" if rule else "refused by a filter of yours"
        case Refusal.ROBOTS:
            return f"refused by robots.txt: {by_robots.sentence(robots)}" if robots else "refused by robots.txt"
        case Refusal.HOST_BUDGET:
            budget = config.max_pages_per_host or 0
            visited = f"{counted(budget, 'URL')} of {host_of(url)} {'was' if budget == 1 else 'were'} visited"
            return f"over the budget of its host: {visited}, and --max-pages-per-host allows {budget:,}"
        case Refusal.TOO_MANY_REDIRECTS:
            count = f"{link.redirects:,} redirects in a row lead to it"
            return f"refused after too many redirects: {count}, and --max-redirects allows {config.max_redirects:,}"


def _not_included(config: CrawlConfig, host: str) -> str:
    table = ByHost(config.hosts).table_for(host, "include")
    if table is None:
        return f"refused because it matches no --include: {_listed(list(config.include))}"
    return f"refused because it matches no include of {named(table)}: {_listed(list(table.include or ()))}"


def _who_excludes(config: CrawlConfig, host: str, pattern: str) -> str:
    """Whose pattern it is: that of a host's table, or the crawl's."""
    table = ByHost(config.hosts).table_for(host, "exclude")
    return f"exclude of {named(table)}" if table is not None and pattern in (table.exclude or ()) else "--exclude"


def _scope(config: CrawlConfig, seeds: list[str]) -> str:
    """What belongs to the crawl."""
    match config.scope:
        case "host":
            return f"--scope host takes the hosts of the seeds only: {_listed(sorted({*map(host_of, seeds)}))}"
        case "domain":
            domains = {registrable_domain(host_of(seed)) for seed in seeds}
            return f"--scope domain takes the domains of the seeds only: {_listed(sorted(domains))}"
        case "prefix":
            folders = {seed.partition("?")[0].rpartition("/")[0] + "/" for seed in seeds}
            return f"--scope prefix takes the folders of the seeds only: {_listed(sorted(folders))}"
        case "any":
            return "a rule of its scope, which was narrower then, refused it"


def _listed(names: list[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + f" and {more:,} more" * (more > 0)
