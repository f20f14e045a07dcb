"""docs/api.md is what the docstrings say, and each public name has a program that runs."""

from __future__ import annotations

import pytest

import weft
from tests import reference


def test_the_reference_is_what_the_docstrings_say() -> None:
    assert reference.PAGE.read_text() == reference.written(), "`make reference` writes it"


@pytest.mark.parametrize("name", weft.__all__)
def test_a_public_name_has_a_program_that_runs(name: str) -> None:
    """The programs of docs/python.md do: tests/test_readme.py runs them."""
    assert name in reference.examples(), f"no program of docs/python.md uses weft.{name}"


@pytest.mark.parametrize("name", reference.public())
def test_a_public_name_has_a_docstring_of_its_own(name: str) -> None:
    value = reference.public()[name]
    own = value.__dict__.get("__doc__") if isinstance(value, type) else value.__doc__
    assert own
    assert f"### weft.{name}\n" in reference.PAGE.read_text()
