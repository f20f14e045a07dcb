"""The WARC files of a crawl by their names, when no database tells of them."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from weft.regex import regex
from weft.store.open_file import OPEN_SUFFIX

_NAME = regex(rf"weft-\d{{14}}-(?:[a-z0-9-]+-)?(\d{{5,}})\.warc\.gz(?:{re.escape(OPEN_SUFFIX)})?")


def warc_files(archive: Path) -> list[tuple[int, Path]]:
    """Each file with a number that no other has: files of several crawls, put together, may bear the same.

    What a backup in two goes leaves, a file and a copy from before it had its final name, is one file.
    """
    found = {path.name: (int(match[1]), path) for path in archive.iterdir() if (match := _NAME.fullmatch(path.name))}
    by_number: dict[int, Path] = {}
    others: list[Path] = []
    for name, (number, path) in sorted(found.items()):
        if name.endswith(OPEN_SUFFIX) and name.removesuffix(OPEN_SUFFIX) in found:
            continue
        if by_number.setdefault(number, path) != path:
            others.append(path)
    return [*by_number.items(), *zip(count(max(by_number, default=0) + 1), others, strict=False)]
