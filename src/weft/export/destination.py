"""Where an export goes: a file that appears under its name once it is whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weft.errors import BadInput, told_in_words
from weft.store.whole_file import appearing_whole


@contextmanager
def appears_whole(path: Path, *, replaces: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends well and is gone when it does not."""
    refuse_to_replace(path, replaces=replaces)
    with told_in_words(path), appearing_whole(path) as out:
        yield out


def refuse_to_replace(path: Path, *, replaces: bool) -> None:
    """Raise BadInput when something is there already that must stay."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if path.exists() and not replaces:
        raise BadInput(f"{path} is there already; --force replaces it")
