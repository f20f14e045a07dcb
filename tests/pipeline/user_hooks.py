"""Hooks as users write them, good ones and bad ones; crawls of tests name them by import path."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import weft
from weft.page import Page

MODULE = __name__


def named(function: object) -> str:
    """The import path of one of them."""
    return f"{MODULE}:{getattr(function, '__name__', '')}"


# ── before a request ───────────────────────────────────────────────────────────────────────────────────


def change_headers(request: weft.HookRequest) -> None:
    assert request.method == "GET"
    assert request.headers["user-agent"].startswith("weft/")
    request.headers["User-Agent"] = "another one"
    request.headers["X-Path"] = f"/{request.url.rpartition('/')[2]} {request.depth} {request.attempt}"
    request.headers["Authorization"] = "Bearer sesame"
    del request.headers["Accept"]


async def change_headers_async(request: weft.HookRequest) -> weft.HookRequest:
    change_headers(request)
    return request


def set_host(request: weft.HookRequest) -> None:
    request.headers["X-Path"] = "not sent either"
    request.headers["Host"] = "evil.test"


def break_line(request: weft.HookRequest) -> None:
    request.headers["X-A"] = "1\r\nX-B: 2"


def set_a_number(request: weft.HookRequest) -> None:
    request.headers["X-A"] = 5  # type: ignore[assignment]


def set_too_much(request: weft.HookRequest) -> None:
    for number in range(100):
        request.headers[f"X-{number}"] = "x" * 1000


def change_url(request: weft.HookRequest) -> None:
    request.url = "http://evil.test/"  # type: ignore[misc]


def return_rubbish(argument: object) -> object:
    return 5


class Liar:
    """It says that it is a Retry."""

    @property
    def __class__(self) -> type:
        return weft.Retry

    @__class__.setter
    def __class__(self, other: type) -> None:
        pass


def return_a_liar(argument: object) -> object:
    return Liar()


def generate(argument: object) -> Iterator[object]:
    yield argument


def leave(argument: object) -> None:
    raise SystemExit(9)


def wrong_retry(page: Page) -> weft.Retry:
    return weft.Retry(after=float("nan"))


def unmade_retry(page: Page) -> weft.Retry:
    return weft.Retry.__new__(weft.Retry)


def changed_retry(page: Page) -> weft.Retry:
    retry = weft.Retry(after=1)
    retry.after = "soon"  # type: ignore[assignment, misc]
    return retry


def break_headers(request: weft.HookRequest) -> None:
    request.headers._now = None  # type: ignore[assignment]


class ByPath:
    """Calls for each page the hook that its path names."""

    def __init__(self, name: str, *others: Callable[[Any], object]) -> None:
        self.path = f"{MODULE}:{name}"
        self.others = {other.__name__: other for other in others}

    def __call__(self, argument: weft.HookRequest | Page) -> object:
        name = argument.url.rpartition("/")[2]
        return self.others[name](argument) if name else None


bad_before = ByPath(
    "bad_before",
    set_host,
    break_line,
    set_a_number,
    set_too_much,
    change_url,
    break_headers,
    return_rubbish,
    generate,
    leave,
)
bad_after = ByPath(
    "bad_after", return_rubbish, return_a_liar, generate, leave, wrong_retry, unmade_retry, changed_retry
)


# ── after a response ───────────────────────────────────────────────────────────────────────────────────


def no_captcha(page: Page) -> weft.Retry | None:
    assert page.body.decode() == page.html
    if "captcha" in page.html:
        return weft.Retry(after=0, headers={"X-Solved": "4"}, reason="captcha\n" * 3)
    return None


async def no_captcha_async(page: Page) -> weft.Retry | None:
    return no_captcha(page)


def always_again(page: Page) -> weft.Retry:
    return weft.Retry(after=0)


def only_good(page: Page) -> None:
    assert page.status == 200


def much_later(page: Page) -> weft.Retry:
    return weft.Retry(after=2000, headers={"X-Mine": "1"})


def again_with_login(page: Page) -> weft.Retry | None:
    is_asked = page.status == 401
    return weft.Retry(after=0, headers={"Authorization": "Bearer sesame", "X-Mine": "1"}) if is_asked else None


never = threading.Event()


def hang(argument: object) -> None:
    never.wait()


async def hang_async(argument: object) -> None:
    await asyncio.Event().wait()


# ── that take their time ───────────────────────────────────────────────────────────────────────────────

has_thought = asyncio.Event()


async def think_about_refusals(page: Page) -> None:
    if page.status == 429:
        await has_thought.wait()
