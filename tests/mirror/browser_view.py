"""What a browser makes of a page: what it asked for, what it shows, where its links lead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .browser import Browser, Navigated

_LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "chrome-extension:")
_SOON_S = 2.0  # a page that moves on within this time is looked at where it arrives

# Fonts and pictures are there, and were painted. A picture that is broken stays broken, which is seen below.
_SETTLE = """(async () => {
    await document.fonts.ready;
    await Promise.allSettled([...document.images].filter(i => i.loading != 'lazy').map(i => i.decode()));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
})()"""

# Every URL in the order of the document. The browser resolves them: it knows the base, and the charset of queries.
_SEEN = r"""(() => {
    const single = ['href', 'xlink:href', 'src', 'action', 'formaction', 'poster', 'data', 'background', 'data-src'];
    const several = ['srcset', 'imagesrcset', 'data-srcset'];
    const anchor = document.createElementNS('http://www.w3.org/1999/xhtml', 'a');
    const whole = value => { anchor.href = value; return anchor.href };
    const links = [];
    for (const element of document.querySelectorAll('*')) {
        if (element.localName == 'base') continue;
        for (const name of single) {
            const value = element.getAttribute(name);
            if (value === '' && name.endsWith('action')) continue;  // the page itself, whatever its base
            if (value !== null) links.push([element.localName + '/@' + name, whole(value)]);
        }
        for (const name of several)
            for (const part of (element.getAttribute(name) ?? '').split(/,\s+/))
                if (part.trim()) links.push([element.localName + '/@' + name, whole(part.trim().split(/\s+/)[0])]);
    }
    const images = [...document.images].map(image => [image.currentSrc || image.src, image.naturalWidth > 0]);
    const fonts = [...document.fonts].filter(font => font.status == 'loaded').map(font => font.family);
    const root = document.body ?? document.documentElement;
    const text = root.innerText ?? root.textContent;
    return {url: location.href, title: document.title, text, links, images, fonts};
})()"""

# The share of pixels that are not the same in both.
_DIFFERENCE = """(async (...pictures) => {
    const pixels = [];
    for (const data of pictures) {
        const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
        canvas.drawImage(image, 0, 0);
        pixels.push(new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer));
    }
    const [one, other] = pixels;
    if (one.length != other.length) return 1;
    return one.reduce((count, pixel, at) => count + (pixel != other[at]), 0) / one.length;
})"""


@dataclass(frozen=True, slots=True)
class View:
    """A page as a browser shows it."""

    url: str  # where it arrived
    title: str
    text: str
    links: Sequence[tuple[str, str]]  # where it stands, whole URL
    images: Sequence[tuple[str, bool]]  # URL, whether it is shown
    fonts: Sequence[str]  # those that came by themselves and are in use
    requests: Sequence[str]  # all URLs that were asked for, those that failed too
    failures: dict[str, str]  # URL of a request that failed: what it was for, and why
    picture: str  # a PNG, in base64

    @property
    def leaving(self) -> list[str]:
        """Requests that need a network."""
        return [url for url in self.requests if not url.startswith(_LOCAL)]


def view(browser: Browser, url: str) -> View:
    """Open a page, wait until it is all there, and look at it."""
    browser.take_events()
    frame = browser.call("Page.navigate", url=url)["frameId"]
    _arrive(browser, frame)
    seen = browser.value(_SEEN)
    picture = browser.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]
    requests, failures = traffic(browser.take_events())
    return View(**seen, requests=requests, failures=failures, picture=picture)


def difference(browser: Browser, one: View, other: View) -> float:
    """The share of pixels in which two pages differ, 0 to 1."""
    if one.picture == other.picture:
        return 0.0
    browser.call("Page.navigate", url="about:blank")
    share = browser.value(f"{_DIFFERENCE}('{one.picture}', '{other.picture}')")
    return float(share)


def _arrive(browser: Browser, frame: str) -> None:
    """Wait for the page, and for the next one if this one moves on by itself (meta refresh)."""

    def is_load(event: dict[str, Any]) -> bool:
        return bool(event["method"] == "Page.loadEventFired")

    def is_move(event: dict[str, Any]) -> bool:
        told = event["params"]
        is_scheduled = event["method"] == "Page.frameScheduledNavigation"
        return bool(is_scheduled and told["frameId"] == frame and told["delay"] < _SOON_S)

    loads = 0
    moves = 0
    while loads <= moves:
        loads += 1
        browser.await_events(loads, is_load)
        with suppress(Navigated):
            browser.value(_SETTLE)
        moves = sum(map(is_move, browser.events()))


def traffic(events: Sequence[dict[str, Any]]) -> tuple[list[str], dict[str, str]]:
    """What was asked for, and what failed of it, by these events."""
    requests: list[str] = []
    failures: dict[str, str] = {}
    url_of: dict[str, str] = {}
    for event in events:
        told = event["params"]
        match event["method"]:
            case "Network.requestWillBeSent":
                url_of[told["requestId"]] = told["request"]["url"]
                requests.append(told["request"]["url"])
            case "Network.responseReceived" if told["response"]["status"] >= 400:
                failures[told["response"]["url"]] = f"{told['type']}: {told['response']['status']}"
            case "Network.loadingFailed" if told["requestId"] in url_of:  # or else the page before was left
                reason = told.get("blockedReason") or told["errorText"]
                failures[url_of[told["requestId"]]] = f"{told['type']}: {reason}"
            case "Network.webSocketCreated" | "Network.webTransportCreated":
                requests.append(told["url"])
    return requests, failures
