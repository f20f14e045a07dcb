"""Which day of which calendar a URL is."""

from __future__ import annotations

import pytest

from weft.filter.calendars import calendar_day


@pytest.mark.parametrize(
    "page",
    [
        "calendar/{year}/{month:02}",
        "calendar/{year}/{month:02}/15/",
        "calendar/{year}-{month:02}",
        "cal/{year}-{month:02}",
        "de/termine/{year}/{month:02}/",
        "events/{year}-{month:02}-01/?view=list",
        "veranstaltungen/kalender.php?datum={year}-{month:02}-01",
        "calendar/week/{year}-W{month:02}",
        "events?date={year}{month:02}01",
        "cal.php?month={month}&year={year}",
        "index.php?y={year}&m={month}",
        "calendar/view.php?view=month&cal_d=1&cal_m={month}&cal_y={year}",
        "agenda?from={year}-{month:02}-01&to={year}-{month:02}-28",
    ],
)
def test_months_of_a_calendar_are_days_of_one_calendar_in_their_order(page: str) -> None:
    months = [(year, month) for year in (1789, 2026, 2045) for month in range(1, 13)]
    days = [calendar_day("https://a.example/" + page.format(year=year, month=month)) for year, month in months]
    assert len({day.calendar for day in days if day is not None}) == 1
    ordered = [day.day for day in days if day is not None]
    assert len(ordered) == len(months)
    assert ordered == sorted(set(ordered))


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/blog/2024/05/17/how-we-crawl/",
        "https://a.example/events/2045",
        "https://a.example/event/20450712",
        "https://a.example/forum/threads/2045/07",
        "https://a.example/projections?year=2050&scenario=rcp85",
        "https://a.example/event?id=204507",
        "https://a.example/local/2045/07",
        "https://a.example/calc/2045-07",
    ],
)
def test_other_urls_are_of_no_calendar(url: str) -> None:
    assert calendar_day(url) is None


def test_views_of_a_calendar_are_calendars_of_their_own() -> None:
    month, week = (calendar_day(f"https://a.example/calendar/2026/05?view={view}") for view in ("month", "week"))
    assert month is not None
    assert week is not None
    assert month.calendar != week.calendar
    assert month.day == week.day
