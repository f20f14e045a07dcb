"""The nursery: a process that loads what workers run, and forks one for each order until its command is gone.

With an order comes a socket for the answer, which the worker itself gives: without an answer there is no worker.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
import runpy
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final, NoReturn

import msgspec

from weft.workers.process import die_with

CLONE_PARENT: Final = 0x8000
_CLONE_CHILD_CLEARTID: Final = 0x200000
_CLONE_CHILD_SETTID: Final = 0x1000000
_PR_GET_TID_ADDRESS: Final = 40
_PR_SET_NAME: Final = 15
# Where the flags come first, and the C library lets the kernel write the main thread's id. In musl a lock stands in its
# place: a fork would find that taken, and the first thread that it starts would wait for ever.
SYS_CLONE: Final = (
    {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)
    if hasattr(ctypes.CDLL(None), "gnu_get_libc_version")
    else None
)
ANSWER_BYTES: Final = 20
_ORDER_BYTES: Final = 200_000
_MOST_DESCRIPTORS: Final = 10


class Order(msgspec.Struct, array_like=True):
    """What exec would be told: PYTHON -m MODULE …, and the numbers that the descriptors beside it shall have."""

    arguments: list[bytes]  # as the system has them: a folder's name need not be UTF-8
    path: bytes  # PYTHONPATH; all other variables are as they were
    numbers: list[int]


def serve_forks(descriptor: int, modules: Sequence[str], command: int) -> NoReturn:
    """In a fork of the command, deaf to the signals meant for that, be its nursery. In forks of it, be a worker."""
    try:
        die_with(command)
        _serve(socket.socket(fileno=_alone_with(descriptor)), modules)
    finally:  # whatever is wrong, the command finds out; its own code is not to run here
        os._exit(0)


def _serve(orders: socket.socket, modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
    be_shown_as([sys.executable, "-m", __name__])
    gc.freeze()  # else the first look for garbage in a worker would copy all of it
    while True:
        packet, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, _MOST_DESCRIPTORS)
        if not packet:
            return
        if clone() == 0:
            orders.close()
            with socket.socket(fileno=descriptors.pop(0)) as answer:
                answer.send(b"%d" % os.getpid())  # fails if nobody waits for it any more
            _become(msgspec.msgpack.decode(packet, type=Order), descriptors)
        for number in descriptors:
            os.close(number)


def _alone_with(descriptor: int) -> int:
    """Close all else that the command has open: a pipe's reader waits for its end. Returns the descriptor's number."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    kept = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    for standard in range(3):
        os.dup2(nowhere, standard)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number != kept:
            with suppress(OSError):  # it was that of the list itself
                os.close(number)
    return kept


def clone() -> int:
    """As `os.fork`, but that the new process is a sibling."""
    python, libc = ctypes.pythonapi, ctypes.PyDLL(None, use_errno=True)
    flags, thread_id = CLONE_PARENT | signal.SIGCHLD, ctypes.c_void_p()
    # Where the C library keeps the main thread's id. It would go on with that of the nursery's.
    if libc.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(thread_id)) == 0:
        flags |= _CLONE_CHILD_CLEARTID | _CLONE_CHILD_SETTID
    python.PyOS_BeforeFork()
    # The two last ones change places from one architecture to another; one of them is not looked at.
    pid = libc.syscall(SYS_CLONE, flags, None, None, thread_id, thread_id)
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(pid)


def _become(order: Order, descriptors: Sequence[int]) -> NoReturn:
    """In the new process: be what exec would make of it."""
    put_in_place(descriptors, order.numbers)
    os.environ["PYTHONPATH"] = path = os.fsdecode(order.path)
    sys.path[:] = [*_first_place(), *dict.fromkeys(path.split(os.pathsep))]
    sys.orig_argv = [os.fsdecode(argument) for argument in order.arguments]
    _, _, module, *rest = sys.orig_argv
    sys.argv = [module, *rest]
    be_shown_as(sys.orig_argv)
    gc.enable()
    sys.modules.pop(module, None)  # it runs as the main program, also where the command has imported it for itself
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        _end(end.code)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        _end(1)
    _end(0)


def _first_place() -> list[str]:
    """What `python -m` looks through first."""
    with suppress(FileNotFoundError):
        return [] if os.environ.get("PYTHONSAFEPATH") else [os.getcwd()]
    return []


def _end(code: str | int | None) -> NoReturn:
    """End as a program does, but here: what has called this is another program, which has other things to do."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    ctypes.pythonapi.Py_Exit(code or 0)
    raise AssertionError("unreachable")


def put_in_place(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Give each descriptor its number."""
    copies: list[int] = []
    for descriptor in descriptors:
        while (copy := fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)) in numbers:
            pass  # this one gives way below to what is to have its number
        copies.append(copy)
    for descriptor in descriptors:
        os.close(descriptor)
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number)
        os.close(copy)


def be_shown_as(arguments: Sequence[str]) -> None:
    """In /proc, and so in ps and top, as far as there is room: hence the program's name without its folder."""
    name, *rest = map(os.fsencode, (os.path.basename(arguments[0]), *arguments[1:]))
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if (room := end - start - 1) > 0:  # without a zero at its end no more than the name would be shown
        line = b"\0".join((name, *rest))
        ctypes.memmove(start, line[:room].ljust(room + 1, b"\0"), room + 1)
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name)
