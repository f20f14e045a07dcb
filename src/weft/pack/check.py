"""`weft verify`: whether a pack, or a folder made from one, is what its manifest says, and who signed that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from weft.errors import FolderError
from weft.pack.damage import DamagedPack
from weft.pack.manifest import Entry, Header, Manifest, shown, side_by_side
from weft.pack.names import MANIFEST, OWN_FOLDER
from weft.pack.reader import PackReader
from weft.pack.signing import MAX_SIGNATURE_BYTES, SIGNATURES, Trust, check_signature
from weft.pack.walk import Advance, files_of, sha256_of

JOURNAL: Final = f"{OWN_FOLDER}/unpacking"  # there while an unpacking that may not be given up is under way
MAX_PROBLEMS: Final = 1_000


class Problem(msgspec.Struct, frozen=True):
    """A file that is not what it should be."""

    file: str
    what: str


class Verdict(msgspec.Struct, frozen=True):
    """What came of looking at all files."""

    header: Header
    problems: tuple[Problem, ...]
    signatures: tuple[str, ...]  # those that are there
    signed_by: str = ""  # whose was checked

    @property
    def is_sound(self) -> bool:
        """Whether all is as it should be."""
        return not self.problems


def verify_pack(path: Path, trust: Trust, advance: Advance) -> Verdict:
    """Look at each byte of a pack. What makes the rest unreadable is raised as DamagedPack."""
    with PackReader(path) as reader:
        signed_by = check_signature(reader.manifest, reader.signatures, trust) if trust else ""
        problems = _first(_problems_of(reader, advance))
        return Verdict(reader.manifest.header, problems, tuple(reader.signatures), signed_by)


def verify_folder(folder: Path, trust: Trust, advance: Advance) -> Verdict:
    """Compare a folder with the manifest that came with its files."""
    if (folder / JOURNAL).exists():
        raise FolderError(f"an unpacking into {folder} was cut off; the same `weft unpack` again finishes it")
    with manifest_of(folder) as manifest:
        found = {name: folder / name for name in SIGNATURES.values() if (folder / name).is_file()}
        signed_by = (
            check_signature(manifest, {name: _short(path) for name, path in found.items()}, trust) if trust else ""
        )
        problems = _first(differences(folder, ((entry, entry.sha256) for entry in manifest.state()), advance))
        return Verdict(manifest.header, problems, tuple(found), signed_by)


@contextmanager
def manifest_of(folder: Path) -> Iterator[Manifest]:
    """The manifest in a folder that was unpacked."""
    try:
        file = (folder / MANIFEST).open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise FolderError(f"{folder} is no folder that was unpacked: it has no {MANIFEST}") from None
    with file:
        yield Manifest(file)


def differences(folder: Path, wanted: Iterator[tuple[Entry, str]], advance: Advance) -> Iterator[Problem]:
    """How a folder differs from what is wanted: paths with the SHA-256 that they should have, empty for none."""
    expected = ((entry.path, (entry, sha256)) for entry, sha256 in wanted if sha256)
    for path, file, entry_and_sum in side_by_side(files_of(folder), expected):
        if entry_and_sum is None:
            yield Problem(shown(path), "it is not in the manifest")
        elif file is None:
            yield Problem(path, "it is missing")
        else:
            entry, sha256 = entry_and_sum
            of_other_size = sha256 == entry.sha256 and file.stat().st_size != entry.bytes
            if of_other_size or sha256_of(file, advance) != sha256:
                yield Problem(path, "its content differs from what the manifest says")


def _problems_of(reader: PackReader, advance: Advance) -> Iterator[Problem]:
    for entry, member in reader.members():
        try:
            reader.copy(entry, member, None, advance)
        except DamagedPack as error:
            yield Problem(error.file, error.what)


def _first(problems: Iterator[Problem]) -> tuple[Problem, ...]:
    """The first ones: nobody reads more, and memory is bounded."""
    return tuple(problem for problem, _ in zip(problems, range(MAX_PROBLEMS), strict=False))


def _short(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_SIGNATURE_BYTES)
