"""Where an export goes: a file that appears under its name once it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from weft.errors import BadInput, told_in_words


@contextmanager
def appears_whole(path: Path, *, replaces: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends well and is gone when it does not."""
    refuse_to_replace(path, replaces=replaces)
    temporary = path.with_name(path.name + ".tmp")
    with told_in_words(path):
        out = temporary.open("wb")
    try:
        with told_in_words(path), out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def refuse_to_replace(path: Path, *, replaces: bool) -> None:
    """Raise BadInput when something is there already that must stay."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if path.exists() and not replaces:
        raise BadInput(f"{path} is there already; --force replaces it")
