"""Calendars: a walk that brings nothing ends, and no day with something of its own is lost, whenever it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

from weft.folder.reading import CrawlReader
from weft.pipeline.walks import MAX_BEYOND
from weft.types import Refusal

from .live_site import Answer, html, links, served
from .test_session_ids import words

MENU = ("/", "/contact")
MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
# What is under way when the last page of a walk comes.
IN_FLIGHT = 8


def month_after(year: int, month: int, by: int = 1) -> tuple[int, int]:
    at = year * 12 + month - 1 + by
    return at // 12, at % 12 + 1


class Months:
    """A calendar by months, without end; some months have events."""

    def __init__(self, events: Mapping[tuple[int, int], str], start: tuple[int, int] = (2026, 3)) -> None:
        self.events = events
        self.start = start

    def __call__(self, path: str, headers: Mapping[str, str]) -> Answer:
        match = re.fullmatch(r"/calendar/(\d{4})/(\d\d)", path)
        if match is None:
            return html(words(path) + links(*MENU, f"/calendar/{self.start[0]}/{self.start[1]:02}"))
        year, month = int(match[1]), int(match[2])
        near = [month_after(year, month, by) for by in (-1, 1)]
        days = " ".join(f"<td>{day + 1}" for day in range(28 + month % 4))
        event = self.events.get((year, month), "")
        body = f"<h1>{MONTHS[month - 1]} {year}</h1><table><tr>{days}</table><p>{event}"
        adding = f"/event/add?date={year}{month:02}01"
        return html(body + links(*MENU, adding, *(f"/calendar/{y}/{m:02}" for y, m in near)), f"{MONTHS[month - 1]}")


def months_in(pages: set[str]) -> set[tuple[int, int]]:
    found = (re.fullmatch(r"/calendar/(\d+)/(\d+)", page) for page in pages)
    return {(int(match[1]), int(match[2])) for match in found if match}


def test_an_endless_empty_calendar_ends_soon_after_its_last_event(tmp_path: Path) -> None:
    events = {month_after(2026, 3, by): words(by, 5) for by in range(0, 24, 3)}
    with served(Months(events)) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    months = months_in(pages)
    assert months >= events.keys()
    last, first = max(events), min(events)
    assert len([month for month in months if month > last]) <= 100
    assert len([month for month in months if month < first]) <= 100
    with CrawlReader(tmp_path / "crawl") as reader:
        assert reader.counters.refused[Refusal.TRAP] >= 2


def test_months_far_ahead_with_something_to_say_are_all_fetched(tmp_path: Path) -> None:
    events = {(year, month): words((year, month), 5) for year in range(2026, 2034) for month in range(1, 13)}
    with served(Months(events)) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert months_in(pages) >= events.keys()


def test_a_gap_of_years_is_crossed(tmp_path: Path) -> None:
    events = {(2026, 3): "Opening", (2033, 1): "Closing night", (2040, 2): "Demolition of the house"}
    with served(Months(events)) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert months_in(pages) >= events.keys()


def test_every_day_of_a_chronicle_is_fetched(tmp_path: Path) -> None:
    days = [date(1789, 6, 1) + timedelta(days=number) for number in range(78)]

    def chronicle(path: str, headers: Mapping[str, str]) -> Answer:
        match = re.fullmatch(r"/events/(\d{4})/(\d\d)/(\d\d)", path)
        if match is None:
            return html(links(days[40].strftime("/events/%Y/%m/%d")))
        day = date(int(match[1]), int(match[2]), int(match[3]))
        near = [day + timedelta(days=by) for by in (-1, 1)]
        return html(words(day, 8) + links(*(each.strftime("/events/%Y/%m/%d") for each in near if each in days)))

    with served(chronicle) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert pages == {"/", *(day.strftime("/events/%Y/%m/%d") for day in days)}


def test_what_other_pages_link_to_is_fetched_however_far_off(tmp_path: Path) -> None:
    calendar = Months({})

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        if path == "/":
            return html(links("/calendar/2026/03", "/contact"))
        if path == "/contact":  # found before the walk has ended, and visited after it
            return html(links("/late"))
        if path == "/late":
            return html(links("/calendar/1789/07", "/calendar/2199/12"))
        return calendar(path, headers)

    with served(site_of) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert months_in(pages) >= {(1789, 7), (2199, 12)}
    assert len(months_in(pages)) <= 2 * MAX_BEYOND + 2 + 2 * IN_FLIGHT


def test_a_calendar_by_days_and_weeks_ends_too(tmp_path: Path) -> None:
    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        match = re.search(r"day=(\d{4}-\d\d-\d\d)", path)
        day = date.fromisoformat(match[1]) if match else date(2026, 3, 1)
        near = [day + timedelta(days=by) for by in (-1, 1, 7, 30)]
        return html("<p>Nothing on this day" + links("/", *(f"/agenda?day={each}" for each in near)))

    with served(site_of) as site:
        site.crawl(tmp_path / "crawl")
    assert len(site.asked) <= 2 * MAX_BEYOND + 20


def test_links_that_were_left_out_are_taken_up_when_a_later_day_has_something_of_its_own(tmp_path: Path) -> None:
    """Day by day forwards only, with leaps: the leaps reach a day with an event after the budget was spent."""
    start = date(2026, 1, 1)
    special = start + timedelta(days=60)

    def site_of(path: str, headers: Mapping[str, str]) -> Answer:
        match = re.search(r"day=(\d{4}-\d\d-\d\d)", path)
        if match is None:
            return html(links(f"/agenda?day={start}"))
        day = date.fromisoformat(match[1])
        number = (day - start).days
        near = [start + timedelta(days=each) for each in {2 * number + 1, 2 * number + 2} if each < 200]
        event = "The feast" if day == special else ""
        return html(f"<p>Agenda {event}" + links(*(f"/agenda?day={each}" for each in near)))

    with served(site_of) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl"))
    assert len(pages) == 201  # a tree of 200 days, each found from one other only


def test_without_the_rule_a_calendar_has_no_end(tmp_path: Path) -> None:
    with served(Months({})) as site:
        pages = site.pages(site.crawl(tmp_path / "crawl", traps="-calendar", max_pages=6 * MAX_BEYOND))
    assert len(months_in(pages)) > 2 * MAX_BEYOND + 20
