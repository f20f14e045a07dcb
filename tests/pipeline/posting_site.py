"""A site that takes forms, on loopback: what it was asked and how, and pages that a function makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from weft.config import CrawlConfig

from .live_site import Answer, AnsweringHandler, on_loopback, quick_config


class Asked(NamedTuple):
    """A request as the site got it."""

    method: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    connection: int  # which one it came on


Handler = Callable[[Asked], Answer | None]  # None: hang up without an answer


class PostingSite:
    """The site while it is served."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.asked: list[Asked] = []  # without robots.txt

    def requests(self) -> list[tuple[str, str, bytes]]:
        """Method, path and body of each."""
        return [(one.method, one.path, one.body) for one in self.asked]

    def posts(self) -> list[bytes]:
        """What was posted."""
        return [one.body for one in self.asked if one.method == "POST"]

    def config(self, *seeds: str, **changes: Any) -> CrawlConfig:
        """Settings for a crawl of the site."""
        return quick_config(self.origin, seeds, changes)


@contextmanager
def posting(handler: Handler, robots: str = "") -> Iterator[PostingSite]:
    """Serve what a function makes of each request; there is no robots.txt unless its text is given."""

    class Http(AnsweringHandler):
        def do_GET(self) -> None:  # noqa: N802  # the names that http.server calls
            self.answer()

        def do_POST(self) -> None:  # noqa: N802
            self.answer()

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            made: Answer | None = (200 if robots else 404, {}, robots)
            if self.path != "/robots.txt":
                asked = Asked(self.command, self.path, body, dict(self.headers.items()), self.client_address[1])
                site.asked.append(asked)
                made = handler(asked)
            if made is None:
                self.close_connection = True
            else:
                self.send_answer(made)

    with on_loopback(Http) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who asks may be killed
        site = PostingSite(server.server_address[1])
        yield site
