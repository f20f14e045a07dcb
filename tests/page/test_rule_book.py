"""Rules: patterns choose functions, types choose item functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

import weft
from weft.errors import BadInput
from weft.page.rule_book import RuleBook

from .rules import URL, Link, Quote, Tag, page_of, site

if TYPE_CHECKING:
    from decimal import Decimal


def names_for(book: RuleBook, path: str) -> list[str]:
    return [rule.function.__name__ for rule in book.rules_for(f"http://site.test{path}")]


def first(page: weft.Page) -> int:
    return 1


def second(page: weft.Page) -> int:
    return 2


@pytest.mark.parametrize(
    ("patterns", "fitting", "others"),
    [
        ((), ["/", "/a"], []),
        (("/a/*",), ["/a/", "/a/b?c=d"], ["/", "/b/a/"]),
        (("/a", "*.pdf"), ["/a", "/x/y.pdf"], ["/a/b"]),
        ((r"re:/\d{4}/",), ["/2026/", "/x/2026/y"], ["/202/"]),
        (("/search?q=*",), ["/search?q=x"], ["/search"]),
    ],
)
def test_patterns_are_those_of_include(patterns: tuple[str, ...], fitting: list[str], others: list[str]) -> None:
    book = RuleBook()
    book.page(*patterns)(first)
    assert all(names_for(book, path) == ["first"] for path in fitting)
    assert all(names_for(book, path) == [] for path in others)


def test_all_functions_that_fit_are_called_in_their_order() -> None:
    book = RuleBook()
    book.page("/a*")(second)
    book.page(first)
    assert names_for(book, "/a") == ["second", "first"]
    assert names_for(book, "/b") == ["first"]


def test_a_function_with_two_decorators_is_called_once() -> None:
    book = RuleBook()
    book.page("/a*")(book.page("/*b")(first))
    assert names_for(book, "/ab") == ["first"]
    assert names_for(book, "/a") == ["first"]
    assert names_for(book, "/c") == []
    book.page(first)
    assert names_for(book, "/c") == ["first"]


def test_two_functions_of_one_name_are_two() -> None:
    def named(number: int) -> Callable[[weft.Page], int]:
        def parse(page: weft.Page) -> int:
            return number

        return parse

    book = RuleBook()
    for number in range(2):
        book.page("/*")(named(number))
    assert list(book(page_of(""))) == [0, 1]


def test_a_site_can_be_called_with_a_page_in_a_test() -> None:
    page = page_of('<!DOCTYPE html><q>a b</q><a href="/x">x</a>', "http://site.test/old/1")
    quote, link, request, tag = site(page)
    assert (quote, link) == (Quote("a b", 2), {"to": "http://site.test/x"})
    assert isinstance(request, weft.Request)
    assert tag == {"tag": "HTTP://SITE.TEST/OLD/1"}
    with pytest.raises(LookupError, match="broken as ever"):
        list(site(page_of("", URL)))


def test_a_function_returns_one_item_or_many() -> None:
    results: list[object] = [None, [1, 2], (3,), {"a": 4}, "five", b"six", Quote("seven"), weft.Request("/8"), 9]
    book = RuleBook()
    for result in results:
        book.page(lambda page, result=result: result)
    *items, request, nine = book(page_of(""))
    assert items == [1, 2, 3, {"a": 4}, "five", b"six", Quote("seven")]
    assert (isinstance(request, weft.Request), nine) == (True, 9)


@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        (Any, "qlts"),
        (object, "qlts"),
        (Quote, "q"),
        (Quote | str, "qs"),
        (Link, "l"),
        (Tag, "t"),
        (dict, "lt"),
        (dict[str, str], "lt"),
    ],
)
def test_an_item_function_is_called_with_items_of_its_type(type_: Any, wanted: str) -> None:
    def seen(item: object) -> object:
        return [item]

    seen.__annotations__["item"] = type_
    book = RuleBook()
    book.item(seen)
    items: dict[str, object] = {"q": Quote("a"), "l": Link(to="b"), "t": Tag(tag="c"), "s": "d"}
    assert "".join(name for name, item in items.items() if book.finished(item) == [item]) == wanted


def test_item_functions_follow_each_other_and_may_drop_an_item() -> None:
    book = RuleBook()
    book.item(lambda number: number + 1)
    book.item(lambda number: None if number == 3 else number)
    book.item(lambda number: str(number))
    assert [book.finished(number) for number in range(4)] == ["1", "2", None, "4"]


def untold(price: Decimal) -> Decimal:
    return price


def of_nothing() -> None:
    """Takes no item."""


async def not_now(item: object) -> None:
    """A worker has no event loop."""


@pytest.mark.parametrize(("function", "told"), [(untold, "Decimal"), (of_nothing, "takes no item")])
def test_an_item_function_that_cannot_be_called_is_refused(function: Any, told: str) -> None:
    book = RuleBook()
    book.page(first)
    book.item(function)
    with pytest.raises(BadInput, match=told):
        book.check()


@pytest.mark.parametrize("wrong", [not_now, None, 5])
def test_what_is_no_plain_function_is_no_rule(wrong: Any) -> None:
    with pytest.raises(BadInput):
        RuleBook().item(wrong)
    with pytest.raises(BadInput):
        RuleBook().page("/*")(wrong)


def test_an_item_function_or_a_hook_with_yield_is_told() -> None:
    def yields(item: object) -> Iterator[object]:
        yield item

    with pytest.raises(BadInput, match="the item function must return"):
        RuleBook().item(yields)
    with pytest.raises(BadInput, match="the hook after_response must answer"):
        RuleBook().after_response(yields)


def test_an_object_that_is_called_later_is_no_rule() -> None:
    class Later:
        async def __call__(self, page: object) -> None:
            pass

    with pytest.raises(BadInput, match="nothing is async"):
        RuleBook().page(Later())


@pytest.mark.parametrize("pattern", ["", "re:(", 5, None])
def test_what_is_no_pattern_is_told(pattern: Any) -> None:
    with pytest.raises(BadInput):
        RuleBook().page(pattern)(first)


def test_a_hook_is_a_function_and_the_only_one_of_its_kind() -> None:
    book = RuleBook()
    with pytest.raises(BadInput, match=r"^the hook before_request is no function, but int$"):
        book.before_request(5)  # type: ignore[type-var]
    assert book.after_response(first) is first
    assert book.after_response(first) is first
    with pytest.raises(BadInput, match="has a function for after_response already"):
        book.after_response(second)
