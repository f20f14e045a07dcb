"""What is made of a page on request: a user's own functions, whose items go to `items.jsonl`, its simhash, its cleaned
form, and what a mirror notes of it.

It runs in the parse workers. All but the last are made of pages only: responses with a 2xx status.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from weft.config import CleanForm, CleanPreset, CrawlConfig
from weft.errors import BadInput
from weft.import_path import load
from weft.page import Page, Request
from weft.types import Conversion, Fetched, Link, PageRow
from weft.url import is_own_request

MAX_ERRORS_REPORTED = 20

_encode = msgspec.json.Encoder().encode


class Extraction:
    """What one crawl makes of its pages."""

    def __init__(self, config: CrawlConfig) -> None:
        self._functions = UserFunctions(config.extractors)
        self._wants_simhash = config.near_duplicates
        self._is_mirror = config.mirror
        self._counts_unpacked = config.mirror and config.max_bytes is not None
        self._clean = _cleaning(config.clean, config.clean_preset) if config.clean is not None else None

    def of(self, link: Link, fetched: Fetched, *, is_long: bool = False) -> dict[str, Any]:
        """The fields of Processed that were asked for, and `requests`. A page too large for a tree has no simhash."""
        made = self._for_mirror(fetched) if self._is_mirror and not is_own_request(link.parts) else {}
        if not (self._functions or self._wants_simhash) or not 200 <= fetched.status < 300:
            return made
        page = _page(link, fetched)
        items, requests, failed = self._functions.results_of(page)
        made |= {"items": items, "items_failed": failed, "requests": requests}
        if self._wants_simhash and not is_long and page.is_html:
            from weft.parse.simhash import simhash

            made["simhash"] = simhash(page.text)
        return made

    def requests_of(self, link: Link, fetched: Fetched) -> list[Request]:
        """What the functions ask for on a page that is read again; its items are known."""
        if not self._functions or not 200 <= fetched.status < 300:
            return []
        return self._functions.results_of(_page(link, fetched))[1]

    def _for_mirror(self, fetched: Fetched) -> dict[str, Any]:
        # Imported by those who ask for it: each worker of each crawl would wait for it.
        from weft.mirror.note import mirror_note, unpacked_bytes

        made: dict[str, Any] = {"mirror": mirror_note(fetched)}
        if self._counts_unpacked:
            made["unpacked_bytes"] = unpacked_bytes(fetched)
        return made

    def cleaned(self, link: Link, fetched: Fetched) -> Conversion | None:
        """What is left of an HTML page; None of everything else."""
        if self._clean is None or not 200 <= fetched.status < 300:
            return None
        page = _page(link, fetched)
        return self._clean(page) if page.is_html else None


def _cleaning(form: CleanForm, preset: CleanPreset | None) -> Callable[[Page], Conversion | None]:
    # Who does not ask for it need not wait for it.
    from weft.clean import PRESET_OF, PRESETS, Cleaner, Form, NotCleanable

    cleaner = Cleaner(PRESETS[preset or PRESET_OF[Form(form)]], Form(form))

    def clean(page: Page) -> Conversion | None:
        try:
            cleaned = cleaner.clean(page.body, page.url, page.headers.get("content-type", ""))
        except NotCleanable:
            return None
        return Conversion(form, cleaned.content, cleaned.title, cleaned.language, cleaned.charset)

    return clean


def _page(link: Link, fetched: Fetched) -> Page:
    row = PageRow(
        link.url, fetched.status, fetched.started_at, link.depth, via=link.via, kind=link.kind, parts=link.parts
    )
    return Page(row, lambda: fetched)


class UserFunctions:
    """The functions of one crawl. One that fails is reported in the log; the page is kept and the crawl goes on."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._functions = [(path, _function(path)) for path in paths]
        self._errors = 0

    def __bool__(self) -> bool:
        return bool(self._functions)

    def results_of(self, page: Page) -> tuple[list[bytes], list[Request], int]:
        """The items as JSON, what is to be asked for, and how many of the functions failed."""
        items: list[bytes] = []
        requests: list[Request] = []
        failed = 0
        for path, function in self._functions:
            try:
                results = list(_each(function(page)))
                encoded = [_encode(item) for item in results if not isinstance(item, Request)]
                items += encoded
                requests += [request for request in results if isinstance(request, Request)]
            except (Exception, SystemExit):  # whatever a user's code raises
                failed += 1
                self._report(path, page)
        return items, requests, failed

    def _report(self, path: str, page: Page) -> None:
        self._errors += 1
        if self._errors <= MAX_ERRORS_REPORTED:
            print(f"the function {path!r} failed on {page.url}:", file=sys.stderr)
            traceback.print_exc()
        if self._errors == MAX_ERRORS_REPORTED:
            print("further errors of this worker are only counted", file=sys.stderr)


def _function(path: str) -> Callable[[Page], object]:
    function = load(path, "the function")
    if not callable(function):
        raise BadInput(f"{path!r} is not a function")
    return function  # type: ignore[no-any-return]  # what it returns is looked at where it is called


def _each(result: object) -> Iterable[object]:
    """A function may return nothing, one item, or many."""
    if result is None:
        return ()
    if isinstance(result, dict | str | bytes | msgspec.Struct) or not isinstance(result, Iterable):
        return (result,)
    return result
