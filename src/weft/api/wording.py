"""How a crawl ended, in words: what the command line prints, and what a program gets."""

from __future__ import annotations

from weft.api.trouble import FORBIDDEN, advice, known_troubles
from weft.errors import DiskFull
from weft.frontier import BLOCKED
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.prepare import UNREACHABLE
from weft.regex import regex
from weft.stats.verdict import counted
from weft.types import Outcome, Refusal
from weft.url import host_of

HOSTS_NAMED = 5
BAD_STATUS = 400
_WORD = regex(r"[a-z0-9-]+")


def last_word(crawl: Crawl, ending: Ending, *, is_kept: bool = True) -> str:
    """How a run ended, and what goes on with it; of a crawl whose folder is not kept, nothing does."""
    path = crawl.folder.name
    match ending:
        case Ending.DONE:
            left_out = sum(row.count for row in crawl.left_out)
            where = f" The archive is in {path}/archive, a list of all visits in {path}/pages.jsonl."
            if crawl.config.archive == "none":
                where = f" A list of all visits is in {path}/pages.jsonl."
            where += f" `weft report {path}` tells more."
            where = where if is_kept else ""
            why = f"; {path}/refused.jsonl says why" if is_kept else ""
            return f"Done.{where}" + (f" Left out: {counted(left_out, 'URL')}{why}." if left_out else "")
        case Ending.SEEDS_FAILED:
            another_try = _another_try(crawl) if is_kept else ""
            return f"Not one page could be fetched{why_failed(crawl)}.{what_helps(crawl)}{another_try}"
        case Ending.LIMIT:
            limit, flag = limit_reached(crawl)
            return f"{limit} `weft resume {path}{flag}` goes on." if is_kept else limit
        case Ending.INTERRUPTED:
            return f"Stopped. {way_on(crawl)}." if is_kept else "Stopped."


def way_on(crawl: Crawl) -> str:
    """By which command a crawl goes on."""
    return f"`weft resume {crawl.folder.name}` goes on"


def when_the_disk_is_full(error: DiskFull, crawl: Crawl, way_on: str) -> DiskFull:
    """The error with what is to be done."""
    return DiskFull(f"{error}; when there is room again for {crawl.folder.path}, {way_on}")


def why_failed(crawl: Crawl) -> str:
    """Why there are no pages, in brackets."""
    counters = crawl.counters
    reasons = [f"{host}: {why}" for host, why in list(crawl.parked_hosts.items())[:HOSTS_NAMED]]
    reasons += [f"{outcome} × {count:,}" for outcome, count in counters.failed.items() if count]
    reasons += [f"{status} × {count:,}" for status, count in counters.statuses.items() if status >= BAD_STATUS]
    return f" ({'; '.join(reasons)})" if reasons else ""


def what_helps(crawl: Crawl) -> str:
    """What the person can do about it: sentences, each with a blank before it."""
    counters = crawl.counters
    outcomes = {str(outcome) for outcome, count in counters.failed.items() if count}
    outcomes |= {word for why in crawl.parked_hosts.values() for word in outcomes_in(why)}
    if Refusal.ROBOTS in counters.refused:
        outcomes.add(FORBIDDEN)
    host = host_of(crawl.config.seeds[0])
    return "".join(f" {_sentence(advice(outcome, host))}" for outcome in known_troubles(outcomes))


def outcomes_in(why: str) -> set[str]:
    """The outcomes that a reason to leave a host names.

    A robots.txt that is unreachable says nothing of the network: how it failed stands behind it.
    """
    return {*_WORD.findall(why.replace(UNREACHABLE, ""))} & set(Outcome)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}{'' if words.endswith('?') else '.'}"


def _another_try(crawl: Crawl) -> str:
    """The command that tries again what failed; empty where there is nothing to try."""
    path, counters = crawl.folder.name, crawl.counters
    if counters.queued:
        return f" `weft resume {path}` tries what was left for later."
    if any(counters.failed.values()):
        permission = " --allow-private" if Outcome.PRIVATE_ADDRESS in counters.failed else ""
        return f" `weft resume {path}{permission} --retry-failed` tries again."
    return ""


def limit_reached(crawl: Crawl) -> tuple[str, str]:
    """Which limit ended the run, and the flag that raises it."""
    config, counters = crawl.config, crawl.counters
    if config.max_pages is not None and counters.pages >= config.max_pages:
        return f"The limit of {counted(config.max_pages, 'page')} was reached.", f" --max-pages {10 * config.max_pages}"
    if config.max_bytes is not None and counters.bytes + counters.unpacked_bytes >= config.max_bytes:
        return f"The limit of {counted(config.max_bytes, 'byte')} was reached.", f" --max-bytes {10 * config.max_bytes}"
    if crawl.parked.count:
        is_blocked = BLOCKED in crawl.parked_hosts.values()
        unblocking = f" `weft control {crawl.folder.name} unblock HOST` lets one in again." if is_blocked else ""
        return f"Hosts were left for later{why_failed(crawl)}.{unblocking}", ""
    return "A limit was reached.", ""
