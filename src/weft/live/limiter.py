"""What limits a crawl now, in numbers, and which flags would change that: the one place where it is put into words."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import assert_never

from weft.config import CrawlConfig
from weft.live.status import Limiter
from weft.pipeline.config_parts import worker_slots
from weft.pipeline.halts import Halt
from weft.pipeline.progress import ADDRESS, Progress
from weft.stats import Counters
from weft.stats.verdict import counted, duration
from weft.workers.balance import CORES_ARE_FULL, CPU_IS_FULL

REASONS_TOLD = 3
LONG_S = 10.0
IF_OWNERS_AGREE = "would change that, if the owners agree"
# Where no host is ready: what hosts do instead. The other names are those of Halt.
POLITENESS, SERVERS, PREPARING, RESTING, NOTHING = "politeness", "servers", "preparing", "resting", "nothing"
NAMES = (*(str(halt) for halt in Halt if halt is not Halt.NO_HOST), POLITENESS, SERVERS, PREPARING, RESTING, NOTHING)


def limiter_of(progress: Progress, config: CrawlConfig) -> Limiter:
    """What keeps a crawl from being faster."""
    match halt := progress.halt:
        case Halt.NO_HOST:
            return _no_host(progress, config)
        case Halt.SLOTS:
            words, advice = _connections(progress, config)
        case Halt.PARSE:
            words, advice = _parsing(progress, config)
        case Halt.PACE:
            words, advice = _pace(config)
        case Halt.LIMIT:
            under_way = counted(progress.visiting + progress.parsing, "page")
            words, advice = f"{under_way} under way may be all that {_limits(config)} allows", ""
        case Halt.READER:
            words, advice = "the program that reads the pages is behind: no more are fetched until it has some", ""
        case Halt.COMMIT:
            words, advice = "refused URLs are written down first", ""
        case Halt.STOPPING:
            words, advice = f"waits for the end of {_under_way(progress)}", ""
        case Halt.PAUSED:
            words, advice = f"no request begins; {_under_way(progress)} under way", "`weft control … resume` goes on"
        case Halt.LOGIN:
            words, advice = "logs in before anything else is asked for", ""
        case Halt.ENGINES:
            words, advice = "the crawl's other engines are still starting", ""
        case Halt.LEASE:
            words, advice = "this node's lease has ended, or has not begun: it waits for the cluster's log", ""
        case Halt.LOG:
            words, advice = "the cluster's log is behind: links wait to be written there", ""
        case _:
            assert_never(halt)
    return Limiter(str(halt), words, advice)


def _no_host(progress: Progress, config: CrawlConfig) -> Limiter:
    """No host may be asked now: whatever most of them do limits the crawl. Those held for a reason come last."""
    held = sum(progress.rests.values())
    under_way = progress.visiting + progress.asking
    resting = max(0, progress.hosts.waiting - held)
    others = f"; {_named(progress)}" if held else ""
    most = max(under_way, resting, progress.hosts.preparing)
    if not most:
        if not held:
            return Limiter(NOTHING, "nothing is left to fetch")
        soonest_s = min((wait.rest_s for wait in progress.waiting if wait.rest_s), default=0.0)
        soon = f"; the first of them is asked again in {_seconds(soonest_s)}" if soonest_s else ""
        return Limiter(RESTING, f"{_named(progress)}{soon}")
    if resting == most or (under_way == most and _rests_longer_than_it_waits(progress)):
        words, advice = _politeness(progress, config, resting)
        return Limiter(POLITENESS, words + others, advice)
    if under_way == most:
        words, advice = _servers(progress)
        return Limiter(SERVERS, words + others, advice)
    look_ups = f"{counted(progress.dns.in_flight, 'name')} looked up, {progress.asking:,} asked for robots.txt"
    words = f"{counted(progress.hosts.preparing, 'host')} must be prepared first: {look_ups}"
    look_up = f"; a look-up takes {progress.dns.mean_query_ms:,.0f} ms" if progress.dns.queries else ""
    return Limiter(PREPARING, words + look_up + others)


def _politeness(progress: Progress, config: CrawlConfig, resting: int) -> tuple[str, str]:
    hosts = _at_work(progress)
    if progress.waiting and all(wait.why == ADDRESS for wait in progress.waiting):
        words = f"{resting:,} of {counted(hosts, 'host')} wait for others at their IP addresses"
        return words, f"`--requests-per-address` or `--connections-per-address` {IF_OWNERS_AGREE}"
    words = f"{resting:,} of {counted(hosts, 'host')} {'rest' if resting != 1 else 'rests'} between requests"
    if not resting:  # at this moment: they are being asked
        words = "hosts rest between requests for longer than they take to answer"
    delay_s = _mean_delay_s(progress)
    if not delay_s:
        return words, ""
    words += f"; at {_seconds(delay_s)} a host this web allows {_pages_a_second(progress.polite_rate)}"
    if delay_s > 1.5 * config.delay_s:
        return words, "the hosts ask for more than `--delay`, by robots.txt or by answering slowly"
    return words, f"`--delay` or `--connections-per-host` {IF_OWNERS_AGREE}"


def _servers(progress: Progress) -> tuple[str, str]:
    wait_s = _answer_s(progress.counters)
    mean = f", {_seconds(wait_s)} each on average" if wait_s else ""
    words = f"{counted(progress.visiting + progress.asking, 'request')} under way to servers{mean}"
    if not progress.hosts.busy:
        return words, ""
    busy = progress.hosts.busy
    words += f"; {counted(busy, 'host')} {'has' if busy == 1 else 'have'} as many as allowed"
    return words, f"`--connections-per-host` {IF_OWNERS_AGREE}"


def _connections(progress: Progress, config: CrawlConfig) -> tuple[str, str]:
    words = f"{progress.visiting + progress.asking:,} of {counted(progress.slots, 'connection')} in use"
    share = max((reading.cpu_share for reading in progress.readings), default=0.0)
    if share >= CPU_IS_FULL:
        return f"{words}, and the engine keeps a core busy ({min(1.0, share):.0%})", ""
    if progress.slots < config.connections and not config.fixed:
        return f"{words}; more are opened, up to {config.connections:,}, while that makes it faster", ""
    return words, "`--connections` would change that, as far as `ulimit -n` allows"


def _parsing(progress: Progress, config: CrawlConfig) -> tuple[str, str]:
    most = worker_slots(config)
    words = f"{counted(progress.parsing, 'page')} with {counted(progress.workers, 'parse worker')}, at most {most:,}"
    if progress.body_bytes >= progress.most_body_bytes:
        size = f"{progress.body_bytes / 1e6:,.0f} of {progress.most_body_bytes / 1e6:,.0f} MB for bodies are in use"
        return f"{words}; {size}", "`--memory` would change that"
    if any(CORES_ARE_FULL in decision.reason for decision in progress.balance if decision.name == "parse"):
        return f"{words}; {CORES_ARE_FULL}", ""
    if progress.workers < most:
        return f"{words}; more are started", ""
    return words, "`--workers` would change that, if cores are idle"


def _pace(config: CrawlConfig) -> tuple[str, str]:
    asked = []
    if config.rate is not None:
        asked.append((_pages_a_second(config.rate), "`--rate`"))
    if config.bandwidth is not None:
        asked.append((f"{_number(config.bandwidth / 1e6)} MB/s", "`--bandwidth`"))
    if not asked:
        return "this node's share of the pace asked for is used up", ""
    words = f"the pace asked for is reached: {' and '.join(words for words, _ in asked)}"
    return words, f"{' or '.join(flag for _, flag in asked)} would change that"


def _limits(config: CrawlConfig) -> str:
    given = [("`--max-pages`", config.max_pages), ("`--max-bytes`", config.max_bytes)]
    return " or ".join(flag for flag, value in given if value is not None) or "the limit"


def _under_way(progress: Progress) -> str:
    requests = counted(progress.visiting + progress.asking, "request")
    return f"{requests} and {counted(progress.parsing, 'page')} with the workers"


def _named(progress: Progress) -> str:
    """The hosts that rest for a reason, by their reasons."""
    return f"{counted(sum(progress.rests.values()), 'host')} held back: {_reasons(progress.rests)}"


def _reasons(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    told = ", ".join(f"{why} × {count:,}" for why, count in ordered[:REASONS_TOLD])
    return told + (", …" if len(ordered) > REASONS_TOLD else "")


def _rests_longer_than_it_waits(progress: Progress) -> bool:
    """Whether hosts rest most of the time, though at this moment they are asked: what limits them stays the same."""
    answer_s = _answer_s(progress.counters)
    return bool(answer_s) and _mean_delay_s(progress) > answer_s


def _at_work(progress: Progress) -> int:
    hosts = progress.hosts
    return max(0, hosts.ready + hosts.busy + hosts.waiting - sum(progress.rests.values()))


def _mean_delay_s(progress: Progress) -> float:
    """Between two requests to a host; 0 if a host has none."""
    rate = progress.polite_rate
    return _at_work(progress) / rate if 0 < rate < inf else 0.0


def _answer_s(counters: Counters) -> float:
    """How long a server takes with a page, on average; 0 before the first."""
    stages = counters.stages
    if "wait" not in stages or not stages["wait"].times:
        return 0.0
    spans = (stages[name] for name in ("connect", "wait", "receive") if name in stages)
    return sum(span.total_s for span in spans) / stages["wait"].times


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < LONG_S else duration(round(seconds)).replace(".0", "")


def _pages_a_second(rate: float) -> str:
    number = _number(rate)
    return f"{number} {'page' if number == '1' else 'pages'}/s"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= LONG_S else f"{value:.2g}"
