"""The table of formats."""

from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.export import FORMATS, format_named


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_found_by_its_name(name: str) -> None:
    assert format_named(name).name == name


def test_a_name_that_is_no_formats_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        BadInput, match=r"'csv'.*graph, huggingface, items, jsonl, links, parquet, refused, urls, wacz, warc"
    ):
        format_named("csv")


@pytest.mark.parametrize("name", FORMATS)
def test_an_option_is_refused_unless_the_format_names_it(name: str) -> None:
    form = FORMATS[name]
    form.refuse_others(dict.fromkeys(form.options, True) | {"language": None})
    with pytest.raises(BadInput, match="--other has no meaning"):
        form.refuse_others({"other": True})
