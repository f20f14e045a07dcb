"""A real PostgreSQL server of a test's own: in a temporary folder, on a unix socket; as another user if we are root."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.pipeline.engine_process import await_others, children_of, is_alive

SERVERS = Path(__file__).parents[1] / ".servers"
SUPERUSER = "weft"
DATABASE = "postgres"
# Nothing is lost when a process is killed, only when the machine is: tests do not wait for the disk.
FAST = ("fsync=off", "full_page_writes=off")
SAFE = ("fsync=on",)
_SETTINGS = ("listen_addresses=", "shared_buffers=64MB", "max_wal_size=2GB", "autovacuum=on", "jit=off", "timezone=UTC")
_START_S = 60.0
_END_S = 30.0
_POLL_S = 0.02
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
# PostgreSQL refuses to run as root; it need not have a user of its own on this machine.
_USERS = ("postgres", "nobody")


class Postgres:
    """A server that may be ended and started again; its data stays as long as the block that made it."""

    def __init__(self, folder: Path, settings: tuple[str, ...]) -> None:
        self._programs = _find_programs()
        self._folder = folder
        self._settings = (*_SETTINGS, *settings, f"unix_socket_directories={folder}")
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, user: str = SUPERUSER, database: str = DATABASE) -> str:
        """What `weft clean` is given."""
        return f"postgresql://{user}@/{database}?host={quote(str(self._folder), safe='')}"

    @property
    def pid(self) -> int:
        """The server's first process; the others are its children."""
        assert self._process is not None
        return self._process.pid

    def create(self) -> None:
        """An empty database."""
        words = ["-D", "data", "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        done = self._run([str(self._programs / "initdb"), *words])
        output, _ = done.communicate(timeout=_START_S)
        assert done.returncode == 0, output.decode()

    def start(self) -> None:
        """Serve, once this returns."""
        settings = [word for setting in self._settings for word in ("-c", setting)]
        log = (self._folder / "log").open("ab")
        with log:
            self._process = self._run([str(self._programs / "postgres"), "-D", "data", *settings], log)
        give_up_at = time.monotonic() + _START_S
        while "ready" not in self._status():
            log_text = (self._folder / "log").read_text()
            assert self._process.poll() is None, log_text
            assert time.monotonic() < give_up_at, log_text
            time.sleep(_POLL_S)

    def kill(self) -> None:
        """SIGKILL to all of its processes, as a crash would."""
        assert self._process is not None
        pids = [self.pid, *children_of(self.pid)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(timeout=_END_S)
        await_others(lambda: not any(map(is_alive, pids)), "the end of the server's processes", _END_S)

    def stop(self) -> None:
        """End it, whoever is connected."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGINT)  # "fast": open transactions are rolled back
        try:
            self._process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def _status(self) -> str:
        """The last line of the file that says how the server stands."""
        try:
            lines = (self._folder / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return ""
        is_ours = lines and lines[0] == str(self.pid)
        return lines[7] if is_ours and len(lines) > 7 else ""

    def _run(self, words: list[str], log: Any = subprocess.STDOUT) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            cwd=self._folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if log is subprocess.STDOUT else log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_end_with_parent,
            **_as_whom(),
        )


@contextmanager
def postgres(*settings: str) -> Iterator[Postgres]:
    """A server that is up, and is gone with all its data after the block."""
    # Not below pytest's folders, which only their owner may enter; and a socket's path has to be short.
    with tempfile.TemporaryDirectory(prefix="weft-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if user := _as_whom().get("user"):
            shutil.chown(folder, user=user)
        folder.chmod(0o755)
        server = Postgres(folder, settings or FAST)
        server.create()
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _find_programs() -> Path:
    """Where initdb and postgres are: on this machine, or where tests/install-servers has unpacked them."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), *(SERVERS / "usr/lib/postgresql").glob("*/bin")]
    places = [place for place in places if (place / "initdb").exists() and (place / "postgres").exists()]
    assert places, "there is no PostgreSQL: tests/install-servers gets one"
    return max(places, key=lambda place: float(place.parent.name))


def _as_whom() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    for name in _USERS:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_name, "group": user.pw_gid, "extra_groups": []}
    raise AssertionError(f"PostgreSQL does not run as root, and there is none of {_USERS}")


def _end_with_parent() -> None:
    """A test run that is killed leaves no server behind."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def _environment() -> dict[str, str]:
    libraries = ":".join(str(path) for path in (SERVERS / "usr/lib").glob("*-linux-*"))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return inherited | {"LC_ALL": "C", "LD_LIBRARY_PATH": libraries}
