"""The user's hooks: before a request and after a response, in the engine's process.

    visit ──before_request: other headers──▶ fetch ──after_response: Retry?──▶ workers, or the queue once more

What a hook does wrong (it raises, hangs, returns what it should not) is counted and written to `state/hooks.log` with
the URL, and the visit goes on as if there were no hook. An answer that is thrown away is archived like other earlier
answers, in the same commit by which its URL returns to the queue: there it waits, and no slot does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from weft.config import CrawlConfig
from weft.errors import BadInput, WeftError
from weft.fetch.retry import ASKED_AGAIN, after
from weft.logs import logger
from weft.page.hooks import HookHeaders, HookRequest, Pairs, Retry
from weft.page.page import Page
from weft.pipeline.config_parts import LONGEST_HOOK_WAIT_S
from weft.pipeline.hook_calls import CallFailed, Function, HookCalls
from weft.pipeline.work import Again
from weft.stats import Counters
from weft.types import Fetched, PageRow, RequestParts, Visit

MAX_REPORTED: Final = 100  # failures of a run that are written down; all are counted
SHOWN_CHARS: Final = 100

_log = logger("hooks")


class Hooks:
    """Those of one run."""

    def __init__(
        self, config: CrawlConfig, functions: dict[str, tuple[str, Function]], counters: Counters, log: Path
    ) -> None:
        self._before = _Hook("before_request", functions, config, counters, log)
        self._after = _Hook("after_response", functions, config, counters, log)
        self._wait_scale = config.retry_wait_scale
        self._longest_wait_s = min(LONGEST_HOOK_WAIT_S, config.max_host_wait_s)

    async def before(self, visit: Visit, sent: Sequence[tuple[str, str]]) -> RequestParts | None:
        """What the request for a visit is made of; `sent` are its headers as they would be."""
        link = visit.link
        if self._before.is_off:
            return link.parts
        method = link.parts.method if link.parts is not None else "GET"
        headers = HookHeaders(link.url, sent)
        request = HookRequest(link.url, method, headers, link.attempts + 1, link.depth, link.via, link.kind)
        changes = await self._before.ask(request, link.url, lambda told: _changes(told, request))
        return with_headers(link.parts, changes) if changes else link.parts

    async def after(self, visit: Visit, fetched: Fetched) -> Again | None:
        """Whether an answer is to be thrown away."""
        if self._after.is_off:
            return None
        retry = await self._after.ask(_page(visit, fetched), visit.link.url, _retry)
        rule = after(ASKED_AGAIN, visit.link.attempts + 1, self._wait_scale)
        if retry is None or rule is None:
            return None
        wait_s = rule.wait_s if retry.after is None else retry.after
        if retry.headers:
            link = msgspec.structs.replace(visit.link, parts=with_headers(visit.link.parts, retry.headers))
            visit = msgspec.structs.replace(visit, link=link)
        return Again(visit, min(wait_s, self._longest_wait_s), retry.reason or "after_response asks for it")

    def close(self) -> None:
        """No visit is under way any more."""
        self._before.close()
        self._after.close()


class _Hook:
    """One of the two, with what becomes of its failures."""

    def __init__(
        self, name: str, functions: dict[str, tuple[str, Function]], config: CrawlConfig, counters: Counters, log: Path
    ) -> None:
        path, function = functions.get(name, ("", None))
        self._name = f"{name} {path!r}"
        self._calls: HookCalls | None = None
        if function is not None:
            self._calls = HookCalls(function, config.handler_time_s, config.handler_memory_bytes)
        self._counters = counters
        self._log = log
        self._reported = 0

    @property
    def is_off(self) -> bool:
        return self._calls is None or self._calls.is_off

    async def ask(self, argument: object, url: str, read: Callable[[object], Any]) -> Any:
        """What is read from what the function returns; None if it fails. `read` raises BadInput for rubbish."""
        assert self._calls is not None
        try:
            told = await self._calls.call(argument)
            try:
                return read(told)
            except (AttributeError, TypeError, ValueError) as error:  # the hook has changed what our objects hold
                raise BadInput(f"what it left cannot be read: {error}") from error
        except (CallFailed, WeftError) as error:
            self._counters.hooks_failed += 1
            self._report(url, str(error))
            if self._calls.is_off:
                _log.warning("%s hung too often or kept too much memory, and is not called any more", self._name)
            return None

    def close(self) -> None:
        if self._calls is not None:
            self._calls.close()

    def _report(self, url: str, words: str) -> None:
        self._reported += 1
        if self._reported > MAX_REPORTED:
            return
        last = words.strip().rpartition("\n")[2]
        _log.warning("%s failed on %s: %s", self._name, url, last)
        try:
            with self._log.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{self._name} failed on {url}:\n{words.rstrip()}\n")
                if self._reported == MAX_REPORTED:
                    file.write("its further failures in this run are only counted\n")
        except OSError as error:  # a log that cannot be written costs no page
            _log.warning("%s cannot be written: %s", self._log, error)


def with_headers(parts: RequestParts | None, headers: Pairs) -> RequestParts:
    """A request with further headers, or others; which request it is stays the same."""
    if parts is None:
        return RequestParts(b"", headers=headers)
    merged = {name.lower(): (name, value) for name, value in (*parts.headers, *headers)}
    return msgspec.structs.replace(parts, headers=tuple(merged.values()))


def _changes(told: object, request: HookRequest) -> Pairs:
    if told is not None and told is not request:
        raise BadInput(f"before_request returns nothing, not {_shown(told)}")
    return request.headers.changes()


def _retry(told: object) -> Retry | None:
    if told is None:
        return None
    if type(told) is not Retry:
        raise BadInput(f"after_response returns a weft.Retry or nothing, not {_shown(told)}")
    return Retry(told.after, headers=dict(told.headers), reason=told.reason)  # as it is now, and checked


def _shown(told: object) -> str:
    return type(told).__name__[:SHOWN_CHARS]


def _page(visit: Visit, fetched: Fetched) -> Page:
    link = visit.link
    row = PageRow(
        link.url, fetched.status, fetched.started_at, link.depth,
        via=link.via, kind=link.kind, redirects=link.redirects, attempts=link.attempts + 1,
        truncated=fetched.truncated or "", address=fetched.address, body_bytes=fetched.body_bytes,
    )  # fmt: skip
    return Page(row, lambda: fetched)
