"""What a program did to its files, as strace saw it: changes and syncs, in the order in which they were made.

A sync has a beginning and an end: it makes safe what was written before it began, and nobody may rely on it before it
has ended. All of it is played into a `LossyDisk`, up to any moment.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.pipeline.engine_process import children_of, weft_environment
from tests.torture.lossy_fs import CutTo, File, Folder, LossyDisk, Written

CALLS = (
    "openat,creat,write,writev,pwrite64,pwritev,pwritev2,lseek,truncate,ftruncate,fallocate,rename,renameat,renameat2,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,fsync,fdatasync,copy_file_range,sendfile,splice"
)
LONGEST_WRITE_BYTES = 1 << 28
ENDS_WITHIN_S = 60.0


class TracedProcess:
    """A program under strace."""

    def __init__(self, command: list[str], trace: Path) -> None:
        options = ["-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", str(LONGEST_WRITE_BYTES), "-e", f"trace={CALLS}"]
        self.popen = subprocess.Popen(
            ["strace", *options, "-o", str(trace), *command],
            env=weft_environment(),
            start_new_session=True,
            stderr=subprocess.PIPE,
        )

    def wait(self, within_s: float) -> bool:
        """Whether the program came to its end by itself; what it said is an error."""
        try:
            _, errors = self.popen.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            return False
        if self.popen.returncode:
            raise ProgramFailed(errors.decode(errors="replace"))
        return True

    def kill(self) -> None:
        """SIGKILL to the program; its workers follow, and then strace ends."""
        for pid in children_of(self.popen.pid):
            os.kill(pid, signal.SIGKILL)
        self.popen.communicate(timeout=ENDS_WITHIN_S)


class ProgramFailed(Exception):
    """It ended with an error, and this is what it said."""


@dataclass(frozen=True, slots=True)
class Call:
    """A system call that succeeded; of a sync, its beginning or its end."""

    name: str
    arguments: bytes
    result: int
    pid: bytes
    is_begun: bool = True
    is_ended: bool = True


_LINE = re.compile(rb"(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed>)(.*)", re.DOTALL)
_RESULT = re.compile(rb"\) += (-?\d+)(?:<[^>]*>)?(?: .*)?\n?$")
_UNFINISHED = b" <unfinished ...>\n"
SYNCS = {b"fsync", b"fdatasync"}


def in_hex(text: str) -> bytes:
    """A text as strace writes it when it is told to write all in hexadecimal."""
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(text)).encode()


def calls_in(trace: Path, root: Path) -> Iterator[Call]:
    """The calls that concern the folder, each where it returned."""
    needle = in_hex(str(root))
    open_calls: dict[bytes, bytes] = {}
    with trace.open("rb") as lines:
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            pid, name, rest = match.groups()
            is_begun = is_ended = True
            if line.endswith(_UNFINISHED):
                open_calls[pid] = rest.removesuffix(_UNFINISHED)
                if name not in SYNCS:
                    continue
                rest, is_ended = open_calls[pid] + b") = 0", False
            elif b" resumed>" in line[:40]:
                rest, is_begun = open_calls.pop(pid) + rest, name not in SYNCS
            result = _RESULT.search(rest)
            if needle in rest and result is not None and int(result[1]) >= 0:
                yield Call(name.decode(), rest[: result.start()], int(result[1]), pid, is_begun, is_ended)


_STRING = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')
_DESCRIPTOR = re.compile(rb"(-?\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})+)>")


def _unescaped(text: bytes) -> bytes:
    return bytes.fromhex(text.replace(rb"\x", b"").decode())


class Player:
    """Plays calls into a disk."""

    def __init__(self, disk: LossyDisk, root: Path) -> None:
        self.disk = disk
        self._root = PurePosixPath(root)
        self._positions: dict[tuple[File, bytes], int] = {}  # of a file, by descriptor
        self._appending: set[File] = set()
        self._syncing: dict[bytes, int] = {}  # what a sync that has begun will make safe

    def play(self, call: Call) -> None:
        """Do to the disk what the call did to the real one."""
        match call.name:
            case "openat":
                self._open(call)
            case "write" | "pwrite64":
                self._write(call)
            case "lseek":
                if (file := self._file_at(call)) is not None:
                    self._positions[file, _number(call)] = call.result
            case "ftruncate":
                if (file := self._file_at(call)) is not None:
                    file.changes.append(CutTo(int(call.arguments.rpartition(b", ")[2])))
            case "truncate":
                path, size = self._paths(call)[0], int(call.arguments.rpartition(b", ")[2])
                self.disk.file(path).changes.append(CutTo(size))
            case "fsync" | "fdatasync":
                self._sync(call)
            case "rename" | "renameat" | "renameat2":
                self.disk.rename(*self._paths(call))
            case "mkdir" | "mkdirat":
                self.disk.make_folder(self._paths(call)[0])
            case "unlink" | "unlinkat" | "rmdir":
                self.disk.remove(self._paths(call)[0])
            case "fallocate":
                assert b"FALLOC_FL_KEEP_SIZE" in call.arguments, call
            case _:
                raise AssertionError(f"not played: {call.name}({call.arguments[:200]!r})")

    def _open(self, call: Call) -> None:
        arguments = call.arguments
        if b"O_WRONLY" not in arguments and b"O_RDWR" not in arguments and b"O_CREAT" not in arguments:
            return
        assert b"O_TMPFILE" not in arguments, call
        path = self._paths(call)[0]
        file = self.disk.create(path)
        if b"O_TRUNC" in arguments:
            file.changes.append(CutTo(0))
        if b"O_APPEND" in arguments:
            self._appending.add(file)
        self._positions[file, str(call.result).encode()] = 0

    def _write(self, call: Call) -> None:
        if (file := self._file_at(call)) is None:
            return
        found = _STRING.search(call.arguments)
        assert found is not None
        data = _unescaped(found[1])[: call.result]
        place = file, _number(call)
        if call.name == "pwrite64":
            offset = int(call.arguments.rpartition(b", ")[2])
        elif file in self._appending:
            offset = len(file.full())
        else:
            offset = self._positions[place]
            self._positions[place] = offset + len(data)
        file.changes.append(Written(offset, data))

    def _sync(self, call: Call) -> None:
        node = self._node_at(call)
        if node is None:
            return
        if call.is_begun:
            self._syncing[call.pid] = node.mark()
        if call.is_ended:
            node.sync(self._syncing.pop(call.pid))

    def path_of(self, call: Call) -> PurePosixPath | None:
        """The name that the first descriptor has at the moment, if it is on this disk."""
        found = _DESCRIPTOR.match(call.arguments)
        assert found is not None, call
        if call.arguments.startswith(b"(deleted)", found.end()):
            return None
        return self._inside(os.fsdecode(_unescaped(found[2])))

    def _node_at(self, call: Call) -> File | Folder | None:
        """What the first descriptor leads to; nothing if its name is gone, and then nothing depends on it."""
        path = self.path_of(call)
        return None if path is None else self.disk.find(path)

    def _file_at(self, call: Call) -> File | None:
        node = self._node_at(call)
        return node if isinstance(node, File) else None

    def _paths(self, call: Call) -> list[PurePosixPath]:
        """The paths that a call names; relative ones are so to the descriptor before them."""
        places = [_unescaped(found[2]) for found in _DESCRIPTOR.finditer(call.arguments)]
        names = [_unescaped(found[1]) for found in _STRING.finditer(call.arguments)]
        found = []
        for number, name in enumerate(names):
            at = os.fsdecode(places[min(number, len(places) - 1)]) if places else "/"
            path = self._inside(os.path.join(at, os.fsdecode(name)))
            assert path is not None, call
            found.append(path)
        return found

    def _inside(self, path: str) -> PurePosixPath | None:
        try:
            return PurePosixPath(os.path.normpath(path)).relative_to(self._root)
        except ValueError:
            return None


def _number(call: Call) -> bytes:
    return call.arguments.partition(b"<")[0]
