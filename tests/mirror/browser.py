"""Debian's Chromium without a screen, driven through its DevTools protocol.

    test ──▶ Browser ──pipe (fd 3, 4), JSON and a zero byte──▶ chromium ──▶ a tab

The protocol needs no more than these lines, so there is no package for it: they bring browsers of their own, or another
process to talk through. All is synchronous: a call waits for its answer, and events that come meanwhile are kept.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Any

from tests.scratch import IN_MEMORY

WITHIN_S = 60.0
WIDTH, HEIGHT = 800, 600
_FREE_FD = 10  # above those that the browser wants
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--remote-debugging-pipe"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--hide-scrollbars", "--force-device-scale-factor=1", "--disable-dev-shm-usage", "--mute-audio"),
    *("--font-render-hinting=none", "--no-default-browser-check", f"--window-size={WIDTH},{HEIGHT}"),
)
_ONLY_THIS_MACHINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2"
_LEFT = (
    "Inspected target navigated or closed",
    "Execution context was destroyed.",
    "Cannot find context with specified id",
)
_NO_NETWORK = ("unshare", "--net")


class BrowserError(Exception):
    """The browser is missing, has ended, or refuses."""


class Navigated(BrowserError):
    """The page was left before it could answer."""


class Browser:
    """A running Chromium with one tab. Events of all its documents and workers are kept until they are taken."""

    def __init__(self, process: subprocess.Popen[bytes], to_browser: int, from_browser: int) -> None:
        self._process = process
        self._to = to_browser
        self._from = from_browser
        self._unread = b""
        self._last_id = 0
        self._events: list[dict[str, Any]] = []
        # A context of its own remembers no visits, which change the colour of links.
        context = self._ask("Target.createBrowserContext", {})["browserContextId"]
        tab = {"url": "about:blank", "browserContextId": context}
        target = self._ask("Target.createTarget", tab)["targetId"]
        self._session: str = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self._watch(self._session)
        self.call("Page.enable")
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """One command to the tab, and its answer."""
        return self._ask(method, parameters, self._session)

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives, promises awaited."""
        given = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in given:
            raise BrowserError(f"{expression[:200]}: {given['exceptionDetails']}")
        return given["result"].get("value")

    def take_events(self) -> list[dict[str, Any]]:
        """All events since the last time."""
        events, self._events = self._events, []
        return events

    def await_events(self, count: int, is_it: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until there are so many events of a kind; all stay."""
        deadline = time.monotonic() + WITHIN_S
        while sum(map(is_it, self._events)) < count:
            self._take_in(self._read(deadline))

    def events(self) -> Sequence[dict[str, Any]]:
        """Those that are there and were not taken."""
        return self._events

    def _watch(self, session: str) -> None:
        """See the requests of a document or a worker, and of those that it will make."""
        self._send("Network.enable", {}, session)
        attach = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        self._send("Target.setAutoAttach", attach, session)
        self._send("Runtime.runIfWaitingForDebugger", {}, session)

    def _ask(self, method: str, parameters: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        asked = self._send(method, parameters, session)
        deadline = time.monotonic() + WITHIN_S
        while True:
            message = self._read(deadline)
            if message.get("id") == asked:
                break
            self._take_in(message)
        if "error" in message:
            if message["error"].get("message") in _LEFT:
                raise Navigated(method)
            raise BrowserError(f"{method}: {message['error']}")
        result: dict[str, Any] = message["result"]
        return result

    def _send(self, method: str, parameters: dict[str, Any], session: str | None) -> int:
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        left = json.dumps(message).encode() + b"\0"
        while left:
            left = left[os.write(self._to, left) :]
        return self._last_id

    def _take_in(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Target.attachedToTarget":
            self._watch(message["params"]["sessionId"])
        if "method" in message:
            self._events.append(message)

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._unread:
            if not select([self._from], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise BrowserError(f"the browser says nothing for {WITHIN_S:.0f} s")
            some = os.read(self._from, 1 << 20)
            if not some:
                raise BrowserError(f"the browser has ended, with code {self._process.wait(WITHIN_S)}")
            self._unread += some
        message, _, self._unread = self._unread.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded


@contextmanager
def browsing(*, network: bool) -> Iterator[Browser]:
    """A new browser as long as the block lasts.

    Without network it lives in a network namespace of its own, in which not even `lo` is up. With one, it finds this
    machine and no other.
    """
    program = shutil.which("chromium")
    if program is None:
        raise BrowserError("chromium is not installed: run tests/install-browser")
    with tempfile.TemporaryDirectory(prefix="weft-browser-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as profile:
        _write_preferences(Path(profile))
        prefix = [] if network else [*_NO_NETWORK, *([] if os.geteuid() == 0 else ["--map-root-user"])]
        command = [*prefix, program, *_FLAGS, _ONLY_THIS_MACHINE, f"--user-data-dir={profile}", "about:blank"]
        process, to_browser, from_browser = _start(command, Path(profile))
        try:
            yield Browser(process, to_browser, from_browser)
        finally:
            os.close(to_browser)
            os.close(from_browser)
            _end(process)


def _write_preferences(profile: Path) -> None:
    """No viewer for PDF: it paints itself some time after its page is complete, and no event tells when."""
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(json.dumps({"plugins": {"always_open_pdf_externally": True}}))


def _start(command: Sequence[str], home: Path) -> tuple[subprocess.Popen[bytes], int, int]:
    """The process, and the ends of the two pipes that are ours."""
    its_input, to_browser = os.pipe()
    from_browser, its_output = os.pipe()
    theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FD) for fd in (its_input, its_output)]

    def place_pipes() -> None:
        os.dup2(theirs[0], 3)
        os.dup2(theirs[1], 4)

    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,  # 3 and 4 go with it; all others of Python's close by themselves
        preexec_fn=place_pipes,
        start_new_session=True,
        env=os.environ | {"HOME": str(home)},
    )
    for fd in (its_input, its_output, *theirs):
        os.close(fd)
    return process, to_browser, from_browser


def _end(process: subprocess.Popen[bytes]) -> None:
    """Browsers end when their pipe does; one that does not is killed, with its children."""
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
