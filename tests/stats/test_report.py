"""The report on rows made by hand, each figure as one works it out on paper."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.config import CrawlConfig
from weft.stats import Counters
from weft.stats.counters import Span
from weft.stats.figures import Count, Host, LeftOut, Report, Stage, Volume
from weft.stats.histogram import LogHistogram
from weft.stats.report import build_report
from weft.stats.tally import OTHERS, Tally
from weft.stats.verdict import duration
from weft.types import Original, Outcome, PageRow, Refusal, Timing

BEGAN = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC
DOCS = (Path(__file__).parents[2] / "docs" / "report.md").read_text()


def page(url: str, body_bytes: int = 1000, *, wait_s: float = 0.1, at_s: float = 0.0, **more: Any) -> PageRow:
    """A page that came as it should."""
    told: dict[str, Any] = {"depth": 1, "mime": "text/html", "charset": "utf-8", "timing": Timing(0, wait_s, 0.01)}
    return PageRow(url=url, status=200, fetched_at=BEGAN + at_s, body_bytes=body_bytes, **(told | more))


def answer(url: str, status: int, **more: Any) -> PageRow:
    """Another answer, with a body of 100 bytes."""
    return PageRow(url=url, status=status, fetched_at=BEGAN, depth=1, body_bytes=100, **more)


def failure(url: str, outcome: Outcome, **more: Any) -> PageRow:
    """No whole answer."""
    return PageRow(url=url, status=more.pop("status", 0), fetched_at=BEGAN, depth=1, outcome=outcome, **more)


def report(*rows: PageRow, counters: Counters | None = None, config: CrawlConfig | None = None, **more: Any) -> Report:
    return build_report(rows, counters or Counters(), config or CrawlConfig(), **more)


ORIGINAL = Original("http://a.test/", BEGAN, "sha1:X", 1, 0, 10)

A_SMALL_CRAWL = (
    page("http://a.test/", 3000, depth=0, wait_s=0.2),
    page("http://a.test/1", 1000, wait_s=0.4),
    page("http://a.test/2", 1000, wait_s=0.6, mime="text/plain", charset="gbk", original=ORIGINAL),
    page("http://b.test:8080/", 8000, depth=2, at_s=10, mime="image/png", charset="", truncated="length"),
    answer("http://a.test/old", 301),
    answer("http://b.test/gone", 404),
    answer("http://b.test/down", 503),
    failure("http://b.test/slow", Outcome.RESPONSE_TIMEOUT),
    failure("http://c.test/", Outcome.DNS_NOT_FOUND),
    failure("http://c.test/cut", Outcome.STALLED, status=200, body_bytes=50, truncated="time"),
)


LEFT_OUT = (
    LeftOut("trap", "calendar", 2, "http://a.test/cal/2099"),
    LeftOut("robots", "Disallow: /x", 1, "http://a.test/x"),
)
NOTHING_LACKS = "1 page of 1 host in 3 min 20 s; nothing failed and nothing was left out."


def test_totals_come_from_rows_and_counters() -> None:
    counters = Counters(requests=20, retries=5, bytes=50_000, run_s=20.0, seen=30, queued=7, relaxed=2, workers_died=1)
    totals = report(*A_SMALL_CRAWL, counters=counters, left_out=LEFT_OUT).totals
    assert msgspec.structs.asdict(totals) == {
        "pages": 4,
        "visits": 10,
        "failed": 3,
        "requests": 20,
        "retries": 5,
        "hosts": 3,
        "bytes": 50_000,
        "seconds": 20.0,
        "pages_per_s": 0.2,
        "kb_per_s": 2.5,
        "seen": 30,
        "queued": 7,
        "left_out": 3,
        "relaxed": 2,
        "workers_died": 1,
    }


def test_without_the_time_of_a_run_the_visits_tell_how_long_it_took() -> None:
    found = report(*A_SMALL_CRAWL, counters=Counters(bytes=50_000))
    assert (found.totals.seconds, found.totals.kb_per_s) == (10.0, 5.0)


def test_responses_are_told_by_kind_and_redirects_are_outside_the_total() -> None:
    counters = Counters(refused={Refusal.TOO_MANY_REDIRECTS: 1, Refusal.SCOPE: 50})
    responses = report(*A_SMALL_CRAWL, counters=counters).responses
    assert responses.total == 10
    assert responses.kinds == [
        Count("OK", 4, 40.0),
        Count("404", 1, 10.0),
        Count("time-out", 2, 20.0),
        Count("too many redirects", 1, 10.0),
        Count("other", 2, 20.0),
    ]
    assert responses.redirects == Count("redirect", 1, 10.0)


def test_the_table_of_paper_2_comes_out_of_its_own_numbers() -> None:
    def rows() -> Iterator[PageRow]:
        for number in range(17_798):
            yield page(f"http://h{number % 117}.test/{number}")
        for number in range(981):
            yield answer(f"http://h0.test/gone/{number}", 404)
        for number in range(1_340):
            yield answer(f"http://h0.test/moved/{number}", 302)
        for number in range(537):
            yield failure(f"http://h0.test/slow/{number}", Outcome.CONNECT_TIMEOUT)
        for number in range(373):
            yield failure(f"http://h0.test/broken/{number}", Outcome.RESET)

    counters = Counters(bytes=1_594_588_000, run_s=3600.0, refused={Refusal.TOO_MANY_REDIRECTS: 34})
    found = build_report(rows(), counters, CrawlConfig())
    assert found.responses.total == 19_723
    # It prints 90.23 for the first, cut off instead of rounded.
    assert [row.percent for row in found.responses.kinds] == [90.24, 4.97, 2.72, 0.17, 1.89]
    assert found.responses.redirects == Count("redirect", 1_340, 6.79)
    assert (found.totals.hosts, found.totals.kb_per_s) == (117, 442.94)


def test_every_status_and_failure_has_its_count() -> None:
    assert report(*A_SMALL_CRAWL).outcomes == [
        Count("200", 4, 40.0),
        Count("301", 1, 10.0),
        Count("404", 1, 10.0),
        Count("503", 1, 10.0),
        Count("dns-not-found", 1, 10.0),
        Count("response-timeout", 1, 10.0),
        Count("stalled", 1, 10.0),
    ]


def test_refusals_are_told_by_reason_the_most_frequent_first() -> None:
    counters = Counters(refused={Refusal.ROBOTS: 1, Refusal.SCOPE: 3, Refusal.DEPTH: 0})
    assert report(counters=counters).refusals == [Count("scope", 3, 75.0), Count("robots", 1, 25.0)]


def test_media_types_charsets_and_depths_are_those_of_pages() -> None:
    found = report(*A_SMALL_CRAWL)
    assert found.media_types == [
        Volume("text/html", 2, 50.0, 4000),
        Volume("image/png", 1, 25.0, 8000),
        Volume("text/plain", 1, 25.0, 1000),
    ]
    assert found.charsets == [Count("utf-8", 2, 66.67), Count("gbk", 1, 33.33)]
    assert found.depths == [Count("0", 1, 25.0), Count("1", 2, 50.0), Count("2", 1, 25.0)]
    assert found.truncated == [Count("length", 1, 50.0), Count("time", 1, 50.0)]


def test_a_page_that_names_no_media_type_is_counted_all_the_same() -> None:
    assert report(page("http://a.test/", mime="")).media_types == [Volume("(unknown)", 1, 100.0, 1000)]


def test_depths_stand_in_order_also_beyond_nine_and_the_deepest_are_counted_together() -> None:
    rows = [page(f"http://a.test/{depth}", depth=depth) for depth in (10, 9, 2, 1000, 5000)]
    assert [row.name for row in report(*rows).depths] == ["2", "9", "10", "1000 and more"]


def test_sizes_are_those_of_pages() -> None:
    sizes = report(*A_SMALL_CRAWL).sizes
    assert (sizes.total_bytes, sizes.mean_bytes, sizes.largest_bytes) == (13_000, 3250.0, 8000)
    assert sizes.p50_bytes == pytest.approx(1000, rel=0.03)
    assert sizes.p95_bytes == pytest.approx(8000, rel=0.03)


def test_duplicates_save_their_bodies_and_near_ones_are_counted_only_if_looked_for() -> None:
    duplicates = report(*A_SMALL_CRAWL).duplicates
    assert (duplicates.revisits, duplicates.saved_bytes, duplicates.near) == (1, 1000, None)
    wanted = CrawlConfig(near_duplicates=True)
    assert report(*A_SMALL_CRAWL, config=wanted).duplicates.near == 0
    assert report(page("http://a.test/", near="http://b.test/")).duplicates.near == 1


def test_stages_stand_in_the_order_of_a_pages_way_with_percentiles_where_rows_tell_them() -> None:
    counters = Counters(
        stages={"process": Span(4, 0.1), "wait": Span(8, 2.0), "connect": Span(2, 0.5), "resolve": Span(3, 0.6)}
    )
    rows = [page(f"http://a.test/{n}", wait_s=0.1 * n, timing=Timing(0.25, 0.1 * n, 0)) for n in range(1, 11)]
    resolve, connect, wait, process = report(*rows, counters=counters).stages
    assert resolve == Stage("resolve", 3, 0.2, 0.6)
    assert connect == Stage("connect", 2, 0.25, 0.5, 0.25, 0.25)
    assert (wait.name, wait.times, wait.mean_s, wait.total_s) == ("wait", 8, 0.25, 2.0)
    assert wait.p50_s == pytest.approx(0.5, rel=0.03)
    assert wait.p95_s == pytest.approx(1.0, rel=0.03)
    assert process == Stage("process", 4, 0.025, 0.1)


def test_hosts_are_ranked_by_pages_bytes_waiting_and_failures() -> None:
    hosts = report(*A_SMALL_CRAWL).hosts
    a = Host("a.test", 4, 3, 75.0, 5100, 0.3, 0, "")
    b = Host("b.test", 4, 1, 25.0, 8200, 0.033333, 1, "response-timeout")
    c = Host("c.test", 2, 0, 0.0, 50, 0.0, 2, "dns-not-found")
    assert hosts.by_pages == [a, b]
    assert hosts.by_bytes == [b, a, c]
    assert hosts.slowest == [a, b]
    assert hosts.failing == [c, b]


def test_a_host_that_answered_less_than_three_times_is_not_called_slow() -> None:
    rows = [page(f"http://a.test/{n}", wait_s=9.0) for n in range(2)]
    assert report(*rows, failure("http://a.test/x", Outcome.RESET)).hosts.slowest == []


def test_as_many_hosts_are_told_as_one_asks_for_and_equal_ones_by_name() -> None:
    rows = [page(f"http://{name}.test/") for name in "cabd"]
    assert [host.name for host in report(*rows, hosts=3).hosts.by_pages] == ["a.test", "b.test", "c.test"]


def test_the_seen_set_tells_who_answered_and_how_often_the_filter_was_wrong() -> None:
    counters = Counters(seen_answers={"cache": 50, "filter": 30, "disk": 20, "false_positives": 10})
    seen = report(counters=counters).seen
    assert seen.asked == 100
    assert seen.answered_by == [Count("cache", 50, 50.0), Count("filter", 30, 30.0), Count("disk", 20, 20.0)]
    assert (seen.false_positives, seen.false_positive_percent) == (10, 25.0)


def test_items_are_counted_with_the_calls_that_failed() -> None:
    items = report(counters=Counters(items_failed=2), items_written=5).items
    assert (items.written, items.calls_failed) == (5, 2)


def test_the_crawl_is_named_with_its_limits_and_its_time() -> None:
    config = CrawlConfig(seeds=("http://a.test/", "http://b.test/"), scope="domain", depth=3)
    crawl = report(*A_SMALL_CRAWL, config=config).crawl
    assert (crawl.first_seed, crawl.seeds, crawl.scope, crawl.max_depth) == ("http://a.test/", 2, "domain", 3)
    assert (crawl.first_visit, crawl.last_visit) == ("2023-11-14T22:13:20Z", "2023-11-14T22:13:30Z")


@pytest.mark.parametrize(
    ("rows", "counters", "verdict"),
    [
        ((), Counters(), "Nothing was visited yet."),
        ((), Counters(queued=3), "Nothing was visited yet; 3 URLs still queued."),
        (
            A_SMALL_CRAWL,
            Counters(run_s=20.0, queued=1),
            "4 pages of 3 hosts in 20.0 s; 30.0 % of visits failed, 20.0 % met an error page; "
            "slowest: a.test (300 ms to answer); 1 URL still queued.",
        ),
        ((page("http://a.test/"),), Counters(run_s=200.0), NOTHING_LACKS),
        (
            (page("http://a.test/"), answer("http://a.test/x", 404)),
            Counters(run_s=1.0),
            "1 page of 1 host in 1.0 s; 50.0 % of visits met an error page.",
        ),
        (
            (failure("http://a.test/", Outcome.DNS_NOT_FOUND),),
            Counters(run_s=1.0),
            "Not one page came of 1 visit (dns-not-found × 1).",
        ),
    ],
    ids=["empty", "not begun", "mixed", "one page", "error pages only", "nothing came"],
)
def test_the_verdict_is_what_one_would_say(rows: tuple[PageRow, ...], counters: Counters, verdict: str) -> None:
    assert report(*rows, counters=counters).verdict == verdict


@pytest.mark.parametrize(
    ("counters", "left_out", "lacking"),
    [
        (Counters(), LEFT_OUT, "3 URLs left out (trap × 2, robots × 1)."),
        (Counters(queued=1), (), "1 URL still queued."),  # so it is said of hosts that are parked
        (Counters(refused={Refusal.DEPTH: 5}), (), "5 links beyond the depth limit."),
        (Counters(refused={Refusal.DEPTH: 1}, queued=2), LEFT_OUT[:1],
         "2 URLs left out (trap × 2); 1 link beyond the depth limit; 2 URLs still queued."),
    ],
)  # fmt: skip
def test_that_nothing_failed_is_not_said_of_a_crawl_that_lacks_something(
    counters: Counters, left_out: tuple[LeftOut, ...], lacking: str
) -> None:
    verdict = report(page("http://a.test/"), counters=counters, left_out=left_out).verdict
    assert verdict == f"1 page of 1 host; {lacking}"


def test_what_is_out_of_scope_is_no_lack() -> None:
    counters = Counters(run_s=200.0, refused={Refusal.SCOPE: 9})
    assert report(page("http://a.test/"), counters=counters).verdict == NOTHING_LACKS


def test_what_was_left_out_is_told_by_rule() -> None:
    assert report(left_out=LEFT_OUT).left_out == list(LEFT_OUT)


def test_a_duration_has_the_units_that_matter() -> None:
    assert [duration(s) for s in (0.04, 59.9, 60, 3599, 3600, 90_061)] == [
        "0.0 s",
        "59.9 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 0 min",
        "25 h 1 min",
    ]


def test_the_report_survives_json() -> None:
    found = report(*A_SMALL_CRAWL, counters=Counters(run_s=20.0, stages={"wait": Span(1, 1.0)}))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Report) == found


def histogram(*values: float) -> LogHistogram:
    made = LogHistogram()
    for value in values:
        made.add(value)
    return made


@given(
    st.lists(st.floats(1e-5, 1e11), min_size=1, max_size=50),
    st.floats(1, 100),
)
def test_a_percentile_is_within_three_percent_of_the_exact_one(values: list[float], percent: float) -> None:
    exact = sorted(values)[math.ceil(len(values) * percent / 100) - 1]
    assert histogram(*values).percentile(percent) == pytest.approx(exact, rel=0.03)


def test_of_equal_values_each_percentile_is_exact() -> None:
    assert [histogram(0.123, 0.123).percentile(percent) for percent in (1, 50, 100)] == [0.123] * 3


def test_zero_stays_zero_and_what_is_beyond_all_bounds_is_the_largest() -> None:
    assert histogram(0, 0, 5).percentile(50) == 0
    assert histogram(1e15).percentile(50) == 1e15


def test_nothing_has_neither_mean_nor_percentile() -> None:
    assert (histogram().mean, histogram().percentile(50)) == (0, 0)


def test_mean_total_and_extremes_are_exact() -> None:
    made = histogram(1, 2, 6)
    assert (made.count, made.total, made.mean, made.smallest, made.largest) == (3, 9, 3, 1, 6)


def test_names_are_counted_with_their_bytes_the_most_frequent_first() -> None:
    tally = Tally()
    for name, size_bytes in (("b", 5), ("a", 1), ("b", 7)):
        tally.add(name, size_bytes)
    assert tally.counts() == [Count("b", 2, 66.67), Count("a", 1, 33.33)]
    assert tally.volumes() == [Volume("b", 2, 66.67, 12), Volume("a", 1, 33.33, 1)]


def test_a_server_that_invents_a_name_a_page_takes_no_more_memory() -> None:
    tally = Tally(most_names=2)
    for name in ("a", "b", "c", "d", "a"):
        tally.add(name, 10)
    assert tally.volumes() == [Volume(OTHERS, 2, 40.0, 20), Volume("a", 2, 40.0, 20), Volume("b", 1, 20.0, 10)]


def struct_in(hint: Any) -> type[msgspec.Struct] | None:
    """The struct that a field holds, by itself or in a list."""
    inner = get_args(hint)[0] if get_origin(hint) is list else hint
    return inner if isinstance(inner, type) and issubclass(inner, msgspec.Struct) else None


def all_structs(struct: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct]]:
    """The struct and those within it, by name."""
    within = filter(None, (struct_in(hint) for hint in get_type_hints(struct).values()))
    return {struct.__name__: struct} | {name: one for part in within for name, one in all_structs(part).items()}


@pytest.mark.parametrize("struct", all_structs(Report).values(), ids=lambda struct: struct.__name__)
def test_the_docs_name_the_fields_of_the_json_object(struct: type[msgspec.Struct]) -> None:
    section = re.search(rf"^### {struct.__name__}\n(.*?)(?=^##|\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert section, f"docs/report.md does not explain {struct.__name__}"
    named = re.findall(r"^\| `(\w+)` \|", section.group(1), re.MULTILINE)
    assert named == [field.name for field in msgspec.structs.fields(struct)]
