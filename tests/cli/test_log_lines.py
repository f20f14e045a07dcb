"""A line of the log tells how far a crawl is, what limits it and whether something is wrong."""

from __future__ import annotations

import logging

import pytest

from tests.live.statuses import a_status
from weft.cli.exits import Exit
from weft.cli.log_lines import ProgressLines, figures, say_end, troubles, words
from weft.live.status import Limit, Limiter, State


def test_a_line_has_all_that_an_operator_asks_for() -> None:
    line = words(a_status(), [])
    for part in (
        "1 min 40 s running",
        "12,345 pages, 120.5/s, 9.88 MB/s",
        "6,789 queued, 9 failed",
        "hosts 2 ready, 14 waiting, 3 left",
        "limited by politeness: politeness: 12 of 14 hosts rest",
        "24.7 % of 50,000 pages, 5 min 12 s left",
        "nothing wrong",
    ):
        assert part in line


def test_without_a_limit_or_an_estimate_none_is_told() -> None:
    assert "%" not in words(a_status(limit=None), [])
    unknown = words(a_status(limit=Limit("time", 1.0, 7200.0, 0.1, None)), [])
    assert "0.1 % of 2 h 0 min; nothing wrong" in unknown


@pytest.mark.parametrize("state", State)
def test_every_state_is_told(state: State) -> None:
    assert f" {state};" in words(a_status(state=state), [])
    assert figures(a_status(state=state))["state"] == state


def test_what_is_wrong_is_told_in_words_and_as_a_field() -> None:
    status = a_status(warnings=["the disk has 900 MB left"])
    assert "wrong: the disk has 900 MB left" in words(status, list(troubles(status, None)))


def test_requests_that_fail_now_are_noticed_however_many_came_before() -> None:
    before = a_status(requests=1_000_000, statuses={"200": 1_000_000})
    status = a_status(requests=1_000_020, statuses={"200": 1_000_005})
    assert list(troubles(status, before)) == ["15 of the last 20 requests failed"]
    assert list(troubles(a_status(requests=1_000_020, statuses={"200": 1_000_015}), before)) == []
    few = a_status(requests=1_000_005, statuses={"200": 1_000_000})
    assert list(troubles(few, before)) == []


def test_a_line_is_a_warning_when_something_has_become_wrong_and_not_each_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "weft")
    lines = ProgressLines()
    answers = {"requests": 10, "statuses": {"200": 10}}
    for warnings in ([], ["1 parse worker died"], ["2 parse workers died"], ["2 parse workers died", "disk 9 MB"], []):
        lines.say(a_status(warnings=warnings, **answers))
    levels = [record.levelname for record in caplog.records]
    assert levels == ["INFO", "WARNING", "WARNING", "WARNING", "INFO"]  # worker, workers: another sentence
    lines.say(a_status(warnings=["3 parse workers died"], **answers))
    lines.say(a_status(warnings=["31 parse workers died"], **answers))
    assert [record.levelname for record in caplog.records[5:]] == ["WARNING", "INFO"]


def test_the_figures_are_plain_values() -> None:
    found = figures(a_status(limiter=Limiter("pace", "the pace")))
    assert (found["pages"], found["limiter"], found["limit_left_s"]) == (12_345, "pace", 312.5)
    assert "limit" not in figures(a_status(limit=None))


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_has_a_word_and_a_level(code: Exit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "weft")
    say_end(code, "What goes on.")
    (record,) = caplog.records
    assert f"(exit code {code.value}). What goes on." in record.getMessage()
    good = code in (Exit.DONE, Exit.LIMIT)
    stopped = code in (Exit.HUNG_UP, Exit.INTERRUPTED, Exit.TERMINATED)
    assert record.levelno == (logging.INFO if good else logging.WARNING if stopped else logging.ERROR)
