"""Whether a mirror works with the network off, told by its files alone: the same way for every tool.

From its first page on, each page that was saved is laid beside the page as the server has it. The links of both stand
at the same places, so a saved link tells which file the tool made of the URL that stood there. No tool's rules for
names have to be known. Links that lead nowhere on the server, too, are nobody's fault.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from bench.truth import all_links

EXAMPLES = 5
_REMEMBERED = 500_000


class Judged(msgspec.Struct, frozen=True):
    """What a mirror is worth."""

    reached: frozenset[str]  # URLs of the truth to whose files links lead
    broken: int  # files with a link that leads nowhere, or out of the mirror to what is part of the site
    examples: list[str]


def judge(folder: Path, start_url: str, truth: Mapping[str, list[str]], forbidden: tuple[str, ...] = ()) -> Judged:
    """Click through a mirror; `truth` has each URL with where its links lead, as `truth.walk` gives it.

    What begins with one of `forbidden` is on the server, but not part of the truth.
    """
    mirror = _Mirror(folder)
    origin = start_url[: start_url.index("/", len("http://"))]
    left_out = tuple(origin + path for path in forbidden)

    def is_there(url: str) -> bool:
        return url in truth or not url.startswith(origin + "/") or url.startswith(left_out)

    first = mirror.first_page()
    if first is None:
        return Judged(frozenset(), 0, [f"there is no first page in {folder}"])
    file_of = {start_url: first}
    to_visit = deque([start_url])
    broken = 0
    examples: list[str] = []
    while to_visit:
        url = to_visit.popleft()
        found, faults = _compare(mirror, file_of[url], url, truth, is_there)
        for target, file in found.items():
            if target not in file_of:
                file_of[target] = file
                to_visit.append(target)
        broken += bool(faults)
        examples += faults[: EXAMPLES - len(examples)]
    return Judged(frozenset(file_of), broken, examples)


def _compare(
    mirror: _Mirror, file: str, url: str, truth: Mapping[str, list[str]], is_there: Callable[[str], bool]
) -> tuple[dict[str, str], list[str]]:
    """The files to which a page leads, by their URLs, and what is wrong with its links."""
    before, after = truth[url], all_links(Path(file))
    if len(before) != len(after):
        return {}, [f"{file}: {len(after)} links instead of {len(before)}"]
    found: dict[str, str] = {}
    faults: list[str] = []
    for target, href in zip(before, after, strict=True):
        if target == url or not is_there(target):  # a part of the page itself, or nothing
            continue
        local = mirror.file_at(os.path.dirname(file), href)
        if local is not None and target in truth:
            found[target] = local
        elif local is None and (target in truth or not urlsplit(href).scheme):
            faults.append(f"{file}: {href}, which was {target}")
    return found, faults


class _Mirror:
    """The files of a mirror."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = {os.path.join(place, name) for place, _, names in os.walk(folder) for name in names}
        self.file_at = lru_cache(_REMEMBERED)(self._file_at)

    def first_page(self) -> str | None:
        """All tools make a folder for a host."""
        return next((str(file) for file in sorted(self._folder.glob("[!.]*/index.html"))), None)

    def _file_at(self, folder: str, href: str) -> str | None:
        """The file that a browser opens; None if it goes to the network, or finds nothing."""
        if urlsplit(href).scheme:
            return None
        path = unquote(href.partition("#")[0].partition("?")[0])
        file = os.path.normpath(os.path.join(folder, path))
        return file if file in self._files else None
