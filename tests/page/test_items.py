"""Items are what their types say, and one line of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from weft.page.items import BadItem, encoded

PYTHON = "python{}.{}".format(*sys.version_info)
PYDANTIC = Path(__file__).parents[2] / ".judges" / "lib" / PYTHON / "site-packages"


@dataclass
class Quote:
    text: str
    tags: list[str]
    on: date | None = None
    price: float = 0.0
    replies: list[Quote] = field(default_factory=list)


class Author(msgspec.Struct, rename="camel", tag=True):
    full_name: str
    born: int | msgspec.UnsetType = msgspec.UNSET


class Unknown:
    """A type that neither msgspec nor JSON knows."""


@dataclass
class Loose:
    either: Quote | Author  # which of the two cannot be told
    unknown: Unknown | None
    number: int


@pytest.mark.parametrize(
    ("item", "line"),
    [
        (Quote("a", ["b"]), {"text": "a", "tags": ["b"], "on": None, "price": 0.0, "replies": []}),
        (Quote("a", [], date(2026, 1, 2), 3, [Quote("c", [])]), None),
        (Author("A"), {"type": "Author", "fullName": "A"}),
        (Author("A", 1900), {"type": "Author", "fullName": "A", "born": 1900}),
        (Loose(Quote("a", []), None, 1), None),
        ({"a": [1, {"b"}]}, {"a": [1, ["b"]]}),
        ("text\n\u2028", "text\n\u2028"),
        (2**70, 2**70),
        ([float("nan"), float("inf")], [None, None]),
    ],
)
def test_an_item_is_one_line_of_json(item: object, line: object) -> None:
    data = encoded(item)
    assert b"\n" not in data
    assert line is None or json.loads(data) == line


def untyped(make: Any, *args: object) -> object:
    return make(*args)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (untyped(Quote, "a", "b"), "Quote.tags of an item is wrong: expected `array`, got `str`"),
        (untyped(Quote, 1, []), "Quote.text of an item is wrong"),
        (untyped(Quote, "a", ["b", None]), "Quote.tags[1] of an item is wrong"),
        (untyped(Quote, "a", [], "2026-01-02"), "Quote.on of an item is wrong: expected `date | null`, got `str`"),
        (untyped(Quote, "a", [], None, 1.0, [Quote(1, [])]), "Quote.replies[0].text of an item"),  # type: ignore[arg-type]
        (untyped(Author, "A", "1900"), "Author.born of an item is wrong"),
        (untyped(Loose, None, None, "1"), "Loose.number of an item is wrong"),
        (Loose(Quote("a", []), Unknown(), 1), "no JSON is known for the type Unknown"),
        ({"a": Unknown()}, "no JSON is known for the type Unknown"),
        ({(1, 2): 3}, "cannot be written as JSON"),
        (Quote, "no JSON is known for the type type"),
        ("half a character: \ud800", "surrogates not allowed"),
        (msgspec.Raw(b"{\n}"), "line break"),
    ],
)
def test_an_item_that_is_not_what_it_says_is_told_in_one_sentence(item: object, told: str) -> None:
    with pytest.raises(BadItem) as caught:
        encoded(item)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_item_that_has_lost_a_field_is_told() -> None:
    quote = Quote("a", [])
    del quote.tags
    with pytest.raises(BadItem, match="lacks a field"):
        encoded(quote)


def test_an_object_that_says_it_is_another_is_taken_for_what_it_is() -> None:
    class Liar:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return dict

    with pytest.raises(BadItem, match="Liar"):
        encoded(Liar())


MODELS = """
import sys
from datetime import date
sys.path.append(sys.argv[1])
from pydantic import BaseModel
from weft.page.items import encoded
from weft.page.rule_book import each

class Model(BaseModel):
    name: str
    on: date

item = Model(name="a", on=date(2026, 1, 2))
assert list(each(item)) == [item], "it can be iterated over, and is one item"
print(encoded(item).decode())
print(encoded({"within": item}).decode())
try:
    encoded(Model.model_construct(name=1, on=3))
except Exception as error:
    print(type(error).__name__)
"""


def test_models_of_pydantic_are_checked_by_it_and_weft_does_not_need_it() -> None:
    """It is another tool's here: weft's own environment does without."""
    if not PYDANTIC.exists():
        pytest.skip("the judges are of another Python")
    done = subprocess.run(
        [sys.executable, "-c", MODELS, str(PYDANTIC)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.splitlines() == [
        '{"name":"a","on":"2026-01-02"}',
        '{"within":{"name":"a","on":"2026-01-02"}}',
        "BadItem",
    ], done.stderr
