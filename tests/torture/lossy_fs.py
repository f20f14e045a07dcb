"""A disk that loses what was not synced: files and folders as a power cut may leave them.

It knows of every change whether an fsync has returned since. What has, stays. Of the rest a cut keeps what the chance
of the moment decides, as far as a real disk could:

    of a file      its first changes, the last of them perhaps in part; or all of them with some blocks left zero
    of a folder    its first changes: names that came, went or were exchanged

A name is safe only when its folder was synced, however often its file was: POSIX promises no more, though most file
systems do more.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

BLOCK_BYTES = 4096

Fate = Literal["synced", "torn", "full"]  # what of the changes that were not synced reaches the disk: none, some, all


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes in their place."""

    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class CutTo:
    """A file has a new length."""

    size: int


Change = Written | CutTo


@dataclass(slots=True, eq=False)
class File:
    """Its content as of the last sync, and what has changed since."""

    safe: bytearray = field(default_factory=bytearray)
    changes: list[Change] = field(default_factory=list)
    made_safe: int = 0  # how many changes there were before these

    def mark(self) -> int:
        """How many changes there were so far: what a sync that begins now makes safe."""
        return self.made_safe + len(self.changes)

    def sync(self, mark: int) -> None:
        """The changes up to the mark are safe now."""
        count = max(0, mark - self.made_safe)
        _apply(self.safe, self.changes[:count])
        del self.changes[:count]
        self.made_safe += count

    def unsynced_bytes(self) -> int:
        """What a power cut may take."""
        return sum(len(change.data) for change in self.changes if isinstance(change, Written))

    def full(self) -> bytearray:
        """What the programs see."""
        return self._with(self.changes)

    def after_cut(self, fate: Fate, chance: random.Random) -> bytearray:
        """What is there when the power is back."""
        if fate == "synced" or not self.changes:
            return bytearray(self.safe)
        if fate == "full":
            return self.full()
        kept = self.changes[: chance.randint(0, len(self.changes) - 1)]
        torn = self.changes[len(kept)]
        if isinstance(torn, Written):
            kept.append(Written(torn.offset, torn.data[: chance.randint(0, max(0, len(torn.data) - 1))]))
        content = self._with(kept)
        if chance.random() < 0.25:  # the length was written, but not every block
            written = [(c.offset, c.offset + len(c.data)) for c in kept if isinstance(c, Written)]
            _leave_out_blocks(content, written, chance)
        return content

    def _with(self, changes: list[Change]) -> bytearray:
        content = bytearray(self.safe)
        _apply(content, changes)
        return content


def _apply(content: bytearray, changes: list[Change]) -> None:
    for change in changes:
        if isinstance(change, CutTo):
            _set_length(content, change.size)
        else:
            if change.offset > len(content):
                _set_length(content, change.offset)
            content[change.offset : change.offset + len(change.data)] = change.data


def _set_length(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


def _leave_out_blocks(content: bytearray, written: list[tuple[int, int]], chance: random.Random) -> None:
    """Zeros, in whole blocks, wherever something new was written."""
    for start, end in written:
        block = start // BLOCK_BYTES * BLOCK_BYTES
        if chance.random() < 0.3:
            first = max(start, block)
            last = min(end, block + BLOCK_BYTES, len(content))
            content[first:last] = bytes(max(0, last - first))


Names = dict[str, "File | Folder"]


@dataclass(slots=True, eq=False)
class Folder:
    """Names as of the last sync, those of now, and the steps between them."""

    safe: Names = field(default_factory=dict)
    now: Names = field(default_factory=dict)
    changes: list[dict[str, File | Folder | None]] = field(default_factory=list)
    made_safe: int = 0

    def mark(self) -> int:
        """How many changes there were so far."""
        return self.made_safe + len(self.changes)

    def change(self, names: dict[str, File | Folder | None]) -> None:
        """Names come (or lead elsewhere) and go, all in one."""
        _rename(self.now, names)
        self.changes.append(names)

    def sync(self, mark: int) -> None:
        """The changes up to the mark are safe now."""
        count = max(0, mark - self.made_safe)
        for names in self.changes[:count]:
            _rename(self.safe, names)
        del self.changes[:count]
        self.made_safe += count

    def after_cut(self, fate: Fate, chance: random.Random) -> Names:
        """What is there when the power is back."""
        if fate == "full":
            return dict(self.now)
        names = dict(self.safe)
        if fate == "torn":
            for change in self.changes[: chance.randint(0, len(self.changes))]:
                _rename(names, change)
        return names


def _rename(names: Names, changes: dict[str, File | Folder | None]) -> None:
    for name, node in changes.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


Fates = Callable[[PurePosixPath, "File | Folder"], Fate]


def all_kept(path: PurePosixPath, node: File | Folder) -> Fate:
    """No power cut: what a killed process leaves."""
    return "full"


def all_lost(path: PurePosixPath, node: File | Folder) -> Fate:
    """The worst of cuts: only what is safe."""
    return "synced"


class LossyDisk:
    """All that is below one folder. Paths are relative to it."""

    def __init__(self, base: Path) -> None:
        """Whatever is there at the beginning is safe."""
        self.root = _safe_copy(base)

    def find(self, path: PurePosixPath) -> File | Folder | None:
        """What is there now, for programs."""
        node: File | Folder | None = self.root
        for part in path.parts:
            node = node.now.get(part) if isinstance(node, Folder) else None
        return node

    def file(self, path: PurePosixPath) -> File:
        """The file of that name, which must be there."""
        node = self.find(path)
        assert isinstance(node, File), path
        return node

    def folder_of(self, path: PurePosixPath) -> Folder:
        """The folder that a name is in."""
        node = self.find(path.parent)
        assert isinstance(node, Folder), path
        return node

    def create(self, path: PurePosixPath) -> File:
        """The file of that name; a new one if there is none."""
        node = self.find(path)
        if not isinstance(node, File):
            node = File()
            self.folder_of(path).change({path.name: node})
        return node

    def make_folder(self, path: PurePosixPath) -> None:
        """A new, empty folder."""
        self.folder_of(path).change({path.name: Folder()})

    def remove(self, path: PurePosixPath) -> None:
        """A name goes."""
        self.folder_of(path).change({path.name: None})

    def rename(self, old: PurePosixPath, new: PurePosixPath) -> None:
        """A name is exchanged for another, in one step if the folder is the same."""
        node = self.find(old)
        assert node is not None, old
        if old.parent == new.parent:
            self.folder_of(old).change({old.name: None, new.name: node})
        else:
            self.folder_of(new).change({new.name: node})
            self.folder_of(old).change({old.name: None})

    def write_image(self, place: Path, fates: Fates, chance: random.Random) -> None:
        """Put into an empty folder what a power cut at this moment leaves."""
        _write_folder(self.root, place, PurePosixPath(), fates, chance)


def _safe_copy(path: Path) -> Folder:
    folder = Folder()
    for entry in path.iterdir():
        folder.safe[entry.name] = _safe_copy(entry) if entry.is_dir() else File(bytearray(entry.read_bytes()))
    folder.now = dict(folder.safe)
    return folder


def _write_folder(folder: Folder, place: Path, path: PurePosixPath, fates: Fates, chance: random.Random) -> None:
    for name, node in sorted(folder.after_cut(fates(path, folder), chance).items()):
        if isinstance(node, File):
            (place / name).write_bytes(node.after_cut(fates(path / name, node), chance))
        else:
            (place / name).mkdir()
            _write_folder(node, place / name, path / name, fates, chance)
