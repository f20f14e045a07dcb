"""Dates as people and machines write them."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.parse.metadata.written_dates import WrittenDates

LATEST = date(2026, 11, 18)
DATES = WrittenDates(LATEST)
AMERICAN = WrittenDates(LATEST, month_first=True)


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2020-01-28", "2020-01-28"),
        ("2020-01-28T10:05:00+01:00", "2020-01-28T10:05:00+01:00"),
        ("2020-01-28T10:05:00.123Z", "2020-01-28T10:05:00+00:00"),
        ("2020-01-28 10:05", "2020-01-28T10:05:00"),
        ("2020-01-28T10:05:00-0330", "2020-01-28T10:05:00-03:30"),
        ("20200128", "2020-01-28"),
        ("20200128T100500", "2020-01-28T10:05:00"),
        ("Tue, 28 Jan 2020 10:05:00 GMT", "2020-01-28T10:05:00+00:00"),
        ("2020/1/8", "2020-01-08"),
        ("28.1.2020", "2020-01-28"),
        ("Karlsruhe, (28.01.2020). Heute", "2020-01-28"),
        ("28/01/20", "2020-01-28"),
        ("1/28/2020", "2020-01-28"),
        ("28. Januar 2020, 10:05 Uhr", "2020-01-28T10:05:00"),
        ("Jan 28th, 2020", "2020-01-28"),
        ("January 28, 2020 at 6:40 PM", "2020-01-28"),
        ("the 28th of January 2020", "2020-01-28"),
        ("28 de enero de 2020", "2020-01-28"),
        ("1er février 2020", "2020-02-01"),
        ("28 gennaio 2020", "2020-01-28"),
        ("28 января 2020 г.", "2020-01-28"),
        ("28 stycznia 2020", "2020-01-28"),
        ("28. tammikuuta 2020", "2020-01-28"),
        ("2020. január 28.", "2020-01-28"),
        ("28 Ιανουαρίου 2020", "2020-01-28"),
        ("28 يناير 2020", "2020-01-28"),
        ("发布于 2026年11月17日 08:30", "2026-11-17T08:30:00"),
        ("2020년 1월 28일", "2020-01-28"),
        ("28 tháng 1, 2020", "2020-01-28"),
    ],
)
def test_a_date_is_read_in_common_forms(written: str, iso: str) -> None:
    assert DATES.read(written) == iso


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yesterday",
        "2020",
        "1989-12-31",  # before the web
        "2026-11-19",  # tomorrow
        "2999-01-01",
        "2020-13-45",
        "30.2.2020",
        "0000-00-00",
        "version 1.2.2020.4",
        "12 Uhr 2020",
        "call 555-0128-2020",
    ],
)
def test_what_is_no_day_on_which_a_page_was_published_is_refused(written: str) -> None:
    assert DATES.read(written) == ""


def test_an_impossible_time_costs_the_time_and_not_the_day() -> None:
    assert DATES.read("2020-01-28T99:99:00Z") == "2020-01-28"
    assert DATES.read("2020-01-28T10:05:00+99:99") == "2020-01-28"


def test_the_month_is_first_where_that_is_the_custom_and_points_are_not_american() -> None:
    assert DATES.read("3/4/2020") == "2020-04-03"
    assert AMERICAN.read("3/4/2020") == "2020-03-04"
    assert AMERICAN.read("3.4.2020") == "2020-04-03"


def test_the_first_date_counts_but_one_of_a_change_only_if_there_is_no_other() -> None:
    assert DATES.read("Updated March 5, 2020. Published March 4, 2020. Back in May 1, 2001") == "2020-03-04"
    assert DATES.read("Aktualisiert am 5.3.2020") == "2020-03-05"


@pytest.mark.parametrize(
    ("url", "iso"),
    [
        ("https://example.org/2020/01/28/title/", "2020-01-28"),
        ("https://example.org/2020/1/8/title", "2020-01-08"),
        ("https://example.org/news/2020-01-28-title.html", "2020-01-28"),
        ("https://example.org/a_20200128.html", "2020-01-28"),
        ("https://example.org/news/28-01-2020", "2020-01-28"),
        ("https://example.org/2020/01/title", ""),
        ("https://example.org/2020/13/28/", ""),
        ("https://example.org/item/20201328", ""),
        ("https://example.org/?d=/2020/01/28/", ""),
        ("https://example.org", ""),
    ],
)
def test_a_date_in_the_path_of_a_url(url: str, iso: str) -> None:
    assert DATES.in_url(url) == iso


@given(st.text(max_size=300) | st.text(alphabet="0123456789-/.:TZ +年月日", max_size=300))
def test_whatever_is_read_is_iso_and_within_bounds(text: str) -> None:
    found = DATES.read(text)
    if found:
        day = datetime.fromisoformat(found).date()
        assert date(1990, 1, 1) <= day <= LATEST
