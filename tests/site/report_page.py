"""A report's page in a real browser without network, as somebody uses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.mirror.browser import Browser
from weft.site.findings import SiteReport
from weft.site.html import write_html

_TOLD = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening")
_KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), " ": (32, " "), "/": (191, "/")}


class ReportPage:
    """The page, opened from its file."""

    def __init__(self, browser: Browser, report: SiteReport, path: Path) -> None:
        self._browser = browser
        self.url = path.as_uri()
        self.requests: list[str] = []
        self._said: list[str] = []
        with path.open("wb") as out:
            write_html(report, out)
        browser.call("Runtime.enable")
        browser.call("Log.enable")
        self.emulate()
        self.resize(1280, 900)
        browser.take_events()
        browser.call("Page.navigate", url=self.url)
        browser.await_events(1, lambda event: event["method"] == "Page.loadEventFired")
        self.until("'ready' in document.body.dataset")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression returns."""
        return self._browser.value(expression)

    def until(self, condition: str) -> None:
        """Wait until it holds; the browser's driver gives up at last."""
        self.value(
            f"new Promise(done => {{ const look = () => ({condition}) ? done() : setTimeout(look, 20); look() }})"
        )

    def texts(self, selector: str) -> list[str]:
        """What the elements say that are shown."""
        shown = f"[...document.querySelectorAll({json.dumps(selector)})].filter(each => each.checkVisibility())"
        return list(self.value(f"{shown}.map(each => each.textContent.trim())"))

    def click(self, selector: str) -> None:
        """Press the first one."""
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def search(self, words: str, found: str) -> None:
        """Type them into the box, and wait for what it says."""
        self.value("document.querySelector('#search').select()")
        self._browser.call("Input.insertText", text=words)
        self.until(f"document.querySelector('#found').textContent === {json.dumps(found)}")

    def press(self, key: str) -> None:
        """A key, as a person presses it."""
        code, text = _KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self._browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                **({"text": text} if text and kind == "keyDown" else {}),
            )  # fmt: skip

    def emulate(self, media: str = "", scheme: str = "light") -> None:
        """Another medium, or other colours."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._browser.call("Emulation.setEmulatedMedia", media=media, features=features)

    def resize(self, width: int, height: int, *, is_phone: bool = False) -> None:
        """Another window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self._browser.call("Emulation.setDeviceMetricsOverride", **size)

    def pdf(self) -> bytes:
        """As base64 of what would be printed."""
        return str(self._browser.call("Page.printToPDF", printBackground=True)["data"]).encode()

    def complaints(self) -> list[str]:
        """What the console was told since the page was opened, and dialogs."""
        self._take_in()
        return self._said

    def asked_for(self) -> list[str]:
        """Requests since it was opened, except for data that stands in the page."""
        self._take_in()
        return [url for url in self.requests if not url.startswith("data:")]

    def _take_in(self) -> None:
        for event in self._browser.take_events():
            if event["method"] in _TOLD:
                self._said.append(json.dumps(event["params"]))
            elif event["method"] == "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])
