"""Rules: which of a user's functions are called with which pages, and which of them then see the items.

@site.page("/quotes/*")
def quotes(page: weft.Page) -> Iterator[Quote | weft.Request]: ...

@site.item
def with_author(quote: Quote) -> Quote | None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, overload

import msgspec

from weft.errors import BadInput
from weft.filter.pattern import matcher_of
from weft.function_kinds import is_generator
from weft.page.item_types import ItemTest, item_test, refuse_async
from weft.page.request import Request

if TYPE_CHECKING:
    from weft.page import Page

Handler = Callable[["Page"], object]
ItemFunction = Callable[[Any], object]
HandlerT = TypeVar("HandlerT", bound=Handler)
ItemFunctionT = TypeVar("ItemFunctionT", bound=ItemFunction)
HookT = TypeVar("HookT", bound=Callable[[Any], object])

DROPPED: Final = None  # what an item function returns for an item that nobody wants


class Rule(NamedTuple):
    """A function, and the pages that it is called with."""

    function: Handler
    patterns: tuple[str, ...]  # none: all pages
    matchers: tuple[Callable[[str], object], ...]

    def fits(self, url: str) -> bool:
        """Whether it is called with the page of this URL."""
        return not self.matchers or any(matches(url) for matches in self.matchers)


class RuleBook:
    """Handlers of pages and functions of items, in the order in which they were written."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._item_functions: list[tuple[ItemFunction, ItemTest | None]] = []  # the test is made when first needed
        self.hooks: dict[str, Callable[[Any], object]] = {}  # by the names of the settings that they stand for

    @overload
    def page(self, pattern: HandlerT, /) -> HandlerT: ...

    @overload
    def page(self, /, *patterns: str) -> Callable[[HandlerT], HandlerT]: ...

    def page(self, /, *patterns: Any) -> Any:
        """Have a function called with each page, or with those whose URL fits one of the patterns.

        The patterns are those of `include`: `/quotes/*` from the start of the path, `*.pdf` the whole URL,
        `re:/\\d{4}/` a regular expression. A page is given to all functions that want it. What a function returns or
        yields are items, and `weft.Request`s to follow.
        """
        if len(patterns) == 1 and callable(patterns[0]):
            return self._add(patterns[0], ())
        for pattern in patterns:
            if not isinstance(pattern, str):
                raise BadInput(f"a pattern of pages is a text, not {type(pattern).__name__}")
        return lambda function: self._add(function, patterns)

    def item(self, function: ItemFunctionT) -> ItemFunctionT:
        """Have a function called with each item; with a type as its argument's annotation, with each item of that type.

        It returns the item, another one in its place, or None if the item is to be dropped. The functions are called
        in their order, each with what the one before it returned.
        """
        refuse_async(function, "the item function")
        if is_generator(function):
            raise BadInput("the item function must return the item that it makes: write it without yield")
        self._item_functions.append((function, None))
        return function

    def before_request(self, function: HookT) -> HookT:
        """Have a function called before each request: it may change the headers of the `weft.HookRequest`.

        It may be a coroutine function. It runs in the crawl's own process, and not in a worker.
        """
        return self._hook("before_request", function)

    def after_response(self, function: HookT) -> HookT:
        """Have a function called with each answer: it returns a `weft.Retry` if its URL is to be asked for again.

        It may be a coroutine function. It runs in the crawl's own process, and not in a worker.
        """
        return self._hook("after_response", function)

    def __call__(self, page: Page) -> Iterator[object]:
        """All items and requests that the functions make of a page: for tests. An error in one is raised."""
        for rule in self.rules_for(page.url):
            for result in each(rule.function(page)):
                if isinstance(result, Request):
                    yield result
                elif (item := self.finished(result)) is not DROPPED:
                    yield item

    def rules_for(self, url: str) -> list[Rule]:
        """The functions that are called with the page of a URL."""
        return [rule for rule in self._rules if rule.fits(url)]

    def finished(self, item: object) -> object:
        """An item after all item functions; DROPPED if one of them does not want it."""
        for number, (function, test) in enumerate(self._item_functions):
            if test is None:
                # Not before: the types of its module may be defined below it.
                test = item_test(function)
                self._item_functions[number] = function, test
            if test(item) and (item := function(item)) is DROPPED:
                return DROPPED
        return item

    def check(self) -> None:
        """Refuse what cannot work, with one clear sentence."""
        if not self._rules and not self.hooks:
            raise BadInput("the site has no function for pages: @site.page says which one it is")
        for function, _ in self._item_functions:
            item_test(function)

    def _hook(self, name: str, function: HookT) -> HookT:
        if not callable(function):
            raise BadInput(f"the hook {name} is no function, but {type(function).__name__}")
        if is_generator(function):
            raise BadInput(f"the hook {name} must answer when it is called: write it without yield")
        if self.hooks.setdefault(name, function) is not function:
            raise BadInput(f"the site has a function for {name} already, and only one is called")
        return function

    def _add(self, function: HandlerT, patterns: tuple[str, ...]) -> HandlerT:
        refuse_async(function, "the function")
        rule = Rule(function, patterns, tuple(map(matcher_of, patterns)))
        for number, known in enumerate(self._rules):
            if known.function is function:  # under a second decorator: called once for a page all the same
                self._rules[number] = _joined(known, rule)
                return function
        self._rules.append(rule)
        return function


def book_of(function: Handler) -> RuleBook:
    """One function, for all pages."""
    book = RuleBook()
    book.page(function)
    return book


def _joined(one: Rule, other: Rule) -> Rule:
    if not one.matchers or not other.matchers:
        return Rule(one.function, (), ())
    return Rule(one.function, one.patterns + other.patterns, one.matchers + other.matchers)


def each(result: object) -> Iterable[object]:
    """A function may return nothing, one item, or many."""
    if result is None:
        return ()
    if isinstance(result, Iterable) and not _is_one(result):
        return result
    return (result,)


def _is_one(result: object) -> bool:
    # Data classes and the models of pydantic can be iterated over, and are one item all the same.
    return (
        isinstance(result, dict | str | bytes | bytearray | msgspec.Struct | Request)
        or hasattr(type(result), "__dataclass_fields__")
        or hasattr(type(result), "model_dump")
    )
