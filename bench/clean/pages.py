"""The pages of the bench: whole real ones of 30 to 50 KB, each under several addresses until there are enough."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.parse import decode

FOLDER = Path(".peers/pages")
SUFFIXES = (".html", ".htm")
SMALLEST_BYTES, LARGEST_BYTES = 30_000, 50_000
MOST_OF_ONE = 150  # pages of a package: one generator should not be most of them
SEED = 4
NUL = "\0"


class NoPages(Exception):
    """There is nothing to clean here."""


@dataclass(slots=True, frozen=True)
class Page:
    """What the paper calls a Page: key and value of a row."""

    url: str
    content: str


@dataclass(slots=True, frozen=True)
class Corpus:
    """Distinct pages, in an order that mixes their origins."""

    pages: Sequence[Page]
    origins: dict[str, int]  # how many pages each package gave

    @property
    def mean_bytes(self) -> float:
        """Of a page in UTF-8."""
        return sum(len(page.content.encode()) for page in self.pages) / len(self.pages)

    def repeated(self, count: int) -> Iterator[Page]:
        """So many pages: all of them again and again, under other addresses."""
        for number in range(count):
            page = self.pages[number % len(self.pages)]
            yield Page(f"http://pages.example/{number // len(self.pages)}/{page.url}", page.content)

    def described(self) -> str:
        """The pages in one sentence."""
        told = ", ".join(f"{name} {count}" for name, count in sorted(self.origins.items()))
        size_kb = self.mean_bytes / 1000
        return f"{len(self.pages):,} distinct pages of {size_kb:.1f} KB on average, by Debian package: {told}"


def read_corpus(folder: Path) -> Corpus:
    """The fitting pages below a folder of unpacked packages."""
    paths, mix = _fitting(folder), random.Random(SEED).shuffle
    mix(paths)
    pages: list[Page] = []
    origins: Counter[str] = Counter()
    for path in paths:
        name = path.relative_to(folder).as_posix()
        origin = origin_of(name)
        if origins[origin] >= MOST_OF_ONE:
            continue
        content = decode(path.read_bytes(), "text/html")[0]
        if NUL not in content:  # PostgreSQL takes none
            pages.append(Page(name, content))
            origins[origin] += 1
    if not pages:
        raise NoPages(f"there are no pages of {SMALLEST_BYTES:,} to {LARGEST_BYTES:,} bytes below {folder}")
    mix(pages)  # again: of a package with many pages the first ones were taken
    return Corpus(pages, dict(origins))


def origin_of(path: str) -> str:
    """The package that a file belongs to, told from its path below usr/share."""
    parts = path.removeprefix("usr/share/").split("/")
    return parts[1] if parts[0] == "doc" and len(parts) > 2 else parts[0]


def _fitting(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES
        and path.is_file()
        and not path.is_symlink()
        and SMALLEST_BYTES <= path.stat().st_size <= LARGEST_BYTES
    ]
