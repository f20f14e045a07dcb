"""Which of a page's titles is its headline."""

from __future__ import annotations

import pytest

from weft.parse.metadata.headline import headline, without_site


@pytest.mark.parametrize(
    ("headings", "titles", "sites", "expected"),
    [
        ([], ["A long story | The Paper"], ["The Paper"], "A long story"),
        ([], ["The Paper: A long story"], ["The Paper"], "The Paper: A long story"),
        ([], ["The Paper - A long story"], ["the paper"], "A long story"),
        ([], ["One - two - three – example.org"], ["example.org"], "One - two - three"),
        ([], ["武汉的声音：有英雄的城-新华网"], [], "武汉的声音：有英雄的城"),
        (["A long story told"], ["News: A long story told | The Paper"], [], "A long story told"),
        (["The Paper", "A long story told"], ["A long story told | The Paper"], ["The Paper"], "A long story told"),
        (["Local news A long story told"], ["A long story told"], [], "A long story told"),
        (["A long story, retold by us"], ["A long story retold by them"], [], "A long story, retold by us"),
        (["Related"], ["A long story"], [], "A long story"),
        (["story"], ["A long story"], [], "A long story"),
        (["A long story"], [], [], "A long story"),
        (["The Paper"], ["The Paper"], ["The Paper"], ""),
        ([], [], [], ""),
    ],
)
def test_the_headline(headings: list[str], titles: list[str], sites: list[str], expected: str) -> None:
    assert headline(headings, titles, sites) == expected


def test_a_title_that_is_the_sites_name_alone_is_none() -> None:
    assert without_site("The Paper", {"thepaper"}) == ""
