"""Of two answers of a URL, the earlier one and the new one, one counts."""

from __future__ import annotations

import pytest

from weft.folder.history import counts_after, is_file, is_worth_keeping
from weft.types import Outcome, PageRow


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
    assert is_file(page) is makes_file


def test_a_redirect_is_worth_keeping_and_a_failure_is_not() -> None:
    assert is_worth_keeping(answer(301))
    assert not is_worth_keeping(answer(404))
    assert not is_worth_keeping(answer(0, Outcome.DNS_FAILED))
