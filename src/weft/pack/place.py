"""`weft unpack`: the files of a pack in their folder, all or none.

A whole pack is unpacked into a new folder beside the one that is meant, which gets its name at the end. A pack of
changes goes into a folder that holds the earlier state:

1. The folder is compared with the earlier state, by content. Anything that differs, and nothing is done.
2. New and changed files are unpacked into `.weft/unpacking.new/`, each compared with the manifest on the way.
3. That folder is renamed to `.weft/unpacking`. From here on there is no way back, only forward.
4. What is removed is removed, what is new is moved into its place, the manifest last; then the folder of 3 goes.

Killed before 3, nothing has happened. Killed after it, the next `weft unpack` into this folder does 4 again.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from weft.errors import BadInput, DiskFull, FolderError, told_in_words
from weft.pack.check import JOURNAL, differences, manifest_of
from weft.pack.manifest import Change, Entry, Header
from weft.pack.names import MANIFEST, OWN_FOLDER
from weft.pack.reader import PackReader, save_manifest
from weft.pack.signing import SIGNATURES, Trust, check_signature
from weft.pack.walk import Advance
from weft.state import sync_path

STAGE = f"{JOURNAL}.new"
MARK = f"{OWN_FOLDER}/unpacking.whole"  # in the folder beside the one that is meant: it is weft's, and may be emptied


class Unpacked(msgspec.Struct, frozen=True):
    """What came out of a pack."""

    header: Header
    signatures: tuple[str, ...]  # those that are there
    signed_by: str  # the one that was checked


def unpack(path: Path, folder: Path, trust: Trust, advance: Advance) -> Unpacked:
    """Unpack into a folder; nothing is placed unless all is sound, and signed where that is asked for."""
    with ExitStack() as stack:
        if (folder / JOURNAL).is_dir():
            with _held(folder):
                _place(folder, advance)
            with manifest_of(folder) as done, PackReader(path) as reader:
                if done.sha256() == reader.manifest.sha256():
                    signed_by = check_signature(reader.manifest, reader.signatures, trust) if trust else ""
                    return Unpacked(reader.manifest.header, tuple(reader.signatures), signed_by)
        reader = stack.enter_context(PackReader(path))
        signed_by = check_signature(reader.manifest, reader.signatures, trust) if trust else ""
        _refuse_without_room(reader, folder)
        if reader.manifest.is_whole:
            _unpack_whole(reader, folder, advance)
        else:
            _unpack_changes(reader, folder, advance)
        return Unpacked(reader.manifest.header, tuple(reader.signatures), signed_by)


def _unpack_whole(reader: PackReader, folder: Path, advance: Advance) -> None:
    target = folder.resolve()
    if target.is_dir() and any(target.iterdir()):
        raise BadInput(f"{folder} is not empty: a whole pack is unpacked into a new folder")
    if target.exists() and not target.is_dir():
        raise BadInput(f"{folder} is a file: name a new folder")
    stage = target.with_name(f".{target.name}.unpacking")
    with told_in_words(folder):
        stage.mkdir(parents=True, exist_ok=True)
        with _held(stage):
            if not _is_own(stage):
                raise BadInput(f"{stage} is in the way, and weft has not made it: rename it, or unpack elsewhere")
            _clear(stage)  # of what one that was killed has left
            try:
                (stage / OWN_FOLDER).mkdir()
                (stage / MARK).touch()
                _extract(reader, stage, advance)
                save_manifest(reader.manifest, reader.signatures, stage)
                _sync_all(stage)
                stage.rename(target)
            except BaseException:
                with suppress(OSError):
                    _clear(stage)
                    stage.rmdir()
                raise
        (target / MARK).unlink()
        sync_path(target.parent)


def _is_own(stage: Path) -> bool:
    """Whether weft has made it: there is the mark, or nothing yet, or no longer."""
    return (stage / MARK).is_file() or all(path == stage / OWN_FOLDER for path in stage.rglob("*"))


def _clear(stage: Path) -> None:
    """Remove what is in it, the mark last: a kill on the way leaves nothing of which it is not known whose it is."""
    own = stage / OWN_FOLDER
    others = [path for path in stage.iterdir() if path != own]
    others += [path for path in own.iterdir() if path != stage / MARK] if own.is_dir() else []
    for left in others:
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    (stage / MARK).unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        own.rmdir()


def _unpack_changes(reader: PackReader, folder: Path, advance: Advance) -> None:
    if not folder.is_dir():
        raise FolderError(f"{folder} is not there, and the pack holds changes only: unpack the earlier pack first")
    with _held(folder):
        _refuse_another_state(reader, folder, advance)
        stage = folder / STAGE
        with told_in_words(folder):
            shutil.rmtree(stage, ignore_errors=True)
            stage.mkdir(parents=True)
            try:
                _extract(reader, stage / "files", advance)
                save_manifest(reader.manifest, reader.signatures, stage)
                _sync_all(stage)
            except BaseException:
                shutil.rmtree(stage, ignore_errors=True)
                raise
            stage.rename(folder / JOURNAL)
            sync_path(folder / OWN_FOLDER)
            _place(folder, advance)


def _extract(reader: PackReader, into: Path, advance: Advance) -> None:
    made = None
    for entry, member in reader.members():
        target = into / entry.path
        if target.parent != made:
            made = target.parent
            made.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            reader.copy(entry, member, out, advance)


def _refuse_another_state(reader: PackReader, folder: Path, advance: Advance) -> None:
    """Raise when the folder is not what it was when the earlier pack was made."""
    manifest = reader.manifest
    before = ((entry, _sum_before(entry)) for entry in manifest.entries())
    problem = next(differences(folder, before, advance), None)
    if problem is None:
        return
    with suppress(FolderError), manifest_of(folder) as present:
        if present.sha256() == manifest.sha256():
            raise BadInput(f"{folder} has these changes already; `weft verify {folder}` checks its files")
    raise FolderError(
        f"{folder} is not in the state that the changes begin with: {problem.file}: {problem.what}; nothing was changed"
    )


def _sum_before(entry: Entry) -> str:
    match entry.change:
        case Change.SAME:
            return entry.sha256
        case Change.NEW:
            return ""
        case Change.CHANGED | Change.REMOVED:
            return entry.was


def _place(folder: Path, advance: Advance) -> None:
    """Step 4; it may be done again from its beginning, whatever of it was done before."""
    journal = folder / JOURNAL
    with manifest_of(journal) as manifest, told_in_words(folder):
        for entry in manifest.entries():
            if entry.change is Change.REMOVED:
                _remove(folder, entry.path)
                advance(0)
        for entry in manifest.held():
            staged = journal / "files" / entry.path
            if staged.exists():
                target = folder / entry.path
                target.parent.mkdir(parents=True, exist_ok=True)
                staged.replace(target)
                advance(0)
    with told_in_words(folder):
        for name in SIGNATURES.values():
            if (journal / name).is_file():
                shutil.copyfile(journal / name, folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
        shutil.copyfile(journal / MANIFEST, folder / MANIFEST)
        _sync_all(folder)
        journal.rename(folder / STAGE)  # so that it is gone at once
    shutil.rmtree(folder / STAGE, ignore_errors=True)


def _remove(folder: Path, path: str) -> None:
    """Remove a file, and the folders that it leaves empty. What a later step put there stays."""
    target = folder / path
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        target.unlink()
    for parent in target.parents:
        if parent == folder:
            break
        try:
            parent.rmdir()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            break


def _refuse_without_room(reader: PackReader, folder: Path) -> None:
    there = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.is_dir())
    wanted_bytes = reader.manifest.header.packed_bytes
    if shutil.disk_usage(there).free < wanted_bytes:
        raise DiskFull(f"there is no room for {wanted_bytes:,} bytes in {there}")


def _sync_all(folder: Path) -> None:
    """Make all that was written to this file system safe: one call, where file by file takes many times as long."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(fd):
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    finally:
        os.close(fd)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Alone in the folder."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise FolderError(f"another process is unpacking into {folder}") from None
    finally:
        os.close(fd)
