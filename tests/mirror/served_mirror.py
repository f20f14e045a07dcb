"""The same steps in a browser, on a server and on `weft serve`: what they show, and what was asked for in vain."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.serve import MirrorServer, Site, root_of

from .browser import Browser
from .browser_view import traffic

WITHIN_MS = 60_000
LOOK_MS = 100  # what a page asks for a moment later counts as well
_ANSWERS = ("Network.responseReceived", "Network.loadingFinished", "Network.loadingFailed")


@dataclass(frozen=True)
class Step:
    """Open a page, do something, and wait until an expression is true; its value counts."""

    path: str
    until: str
    first: str = ""  # what to do before that


@dataclass(frozen=True)
class Seen:
    """What a browser saw; URLs are paths of the site."""

    values: Sequence[Any]
    asked: frozenset[str]
    failures: dict[str, str]
    elsewhere: frozenset[str]  # URLs of other hosts


@contextmanager
def served_mirror(folder: Path) -> Iterator[str]:
    """`weft serve`, as the command begins it; yields the address."""
    with MirrorServer(Site(folder, root_of(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.url.rstrip("/")
        finally:
            server.shutdown()
            thread.join(10)


def walk(browser: Browser, origin: str, steps: Sequence[Step], live_origin: str = "") -> Seen:
    """Take the steps one after the other; what still leads to `live_origin` is named by its path, too."""
    browser.take_events()
    values = [_take(browser, origin, step) for step in steps]
    _await_quiet(browser)
    requests, failures = traffic(browser.take_events())
    own = frozenset(url.removeprefix(origin) for url in requests if url.startswith(origin))
    others = frozenset(url for url in requests if not url.startswith((origin, "data:", "blob:", "about:")))
    paths = {url.removeprefix(origin).removeprefix(live_origin): why for url, why in failures.items()}
    return Seen(values, own, paths, frozenset(url.removeprefix(live_origin) for url in others))


def _await_quiet(browser: Browser) -> None:
    """Until all that was asked for was answered, or failed; events that are there are taken in by each look."""
    give_up_at = time.monotonic() + WITHIN_MS / 1000
    while time.monotonic() < give_up_at:  # then it is something without an end, as an EventSource
        browser.value(f"new Promise(done => setTimeout(done, {LOOK_MS}))")
        asked, answered, workers = {}, set(), set()
        for event in browser.events():
            told = event["params"]
            if event["method"] == "Network.requestWillBeSent":
                asked[told["requestId"]] = told["request"]["url"]
            elif event["method"] in _ANSWERS:
                answered.add(told["requestId"])
            elif event["method"] == "Target.attachedToTarget":
                workers.add(told["targetInfo"]["url"])  # of whose scripts no answer is told
        if all(request in answered or url in workers for request, url in asked.items()):
            return


def _take(browser: Browser, origin: str, step: Step) -> Any:
    browser.call("Page.navigate", url=origin + step.path)
    browser.await_events(1, lambda event: bool(event["method"] == "Page.loadEventFired"))
    for event in browser.events():
        if event["method"] == "Page.loadEventFired":
            event["method"] = "seen"
    if step.first:
        browser.value(step.first)
    return browser.value(
        f"""(async () => {{
            const end = Date.now() + {WITHIN_MS};
            let last;
            do {{
                try {{ last = {step.until} }} catch (error) {{ last = null }}
                if (last) return last;
                await new Promise(done => setTimeout(done, 50));
            }} while (Date.now() < end);
            return 'never: ' + document.body.innerText.slice(0, 200);
        }})()"""
    )


def differences(live: Seen, kept: Seen) -> list[str]:
    """What the mirror does not do as the server did."""
    wrong = [f"shows {b!r:.300}, not {a!r:.300}" for a, b in zip(live.values, kept.values, strict=True) if a != b]
    wrong += [f"never came: {value}" for value in live.values if str(value).startswith("never")]
    wrong += [f"failed: {path} ({why})" for path, why in kept.failures.items() if path not in live.failures]
    return wrong + [f"leaves: {url}" for url in sorted(kept.elsewhere - live.elsewhere - live.failures.keys())]
