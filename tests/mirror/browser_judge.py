"""A mirror beside the site that it was made of: each page is shown by both, and what differs is listed.

live     a browser that may speak to the server
kept     a browser without any network; the server has been stopped as well
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from weft.url import LinkResolver

from .browser import Browser
from .browser_view import View, difference, view

MAX_DIFFERENCE = 0.01  # of the pixels
# What a browser does not load from a disk, whatever the page: a manifest, and parts of another drawing (<use>).
# Nor does it read media further than it wants to.
_EXCUSED = ("Manifest: ", "Other: origin", "Media: net::ERR_ABORTED")


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where a mirror is, and what its URLs became."""

    folder: Path
    redirects: Mapping[str, str] = field(default_factory=dict)

    def saved(self) -> dict[str, str]:
        """The file of each URL, by the mirror's own account."""
        told = json.loads((self.folder / ".weft" / "changes.json").read_bytes())
        return {one["url"]: one["path"] for one in told["new"]}


@dataclass(frozen=True, slots=True)
class Pair:
    """A page as the server shows it, and as the mirror does."""

    path: str
    live: View
    kept: View
    difference: float


class Judge:
    """Knows what every link of a mirror should be."""

    def __init__(self, mirror: Mirror) -> None:
        self._folder = mirror.folder
        self._redirects = mirror.redirects
        self._saved = mirror.saved()

    def requests_that_leave(self, pair: Pair) -> list[str]:
        """Those that need a network, but for what the server refused: that is nowhere to be had."""
        return [f"{pair.path}: {url}" for url in pair.kept.leaving if url not in pair.live.failures]

    def missing_parts(self, pair: Pair) -> list[str]:
        """What the page needs and does not get, although the server has it."""
        excused = {self._meant(url) for url in pair.live.failures}
        missing = [
            f"{url} ({reason})"
            for url, reason in pair.kept.failures.items()
            if self._named(url) not in excused and not reason.startswith(_EXCUSED)
        ]
        missing += [
            f"{kept} is not shown, and {live} is"
            for (live, is_live), (kept, is_kept) in zip(pair.live.images, pair.kept.images, strict=True)
            if is_live and not is_kept
        ]
        missing += [f"font {font}" for font in pair.live.fonts if font not in pair.kept.fonts]
        return [f"{pair.path}: {one}" for one in missing]

    def wrong_links(self, pair: Pair) -> list[str]:
        """Links that do not lead to the file of what they led to, or away although it was saved."""
        if self._meant(pair.live.url) != self._named(pair.kept.url):
            return [f"{pair.path}: arrives at {pair.kept.url}, not {pair.live.url}"]
        if [place for place, _ in pair.live.links] != [place for place, _ in pair.kept.links]:
            return [f"{pair.path}: has other links: {pair.kept.links}, not {pair.live.links}"]
        both = zip(pair.live.links, pair.kept.links, strict=True)
        return [
            f"{pair.path}: {place} {live} became {kept}"
            for (place, live), (_, kept) in both
            if self._meant(live) != self._named(kept) or not self._is_there(kept)
        ]

    def other_texts(self, pair: Pair) -> list[str]:
        """Where the two do not say the same."""
        live, kept = (pair.live.title, pair.live.text), (pair.kept.title, pair.kept.text)
        return [] if live == kept else [f"{pair.path}: {kept!r:.500}, not {live!r:.500}"]

    def _meant(self, url: str) -> str:
        """What should stand in the mirror for a URL of the site."""
        start, mark, fragment = url.partition("#")
        end = LinkResolver(start).resolve(start) if start.startswith("http") else None
        for _ in range(10):
            end = self._redirects.get(end, end) if end else None
        return f"{self._saved[end]}{mark}{fragment}" if end in self._saved else url

    def _named(self, url: str) -> str:
        """The same for a URL that stands in the mirror."""
        start, mark, fragment = url.partition("#")
        root = self._folder.as_uri() + "/"
        return f"{unquote(start.removeprefix(root))}{mark}{fragment}" if start.startswith(root) else url

    def _is_there(self, url: str) -> bool:
        """Whether its file is on the disk, if it is one of the mirror's."""
        path = self._named(url.partition("#")[0])
        return ":" in path.partition("/")[0] or (self._folder / path).is_file()


def other_looks(pairs: Sequence[Pair], folder: Path) -> list[str]:
    """The pages that do not look the same. Pictures of both are put into the folder, to be looked at."""
    found = []
    for number, pair in enumerate(pairs):
        if pair.difference >= MAX_DIFFERENCE:
            for name, shown in ("live", pair.live), ("kept", pair.kept):
                (folder / f"{number}-{name}.png").write_bytes(base64.b64decode(shown.picture))
            found.append(f"{pair.path}: {pair.difference:.2%} differ, see {folder}/{number}-*.png")
    return found


def view_live(browser: Browser, urls: Sequence[str]) -> dict[str, View]:
    """The pages as the server shows them."""
    return {url: view(browser, url) for url in urls}


def beside(browser: Browser, mirror: Mirror, live: Mapping[str, View]) -> list[Pair]:
    """The pages of a mirror beside those."""
    pairs = []
    saved = mirror.saved()
    for url, shown in live.items():
        kept = view(browser, (mirror.folder / saved[url]).as_uri())
        pairs.append(Pair(saved[url], shown, kept, difference(browser, shown, kept)))
    return pairs


def all_faults(faults: Sequence[Sequence[str]]) -> str:
    """One text of what is wrong; empty if nothing is."""
    return "\n".join(one for some in faults for one in some)
