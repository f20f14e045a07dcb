"""Who wrote a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.parse.metadata.fields import MAX_AUTHORS, MAX_NAME_CHARS
from weft.parse.metadata.names import names_in


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("By Jane Doe and John Roe", ("Jane Doe", "John Roe")),
        ("Von Benjamin Fischer und Marcus Theurer", ("Benjamin Fischer", "Marcus Theurer")),
        ("Jane Doe, John Roe; Max Moe & Mia Poe", ("Jane Doe", "John Roe", "Max Moe", "Mia Poe")),
        ("Doe, Jane", ("Jane Doe",)),
        ("JANE DOE", ("Jane Doe",)),
        ("作者：王小明", ("王小明",)),
        ("jane@example.org (Jane Doe)", ("Jane Doe",)),
        ("Jane Doe <jane@example.org>", ("Jane Doe",)),
        ("Jane Doe @jdoe", ("Jane Doe",)),
        ("View all posts by Jane Doe", ("Jane Doe",)),
        ("erstellt von Dominique", ("Dominique",)),
        ("Jos&eacute; &quot;Pepe&quot; Ruiz", ('José "Pepe" Ruiz',)),
        ("jane@example.org", ()),
        ("https://example.org/authors/jane", ()),
        ("admin", ()),
        ("Administrator", ()),
        ("{{ author }}", ()),
        ("12345", ()),
        ("", ()),
        ("a long sentence about somebody who wrote the page that you read", ()),
    ],
)
def test_names_are_taken_from_what_is_said(said: str, names: tuple[str, ...]) -> None:
    assert names_in([said]) == names


def test_a_byline_ends_where_the_date_begins() -> None:
    assert names_in(["By Jane Doe | 3.4.2020"], are_bylines=True) == ("Jane Doe",)
    assert names_in(["Jane Doe on May 3"], are_bylines=True) == ("Jane Doe",)
    assert names_in(["Jane Doe (Reuters)"], are_bylines=True) == ("Jane Doe",)


def test_a_name_is_told_once_however_it_is_written() -> None:
    assert names_in(["Jane Doe", "jane doe", "Jane Doe, Jane Doe"]) == ("Jane Doe",)


@given(st.lists(st.text(max_size=500), max_size=60))
def test_authors_are_few_and_short(texts: list[str]) -> None:
    names = names_in(texts, are_bylines=True)
    assert len(names) <= MAX_AUTHORS
    assert all(0 < len(name) <= MAX_NAME_CHARS and "\n" not in name for name in names)


def test_a_page_with_a_thousand_authors_has_the_first_twenty() -> None:
    assert len(names_in([f"Jane Doe{letter} {other}" for letter in "abcdefgh" for other in "klmnopq"])) == MAX_AUTHORS
