"""What is made of a page on request: a user's own functions, whose items go to `items.jsonl`, its simhash, the forms
that are kept of it, and what a mirror notes of it.

It runs in the parse workers. All but the last are made of pages only: responses with a 2xx status.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from weft.config import CleanPreset, CrawlConfig, PageForm
from weft.filter.accept import Accepting
from weft.types import Conversion, Fetched, Link, PageRow
from weft.url import is_own_request

if TYPE_CHECKING:
    from weft.page import Page
    from weft.page.function_bounds import FunctionBounds
    from weft.page.request import Request
    from weft.page.user_functions import UserFunctions


class Extraction:
    """What one crawl makes of its pages."""

    def __init__(self, config: CrawlConfig) -> None:
        self._functions = _user_functions(config.extractors) if config.extractors else None
        self._wants_simhash = config.near_duplicates
        self._is_mirror = config.mirror
        self._config = config
        self._saves_errors = config.mirror and Accepting(config.accept).saves_errors
        self._counts_unpacked = config.mirror and config.max_bytes is not None
        self._clean = _cleaning(config.with_forms, config.clean_preset) if config.with_forms else None

    def bound(self, bounds: FunctionBounds) -> None:
        """Call the functions within these bounds from now on."""
        if self._functions is not None:
            self._functions.bounds = bounds

    def of(self, link: Link, fetched: Fetched, *, is_long: bool = False, is_called: bool = True) -> dict[str, Any]:
        """The fields of Processed that were asked for; "requests" are those that functions ask for, if they do.

        A page too large for a tree has no simhash. With one that ended its workers the functions are not called.
        """
        made = self._for_mirror(fetched) if self._is_mirror and not is_own_request(link.parts) else {}
        if not (self._functions or self._wants_simhash) or not 200 <= fetched.status < 300:
            return made
        page = _page(link, fetched)
        if self._wants_simhash and not is_long and page.is_html:
            from weft.parse.simhash import simhash

            made["simhash"] = simhash(page.text)  # before a function can change the page
        if self._functions is not None:
            results = self._functions.made_of(page) if is_called else self._functions.left_out(page)
            made |= {"items": results.items, "items_failed": results.failed}
            if results.requests:
                made["requests"] = results.requests
        return made

    def requests_of(self, link: Link, fetched: Fetched) -> list[Request]:
        """What the functions ask for on a page that is read again; its items are known."""
        if not self._functions or not 200 <= fetched.status < 300:
            return []
        return self._functions.made_of(_page(link, fetched)).requests

    def _for_mirror(self, fetched: Fetched) -> dict[str, Any]:
        # Imported by those who ask for it: each worker of each crawl would wait for it.
        from weft.mirror.note import mirror_note, naming_of, unpacked_bytes

        made: dict[str, Any] = {"mirror": mirror_note(fetched, naming_of(self._config), errors=self._saves_errors)}
        if self._counts_unpacked:
            made["unpacked_bytes"] = unpacked_bytes(fetched)
        return made

    def forms(self, link: Link, fetched: Fetched) -> list[Conversion]:
        """The forms of an HTML page that are to be kept; none of everything else."""
        if self._clean is None or not 200 <= fetched.status < 300:
            return []
        page = _page(link, fetched)
        return self._clean(page) if page.is_html else []


def _user_functions(paths: Iterable[str]) -> UserFunctions:
    # Who has none need not wait for it.
    from weft.page.user_functions import UserFunctions

    return UserFunctions(paths)


def _cleaning(forms: Iterable[PageForm], preset: CleanPreset | None) -> Callable[[Page], list[Conversion]]:
    # Who does not ask for it need not wait for it.
    from weft.clean import PRESETS, Cleaner, Form, NotCleanable

    cleaners = [Cleaner(PRESETS[preset or "none"], Form(form)) for form in forms]

    def clean(page: Page) -> list[Conversion]:
        kept: list[Conversion] = []
        for cleaner in cleaners:
            try:
                cleaned = cleaner.clean(page.body, page.url, page.headers.get("content-type", ""))
            except NotCleanable:
                return []
            kept.append(Conversion(cleaner.form, cleaned.content, cleaned.title, cleaned.language, cleaned.charset))
        return kept

    return clean


def _page(link: Link, fetched: Fetched) -> Page:
    from weft.page import Page  # only then: it brings all that a page can be written as

    row = PageRow(
        link.url, fetched.status, fetched.started_at, link.depth, via=link.via, kind=link.kind, parts=link.parts
    )
    return Page(row, lambda: fetched)
