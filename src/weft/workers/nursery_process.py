"""The nursery: a process that loads what workers run, and forks one for each order until its command is gone."""

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

from weft.workers.process import GROUP_SIGNALS, die_with

CLONE_PARENT: Final = 0x8000
SYS_CLONE: Final = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)  # where the flags come first
ANSWER_BYTES: Final = 20
_ORDER_BYTES: Final = 200_000
_MOST_DESCRIPTORS: Final = 10


class Order(msgspec.Struct, array_like=True):
    """What exec would be told: PYTHON -m MODULE …, and the numbers that the descriptors beside it shall have."""

    arguments: list[str]
    environment: dict[str, str]
    numbers: list[int]


def serve_forks(descriptor: int, modules: Sequence[str], command: int) -> NoReturn:
    """In a fork of the command, be its nursery. In forks of that, be a worker, whose end is a SystemExit."""
    signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)  # so is a child that starts (`start_child`)
    die_with(command)
    with suppress(OSError):  # the command is gone, or no process can be had: that is for the command to find out
        _serve(socket.socket(fileno=_alone_with(descriptor)), modules)
    os._exit(0)


def _serve(orders: socket.socket, modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
        del sys.modules[module]  # a worker runs it as its main program
    gc.freeze()  # else the first look for garbage in a worker would copy all of it
    while True:
        packet, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, _MOST_DESCRIPTORS)
        if not packet:
            return
        pid = clone()
        if pid == 0:
            orders.close()
            _become(msgspec.msgpack.decode(packet, type=Order), descriptors)
        orders.send(b"%d" % pid)
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
    python.PyOS_BeforeFork()
    pid = libc.syscall(SYS_CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
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
    os.environ.clear()
    os.environ.update(order.environment)
    sys.path[:] = [os.getcwd(), *dict.fromkeys(order.environment["PYTHONPATH"].split(os.pathsep))]
    _, _, module, *rest = order.arguments
    sys.orig_argv = order.arguments
    sys.argv = [module, *rest]
    be_shown_as(["python", "-m", module, *rest])
    gc.enable()
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except Exception:
        # What has called this is another program, which would say it in its own way.
        sys.excepthook(*sys.exc_info())
        sys.exit(1)
    sys.exit()


def put_in_place(descriptors: Sequence[int], numbers: Sequence[int]) -> None:
    """Give each descriptor its number."""
    above = max((*descriptors, *numbers)) + 1
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number)
        os.close(copy)


def be_shown_as(arguments: Sequence[str]) -> None:
    """In /proc, and so in ps, as far as there is room."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    line = b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    ctypes.memmove(start, line.ljust(end - start, b"\0")[: end - start], end - start)
