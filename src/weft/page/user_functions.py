"""A user's functions and sites, called with a page: their items and requests, and what they do wrong.

Whatever a function does, the page is kept, its links are followed, and the crawl goes on. What it yielded before it
failed is kept, too.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weft.errors import BadInput
from weft.import_path import load
from weft.page.items import BadItem, encoded
from weft.page.request import Request
from weft.page.rule_book import DROPPED, Rule, RuleBook, book_of, each
from weft.types import Kind, RequestParts

if TYPE_CHECKING:
    from weft.page import Page
    from weft.page.function_bounds import FunctionBounds

MIB = 1024 * 1024
MAX_ERRORS_REPORTED = 20
MAX_REPORT_CHARS = 20_000
MAX_NAME_CHARS = 200
FRAMES_TOLD = 50  # of a traceback: to look up the lines of a thousand takes longer than a call may
MAX_RESULTS = 100_000  # items and requests of a page …
MAX_RESULT_BYTES = 64 * MIB  # … and how long they are together


class TooMuch(Exception):
    """More than a page may yield."""


class Made:
    """What the functions have made of one page. Filled by `take`; bound: MAX_RESULTS and MAX_RESULT_BYTES."""

    def __init__(self) -> None:
        self.items: list[bytes] = []  # as JSON
        self.requests: list[Request] = []
        self.failed = 0  # calls
        self._taken = 0  # also what was bad or dropped
        self._bytes = 0

    def take(self, book: RuleBook, result: object) -> None:
        """The one place where a result is taken: a request, or an item, which the item functions see first."""
        self._taken += 1
        self._grow(0)
        if issubclass(type(result), Request):  # an object may lie about its class, but not here
            assert isinstance(result, Request)
            request = checked_request(result)
            headers = sum(len(name) + len(value) for name, value in request.headers)
            self._grow(len(request.url) + len(request.body) + headers)
            self.requests.append(request)
        elif (item := book.finished(result)) is not DROPPED:
            if issubclass(type(item), Request):
                raise BadItem("an item function returns an item or None, not a request")
            line = encoded(item)
            self._grow(len(line))
            self.items.append(line)

    def _grow(self, length: int) -> None:
        """Before it is kept: one item alone may be longer than all may be together."""
        self._bytes += length
        if self._taken > MAX_RESULTS or self._bytes > MAX_RESULT_BYTES:
            raise TooMuch(f"the functions of a page may yield {MAX_RESULTS:,} results and {MAX_RESULT_BYTES:,} bytes")


class UserFunctions:
    """The functions of one crawl, by their import paths. One that fails is reported in the log."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._books = [(path, _book(path)) for path in paths]
        self._errors = 0
        self._process = os.getpid()
        self.bounds: FunctionBounds | None = None  # in a worker
        # Hears of each call that failed: the function's name, the page's URL, the error with its traceback.
        self.on_failure: Callable[[str, str, str], None] = lambda name, url, words: None

    def __bool__(self) -> bool:
        return bool(self._books)

    def made_of(self, page: Page) -> Made:
        """Call the functions that want this page."""
        made, url = Made(), page.url
        for path, book in self._books:
            for rule in book.rules_for(url):
                error = self._within_bounds(partial(self._call, book, rule, page, made))
                if error is not None:
                    made.failed += 1
                    self._report(path, rule, url, error)
                    BaseException.with_traceback(error, None)  # its frames hold what the function held
                    if issubclass(type(error), TooMuch):
                        return made
        return made

    def left_out(self, page: Page) -> Made:
        """What is made of a page on which the functions ended their worker: nothing, but it is counted and told."""
        made = Made()
        made.failed = 1
        self._tell(f"the functions are not called with {page.url}, on which they ended their worker")
        return made

    def _within_bounds(self, call: Callable[[], None]) -> BaseException | None:
        """What a call has raised. SystemExit and KeyboardInterrupt are errors, too: it is the user's code that ends."""
        found: BaseException | None = None
        bounds = self.bounds
        try:
            try:
                if bounds is not None:
                    bounds.begin()
                call()
            finally:
                if bounds is not None:
                    bounds.leave()
        except BaseException as error:
            found = error
        self._end_if_forked()
        if bounds is not None:
            bounds.end()
        return found

    def _call(self, book: RuleBook, rule: Rule, page: Page, made: Made) -> None:
        """The one place where a function is called: all of its code, and that of the item functions, runs here."""
        bad: Exception | None = None
        for result in each(rule.function(page)):
            self._end_if_forked()
            try:
                made.take(book, result)
            except TooMuch:
                raise
            except Exception as error:  # it costs the item alone; the call counts as failed once
                bad = error if bad is None else bad
        if bad is not None:
            raise bad

    def _end_if_forked(self) -> None:
        """A function that forks returns twice; the second process must not write to the archive as the first does."""
        if os.getpid() != self._process:
            os._exit(0)

    def _report(self, path: str, rule: Rule, url: str, error: BaseException) -> None:
        name, words = f"a function of {path!r}", "an error that cannot be written"

        def ask() -> None:
            """Also how an error is written is the user's code."""
            nonlocal name, words
            words = told(error)
            name = _name_of(path, rule)

        self._within_bounds(ask)
        self.on_failure(name, url, words)
        self._errors += 1
        if self._errors <= MAX_ERRORS_REPORTED:
            self._tell(f"{name} failed on {url}:\n{words}")
        if self._errors == MAX_ERRORS_REPORTED:
            self._tell("further errors of this worker are only counted")

    def _tell(self, text: str) -> None:
        if self.bounds is not None:
            self.bounds.tell(text)
        else:
            _print(text)


def checked_request(request: Request) -> Request:
    """The request as it can be sent to the engine; raises BadItem if somebody has changed what it holds."""
    try:
        plain = request if type(request) is Request else _plain(request)
        plain.url.encode()
        if (parts := plain.parts) is not None:
            msgspec.convert(msgspec.to_builtins(parts, builtin_types=(bytes,)), RequestParts, builtin_types=(bytes,))
        if type(plain.url) is str and type(plain.kind) is Kind:
            return plain
    except (AttributeError, TypeError, ValueError) as error:
        raise BadItem(f"a request that was yielded cannot be used: {error}") from error
    raise BadItem("a request that was yielded cannot be used: its URL is no plain text, or its kind is none")


def _plain(request: Request) -> Request:
    """What a class of the user's holds, without its code."""
    plain = Request.__new__(Request)
    for name in Request.__slots__:
        slot = vars(Request)[name]
        slot.__set__(plain, slot.__get__(request))
    return plain


def _book(path: str) -> RuleBook:
    found = load(path, "the function")
    if not callable(found):
        raise BadInput(f"{path!r} is not a function")
    try:
        book = found if isinstance(found, RuleBook) else book_of(found)
        book.check()
        return book
    except BadInput as error:
        raise BadInput(f"{path!r} cannot be used: {error}") from error


def _name_of(path: str, rule: Rule) -> str:
    name = str(getattr(rule.function, "__qualname__", type(rule.function).__name__))[:MAX_NAME_CHARS]
    return f"the function {path!r}" if path.endswith(f":{name}") else f"the function {name!r} of {path!r}"


def told(error: BaseException) -> str:
    """The end of its traceback, or as much of it as can be written within the bounds of a call."""
    try:
        text = "".join(traceback.format_exception(error, limit=-FRAMES_TOLD))
    except BaseException:  # its own code is asked how it is written
        return f"{type(error).__name__}, which cannot be written"
    half = MAX_REPORT_CHARS // 2
    return text if len(text) <= 2 * half else f"{text[:half]}\n…\n{text[-half:]}"


def _print(text: str) -> None:
    with suppress(OSError, ValueError, AttributeError):  # a function may have closed it
        print(text.encode("utf-8", "backslashreplace").decode(), file=sys.stderr, flush=True)
