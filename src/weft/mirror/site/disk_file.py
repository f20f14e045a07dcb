"""A file of the mirror on the disk: written under another name and renamed, or left alone if it is the same."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import accumulate, islice
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
        self._own = ("", True)  # the folder that was looked at last, and whether no link leads to it

    def is_untouched(self, path: str, since_ns: int) -> bool:
        """Whether there is such a file, and nobody has changed anything of it since then."""
        try:
            facts = os.lstat(f"{self._root}/{path}")
        except OSError:
            return False
        return S_ISREG(facts.st_mode) and facts.st_ctime_ns < since_ns and self._is_in_here(path)

    def folder_number(self, folder: str) -> int | None:
        """What tells a folder from another one that was moved to its place; None if there is none."""
        try:
            return os.lstat(f"{self._root}/{folder}").st_ino
        except OSError:
            return None

    def save(
        self, path: str, pieces: bytes | Iterable[bytes], last_modified: bytes = b"", *, keeps_old: bool = False
    ) -> bool:
        """Make the file be this; returns whether it was something else, or nothing, before."""
        final = f"{self._root}/{path}"
        with told_in_words(final):
            self._make_folder(path)
            if isinstance(pieces, bytes) and _is_same(final, pieces):
                return False
            part = half_written(final)
            try:
                _write_part(part, (pieces,) if isinstance(pieces, bytes) else pieces, last_modified)
                if not isinstance(pieces, bytes) and _are_same(final, part):
                    os.unlink(part)
                    return False
                if keeps_old and self._version is not None:
                    self._version.keep(path)
                _take_place(part, final)
            except BaseException:  # whatever it was: no half of a file stays
                with suppress(OSError):
                    os.unlink(part)
                raise
        return True

    def delete(self, path: str) -> bool:
        """Remove a file, and the folders that are empty without it."""
        final = Path(self._root, path)
        if not self._is_in_here(path):
            return False
        if self._version is not None:
            self._version.keep(path)
        with told_in_words(final):
            try:
                _remove(final)
            except (FileNotFoundError, NotADirectoryError):
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

    def _is_in_here(self, path: str) -> bool:
        """Whether no link on the way to a file leads to somewhere else, where things are not ours."""
        folder = path.rpartition("/")[0]
        if folder != self._own[0]:
            self._own = folder, not any(map(os.path.islink, self._ways_to(folder)))
        return self._own[1]

    def _make_folder(self, path: str) -> None:
        """The folder of a file, with folders in the places of links."""
        folder = path.rpartition("/")[0]
        if folder == self._made:
            return
        if not self._is_in_here(path):
            for way in self._ways_to(folder):
                _unlink_if_link(way)
            self._own = folder, True
        with told_in_words(f"{self._root}/{folder}"):  # where a file is in its way, the folder says which
            os.makedirs(f"{self._root}/{folder}", exist_ok=True)
        self._made = folder

    def _ways_to(self, folder: str) -> Iterable[str]:
        """The folders on the way to one, and itself. The mirror's own may well be a link: the user has named it."""
        return islice(accumulate(folder.split("/"), "{}/{}".format, initial=self._root), 1, None)


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


def _unlink_if_link(path: str) -> None:
    with suppress(FileNotFoundError, IsADirectoryError):  # another writer was here first
        if os.path.islink(path):
            os.unlink(path)


def _remove(path: Path) -> None:
    """A file, or an empty folder that somebody made in its place; files in that stay, and so does it."""
    try:
        path.unlink()
    except IsADirectoryError:
        with suppress(OSError):
            path.rmdir()


def _take_place(part: str, final: str) -> None:
    """What is there is replaced; a folder if it is empty."""
    try:
        os.replace(part, final)
    except IsADirectoryError:
        os.rmdir(final)
        os.replace(part, final)


def _is_same(path: str, data: bytes) -> bool:
    """Not if it cannot be read: then it is written again."""
    with suppress(OSError):
        if _has_length(path, len(data)):
            with open(path, "rb", buffering=0) as file:
                return file.read() == data
    return False


def _are_same(path: str, other: str) -> bool:
    with suppress(OSError):
        if _has_length(path, os.stat(other).st_size):
            with open(path, "rb") as one, open(other, "rb") as two:
                return all(piece == two.read(COMPARED_BYTES) for piece in iter(lambda: one.read(COMPARED_BYTES), b""))
    return False


def _has_length(path: str, size_bytes: int) -> bool:
    """Whether it is a plain file, and no link to one, of this length."""
    facts = os.lstat(path)
    return S_ISREG(facts.st_mode) and facts.st_size == size_bytes


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
