"""RFC 9309 §2.3.1, §2.4: every row of the access matrix, and the policy for files that cannot be reached."""

from __future__ import annotations

import tracemalloc

import msgspec
import pytest

from weft.robots import (
    MAX_PARSED_BYTES,
    MAX_REDIRECTS,
    Access,
    RobotsRow,
    access_for,
    parse_robots,
    row_after,
    rules_of,
    with_rules,
)
from weft.robots import access as access_module
from weft.robots.access import ASK_AGAIN_AFTER_S, DAYS, HOURS, LONG_FILE_BYTES, MINUTES, max_age_s
from weft.types import Outcome

NOW = 1_800_000_000.0
BODY = b"User-agent: *\nDisallow: /private\n"
LONG_BODY = (
    b"""\
User-agent: weft5
Disallow: /never

User-agent: weft
Crawl-delay: 7
Disallow: /private
Disallow: /exact$
Allow: /private/*/open*.html$
Allow: /shop/index.html
Disallow: /shop
Disallow: /q?a=%3A
Disallow: /\xc3\xa9
Sitemap: http://a.example/map.xml
#"""
    + LONG_FILE_BYTES * b"-"
    + b"\n"
)
LONG_PATHS = (
    "/",
    "/private/x",
    "/private/a/open.html",
    "/exact",
    "/exact/",
    "/shop/",
    "/shop/x",
    "/q?a=:",
    "/%C3%A9",
    "/never",
)


def got(status: int, body: bytes = b"", *, now: float = NOW, previous: RobotsRow | None = None) -> RobotsRow:
    return row_after(previous, access_for(status), now, status=status, body=body)


def failed(previous: RobotsRow | None = None, *, now: float = NOW, status: int = 503) -> RobotsRow:
    return row_after(previous, access_for(status), now, status=status)


@pytest.mark.parametrize("status", [200, 203, 204, 206, 299])
def test_2_3_1_1_a_file_that_was_downloaded_is_followed(status: int) -> None:
    assert access_for(status) is Access.RULES
    rules = rules_of(got(status, BODY), "weft", NOW)
    assert not rules.allows("/private")
    assert rules.allows("/public")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("redirects", range(5))
def test_2_3_1_2_five_redirects_in_a_row_are_followed(status: int, redirects: int) -> None:
    assert access_for(status, has_location=True, redirects=redirects) is Access.FOLLOW


def test_2_3_1_2_more_redirects_than_the_limit_make_the_file_unavailable() -> None:
    assert MAX_REDIRECTS >= 5
    assert access_for(301, has_location=True, redirects=MAX_REDIRECTS - 1) is Access.FOLLOW
    assert access_for(301, has_location=True, redirects=MAX_REDIRECTS) is Access.ALLOW_ALL


def test_2_3_1_2_a_redirect_to_nowhere_makes_the_file_unavailable() -> None:
    assert access_for(302, has_location=False) is Access.ALLOW_ALL


def test_a_redirect_is_never_kept_as_a_row() -> None:
    with pytest.raises(ValueError, match="followed"):
        row_after(None, Access.FOLLOW, NOW, status=301)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451, 499])
def test_2_3_1_3_an_unavailable_file_allows_everything(status: int) -> None:
    assert access_for(status) is Access.ALLOW_ALL
    assert rules_of(got(status, BODY), "weft", NOW).allows("/private")


@pytest.mark.parametrize("status", [429, 500, 501, 502, 503, 504, 520, 599])
def test_2_3_1_4_server_errors_and_429_forbid_everything(status: int) -> None:
    assert access_for(status) is Access.UNREACHABLE
    row = failed(status=status)
    assert not rules_of(row, "weft", NOW).allows("/")
    assert row.status == status


@pytest.mark.parametrize("status", [0, 100, 199, 600, 999, None])
def test_a_status_that_means_nothing_is_a_server_error(status: int | None) -> None:
    assert access_for(status) is Access.UNREACHABLE


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.RESPONSE])
def test_2_3_1_4_network_errors_forbid_everything(outcome: Outcome) -> None:
    assert access_for(None, outcome) is Access.UNREACHABLE
    assert access_for(200, outcome) is Access.UNREACHABLE  # the head came, the body did not
    row = row_after(None, Access.UNREACHABLE, NOW, status=None, outcome=outcome)
    assert not rules_of(row, "weft", NOW).allows("/")
    assert row.outcome is outcome


def test_2_3_1_4_failures_in_a_row_are_asked_again_ever_later() -> None:
    row: RobotsRow | None = None
    waits = []
    for _ in range(8):
        now = row.expires_at if row else NOW
        row = failed(row, now=now)
        waits.append(row.expires_at - now)
    assert waits == [
        1 * MINUTES,
        5 * MINUTES,
        30 * MINUTES,
        2 * HOURS,
        6 * HOURS,
        24 * HOURS,
        24 * HOURS,
        24 * HOURS,
    ]
    assert row is not None
    assert row.failures == 8


@pytest.mark.parametrize(
    ("retry_after_s", "wait_s"),
    [(5.0, ASK_AGAIN_AFTER_S[0]), (86_400.0, 86_400.0), (None, ASK_AGAIN_AFTER_S[0])],
)
def test_retry_after_can_lengthen_the_wait_and_not_shorten_it(retry_after_s: float | None, wait_s: float) -> None:
    row = row_after(None, Access.UNREACHABLE, NOW, status=429, retry_after_s=retry_after_s)
    assert row.expires_at == NOW + wait_s


def test_2_3_1_4_an_older_copy_does_not_help_in_the_first_30_days() -> None:
    row = failed(got(200, BODY), now=NOW + 2 * DAYS)
    assert not rules_of(row, "weft", NOW + 31 * DAYS).allows("/public")


def test_2_3_1_4_after_30_days_the_older_copy_holds_again() -> None:
    first_failure = NOW + 2 * DAYS
    row = failed(got(200, BODY), now=first_failure)
    row = failed(row, now=first_failure + 30 * DAYS)
    rules = rules_of(row, "weft", first_failure + 30 * DAYS)
    assert rules.allows("/public")
    assert not rules.allows("/private")
    assert not row.is_fresh(row.expires_at)  # and it is still asked again


def test_2_3_1_4_without_a_copy_everything_stays_forbidden() -> None:
    row = failed(failed(), now=NOW + 100 * DAYS)
    assert not rules_of(row, "weft", NOW + 100 * DAYS).allows("/")


def test_an_answer_ends_a_row_of_failures() -> None:
    row = got(200, BODY, previous=failed(failed()))
    assert row.failures == 0
    assert rules_of(row, "weft", NOW).allows("/public")
    later = failed(row, now=NOW + 40 * DAYS)
    assert (later.failures, later.unreachable_since) == (1, NOW + 40 * DAYS)
    assert not rules_of(later, "weft", NOW + 40 * DAYS).allows("/public")


def test_a_404_drops_the_older_copy() -> None:
    row = failed(got(404, previous=got(200, BODY)), now=NOW + DAYS)
    assert not rules_of(row, "weft", NOW + 60 * DAYS).allows("/public")


def test_304_renews_the_copy() -> None:
    assert access_for(304, has_copy=True) is Access.RULES
    row = row_after(got(200, BODY), Access.RULES, NOW + DAYS, status=304)
    assert not rules_of(row, "weft", NOW + DAYS).allows("/private")
    assert row.expires_at == NOW + 2 * DAYS


def test_304_without_a_copy_is_a_redirect_to_nowhere() -> None:
    assert access_for(304) is Access.ALLOW_ALL


@pytest.mark.parametrize("status", [200, 404])
def test_2_4_an_answer_is_used_for_24_hours(status: int) -> None:
    row = got(status, BODY)
    assert row.is_fresh(NOW)
    assert row.is_fresh(NOW + 24 * HOURS - 1)
    assert not row.is_fresh(NOW + 24 * HOURS)


@pytest.mark.parametrize(
    ("stated_s", "fresh_s"),
    [(0.0, 1 * HOURS), (2 * HOURS, 2 * HOURS), (30 * DAYS, 24 * HOURS), (None, 24 * HOURS)],
)
def test_2_4_max_age_is_honoured_between_one_hour_and_24(stated_s: float | None, fresh_s: float) -> None:
    row = row_after(None, Access.RULES, NOW, status=200, body=BODY, max_age_s=stated_s)
    assert row.expires_at == NOW + fresh_s


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (b"max-age=60", 60.0),
        (b"public, Max-Age = 7200", 7200.0),
        (b's-maxage=5, max-age="9"', 9.0),
        (b"s-maxage=5", None),
        (b"no-cache, max-age=500", 0.0),
        (b"private,no-store", 0.0),
        (b"max-age=-1", None),
        (b"", None),
    ],
)
def test_2_4_max_age_is_read_from_cache_control(header: bytes, seconds: float | None) -> None:
    assert max_age_s(header) == seconds


def test_a_row_survives_a_restart() -> None:
    row = failed(got(200, BODY), now=NOW + DAYS)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(row), type=RobotsRow) == row


def test_a_row_from_the_future_is_not_fresh() -> None:
    assert not got(200, BODY).is_fresh(NOW - 10)


def test_2_5_a_row_keeps_whole_lines_of_at_most_500_kib() -> None:
    row = got(200, BODY + b"#" * MAX_PARSED_BYTES)
    assert row.body == BODY


def test_2_5_a_body_cut_off_by_the_fetcher_loses_its_last_line() -> None:
    row = row_after(None, Access.RULES, NOW, status=200, body=BODY + b"Disallow: /", truncated=True)
    assert row.body == BODY


def test_sites_with_the_same_short_file_share_its_rules() -> None:
    assert rules_of(got(200, BODY), "weft", NOW) is rules_of(got(200, bytes(bytearray(BODY))), "weft", NOW + 1)
    assert rules_of(got(200, BODY), "other", NOW) is not rules_of(got(200, BODY), "weft", NOW)


@pytest.mark.parametrize(
    "line",
    [
        b"Disallow: /%d/a",
        b"Disallow: /*/%d*.pdf$",
        b"Allow: /%d/index.html",
        b"Disallow: /%d" + 2_000 * b"a",
        b"Disallow: /%d?/" + 1_000 * b"\xff",
        b"Disallow: /%d" + 500 * b"*ab",
        b"Sitemap: %d" + 1_000 * b"\xff",
    ],
)
def test_what_rules_say_they_take_is_about_what_they_take_whomever_else_the_file_speaks_to(line: bytes) -> None:
    ours = b"User-agent: *\n" + b"".join(line % number + b"\n" for number in range(200))
    tracemalloc.start()
    try:
        rules = parse_robots(ours + 20 * b"User-agent: other\nDisallow: /of/another\n", "weft")
        taken_bytes = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.5 * rules.size_bytes < taken_bytes < 1.7 * rules.size_bytes


def kept(row: RobotsRow) -> RobotsRow:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(row), type=RobotsRow)


@pytest.mark.parametrize("token", ["weft", "weft5", "other"])
def test_the_rules_kept_with_a_long_file_are_those_in_it(token: str) -> None:
    read = parse_robots(LONG_BODY, token)
    again = rules_of(kept(with_rules(got(200, LONG_BODY), token)), token, NOW)
    assert [again.verdict(path) for path in LONG_PATHS] == [read.verdict(path) for path in LONG_PATHS]
    assert (again.crawl_delay_s, again.sitemaps) == (read.crawl_delay_s, read.sitemaps)
    assert (again.lines(), again.size_bytes) == (read.lines(), read.size_bytes)


def test_the_paths_above_tell_the_rules_apart() -> None:
    rules = parse_robots(LONG_BODY, "weft")
    allowed = [rules.allows(path) for path in LONG_PATHS]
    assert allowed == [True, False, True, False, True, True, False, False, False, False]
    assert [parse_robots(LONG_BODY, token).also is not None for token in ("weft", "weft5", "other")] == [
        True,
        True,
        False,
    ]


def test_a_long_file_is_read_once_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    row = with_rules(got(200, LONG_BODY), "weft")
    read_for = []
    monkeypatch.setattr(access_module, "parse_robots", lambda body, token: read_for.append(token))
    for token in ("weft", "weft5", "weft"):
        rules_of(row, token, NOW)
    assert read_for == ["weft5"]
    monkeypatch.setattr(access_module, "_READ_BY", access_module._READ_BY + 1)
    rules_of(row, "weft", NOW)
    assert read_for == ["weft5", "weft"], "what another version read is read again"


@pytest.mark.parametrize("row", [got(200, BODY), got(404, LONG_BODY), failed(got(200, LONG_BODY))])
def test_nothing_is_kept_with_a_short_file_and_with_none(row: RobotsRow) -> None:
    assert with_rules(row, "weft") == row


def test_a_new_copy_takes_the_place_of_the_rules_of_the_old_one() -> None:
    old = with_rules(got(200, LONG_BODY), "weft")
    new = with_rules(got(200, LONG_BODY.replace(b"/private\n", b"/public\n"), previous=old), "weft")
    assert not rules_of(new, "weft", NOW).allows("/public")
    assert rules_of(got(200, previous=old), "weft", NOW).allows("/private")


def test_a_long_file_that_comes_into_force_again_after_30_days_is_obeyed() -> None:
    row = failed(with_rules(got(200, LONG_BODY), "weft"), now=NOW + DAYS)
    row = failed(row, now=NOW + 31 * DAYS)
    assert not rules_of(row, "weft", NOW + 31 * DAYS).allows("/private")
