"""The files of a folder, sorted by path, one at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

from weft.errors import BadInput, FolderError
from weft.pack.manifest import shown
from weft.pack.names import OWN_FOLDER

CHUNK_BYTES: Final = 1 << 18
_PARTS_OF_A_CRAWL: Final = ("archive", "state")

Advance = Callable[[int], None]


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each file below a folder but weft's own, with its path in the folder.

    BadInput for what is no plain file, and for a crawl, whose settings may hold passwords.
    """
    refuse_crawl(folder, "makes one file of it")
    try:
        waiting = [iter(_names_in(folder))]
        prefixes = [""]
        while waiting:
            name = next(waiting[-1], None)
            if name is None:
                waiting.pop()
                prefixes.pop()
                continue
            path = f"{prefixes[-1]}{name}"
            if path.endswith("/"):
                waiting.append(iter(_names_in(folder / path)))
                prefixes.append(path)
            else:
                yield path, _plain(folder / path)
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise FolderError(f"cannot read {error.filename}: {error.strerror}") from error


def _names_in(folder: Path) -> list[str]:
    """Sorted, folders with a slash behind them: then the order of the names is the order of the whole paths."""
    with os.scandir(folder) as found:
        names = sorted(f"{one.name}/" if one.is_dir(follow_symlinks=False) else one.name for one in found)
    if "state/" in names:
        refuse_crawl(folder, "makes one file of it")
    return [name for name in names if name != f"{OWN_FOLDER}/"]


def is_crawl(folder: Path) -> bool:
    """Whether it is the folder of a crawl, which is not for others to see; its archive may lie elsewhere by now."""
    state = folder / "state"
    return (state / "config.json").is_file() and ((folder / "archive").is_dir() or (state / "lock").is_file())


def refuse_crawl(folder: Path, what_wacz_does: str) -> None:
    """BadInput for a crawl, or what is inside of one."""
    crawl = folder if is_crawl(folder) else _crawl_around(folder.resolve())
    if crawl is not None:
        what = "a crawl" if crawl is folder else "part of a crawl"
        raise BadInput(f"{folder} is {what}, not a mirror: `weft export {crawl} --to wacz` {what_wacz_does}")


def _crawl_around(folder: Path) -> Path | None:
    ways = pairwise((folder, *folder.parents))
    return next((outer for inner, outer in ways if inner.name in _PARTS_OF_A_CRAWL and is_crawl(outer)), None)


def _plain(path: Path) -> Path:
    if not S_ISREG(path.lstat().st_mode):
        raise BadInput(f"{shown(str(path))} is no plain file but a link or a device, which no pack can hold")
    return path


def open_plain(path: Path) -> BinaryIO:
    """The file, and never what a link in its place leads to."""
    try:
        return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb", buffering=0)
    except PermissionError as error:
        raise FolderError(f"cannot read {path}: {error.strerror}") from error


def sha256_of(path: Path, advance: Advance) -> str:
    """The checksum of a file's content."""
    digest = hashlib.sha256()
    with open_plain(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()
