"""How a crawl stands, for Prometheus: its text format, made of a `Status`. docs/metrics.md explains each metric.

Labels are words of weft's own: no URL, no host and nothing that a server says is one, so the number of series is
bounded. What can fall is a gauge; a counter falls only when a crawl begins another run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus

import msgspec

from weft.live.limiter import NAMES
from weft.live.status import Stage, State, Status
from weft.types import Outcome, Refusal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OTHER = "other"  # an answer whose code HTTP does not know
CODES = frozenset(str(code.value) for code in HTTPStatus)

Samples = float | None | Mapping[str, float]  # None: not known, so it is left out


class Type(StrEnum):
    """What Prometheus may do with the values."""

    COUNTER = "counter"
    GAUGE = "gauge"


class Metric(msgspec.Struct, frozen=True):
    """One metric: a value, or one for each word of a label."""

    name: str
    type: Type
    help: str
    value: Callable[[Status], Samples]
    label: str = ""


def metrics_text(status: Status) -> str:
    """The page that Prometheus reads."""
    return "".join(line for metric in METRICS for line in _lines(metric, metric.value(status)))


def _lines(metric: Metric, samples: Samples) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}\n"
    yield f"# TYPE {metric.name} {metric.type}\n"
    if isinstance(samples, Mapping):
        for word, value in samples.items():
            yield f'{metric.name}{{{metric.label}="{_escaped(word)}"}} {_number(value)}\n'
    elif samples is not None:
        yield f"{metric.name} {_number(samples)}\n"


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))


def _seconds(utc: str) -> float | None:
    """Since 1970, of a time as `utc_text` writes it."""
    return datetime.fromisoformat(utc).timestamp() if utc else None


def _codes(statuses: Mapping[str, int]) -> dict[str, float]:
    """Servers may answer with any number of three digits: those without a name are one."""
    counts: dict[str, float] = {}
    for code, count in statuses.items():
        name = code if code in CODES else OTHER
        counts[name] = counts.get(name, 0) + count
    return counts


def _by_word(counts: Mapping[str, int], words: Iterable[str]) -> dict[str, float]:
    """All of them, also those that have not happened yet: a rate needs a value to begin with."""
    return {str(word): counts.get(word, 0) for word in words}


def _one_of(word: str, words: Iterable[str]) -> dict[str, float]:
    return {str(one): int(one == word) for one in words}


def _stages(figure: Callable[[Stage], float]) -> Callable[[Status], Samples]:
    return lambda status: {stage.name: figure(stage) for stage in status.stages}


METRICS = (
    # How it goes
    Metric("weft_build_info", Type.GAUGE, "1; the label is weft's version.", lambda s: {s.version: 1}, "version"),
    Metric("weft_state", Type.GAUGE, "1 for what the crawl does now, 0 for the others.",
           lambda s: _one_of(s.state, State), "state"),
    Metric("weft_start_time_seconds", Type.GAUGE, "When this run began, in seconds since 1970.",
           lambda s: _seconds(s.began)),
    Metric("weft_status_time_seconds", Type.GAUGE, "When these figures were written, in seconds since 1970.",
           lambda s: _seconds(s.updated)),
    Metric("weft_run_seconds_total", Type.COUNTER, "For how long the crawl has run, all runs together.",
           lambda s: s.run_s),
    Metric("weft_limiter", Type.GAUGE, "1 for what keeps the crawl from being faster, 0 for the others.",
           lambda s: _one_of(s.limiter.name, NAMES), "limiter"),
    Metric("weft_limit_ratio", Type.GAUGE, "How much of the nearest limit is used up, 0 to 1; left out where there "
           "is none.", lambda s: {s.limit.name: s.limit.percent / 100} if s.limit else {}, "limit"),
    Metric("weft_limit_left_seconds", Type.GAUGE, "Until the nearest limit is reached, at the present rate; left out "
           "where nobody can say.", lambda s: s.limit.left_s if s.limit else None),
    Metric("weft_warnings", Type.GAUGE, "Sentences in the status that say what is wrong.", lambda s: len(s.warnings)),
    # What came
    Metric("weft_pages_total", Type.COUNTER, "Pages: responses with a 2xx status.", lambda s: s.pages),
    Metric("weft_requests_total", Type.COUNTER, "Requests that were answered or failed, robots.txt included.",
           lambda s: s.requests),
    Metric("weft_responses_total", Type.COUNTER, "Responses by status code, robots.txt included; `other` has the codes "
           "that HTTP does not know.", lambda s: _codes(s.statuses), "code"),
    Metric("weft_received_bytes_total", Type.COUNTER, "Received, heads and chunk framing included.", lambda s: s.bytes),
    Metric("weft_retries_total", Type.COUNTER, "Requests made because another had failed.", lambda s: s.retries),
    Metric("weft_failed_urls", Type.GAUGE, "URLs that were given up, by outcome; `--retry-failed` makes them fewer.",
           lambda s: _by_word(s.failed, (one for one in Outcome if one is not Outcome.RESPONSE)), "outcome"),
    Metric("weft_refused_links", Type.GAUGE, "Links that were found and are not fetched, by reason; fewer when a rule "
           "changes.", lambda s: _by_word(s.refused, Refusal), "reason"),
    # What is to come
    Metric("weft_queued_urls", Type.GAUGE, "URLs that wait.", lambda s: s.queued),
    Metric("weft_seen_urls", Type.GAUGE, "Distinct URLs that belong to the crawl, visited or not.", lambda s: s.seen),
    Metric("weft_hosts", Type.GAUGE, "Hosts by state: ready, busy, waiting, preparing; left: hosts and authorities "
           "left for another run.", lambda s: {
               "ready": s.hosts.ready, "busy": s.hosts.busy, "waiting": s.hosts.waiting,
               "preparing": s.hosts.preparing, "left": s.hosts.left,
           }, "state"),
    Metric("weft_hosts_in_memory", Type.GAUGE, "Hosts in memory; the others sleep on disk.",
           lambda s: s.hosts.in_memory),
    # Under way
    Metric("weft_requests_under_way", Type.GAUGE, "Requests under way.", lambda s: s.under_way),
    Metric("weft_request_slots", Type.GAUGE, "How many requests may be under way.", lambda s: s.slots),
    Metric("weft_preparing_authorities", Type.GAUGE, "Authorities that are looked up or asked for robots.txt.",
           lambda s: s.preparing),
    Metric("weft_parsing_pages", Type.GAUGE, "Pages with the parse workers, or on the way there.", lambda s: s.parsing),
    Metric("weft_stage_workers", Type.GAUGE, "Workers of a stage.", _stages(lambda one: one.workers), "stage"),
    Metric("weft_stage_workers_max", Type.GAUGE, "How many workers a stage may have.", _stages(lambda one: one.most),
           "stage"),
    Metric("weft_stage_buffer", Type.GAUGE, "What waits for a stage.", _stages(lambda one: one.buffer), "stage"),
    Metric("weft_stage_idle_ratio", Type.GAUGE, "The share of its workers' time in which they had nothing to do, 0 to "
           "1.", _stages(lambda one: one.idle_percent / 100), "stage"),
    # Names and robots.txt
    Metric("weft_dns_lookups_total", Type.COUNTER, "Look-ups of this run: hit, answered at once; miss, name servers "
           "were asked; joined, waited for a query under way.",
           lambda s: {"hit": s.dns.hits, "miss": s.dns.misses, "joined": s.dns.joined}, "result"),
    Metric("weft_dns_queries_total", Type.COUNTER, "Names that name servers were asked for in this run.",
           lambda s: s.dns.queries),
    Metric("weft_dns_failures_total", Type.COUNTER, "Queries of this run without an address: not_found, there is no "
           "such name; failed, no answer came.",
           lambda s: {"not_found": s.dns.not_found, "failed": s.dns.failures}, "kind"),
    Metric("weft_dns_query_mean_seconds", Type.GAUGE, "What a query takes, on average over this run.",
           lambda s: s.dns.mean_query_ms / 1000),
    Metric("weft_dns_cached_names", Type.GAUGE, "Names in the cache.", lambda s: s.dns.cached_names),
    Metric("weft_robots_requests_total", Type.COUNTER, "Requests for robots.txt of this run.",
           lambda s: s.robots.asked),
    Metric("weft_robots_rules", Type.GAUGE, "Authorities whose robots.txt is in memory.", lambda s: s.robots.known),
    # The machine
    Metric("weft_cpu_seconds_total", Type.COUNTER, "CPU time of this run, by engine and workers.",
           lambda s: {"engine": s.engine_cpu_s, "workers": s.workers_cpu_s}, "part"),
    Metric("weft_memory_bytes", Type.GAUGE, "Memory, by engine and workers.",
           lambda s: {"engine": s.memory.engine, "workers": s.memory.workers}, "part"),
    Metric("weft_body_bytes", Type.GAUGE, "Bodies in memory, waiting to be read.", lambda s: s.memory.bodies),
    Metric("weft_body_bytes_max", Type.GAUGE, "How many bytes of bodies may be in memory.",
           lambda s: s.memory.bodies_most),
    Metric("weft_workers_died_total", Type.COUNTER, "Parse workers that died; each was replaced.",
           lambda s: s.workers_died),
    Metric("weft_disk_free_bytes", Type.GAUGE, "Free where the crawl folder is; left out where nobody has looked.",
           lambda s: s.disk_free_bytes),
)  # fmt: skip
