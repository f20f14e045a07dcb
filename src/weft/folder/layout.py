"""The crawl folder: what lies where, and who holds it.

archive/*.warc.gz   what was fetched
index.cdxj          where each record lies, for replay tools
pages.jsonl         one line a visited URL
refused.jsonl       one line a URL that was left out
items.jsonl         what your own functions made of the pages, if there are any
crawl.log           one line a request
report.json         the figures of the crawl
state/              everything needed to resume; weft's own. Its settings may hold passwords, so only its owner may look
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from weft.config import CrawlConfig
from weft.errors import FolderError, told_when_full
from weft.folder.databases import ONE_DATABASE, are_there, databases_of
from weft.not_forked import close_here, keep_from_forks
from weft.state import sync_path

FORMAT = 3
LOCK_TRIES, LOCK_PAUSE_S = 10, 0.01
LEFT_LOCK_TRIES = 1000  # of a crawl that was killed: its other engines hold the lock until they are gone, too
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600  # modes
LISTS: Final = ("index.cdxj", "pages.jsonl", "refused.jsonl", "items.jsonl", "crawl.log", "report.json")
CRAWL_FOLDER = ".weft"  # where a mirror has its crawl; no host's folder begins with a dot


class Holder(msgspec.Struct):
    """Who works on a crawl folder."""

    pid: int
    machine: str
    since: str


class CrawlFolder:
    """A crawl folder, locked from construction to `close`."""

    is_part = False  # of a crawl with several engines: then others have a part in it, too

    def __init__(self, path: Path, *, must_exist: bool, may_be_older: bool = False) -> None:
        self.name = path  # for words: as its user calls it
        self.path = path = path.absolute()  # for files: a program may change its current folder while it crawls
        self._may_be_older = may_be_older
        self.archive = path / "archive"
        self.state = path / "state"
        self.database = database_of(path)
        self.spool = self.state / "spool"
        self.worker_log = self.state / "workers.log"
        self.hook_log = self.state / "hooks.log"
        self.log = path / "crawl.log"
        self.items = path / "items.jsonl"
        self._config = self.state / "config.json"
        self._lock_fd: int | None = None
        if must_exist:
            self.load_config()  # before anything is made there
        else:
            self._refuse_what_others_have()
        try:
            with told_when_full(str(self.name)):
                self.archive.mkdir(parents=True, exist_ok=True)
                _make_private(self.state)
                self.spool.mkdir(exist_ok=True)
                self._lock()
        except OSError as error:
            raise FolderError(f"cannot use {self.name}: {error.strerror or error}") from error
        self.remove_leftover_spools()

    def _refuse_what_others_have(self) -> None:
        """FolderError where a new crawl would stand beside another one, or replace files that are none of weft's."""
        if self.is_one(self.path):
            raise FolderError(
                f"{self.name} already holds a crawl; `weft resume {self.name}` goes on with it, `-o DIR` begins another"
            )
        if crawl_in(self.path) != self.path:
            raise FolderError(_is_a_mirror(self.name))
        theirs = [name for name in LISTS if os.path.lexists(self.path / name)]
        if theirs and not (self.archive.is_dir() and any(self.archive.iterdir())):  # else see `check_database`
            raise FolderError(
                f"{self.name} holds no crawl, but a {theirs[0]} that one would replace; `-o DIR` names another folder"
            )

    @contextmanager
    def told_if_gone(self) -> Iterator[None]:
        """Working in this block: if somebody takes the folder away, whatever that leads to is told as what it is."""
        try:
            yield
        except Exception as error:
            if self.archive.is_dir() and self.database.is_dir():
                raise
            raise FolderError(f"{self.name} was removed or renamed while it was being used") from error

    def in_words(self, path: Path) -> str:
        """The name of a file in the folder, for its user."""
        return str(self.name / path.relative_to(self.path))

    @staticmethod
    def is_one(path: Path) -> bool:
        """Whether there is a crawl in the folder."""
        return (path / "state" / "config.json").is_file()

    def load_config(self) -> CrawlConfig:
        """The settings that the crawl began with."""
        return load_config(self.name, may_be_older=self._may_be_older)

    def check_database(self) -> None:
        """Refuse to begin again over an archive whose database is gone."""
        if not are_there(self.path) and any(self.archive.iterdir()):
            raise FolderError(
                f"{self.name} has an archive but no database; `weft repair {self.name}` makes it again from the archive"
            )

    def refuse_without_notes(self) -> None:
        """FolderError if the archive does not say how its pages were found, so that no row can be made from it."""
        if (kind := self.load_config().archive) != "full":
            why = "does not say how its pages were found" if kind == "lean" else "is empty"
            raise FolderError(
                f"{self.name} cannot be made again from its archive, which {why} (--archive {kind}): crawl again "
                "into another folder"
            )

    def refuse_several(self) -> None:
        """FolderError where the crawl has several databases: who knows one only would see a part of it."""
        if (count := len(databases_of(self.path))) > 1:
            raise FolderError(
                f"{self.name} was crawled by {count} engines: `weft resume {self.name} --engines 1` makes it one"
            )

    def save_config(self, config: CrawlConfig) -> None:
        """Remember the settings; from now on the folder holds a crawl."""
        text = msgspec.json.format(msgspec.json.encode(StoredConfig(FORMAT, config)), indent=2)
        temporary = self._config.with_suffix(".tmp")
        with told_when_full(str(self._config)):
            with open(temporary, "wb", opener=_open_private) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._config)
        if config.archive_secrets:
            _make_private(self.archive)
        sync_path(self.state)
        sync_path(self.path)
        with suppress(PermissionError):  # it may be somebody else's
            sync_path(self.path.parent)

    def lock_fd(self) -> int:
        """For a process that shall hold the folder, too, for as long as it lives."""
        assert self._lock_fd is not None
        return self._lock_fd

    def close(self) -> None:
        """Let others have the folder."""
        if self._lock_fd is not None:
            close_here(self._lock_fd)
            self._lock_fd = None

    def _lock(self) -> None:
        path = self.state / "lock"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        if not _is_locked(fd, LEFT_LOCK_TRIES if _is_left(path) else LOCK_TRIES):
            os.close(fd)
            raise FolderError(f"{self.name} is in use by {_holder_of(path)}") from None
        holder = Holder(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
        os.ftruncate(fd, 0)
        os.pwrite(fd, msgspec.json.encode(holder), 0)
        self._lock_fd = fd
        keep_from_forks(fd)

    def remove_leftover_spools(self) -> None:
        """Bodies of requests that nobody waits for any more."""
        shutil.rmtree(self.spool)
        self.spool.mkdir()


def _is_locked(fd: int, tries: int) -> bool:
    """Whether it is ours now. Who looks whether somebody has it holds it for a moment (`is_worked_on`)."""
    for _ in range(tries):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_PAUSE_S)
        else:
            return True
    return False


def _is_left(lock: Path) -> bool:
    """Whether the process that took the lock is gone."""
    try:
        holder = msgspec.json.decode(lock.read_bytes(), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return holder.machine == socket.gethostname() and not _lives(holder.pid)


def _lives(pid: int) -> bool:
    """Whether a process is more than a number that its parent has not asked for."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def is_worked_on(folder: Path) -> bool:
    """Whether a process holds the crawl folder."""
    try:
        fd = os.open(folder / "state" / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _make_private(folder: Path) -> None:
    """Have a folder that nobody but its owner may look into, also where another version of weft made it."""
    folder.mkdir(PRIVATE_FOLDER, exist_ok=True)
    with suppress(PermissionError):  # it is somebody else's, who let us in
        folder.chmod(PRIVATE_FOLDER)


def _open_private(path: str, flags: int) -> int:
    fd = os.open(path, flags, PRIVATE_FILE)
    os.fchmod(fd, PRIVATE_FILE)  # a file of that name may have been left there
    return fd


_FORMER_PRESETS: Final = {"html": "paper", "text": "text", "markdown": "article", "article": "article"}
GONE_SETTINGS: Final = ("archive_outlinks",)  # which earlier versions wrote: what they asked for is done otherwise now


class StoredVersion(msgspec.Struct):
    """The first thing to know about it: the rest may differ."""

    format: int


class StoredConfig(msgspec.Struct, forbid_unknown_fields=True):
    """The file state/config.json."""

    format: int
    config: CrawlConfig


def database_of(folder: Path) -> Path:
    """Where the database of a crawl lies that has one engine: `databases` knows of several."""
    return folder / "state" / ONE_DATABASE


def crawl_in(folder: Path) -> Path:
    """The crawl folder that is meant by a folder: itself, or the one inside a mirror."""
    inside = folder / CRAWL_FOLDER
    return inside if CrawlFolder.is_one(inside) and not CrawlFolder.is_one(folder) else folder


def format_of(folder: Path) -> int:
    """The format of the crawl in a folder."""
    return msgspec.json.decode((folder / "state" / "config.json").read_bytes(), type=StoredVersion).format


def load_config(folder: Path, *, may_be_older: bool = False) -> CrawlConfig:
    """The settings of the crawl in a folder, whoever works on it."""
    path = folder / "state" / "config.json"
    if not path.is_file():
        if crawl_in(folder) != folder:
            raise FolderError(_is_a_mirror(folder))
        if not folder.exists():
            raise FolderError(f"there is no folder {folder}")
        raise FolderError(f"{folder} is not a crawl folder: it has no state/config.json")
    try:
        version = format_of(folder)
        if version == FORMAT or (may_be_older and version < FORMAT):
            stored = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
            for name in GONE_SETTINGS:
                stored["config"].pop(name, None)
            _rename(stored["config"])
            return msgspec.convert(stored, StoredConfig).config
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FolderError(f"cannot read {path}: {error}") from error
    made_by = f"was made by another version of weft (format {version}, this one reads {FORMAT})"
    if version > FORMAT:
        raise FolderError(f"{folder} {made_by}")
    shown = folder.parent if folder.name == CRAWL_FOLDER else folder
    raise FolderError(f"{shown} {made_by}; `weft repair {shown}` brings it up to date")


def _is_a_mirror(folder: Path) -> str:
    return f"{folder} is a mirror: `weft mirror -o {folder}` goes on with it, `-o DIR` begins another"


def _rename(config: dict[str, Any]) -> None:
    """What was `clean` is `with_forms`; its presets, which went by the form, are none now."""
    form = config.pop("clean", None)
    if form:
        config["with_forms"] = [form]
        config["clean_preset"] = config.get("clean_preset") or _FORMER_PRESETS.get(form)


def _holder_of(lock: Path) -> str:
    try:
        holder = msgspec.json.decode(lock.read_bytes(), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return "another process"
    if (holder.pid, holder.machine) == (os.getpid(), socket.gethostname()):
        return (
            "this program, by another crawl of it; one whose loop was left ends a little later, for which the end of "
            "an `async with` block waits"
        )
    return f"process {holder.pid} on {holder.machine}, since {holder.since}"
