"""A file without a name, until it is whole: not even a killed process leaves half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from weft.errors import BadInput, told_in_words
from weft.state import sync_path

_HAS_NO_NAMELESS: Final = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)


@contextmanager
def appears_whole(path: Path, *, replaces: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, for a user who asked for it: what is there already stays, and what goes wrong is told."""
    refuse_to_replace(path, replaces=replaces)
    with told_in_words(path), appearing_whole(path) as out:
        yield out


@contextmanager
def appearing_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends well, and is on the disk by then."""
    fd, temporary = _open_nameless(path)
    try:
        with os.fdopen(fd, "w+b") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
            if temporary is None and not _gets_name(out.fileno(), path):
                temporary = path.absolute().with_name(f".{path.name}.part")
                temporary.unlink(missing_ok=True)  # of a process that was killed here
                _gets_name(out.fileno(), temporary)
            if temporary is not None:
                temporary.replace(path)
            sync_path(path.absolute().parent)
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def refuse_to_replace(path: Path, *, replaces: bool) -> None:
    """Raise BadInput when something is there already that must stay."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if path.exists() and not replaces:
        raise BadInput(f"{path} is there already; --force replaces it")


def _gets_name(fd: int, path: Path) -> bool:
    """Whether the file has this name now: not if another one has it."""
    # Only with a folder's descriptor, of which an absolute path makes no use, Python asks for links to be followed.
    folder_fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=folder_fd, follow_symlinks=True)
    except FileExistsError:
        return False
    finally:
        os.close(folder_fd)
    return True


def _open_nameless(path: Path) -> tuple[int, Path | None]:
    """A new file beside `path`, and its name for now, if the file system cannot do without one."""
    folder = path.absolute().parent
    try:
        fd = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno not in _HAS_NO_NAMELESS or not folder.is_dir():
            raise
        fd, name = tempfile.mkstemp(dir=folder, prefix=f".{path.name}.")
        os.fchmod(fd, 0o644)
        return fd, Path(name)
    return fd, None
