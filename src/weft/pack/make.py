"""`weft pack`: a folder becomes one file."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import IO, BinaryIO, Final

import msgspec

from weft._version import __version__
from weft.errors import BadInput, FolderError
from weft.media.endings import type_by_name
from weft.pack.density import is_worth_packing
from weft.pack.manifest import VERSION, Change, Entry, Header, Manifest, line_of, shown, side_by_side
from weft.pack.names import MANIFEST, OWN_FOLDER, Tree, refusal_of
from weft.pack.reader import PackReader
from weft.pack.signing import sign
from weft.pack.walk import CHUNK_BYTES, Advance, files_of, open_plain, sha256_of
from weft.pack.writer import ChangedMeanwhile, ZipWriter
from weft.regex import regex
from weft.whole_file import appears_whole

# As `weft mirror` lays out its folder.
MIRROR_CONFIG: Final = f"{OWN_FOLDER}/state/config.json"
MIRROR_LOCK: Final = f"{OWN_FOLDER}/state/lock"
HALF_WRITTEN: Final = regex(r"(?:.*/)?\.[^/]*\.part", re.DOTALL)

_ZIP_START: Final = b"PK"
MOST_SOURCES: Final = 100  # that the manifest names
MOST_SOURCES_BYTES: Final = 1 << 15  # together, as JSON: half of what its first line may have


class Packed(msgspec.Struct, frozen=True):
    """What a pack holds."""

    header: Header
    pack_bytes: int
    signed_by: str = ""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How a pack is to be made."""

    since: Path | None = None
    signing_key: Path | None = None
    sources: Sequence[str] = ()
    replaces: bool = False


def pack_folder(folder: Path, out: Path, wanted: Wanted, advance: Advance) -> Packed:
    """Write all files of a folder, or what changed `since` an earlier pack, into the file `out`."""
    _refuse_what_is_no_mirror(folder)
    if out.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"{out} lies in the folder that is packed: name a file elsewhere")
    with ExitStack() as stack:
        earlier = stack.enter_context(_earlier_manifest(wanted.since)) if wanted.since else None
        file = stack.enter_context(appears_whole(out, replaces=wanted.replaces))
        return _Packing(folder, wanted, earlier, advance).write(file, out.absolute().parent)


class _Packing:
    """One pack as it is made."""

    def __init__(self, folder: Path, wanted: Wanted, earlier: Manifest | None, advance: Advance) -> None:
        self._folder = folder
        self._wanted = wanted
        self._earlier = earlier
        self._advance = advance

    def write(self, out: BinaryIO, scratch: Path) -> Packed:
        """Write files, manifest, signature and list."""
        with ExitStack() as stack:
            lines = stack.enter_context(tempfile.TemporaryFile(dir=scratch))
            whole = stack.enter_context(tempfile.TemporaryFile(dir=scratch))
            zip_file = stack.enter_context(closing(ZipWriter(out, scratch)))
            header = self._add_files(zip_file, lines)
            whole.write(line_of(header))
            lines.seek(0)
            shutil.copyfileobj(lines, whole, CHUNK_BYTES)
            _add_own(zip_file, MANIFEST, whole)
            signed_by = ""
            if self._wanted.signing_key:
                signed_by, signature = sign(whole, self._wanted.signing_key)
                with tempfile.TemporaryFile(dir=scratch) as spool:
                    spool.write(signature)
                    _add_own(zip_file, signed_by, spool)
            return Packed(header, zip_file.finish(), signed_by)

    def _add_files(self, zip_file: ZipWriter, lines: IO[bytes]) -> Header:
        counts = dict.fromkeys(Change, 0)
        files = size_bytes = packed_bytes = 0
        for entry in self._entries(zip_file):
            lines.write(line_of(entry))
            counts[entry.change] += 1
            if entry.change is not Change.REMOVED:
                files += 1
                size_bytes += entry.bytes
                packed_bytes += entry.bytes if self._is_held(entry) else 0
        all_sources = self._wanted.sources or _sources_of(self._folder)
        sources = _first_of(all_sources)
        return Header(
            weft_pack=VERSION,
            made_at=_now(),
            made_by=f"weft {__version__}",
            sources=sources,
            more_sources=len(all_sources) - len(sources),
            since=self._earlier.sha256() if self._earlier else None,
            files=files,
            bytes=size_bytes,
            packed_files=counts[Change.NEW] + counts[Change.CHANGED] if self._earlier else files,
            packed_bytes=packed_bytes,
            new=counts[Change.NEW],
            changed=counts[Change.CHANGED],
            removed=counts[Change.REMOVED],
        )

    def _files(self) -> Iterator[tuple[str, Path]]:
        """All files, but not what a mirror that was killed had half written."""
        is_mirror = (self._folder / MIRROR_CONFIG).is_file()
        return (found for found in files_of(self._folder) if not (is_mirror and HALF_WRITTEN.fullmatch(found[0])))

    def _is_held(self, entry: Entry) -> bool:
        return self._earlier is None or entry.change is not Change.SAME

    def _entries(self, zip_file: ZipWriter) -> Iterator[Entry]:
        """A line a file; the content of those that belong into the pack is written on the way."""
        tree = Tree()
        known = ((entry.path, entry) for entry in self._earlier.state()) if self._earlier else ()
        for path, file, before in side_by_side(self._files(), known):
            if file is None:
                assert before is not None
                yield Entry(path, change=Change.REMOVED, was=before.sha256)
                continue
            why = refusal_of(path) or tree.refusal_of(path)
            if why:
                raise BadInput(f"{shown(path)} cannot be packed: {why}")
            try:
                yield self._entry_of(zip_file, path, file, before)
            except (ChangedMeanwhile, FileNotFoundError):
                raise FolderError(f"{file} changed while it was packed: pack again once all is quiet") from None

    def _entry_of(self, zip_file: ZipWriter, path: str, file: Path, before: Entry | None) -> Entry:
        media_type = type_by_name(path)
        with open_plain(file) as content:
            size_bytes = os.fstat(content.fileno()).st_size
            if before is not None and before.bytes == size_bytes and sha256_of(file, self._advance) == before.sha256:
                return Entry(path, size_bytes, before.sha256, media_type)
            packed = is_worth_packing(media_type)
            digest = zip_file.add(path, content, size_bytes, is_packed=packed, advance=self._advance)
        if self._earlier is None:
            return Entry(path, size_bytes, digest, media_type)
        if before is None:
            return Entry(path, size_bytes, digest, media_type, Change.NEW)
        if before.sha256 == digest:
            raise ChangedMeanwhile
        return Entry(path, size_bytes, digest, media_type, Change.CHANGED, before.sha256)


def _add_own(zip_file: ZipWriter, name: str, spool: IO[bytes]) -> None:
    size_bytes = spool.tell()
    spool.seek(0)
    zip_file.add(name, spool, size_bytes, is_packed=True, advance=lambda amount: None)


@contextmanager
def _earlier_manifest(path: Path) -> Iterator[Manifest]:
    """The manifest of an earlier pack; or the manifest alone, kept from one."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_ZIP_START)) != _ZIP_START:
                yield Manifest(file, path.name)
                return
    with PackReader(path) as reader:
        yield reader.manifest


def _refuse_what_is_no_mirror(folder: Path) -> None:
    if not folder.is_dir():
        raise FolderError(f"{folder} is not a folder")
    with suppress(FileNotFoundError), (folder / MIRROR_LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderError(f"{folder} is in use: a mirror is being made there") from None


class _Config(msgspec.Struct):
    seeds: tuple[str, ...] = ()


class _StoredConfig(msgspec.Struct):
    config: _Config


def _sources_of(folder: Path) -> tuple[str, ...]:
    """Where a mirror began, if it says so."""
    try:
        text = (folder / MIRROR_CONFIG).read_bytes()
        return msgspec.json.decode(text, type=_StoredConfig).config.seeds
    except (FileNotFoundError, NotADirectoryError, msgspec.MsgspecError, UnicodeDecodeError):
        return ()


def _first_of(sources: Sequence[str]) -> tuple[str, ...]:
    """Those that fit into the manifest's first line, which has a bound."""
    ends_bytes = accumulate(len(msgspec.json.encode(source)) for source in sources[:MOST_SOURCES])
    return tuple(sources[: sum(end_bytes <= MOST_SOURCES_BYTES for end_bytes in ends_bytes)])


def _now() -> str:
    """The time, or the one that SOURCE_DATE_EPOCH gives: then the same folder gives the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    wall_s = int(given) if given.isdecimal() else time.time()
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
