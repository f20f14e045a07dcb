"""A site whose pages are made by a function when they are asked for, on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from weft.config import CrawlConfig

from .crawling import CrawlFiles, crawl_all

Answer = tuple[int, dict[str, str], str]  # status, headers, body
Handler = Callable[[str, Mapping[str, str]], Answer]  # from path and headers of the request


def html(body: str, title: str = "x") -> Answer:
    """A page."""
    return 200, {}, f"<!DOCTYPE html><title>{title}</title>{body}"


def links(*hrefs: str) -> str:
    """Anchors."""
    return "".join(f'\n<p><a href="{href}">on</a>' for href in hrefs)


def redirect(to: str, **headers: str) -> Answer:
    """Another place to look; headers as in `set_cookie="a=1"`."""
    return 302, {"Location": to, **{name.replace("_", "-"): value for name, value in headers.items()}}, ""


def quick_config(origin: str, seeds: tuple[str, ...], changes: Mapping[str, Any]) -> CrawlConfig:
    """Settings for a crawl of a site on loopback that wastes no time."""
    config = CrawlConfig(
        seeds=tuple(origin + seed for seed in seeds or ("/",)),
        delay_s=0.0,
        connections_per_host=4,
        allow_private=True,
        workers=1,
        retry_wait_scale=0.02,
    )
    return msgspec.structs.replace(config, **changes)


class LiveSite:
    """The site while it is served: where it is, and what was asked for."""

    def __init__(self, port: int, asked: list[str]) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.asked = asked  # paths, without robots.txt

    def config(self, *seeds: str, **changes: Any) -> CrawlConfig:
        """Settings for a crawl of the site."""
        return quick_config(self.origin, seeds, changes)

    def crawl(self, folder: Path, *seeds: str, **changes: Any) -> CrawlFiles:
        """Crawl it to its end."""
        _, files = crawl_all(folder, self.config(*seeds, **changes))
        return files

    def pages(self, files: CrawlFiles) -> set[str]:
        """The paths that gave a page."""
        return {url.removeprefix(self.origin) for url, status in files.responses().items() if status == 200}


class AnsweringHandler(BaseHTTPRequestHandler):
    """Sends whole answers on connections that are kept, and logs nothing."""

    protocol_version = "HTTP/1.1"

    def send_answer(self, answer: Answer) -> None:
        """HTML, unless its headers say something else."""
        status, headers, body = answer
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in ({"Content-Type": "text/html; charset=utf-8"} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as in http.server
        pass


@contextmanager
def on_loopback(handler: type[BaseHTTPRequestHandler]) -> Iterator[ThreadingHTTPServer]:
    """A server in a thread of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def served(handler: Handler, *, has_robots: bool = False) -> Iterator[LiveSite]:
    """Serve the pages that a function makes; robots.txt only where it is said to make that, too."""
    asked: list[str] = []

    class Http(AnsweringHandler):
        def do_GET(self) -> None:  # the name that http.server calls
            if self.path != "/robots.txt":
                asked.append(self.path)
            if self.path != "/robots.txt" or has_robots:
                self.send_answer(handler(self.path, self.headers))  # type: ignore[arg-type]  # it reads like one
            else:
                self.send_answer((404, {}, ""))

    with on_loopback(Http) as server:
        yield LiveSite(server.server_address[1], asked)
