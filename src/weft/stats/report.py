"""From the rows of a crawl to its report, in one pass; what is kept meanwhile grows with the number of hosts only.

rows, one a visit ──▶ Survey ──┐
counters, settings ────────────┴─▶ Report
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from weft.config import CrawlConfig
from weft.stats.counters import Counters
from weft.stats.figures import (
    Count,
    Duplicates,
    Items,
    LeftOut,
    Origin,
    Report,
    Responses,
    SeenSet,
    Sizes,
    Stage,
    Totals,
    Value,
)
from weft.stats.histogram import LogHistogram
from weft.stats.survey import Survey
from weft.stats.tally import counts, percent_of
from weft.stats.verdict import verdict_of
from weft.types import PageRow, Refusal

HOSTS_SHOWN = 10
STAGES = ("resolve", "connect", "wait", "receive", "process")  # in the order of a page's way


def build_report(
    rows: Iterable[PageRow],
    counters: Counters,
    config: CrawlConfig,
    *,
    hosts: int = HOSTS_SHOWN,
    items_written: int = 0,
    left_out: Sequence[LeftOut] = (),
    value_waiting: float = 0.0,
) -> Report:
    """Everything that can be said of a crawl; `hosts` is how many hosts each of their tables has.

    `value_waiting` is what is still in the queue is worth, as its order scores it.
    """
    survey = Survey()
    for row in rows:
        survey.add(row)
    beyond_depth = counters.refused.get(Refusal.DEPTH, 0)
    totals = _totals(survey, counters, sum(row.count for row in left_out))
    outcomes = survey.outcomes.counts()
    by_host = survey.hosts.figures(hosts)
    return Report(
        verdict=verdict_of(totals, outcomes, by_host.slowest, left_out, beyond_depth),
        crawl=_origin(survey, config),
        totals=totals,
        left_out=list(left_out),
        responses=_responses(survey, counters),
        outcomes=outcomes,
        refusals=counts((refusal.value, count) for refusal, count in counters.refused.items()),
        media_types=survey.media_types.volumes(),
        charsets=survey.charsets.counts(),
        depths=survey.depths(),
        sizes=_sizes(survey.sizes),
        truncated=survey.truncated.counts(),
        unread=survey.unread.counts(),
        duplicates=_duplicates(survey, config),
        stages=_stages(survey, counters),
        hosts=by_host,
        seen=_seen_set(counters),
        items=Items(items_written, counters.items_failed, counters.hooks_failed),
        value=_value(survey, counters, config, value_waiting),
    )


def _origin(survey: Survey, config: CrawlConfig) -> Origin:
    return Origin(
        first_seed=config.seeds[0] if config.seeds else "",
        seeds=len(config.seeds),
        scope=config.scope,
        max_depth=config.depth,
        first_visit=_moment(survey.first_at) if survey.visits else "",
        last_visit=_moment(survey.last_at) if survey.visits else "",
    )


def _moment(wall_time: float) -> str:
    return datetime.fromtimestamp(wall_time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _totals(survey: Survey, counters: Counters, left_out: int) -> Totals:
    # The time of a run is counted when it ends. The first run of a crawl that was killed, or still goes on, has only
    # its visits to go by.
    seconds = counters.run_s or (survey.last_at - survey.first_at if survey.visits else 0.0)
    return Totals(
        pages=survey.pages,
        visits=survey.visits,
        failed=survey.failed,
        requests=counters.requests,
        retries=counters.retries,
        hosts=len(survey.hosts),
        bytes=counters.bytes,
        seconds=round(seconds, 3),
        pages_per_s=round(survey.pages / seconds, 2) if seconds else 0.0,
        kb_per_s=round(counters.bytes / 1000 / seconds, 2) if seconds else 0.0,
        seen=counters.seen,
        queued=counters.queued,
        left_out=left_out,
        relaxed=counters.relaxed,
        workers_died=counters.workers_died,
    )


def _responses(survey: Survey, counters: Counters) -> Responses:
    """A redirect is no end; the one that is a redirect too many is: its target counts as a request that failed."""
    too_many = counters.refused.get(Refusal.TOO_MANY_REDIRECTS, 0)
    numbers = {
        "OK": survey.pages,
        "404": survey.not_found,
        "time-out": survey.timed_out,
        "too many redirects": too_many,
        "other": survey.visits - survey.redirects - survey.pages - survey.not_found - survey.timed_out,
    }
    total = sum(numbers.values())
    return Responses(
        total=total,
        kinds=[Count(kind, number, percent_of(number, total)) for kind, number in numbers.items()],
        redirects=Count("redirect", survey.redirects, percent_of(survey.redirects, total)),
        leading_back=survey.leading_back,
    )


def _value(survey: Survey, counters: Counters, config: CrawlConfig, waiting: float) -> Value | None:
    if not counters.value:
        return None
    relevant = counters.relevant if config.topic_words else None
    return Value(
        order=config.order,
        fetched_percent=percent_of(counters.value, counters.value + waiting),
        relevant=relevant,
        relevant_percent=percent_of(relevant, survey.pages) if relevant is not None else None,
    )


def _sizes(sizes: LogHistogram) -> Sizes:
    return Sizes(
        total_bytes=int(sizes.total),
        mean_bytes=round(sizes.mean, 1),
        p50_bytes=round(sizes.percentile(50), 1),
        p95_bytes=round(sizes.percentile(95), 1),
        largest_bytes=int(sizes.largest),
    )


def _duplicates(survey: Survey, config: CrawlConfig) -> Duplicates:
    looked_for = config.near_duplicates or survey.near
    return Duplicates(survey.revisits, survey.saved_bytes, survey.near if looked_for else None)


def _stages(survey: Survey, counters: Counters) -> list[Stage]:
    stages = []
    for name in (*STAGES, *sorted(counters.stages.keys() - set(STAGES))):
        span = counters.stages.get(name)
        if span is None or not span.times:
            continue
        times = survey.times.get(name)
        stages.append(
            Stage(
                name=name,
                times=span.times,
                mean_s=round(span.total_s / span.times, 6),
                total_s=round(span.total_s, 3),
                p50_s=round(times.percentile(50), 6) if times is not None else None,
                p95_s=round(times.percentile(95), 6) if times is not None else None,
            )
        )
    return stages


def _seen_set(counters: Counters) -> SeenSet:
    answers = counters.seen_answers
    said_new, mistaken = answers.get("filter", 0), answers.get("false_positives", 0)
    answered_by = counts((name, answers.get(name, 0)) for name in ("cache", "filter", "disk"))
    return SeenSet(
        asked=sum(row.count for row in answered_by),
        answered_by=answered_by,
        false_positives=mistaken,
        # Of the URLs that were new, those that the filter took for known; rare, so with more decimals.
        false_positive_percent=round(100 * mistaken / (mistaken + said_new), 4) if mistaken + said_new else 0.0,
    )
