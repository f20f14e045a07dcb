"""Pages that others wrote: the documentation installed on this machine, of several generators."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

from tests.html_files import html_files

FOLDER = Path("/usr/share/doc")


def real_pages(count: int, max_bytes: int) -> Iterator[bytes]:
    """Up to so many pages, none larger than that; each package in turn gives one, so that all generators are there."""
    by_package: dict[str, list[Path]] = {}
    for path in html_files(FOLDER):
        by_package.setdefault(path.relative_to(FOLDER).parts[0], []).append(path)
    for paths in by_package.values():
        random.Random(1).shuffle(paths)
    found = 0
    for path in chain.from_iterable(zip_longest(*by_package.values())):
        if path is not None and 0 < path.stat().st_size <= max_bytes:
            yield path.read_bytes()
            found += 1
            if found == count:
                return
