"""A file of the mirror on the disk: written under another name and renamed, or left alone if it is the same."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from weft.errors import told_in_words
from weft.mirror.paths import half_written
from weft.mirror.site.versions import Version

COMPARED_BYTES = 1024 * 1024


class MirrorFiles:
    """Writes files below one folder."""

    def __init__(self, root: Path, version: Version | None = None) -> None:
        self._root = str(root)
        self._version = version  # keeps what is replaced or removed; None: nobody does
        self._made = ""  # the folder that was made last

    def is_untouched(self, path: str, since_ns: int) -> bool:
        """Whether there is such a file, and nobody has changed anything of it since then."""
        try:
            facts = os.stat(f"{self._root}/{path}")
        except OSError:
            return False
        return S_ISREG(facts.st_mode) and facts.st_ctime_ns < since_ns

    def save(
        self, path: str, pieces: bytes | Iterable[bytes], last_modified: bytes = b"", *, keeps_old: bool = False
    ) -> bool:
        """Make the file be this; returns whether it was something else, or nothing, before."""
        final = f"{self._root}/{path}"
        with told_in_words(final):
            if isinstance(pieces, bytes) and _is_same(final, pieces):
                return False
            self._make_folder(final[: final.rindex("/")])
            part = half_written(final)
            try:
                _write_part(part, (pieces,) if isinstance(pieces, bytes) else pieces, last_modified)
            except BaseException:  # whatever it was: no half of a file stays
                with suppress(OSError):
                    os.unlink(part)
                raise
            if not isinstance(pieces, bytes) and _are_same(final, part):
                os.unlink(part)
                return False
            if keeps_old and self._version is not None:
                self._version.keep(path)
            os.replace(part, final)
        return True

    def delete(self, path: str) -> bool:
        """Remove a file, and the folders that are empty without it."""
        final = Path(self._root, path)
        if self._version is not None:
            self._version.keep(path)
        with told_in_words(final):
            try:
                final.unlink()
            except FileNotFoundError:
                return False
            root = Path(self._root)
            for folder in final.parents:
                if folder == root:
                    break
                try:
                    folder.rmdir()
                except OSError:  # not empty
                    break
        return True

    def _make_folder(self, folder: str) -> None:
        if folder != self._made:
            os.makedirs(folder, exist_ok=True)
            self._made = folder


def _write_part(part: str, pieces: Iterable[bytes], last_modified: bytes) -> None:
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        for piece in pieces:
            _write(fd, piece)
        _set_time(fd, last_modified)
    finally:
        os.close(fd)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _is_same(path: str, data: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(data):
            return False
        with open(path, "rb", buffering=0) as file:
            return file.read() == data
    except FileNotFoundError:
        return False


def _are_same(path: str, other: str) -> bool:
    try:
        if os.stat(path).st_size != os.stat(other).st_size:
            return False
    except FileNotFoundError:
        return False
    with open(path, "rb") as one, open(other, "rb") as two:
        while piece := one.read(COMPARED_BYTES):
            if piece != two.read(COMPARED_BYTES):
                return False
    return True


def _set_time(fd: int, last_modified: bytes) -> None:
    """The time that the server told, if it is one."""
    if (at := _time_of(last_modified)) is not None:
        with suppress(OverflowError, OSError):
            os.utime(fd, (at, at))


@lru_cache(maxsize=256)  # files of a site are often put there all at once
def _time_of(last_modified: bytes) -> float | None:
    try:
        return parsedate_to_datetime(last_modified.decode("latin-1")).timestamp() if last_modified else None
    except (ValueError, OverflowError, OSError):
        return None
