"""What is asked for, and who answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weft.dashboard.feed import Feed, Full
from weft.dashboard.guard import HEADERS, Guard
from weft.dashboard.metrics import CONTENT_TYPE
from weft.dashboard.source import Source, Trouble
from weft.errors import WeftError

PAGE: Final = Path(__file__).parent / "page"
# The page's own files: none tells anything of a crawl.
FILES: Final = {"/": "index.html", **{f"/{name}": name for name in ("style.css", "icon.svg")}} | {
    f"/{path.name}": path.name for path in sorted(PAGE.glob("*.js"))
}
JSON: Final = "application/json"
MOST_COMMAND_BYTES: Final = 256 << 10  # some thousand seeds
COMMAND_WITHIN_S: Final = 10.0


def dashboard_app(source: Source, feed: Feed, guard: Guard) -> ASGIApp:
    """All of it, guarded."""

    @asynccontextmanager
    async def reading(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(feed.run())
        yield
        task.cancel()

    routes = [Route(path, partial(_send_file, name)) for path, name in FILES.items()]
    routes += [
        Route("/status", _json(feed.status)),
        Route("/history", _json(feed.history)),
        Route("/metrics", _metrics(source)),
        Route("/events", _Events(feed), methods=["GET"]),
        Route("/token", _is_right, methods=["POST"]),
        Route("/commands", _commands(source), methods=["POST"]),
    ]
    return _Guarded(Starlette(routes=routes, lifespan=reading), guard)


class _Guarded:
    """Asks the guard first, and gives each answer its headers."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        denied = self._guard.denied(scope["method"], Headers(scope=scope), is_page=scope["path"] in FILES)
        answer = self._app if denied is None else _refusal(denied.status, denied.words)
        await answer(scope, receive, send_with_headers)


class _Events:
    """The frames, to one viewer. It has its place until it is gone."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._feed.place():
                answer = StreamingResponse(self._feed.frames(), media_type="text/event-stream")
                await answer(scope, receive, send)
        except Full:
            words = "as many look on as may; try again later"
            await _refusal(HTTPStatus.SERVICE_UNAVAILABLE, words)(scope, receive, send)


async def _send_file(name: str, _: Request) -> Response:
    return FileResponse(PAGE / name)


async def _is_right(_: Request) -> Response:
    """For who wants to know whether the token is right: the guard has let this through."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _json(read: Callable[[], Awaitable[bytes]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        try:
            return Response(await read(), media_type=JSON)
        except Trouble as error:
            return _refusal(HTTPStatus.NOT_FOUND, str(error))

    return answer


def _metrics(source: Source) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        try:
            return PlainTextResponse(await source.metrics(), headers={"Content-Type": CONTENT_TYPE})
        except Trouble as error:
            return _refusal(HTTPStatus.NOT_FOUND, str(error))

    return answer


def _commands(source: Source) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            async with asyncio.timeout(COMMAND_WITHIN_S):
                body = await _body_of(request)
        except TimeoutError:
            return _refusal(HTTPStatus.REQUEST_TIMEOUT, "the command did not come in time")
        except ClientDisconnect:
            return Response()  # to nobody
        if body is None:
            return _refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the command is too long")
        try:
            return JSONResponse({"words": await source.obey(body)}, HTTPStatus.ACCEPTED)
        except WeftError as error:
            return _refusal(HTTPStatus.BAD_REQUEST, str(error))

    return answer


async def _body_of(request: Request) -> bytes | None:
    """All of it; None if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_COMMAND_BYTES:
            return None
    return body


def _refusal(status: HTTPStatus, words: str) -> Response:
    return JSONResponse({"error": words}, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)
