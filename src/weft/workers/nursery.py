"""Workers as forks of a process that has loaded what they run: most of a worker's start is loading it.

    the command ──an order, descriptors──▶ the nursery, its child ──clone──▶ a worker, the command's child too
         ◀─────────────── process id ────────────┘

Only a program of weft's own has a nursery, and begins it before it has threads, open files or code of users: so
nothing is forked that would mind. Where weft is a library, workers are started by exec.

A worker is a child of the command, not of the nursery (CLONE_PARENT): the command waits for it, and both it and the
nursery die with the command. Where there is no nursery, also because somebody has killed it, workers are started by
exec. What the nursery does is in `nursery_process`.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import msgspec

from weft.workers import process
from weft.workers.forked_child import ForkedChild
from weft.workers.nursery_process import ANSWER_BYTES, SYS_CLONE, Order, serve_forks
from weft.workers.process import GROUP_SIGNALS, Child

NO_FORKS: Final = "WEFT_NO_FORKS"  # in the environment: every process is started by exec
_ANY_PATH: Final = {"PYTHONPATH": ""}
PATIENCE_S: Final = 30.0  # it may be loading still, on a busy machine


def open_nursery(*modules: str) -> None:
    """Have workers forked from now on; each of these modules is what one runs. Stands first in a command."""
    if not _is_possible():
        return
    sys.stdout.flush()  # else each fork would say it again
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = os.getpid()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)  # it begins deaf, and stays so (`start_child`)
    try:
        pid = os.fork()
        if pid == 0:
            ours.detach()  # its number will be another file's
            serve_forks(theirs.detach(), modules, command)
    except OSError:  # no process is to be had: whoever cannot do without one says so
        ours.close()
        theirs.close()
        return
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    theirs.close()
    nursery = Nursery(ours, ForkedChild(pid))
    process.start_process = nursery.start
    atexit.register(nursery.close)  # so that its CPU counts as the command's


def _is_possible() -> bool:
    if process.start_process is not subprocess.Popen or SYS_CLONE is None or NO_FORKS in os.environ:
        return False
    if not hasattr(os, "pidfd_open") or not _is_own_program():  # it knows what the system had where Python was built
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _is_own_program() -> bool:
    """Whether this is `weft`, or runs a module of it, or no file at all: another program may have anything open."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    return file is None or Path(file).name == "weft" or Path(file).is_relative_to(Path(__file__).parents[1])


class Nursery:
    """The nursery, as the command sees it."""

    def __init__(self, connection: socket.socket, child: ForkedChild) -> None:
        self._connection = connection
        self._child = child
        self._environment = os.environ | _ANY_PATH
        # Workers die with the thread that began the nursery; and a fork of the command has none.
        self._owner = os.getpid(), threading.get_ident()

    def start(
        self,
        arguments: Sequence[str],
        *,
        pass_fds: Sequence[int],
        stdin: int,
        stdout: IO[bytes] | int,
        stderr: IO[bytes] | int | None,
        env: dict[str, str],
    ) -> Child:
        """As `subprocess.Popen`, with what `start_child` asks it for."""
        is_owner = self._owner == (os.getpid(), threading.get_ident())
        # Of other variables a fork would not have seen what is read when a program begins.
        if is_owner and env | _ANY_PATH == self._environment:
            order = Order([*map(os.fsencode, arguments)], os.fsencode(env["PYTHONPATH"]), [0, 1, 2, *pass_fds])
            with open(os.devnull, "r+b", buffering=0) as nowhere:
                streams = [
                    nowhere if stream == subprocess.DEVNULL else own if stream is None else stream
                    for own, stream in enumerate((stdin, stdout, stderr))
                ]
                if pid := self._forked(order, [*map(_number, streams), *pass_fds]):
                    return ForkedChild(pid)
        return subprocess.Popen(arguments, pass_fds=pass_fds, stdin=stdin, stdout=stdout, stderr=stderr, env=env)

    def close(self) -> None:
        """End it, unless this is a fork of the command. It has nothing to finish, and may be loading still."""
        if self._owner[0] == os.getpid():
            self._connection.close()
            self._child.kill()
            self._child.wait()

    def _forked(self, order: Order, descriptors: Sequence[int]) -> int:
        """The id of the new process; 0 if there is none."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, suppress(OSError):  # the nursery is gone
                packet = msgspec.msgpack.encode(order)
                socket.send_fds(self._connection, [packet], [theirs.fileno(), *descriptors])
            ours.settimeout(PATIENCE_S)
            try:
                return int(ours.recv(ANSWER_BYTES) or 0)
            except TimeoutError:
                ours.shutdown(socket.SHUT_RDWR)  # whoever has not answered by now cannot, and so does not begin
                self._child.kill()  # whatever holds it up
                self._child.wait()
                return int(ours.recv(ANSWER_BYTES) or 0)


def _number(stream: IO[bytes] | int) -> int:
    return stream if isinstance(stream, int) else stream.fileno()
