"""NATS servers on this machine, for a trial and for the tests: three that stand in for each other, or a single one.

All that belongs to them is in one folder:

    ports.json            which ports they have, chosen once: a second start comes back at the same addresses
    1.json, 2.json, …     their configurations, written at each start
    1.log, 2.log, …       what they say
    1/, 2/, …             their data
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from weft.cluster.nats_program import find_program
from weft.errors import BadInput, FolderError, told_in_words
from weft.whole_file import appearing_whole
from weft.workers.process import end

LOOPBACK = "127.0.0.1"
READY_PATIENCE_S = 60.0
_POLL_S = 0.05
_HEALTH_ANSWER_S = 5.0
_LOG_MAX_BYTES = 8_000_000
# Below those that the kernel hands out to whoever connects (32768 and up): they must still be free at the next start.
_PORTS = range(20_000, 32_768)


class Ports(NamedTuple):
    """What one server listens on."""

    client: int
    route: int  # for the other servers
    health: int


class Servers:
    """Servers on loopback, numbered from 0. They end with the thread that started them, however it ends."""

    def __init__(self, folder: Path, count: int = 3) -> None:
        self._folder = folder.absolute()
        self._count = count
        self._program = find_program()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._lock = ExitStack()
        self._ports: list[Ports] = []

    @property
    def urls(self) -> list[str]:
        """Where clients connect, once they are started."""
        return [f"nats://{LOOPBACK}:{ports.client}" for ports in self._ports]

    def pid(self, number: int) -> int:
        """The process of a server that was started."""
        return self._processes[number].pid

    def start(self) -> None:
        """All that are not running; JetStream is ready when this returns. Data of an earlier start are there again."""
        with told_in_words(self._folder):
            if not self._ports:
                self._take_folder()
            try:
                for number in range(self._count):
                    if not self._is_running(number):
                        self._launch(number)
                for number in range(self._count):
                    self._await_health(number)
            except BaseException:
                self.stop()
                raise

    def start_one(self, number: int) -> None:
        """A server that was killed; it has caught up with the others when this returns, so more than half must run."""
        self._launch(number)
        self._await_health(number)

    def kill(self, number: int) -> None:
        """SIGKILL, as a crash would."""
        self._processes[number].kill()
        self._processes[number].wait()

    def is_healthy(self, number: int) -> bool:
        """Whether it has a leader, and all that the leader has."""
        return is_healthy(self._ports[number].health)

    def ended(self) -> list[int]:
        """Those that were started and run no longer."""
        return [number for number in self._processes if not self._is_running(number)]

    def stop(self) -> None:
        """End them all. What they have acknowledged is on the disk."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            end(process)
        self._processes.clear()
        self._ports = []
        self._lock.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _take_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock.enter_context(_held(self._folder))
        try:
            self._ports = self._ports_of_old() or self._choose_ports()
            for number in range(self._count):
                self._write_configuration(number)
        except BaseException:
            self.stop()
            raise

    def _is_running(self, number: int) -> bool:
        return number in self._processes and self._processes[number].poll() is None

    def _ports_of_old(self) -> list[Ports]:
        """Those of an earlier start; none if this is the first."""
        path = self._folder / "ports.json"
        try:
            found = [Ports(*row) for row in json.loads(path.read_bytes())]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError) as error:
            raise FolderError(f"{path} cannot be read: {error}") from error
        if len(found) != self._count:
            raise BadInput(f"{self._folder} holds {len(found)} NATS server(s): --servers {len(found)}")
        return found

    def _choose_ports(self) -> list[Ports]:
        self._refuse_others_folder()
        chosen = free_ports(self._count * len(Ports._fields))
        rows = [Ports(*chosen[start : start + 3]) for start in range(0, len(chosen), 3)]
        with appearing_whole(self._folder / "ports.json") as out:
            out.write(json.dumps(rows).encode())
        return rows

    def _refuse_others_folder(self) -> None:
        """What the servers write would replace files that are not theirs."""
        for number in range(self._count):
            for path in (self._configuration(number), self._log(number), self._data(number)):
                if os.path.lexists(path):
                    raise BadInput(
                        f"{self._folder} has {path.name}, and no ports.json: the servers need their own folder"
                    )

    def _write_configuration(self, number: int) -> None:
        text = json.dumps(configuration(self._folder, number, self._ports), indent=2, ensure_ascii=False)
        self._configuration(number).write_text(text)

    def _launch(self, number: int) -> None:
        words = [str(self._program), "-c", str(self._configuration(number))]
        self._processes[number] = subprocess.Popen(
            [sys.executable, "-P", "-m", "weft.cluster.server_process", str(os.getpid()), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for weft, which ends them
        )

    def _await_health(self, number: int) -> None:
        """Wait until it has a leader, and has caught up with it."""
        give_up_at = time.monotonic() + READY_PATIENCE_S
        while not self.is_healthy(number):
            if not self._is_running(number):
                raise BadInput(f"NATS server {number + 1} ends at once: {self._last_words(number)}")
            if time.monotonic() > give_up_at:
                raise BadInput(
                    f"NATS server {number + 1} is not ready after {READY_PATIENCE_S:.0f} s: see {self._log(number)}"
                )
            time.sleep(_POLL_S)

    def _last_words(self, number: int) -> str:
        """Why it ended, by its log."""
        with suppress(OSError):
            lines = self._log(number).read_text(errors="replace").splitlines()
            wrong = [line for line in lines if "[FTL]" in line or "[ERR]" in line]
            if wrong or lines:
                return (wrong or lines)[-1].partition("] ")[2]
        return f"{self._program} -c {self._configuration(number)} tells why"

    def _configuration(self, number: int) -> Path:
        return self._folder / f"{number + 1}.json"

    def _log(self, number: int) -> Path:
        return self._folder / f"{number + 1}.log"

    def _data(self, number: int) -> Path:
        return self._folder / str(number + 1)


def configuration(folder: Path, number: int, ports: Sequence[Ports]) -> dict[str, Any]:
    """What nats-server is told."""
    own = ports[number]
    told: dict[str, Any] = {
        "server_name": f"weft-{number + 1}",
        "listen": f"{LOOPBACK}:{own.client}",
        "http": f"{LOOPBACK}:{own.health}",
        "log_file": str(folder / f"{number + 1}.log"),
        "logfile_size_limit": _LOG_MAX_BYTES,
        "logfile_max_num": 2,
        # By default writes are acknowledged up to two minutes before they are synced: a power cut would lose them.
        "jetstream": {"store_dir": str(folder / str(number + 1)), "sync_interval": "always"},
    }
    if len(ports) > 1:
        told["cluster"] = {
            "name": "weft",
            "listen": f"{LOOPBACK}:{own.route}",
            "routes": [f"nats://{LOOPBACK}:{other.route}" for other in ports],
            # Clients stay with the addresses that they were given: there may be a relay between.
            "no_advertise": True,
        }
    return told


def is_healthy(port: int) -> bool:
    """Whether the server with this port for its health has a leader, and all that the leader has."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_HEALTH_ANSWER_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody listens on."""
    with ExitStack() as held:
        found: list[int] = []
        for port in random.sample(_PORTS, len(_PORTS)):
            if len(found) == count:
                return found
            listener = held.enter_context(socket.socket())
            with suppress(OSError):
                listener.bind((LOOPBACK, port))
                found.append(port)
    raise BadInput("no port is free on this machine")


def _held(folder: Path) -> ExitStack:
    """The folder is ours until this is closed."""
    held = ExitStack()
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    held.callback(os.close, fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        held.close()
        raise FolderError(f"{folder} is in use: its servers are running") from None
    return held
