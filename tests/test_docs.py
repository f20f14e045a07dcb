"""What the docs say is what the code does."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from weft.api.clean import clean
from weft.api.crawl import crawl, resume
from weft.api.explain import explain
from weft.api.export import export
from weft.api.extract import extract
from weft.api.mirror import mirror
from weft.api.read import read
from weft.api.report import report
from weft.api.site_report import site_report
from weft.fetch.retry import OUTCOME_RULES, STATUS_RULES, Rule
from weft.page import Page
from weft.types import Outcome, Refusal

DOCS = Path(__file__).parent.parent / "docs"
OUTCOMES = (DOCS / "outcomes.md").read_text()
PYTHON = (DOCS / "python.md").read_text()


def row_of(first_cell: str) -> list[str]:
    """The cells of a table's row."""
    match = re.search(rf"^\| {re.escape(first_cell)} \|(.*)\|$", OUTCOMES, re.MULTILINE)
    assert match, f"docs/outcomes.md has no row for {first_cell}"
    return [cell.strip() for cell in match.group(1).split("|")]


def assert_tells(cells: list[str], rule: Rule) -> None:
    tries, first_wait, growth, who = cells[-4:]
    assert int(tries) == rule.tries
    if rule.tries > 1:
        assert first_wait.startswith(f"{rule.first_wait_s:g} s")
        assert growth == (f"× {rule.growth:g}" if rule.growth != 1 else "")
        assert who == rule.who


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.RESPONSE])
def test_each_failure_is_in_the_docs_with_its_retries(outcome: Outcome) -> None:
    assert_tells(row_of(f"`{outcome}`"), OUTCOME_RULES[outcome])


@pytest.mark.parametrize("status", STATUS_RULES)
def test_each_status_that_is_tried_again_is_in_the_docs(status: int) -> None:
    assert_tells(row_of(str(status)), STATUS_RULES[status])


@pytest.mark.parametrize("refusal", Refusal)
def test_each_refusal_is_in_the_docs(refusal: Refusal) -> None:
    assert row_of(f"`{refusal}`") != [""]


def call_of(function: Callable[..., object]) -> str:
    """How a program calls it, without the types."""
    whole = inspect.signature(function)
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in whole.parameters.values() if one.name != "self"]
    return f"{function.__name__}{whole.replace(parameters=bare, return_annotation=inspect.Signature.empty)}"


@pytest.mark.parametrize(
    "function",
    [crawl, resume, mirror, clean, extract, export, report, site_report, explain, read],
    ids=lambda function: function.__name__,
)
def test_each_function_is_in_the_docs_as_it_is_called(function: Callable[..., object]) -> None:
    said = re.findall(rf"weft\.({function.__name__}\([^)\n]*\))(?=`\]|\n\n|\n    weft)", PYTHON)
    assert set(said) == {call_of(function)}
    assert len(said) == 2  # in the table, and in its section


def test_the_methods_of_a_page_are_in_the_docs_as_they_are_called() -> None:
    assert f"| `{call_of(Page.markdown)}` |" in PYTHON
    assert f"| `{call_of(Page.from_html)}` |" in PYTHON
    assert f"| `{call_of(Page.follow)}` |" in PYTHON
    assert f"| `{call_of(Page.json)}` |" in PYTHON
