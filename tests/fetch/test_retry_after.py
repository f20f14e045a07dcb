from __future__ import annotations

from datetime import UTC, datetime

import pytest

from weft.fetch import retry_after_s

YEAR_S = 365 * 86_400.0
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"0", 0.0),
        (b"120", 120.0),
        (b" \t120 ", 120.0),
        (b"0000000000000120", 120.0),
        (b"120.5", 120.0),
        (b"86400", 86_400.0),
        (b"31536000", YEAR_S),
        (b"31536001", YEAR_S),
        (b"9999999999", YEAR_S),
        (b"9" * 100_000, YEAR_S),
    ],
)
def test_seconds_are_taken_up_to_a_year(value: bytes, expected: float) -> None:
    assert retry_after_s(value, NOW) == expected


@pytest.mark.parametrize(
    "value",
    [
        b"Sun, 01 Mar 2026 12:02:00 GMT",
        b"Sunday, 01-Mar-26 12:02:00 GMT",
        b"Sun Mar  1 12:02:00 2026",
        b" sun, 01 mar 2026 12:02:00 gmt ",
        b"Sun, 1 Mar 2026 12:02:00 UTC",
        b"Sun, 01 Mar 2026 12:02:00 +0000",
        b"Sun, 01 Mar 2026 12:02:00",
        b"Sun, 01-Mar-2026 12:02:00 GMT",
        b"Sun Mar 01 12:02:00 2026",
        b"Mon, 01 Mar 2026 12:02:00 GMT",  # a wrong weekday is the server's slip
    ],
)
def test_a_date_in_any_of_its_forms_counts_from_now(value: bytes) -> None:
    assert retry_after_s(value, NOW) == 120.0
    assert retry_after_s(value, NOW + 119.5) == 0.5


@pytest.mark.parametrize(
    "value",
    [
        b"Sun, 06 Nov 1994 08:49:37 GMT",
        b"Sunday, 06-Nov-94 08:49:37 GMT",
        b"Sun Nov  6 08:49:37 1994",
        b"Thu, 01 Jan 1970 00:00:00 GMT",
        b"Mon, 01 Jan 0001 00:00:00 GMT",
        b"Sun, 01 Mar 2026 12:00:00 GMT",
    ],
)
def test_a_date_that_is_past_means_at_once(value: bytes) -> None:
    assert retry_after_s(value, NOW) == 0.0


def test_a_far_date_is_a_year_away() -> None:
    assert retry_after_s(b"Fri, 31 Dec 9999 23:59:59 GMT", NOW) == YEAR_S
    assert retry_after_s(b"Mon, 01 Mar 2027 12:00:00 GMT", NOW) == YEAR_S
    assert retry_after_s(b"Mon, 01 Mar 2027 11:59:59 GMT", NOW) == YEAR_S - 1


@pytest.mark.parametrize(
    ("year", "now_year", "expected"),
    [
        (b"76", 2026, YEAR_S),  # 2076
        (b"77", 2026, 0.0),  # 1977
        (b"99", 2026, 0.0),
        (b"00", 2099, YEAR_S),  # 2100
        (b"98", 2101, 0.0),  # 2098
    ],
)
def test_two_digits_of_a_year_are_at_most_50_years_ahead(year: bytes, now_year: int, expected: float) -> None:
    now = datetime(now_year, 1, 1, tzinfo=UTC).timestamp()
    assert retry_after_s(b"Sunday, 31-Dec-%b 23:59:59 GMT" % year, now) == min(expected, YEAR_S)


def test_a_leap_second_is_a_second() -> None:
    assert retry_after_s(b"Sun, 01 Mar 2026 12:00:60 GMT", NOW) == 59.0


@pytest.mark.parametrize(
    "value",
    [
        *(
            b"",
            b" ",
            b"soon",
            b"-1",
            b"+5",
            b"1e3",
            b"0x10",
            b"12 s",
            b"1,000",
            b"120, 120",
            b"\xb2",
            b"nan",
            b"inf",
            b".",
        ),
        b"Sun, 30 Feb 2026 12:00:00 GMT",
        b"Sun, 01 Mar 2026 24:00:00 GMT",
        b"Sun, 01 Mar 2026 12:00:61 GMT",
        b"Sun, 01 Mar 0000 12:00:00 GMT",
        b"Sun, 01 Foo 2026 12:00:00 GMT",
        b"Sun, 01 Mar 2026 12:00:00 PST",
        b"Sun, 01 Mar 2026",
        b"2026-03-01T12:02:00Z",
        b"Sun, 01 Mar 2026 12:02:00 GMT x",
        b"1" * 1_000 + b"x",
    ],
)
def test_what_nobody_can_read_is_none(value: bytes) -> None:
    assert retry_after_s(value, NOW) is None
