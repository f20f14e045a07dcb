"""An engine in a process group of its own, which a test may kill, and what /proc tells of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.warm_weft import WarmWeft
from weft.config import CrawlConfig
from weft.folder.layout import database_of, load_config
from weft.pipeline.crawl import Crawl

POLL_S = 0.001
WITHIN_S = 60.0
WRITE_BYTES = 5_000  # of a page and what belongs to it, at most, in most of the webs
KILOBYTE = 1024  # as /proc counts


def prepare_folder(folder: Path, config: CrawlConfig) -> None:
    """Begin a crawl without running it, so that an engine of another process can resume it.

    The command line does not offer everything that a test wants to set.
    """
    Crawl.create(folder, config).folder.close()


def weft_command(*arguments: str) -> list[str]:
    """The command line that runs `weft` in this Python."""
    return [sys.executable, "-c", "from weft.cli import main; main()", *arguments]


def weft_environment() -> dict[str, str]:
    """An environment in which weft, and the filters of these tests, can be imported."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1", "COLUMNS": "200"}


WeftProcess = WarmWeft | subprocess.Popen[bytes]


def start_weft(*arguments: str, environment: dict[str, str], is_forked: bool = True) -> WeftProcess:
    """The command in a process group of its own; for its memory to be measured, it may not be a fork."""
    if is_forked:
        return WarmWeft(*arguments, environment=environment)
    pipe = subprocess.PIPE
    return subprocess.Popen(weft_command(*arguments), env=environment, start_new_session=True, stdout=pipe, stderr=pipe)


class EngineProcess:
    """`weft resume` of a crawl folder, and its workers."""

    def __init__(self, folder: Path, *, is_forked: bool = True) -> None:
        self.folder = folder
        arguments = ("resume", str(folder), "--quiet")
        self.popen = start_weft(*arguments, environment=weft_environment(), is_forked=is_forked)
        self.pid = self.popen.pid

    def is_running(self) -> bool:
        """Whether the engine lives."""
        return self.popen.poll() is None

    def worker_pids(self) -> list[int]:
        """The workers that live now."""
        return [pid for pid in children_of(self.pid) if is_worker(pid)]

    def serving_worker_pids(self) -> set[int]:
        """The workers that have begun: each has opened the WARC file that it writes."""
        return {pid for pid in self.worker_pids() if holds_warc_file(pid)}

    def kill_engine(self) -> None:
        """SIGKILL to the engine alone."""
        self.popen.kill()
        self._reap()

    def kill_group(self) -> None:
        """SIGKILL to the engine and all its workers at once."""
        os.killpg(self.pid, signal.SIGKILL)
        self._reap()

    def kill_worker(self, choose: Callable[[list[int]], int]) -> None:
        """SIGKILL to one worker that has begun: several that end before are a crawl's end, in words."""
        await_others(lambda: bool(self.serving_worker_pids()) or not self.is_running(), "a worker")
        if pids := sorted(self.serving_worker_pids()):
            with suppress(ProcessLookupError):  # it may have ended with the crawl
                os.kill(choose(pids), signal.SIGKILL)

    def wait(self, within_s: float = WITHIN_S) -> int:
        """The exit code, once the crawl is over."""
        _, errors = self.popen.communicate(timeout=within_s)
        assert not errors or errors.startswith(b"weft: The limit"), errors.decode()
        return self.popen.returncode

    def _reap(self) -> None:
        self.popen.communicate(timeout=WITHIN_S)


@contextmanager
def engine(folder: Path, *, is_forked: bool = True) -> Iterator[EngineProcess]:
    """An engine that does not outlive the block, whatever happens in it."""
    process = EngineProcess(folder, is_forked=is_forked)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.popen.communicate(timeout=WITHIN_S)


class ArchiveWatcher:
    """Tells from the growing archive how many pages were written, roughly, since it began to look.

    Of a crawl without one, the files of the database tell.
    """

    def __init__(self, folder: Path) -> None:
        is_there = (folder / "state" / "config.json").exists()  # else somebody is about to make it, with an archive
        has_archive = not is_there or load_config(folder).archive != "none"
        self._archive = folder / "archive" if has_archive else database_of(folder)
        self._largest_bytes = self._size_bytes()

    def wait_for_writes(self, writes: int, is_over: Callable[[], bool]) -> bool:
        """True when so many writes were seen, False when the crawl was over before."""
        give_up_at = time.monotonic() + WITHIN_S
        while writes > 0:
            if is_over():
                return False
            assert time.monotonic() < give_up_at, "the archive does not grow"
            size_bytes = self._size_bytes()
            if size_bytes > self._largest_bytes:
                # Of a process that did not look for a while, the bytes tell how many there were.
                writes -= max(1, (size_bytes - self._largest_bytes) // WRITE_BYTES)
                self._largest_bytes = size_bytes
            time.sleep(POLL_S)
        return True

    def _size_bytes(self) -> int:
        total = 0
        for path in self._archive.iterdir() if self._archive.exists() else ():
            with suppress(FileNotFoundError):  # renamed meanwhile
                total += path.stat().st_size
        return total


def await_others(holds: Callable[[], bool], what: str, within_s: float = WITHIN_S) -> None:
    """Wait for something that other processes bring about."""
    give_up_at = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < give_up_at, f"waited in vain: {what}"
        time.sleep(POLL_S)


def sleeps(pid: int) -> bool:
    """Whether a process waits for something, and not for its turn on a busy machine."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def children_of(pid: int) -> list[int]:
    """The child processes of a process."""
    found: list[int] = []
    for task in _tasks(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended; others may have children
            found += map(int, (task / "children").read_text().split())
    return found


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_worker(pid: int) -> bool:
    """Whether a process is a parse worker; before its exec it is not."""
    return b"weft.pipeline.worker" in cmdline(pid)


def cmdline(pid: int) -> bytes:
    """What a process runs; nothing of one that is gone."""
    return _proc(pid, "cmdline")


def holds_warc_file(pid: int) -> bool:
    """Whether a process has a WARC file open."""
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
        return any(os.readlink(descriptor).endswith(".warc.gz.open") for descriptor in descriptors)
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # gone, or a descriptor is; or it has just ended
        return False


def is_alive(pid: int) -> bool:
    """Whether a process lives; a zombie does not."""
    stat = _proc(pid, "stat")
    return bool(stat) and stat.rpartition(b")")[2].split()[0] != b"Z"


def memory_bytes(pid: int) -> int:
    """The memory of a process, pages that it shares with others counted in part (PSS)."""
    for line in _proc(pid, "smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * KILOBYTE
    return 0


def _proc(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # gone, or just going
        return b""
