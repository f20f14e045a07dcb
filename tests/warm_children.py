"""The processes that tests start, as forks of one that has loaded what they run: most of a short crawl is loading it.

As weft's own commands have their workers forked (`weft.workers.nursery`), but for processes that have threads and open
files, as those of the tests do, and for whatever else `subprocess.Popen` is asked for. What is judged by its memory, of
which forks share much, and what other variables would make import something else, is started in the usual way.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import resource
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NoReturn

import weft.crash_points
import weft.workers.process
from weft.parse.scan import NO_SCANNER
from weft.workers.nursery import open_nursery
from weft.workers.nursery_process import be_shown_as, clone, put_in_place
from weft.workers.process import GROUP_SIGNALS, die_with

MODULES = (
    "weft.engines.engine_process",
    "weft.clean.bulk.worker",
    "weft.export.content_worker",
    "weft.extract.worker",
    "weft.folder.reread_worker",
    "weft.mirror.site.writer",
    "weft.pipeline.worker",
)
# The rest of it is room for what the forks are shown as in /proc.
PROGRAM = (
    "import sys; from tests import warm_children; warm_children.load(); warm_children.serve(*map(int, sys.argv[1:]))"
    + " " * 200
)
LIMITS = [number for name, number in vars(resource).items() if name.startswith("RLIMIT_")]
_ORDER_BYTES = 150_000
_ANSWER_BYTES = 20
_MOST_STREAMS = 10


class WarmChild(subprocess.Popen[bytes]):
    """What `subprocess.Popen` is, but that the nursery starts the process."""

    nursery: ClassVar[socket.socket | None] = None
    lock: ClassVar[threading.Lock] = threading.Lock()

    def _execute_child(self, args: list[str], *others: Any) -> None:
        _, _, _, descriptors, cwd, env, _, _, _, *pipes = others[:15]
        has_session = others[20]
        streams = [number if stream == -1 else stream for number, stream in enumerate((pipes[0], pipes[3], pipes[5]))]
        limits = [[number, resource.getrlimit(number)[0]] for number in LIMITS]
        order = json.dumps([args, env, str(cwd or Path.cwd()), [0, 1, 2, *descriptors], limits, has_session]).encode()
        assert self.nursery is not None
        with self.lock:
            socket.send_fds(self.nursery, [order], [*streams, *descriptors])
            self.pid = int(self.nursery.recv(_ANSWER_BYTES))
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def start_process(arguments: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """As Popen; by a fork where that is as good."""
    is_fit = arguments[2] in MODULES and NO_SCANNER not in os.environ
    # Children die with the thread that started them, these with the one that started the nursery.
    if not is_fit or threading.current_thread() is not threading.main_thread():
        return subprocess.Popen(arguments, **how)
    if WarmChild.nursery is None:
        WarmChild.nursery = start_nursery(PROGRAM)
    return WarmChild(arguments, **how)


def start_nursery(program: str) -> socket.socket:
    """The way to a nursery that has run this program."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(there.fileno()), str(os.getpid())],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @atexit.register
    def end() -> None:
        here.close()
        process.wait()

    return here


def load() -> None:
    """What they import."""
    for module in MODULES:
        import_module(module)
        del sys.modules[module]  # each fork runs it as its main program


def serve(descriptor: int, parent: int) -> NoReturn:
    """The nursery: obey orders until the other process is gone, or be killed with it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)  # as `start_child` has them for a child that is starting
    die_with(parent)
    gc.freeze()  # forks need not copy it only to look for garbage
    orders = socket.socket(fileno=descriptor)
    while True:
        order, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, _MOST_STREAMS)
        if not order:
            os._exit(0)
        pid = clone()
        if pid == 0:
            orders.close()
            _run(descriptors, *json.loads(order))
        orders.send(b"%d" % pid)
        for number in descriptors:
            os.close(number)


def _run(
    descriptors: list[int],
    arguments: list[str],
    environment: dict[str, str],
    folder: str,
    numbers: list[int],
    limits: list[tuple[int, int]],
    has_session: bool,
) -> NoReturn:
    """In the new process: be what exec of `python -m MODULE …` or `python -c CODE …` would make of it."""
    if has_session:
        os.setsid()
    put_in_place(descriptors, numbers)
    for limit, soft in limits:
        _, hard = resource.getrlimit(limit)
        with suppress(ValueError):
            resource.setrlimit(limit, (soft, hard))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    reload(weft.crash_points)  # what it is to die at is read from the environment, once
    sys.path[:] = [folder, *environment["PYTHONPATH"].split(os.pathsep)]
    sys.orig_argv = arguments
    sys.argv = arguments[2:]
    be_shown_as(arguments)
    if arguments[1] == "-c":
        _run_code(arguments[2])
    runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
    sys.exit()


def _run_code(code: str) -> NoReturn:
    """As a program that nobody has started with signals blocked, and that may start others of ours."""
    open_nursery()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, GROUP_SIGNALS)
    sys.argv[0] = "-c"
    tempfile.tempdir = None  # it is chosen by the environment, once
    sys.modules["__main__"] = main = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(main))
    sys.exit()
