"""Of two answers of a URL, the earlier one and the new one, one counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.fetch import Validators
from weft.folder.history import (
    EarlierRow,
    History,
    counts_after,
    earlier_row,
    forget_earlier,
    has_content,
    is_worth_keeping,
    put_earlier,
)
from weft.folder.page_rows import sides_in
from weft.state import State
from weft.types import AnswerNote, Outcome, PageRow

ID = b"i" * 16
BEFORE = PageRow("http://a.example/", 200, 1.0, 0, file=1, offset=70, length=9, digest="sha1:A")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "db")
    yield state
    state.close()


def kept(state: State, row: EarlierRow) -> History:
    batch = state.batch()
    put_earlier(state, batch, ID, row)
    state.write(batch)
    return History(state)


def answer(status: int, outcome: Outcome = Outcome.RESPONSE, truncated: str = "") -> PageRow:
    return PageRow("http://a.example/", status, 0.0, 0, outcome=outcome, truncated=truncated)


@pytest.mark.parametrize("status", [200, 203, 301, 308, 404, 410])
def test_an_answer_that_says_what_became_of_a_page_counts(status: int) -> None:
    assert counts_after(answer(200), answer(status))


@pytest.mark.parametrize("status", [302, 303, 307, 401, 403, 429, 500, 503])
def test_a_login_or_a_server_in_trouble_does_not_replace_a_file(status: int) -> None:
    assert not counts_after(answer(200), answer(status))


@pytest.mark.parametrize("status", [302, 303, 307])
def test_where_there_was_no_file_a_redirect_for_now_counts(status: int) -> None:
    assert counts_after(answer(302), answer(status))


@pytest.mark.parametrize("status", [403, 500])
def test_after_a_failure_any_answer_counts(status: int) -> None:
    assert counts_after(answer(404), answer(status))


@pytest.mark.parametrize(
    ("page", "makes_file"),
    [
        (answer(200), True),
        (answer(206), True),
        (answer(204), False),
        (answer(205), False),
        (answer(301), False),
        (answer(404), False),
        (answer(200, truncated="length"), False),
        (answer(200, Outcome.POISON), False),
    ],
)
def test_a_file_is_a_whole_answer_with_content(page: PageRow, makes_file: bool) -> None:
    assert has_content(page) is makes_file


def test_a_redirect_is_worth_keeping_and_a_failure_is_not() -> None:
    assert is_worth_keeping(answer(301))
    assert not is_worth_keeping(answer(404))
    assert not is_worth_keeping(answer(0, Outcome.DNS_FAILED))


@pytest.mark.parametrize(
    ("now", "is_new", "reason"),
    [
        (answer(200), True, ""),
        (answer(404), True, ""),
        (answer(304), False, ""),
        (answer(503), False, "status 503"),
        (answer(200, truncated="time"), False, "time"),
        (answer(0, Outcome.DNS_FAILED), False, "dns-failed"),
    ],
)
def test_the_row_that_counts_comes_with_the_reason_for_keeping_it(
    state: State, now: PageRow, is_new: bool, reason: str
) -> None:
    batch = state.batch()
    row, why = kept(state, EarlierRow(BEFORE)).which_counts(batch, ID, now)
    assert (row, why) == (now if is_new else BEFORE, reason)


def test_the_record_that_does_not_count_stays_in_the_index(state: State) -> None:
    batch = state.batch()
    kept(state, EarlierRow(BEFORE)).which_counts(batch, ID, answer(200))
    state.write(batch)
    assert [(file, offset, side.digest) for file, offset, side in sides_in(state)] == [(1, 70, "sha1:A")]


def test_without_an_earlier_answer_the_new_one_counts(state: State) -> None:
    now = answer(503)
    assert History(state).which_counts(state.batch(), ID, now) == (now, "")
    assert History(state).validators(ID) is None
    assert History(state).original(ID) is None


def test_a_page_is_asked_for_by_the_validators_of_an_answer_with_content(state: State) -> None:
    noted = AnswerNote(etag=b'"1"')
    assert kept(state, EarlierRow(answer(404), noted)).validators(ID) is None
    assert kept(state, EarlierRow(BEFORE, AnswerNote())).validators(ID) is None
    assert kept(state, EarlierRow(BEFORE, noted)).validators(ID) == Validators(b'"1"', b"")


def test_content_that_an_unfinished_update_found_gone_is_still_known(state: State) -> None:
    kept(state, EarlierRow(BEFORE))
    assert kept(state, EarlierRow(answer(404))).page(ID) == BEFORE


def test_when_an_update_is_over_nothing_of_before_is_known(state: State) -> None:
    kept(state, EarlierRow(BEFORE))
    batch = state.batch()
    forget_earlier(batch)
    state.write(batch)
    assert earlier_row(state, ID) is None
