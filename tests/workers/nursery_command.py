"""A command with a nursery, for tests: `python -c "from tests.workers import nursery_command as c; c.WHAT()"`.

Tests run in processes that have threads, so none of them can have a nursery of its own.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path

from weft.workers import nursery, nursery_process, process
from weft.workers.forked_child import ForkedChild
from weft.workers.process import Child

ASKED = "tests.workers.asked_of_nursery"


def ask(*words: str, descriptors: Sequence[int] = (), errors: bool = False) -> tuple[Child, str]:
    """Have a child do something, and wait for it; returns what it wrote."""
    with tempfile.TemporaryFile() as said:
        child = start(*words, descriptors=descriptors, stdout=said.fileno(), stderr=said.fileno() if errors else None)
        child.wait()
        said.seek(0)
        return child, said.read().decode()


def start(
    *words: str, descriptors: Sequence[int] = (), stdout: int = subprocess.DEVNULL, stderr: int | None = None
) -> Child:
    """As `start_child` does it."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, process.GROUP_SIGNALS)
    try:
        return process.start_process(
            [sys.executable, "-m", ASKED, "0", str(os.getpid()), *words],
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def nursery_pid() -> int:
    """The one child that there is, when no worker has begun."""
    (pid,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return int(pid)


def look() -> None:
    """What a child finds, forked and by exec; descriptors get numbers that cross each other's."""
    pipes = os.pipe()
    open_before = os.open(os.devnull, os.O_RDONLY)
    gc.disable()  # as commands do while they load
    nursery.open_nursery(ASKED)
    gc.enable()
    for number in (*pipes, open_before):
        os.close(number)
    numbers = [os.open(os.devnull, os.O_RDONLY) for _ in range(4)]
    child, said = ask("look", descriptors=numbers[::-1])
    assert type(child) is ForkedChild
    print(said.strip())
    process.start_process = subprocess.Popen
    print(ask("look", descriptors=numbers[::-1])[1].strip())


def endings() -> None:
    """How children end, forked."""
    nursery.open_nursery()  # nothing is loaded before it is needed
    for words in (("exit", "3"), ("exit", "0"), ("end in order",), ("fail",)):
        child, said = ask(*words, errors=True)
        assert type(child) is ForkedChild
        print(child.poll(), said.strip().split("\n")[-1])


def known() -> None:
    """A child runs what the command itself has imported before."""
    import_module(ASKED)
    nursery.open_nursery()
    child, said = ask("exit", "0", errors=True)
    assert type(child) is ForkedChild
    print(child.poll(), said)


def unsaid() -> None:
    """What was printed, and is not written yet, when the nursery begins; and by whom it is said."""
    sys.stdout.write("once ")
    nursery.open_nursery(ASKED)
    child, _ = ask("exit", "0")
    assert type(child) is ForkedChild


def killed() -> None:
    """Somebody ends the nursery, or stops it: then children are started by exec."""
    nursery.open_nursery(ASKED)
    os.kill(nursery_pid(), signal.SIGKILL)
    for _ in range(2):
        child, said = ask("look")
        print(type(child).__name__, bool(said))


def stopped() -> None:
    """One that is stopped is ended, and never does later what it was asked for."""
    nursery.PATIENCE_S = 0.2  # type: ignore[misc]
    nursery.open_nursery(ASKED)
    ask("exit", "0")  # it has loaded all
    pid = nursery_pid()
    os.kill(pid, signal.SIGSTOP)
    child, said = ask("look")
    print(type(child).__name__, bool(said))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
        print("it lives")


def stopped_at_last() -> None:
    """Once a nursery is stopped, the command ends as ever."""
    nursery.open_nursery(ASKED)
    ask("exit", "0")
    os.kill(nursery_pid(), signal.SIGSTOP)
    print("over")


def at_last() -> None:
    """The command's end: the nursery has ended by then, and counts as its child."""
    atexit.register(lambda: print(Path(f"/proc/self/task/{os.getpid()}/children").read_text() or "none left"))
    nursery.open_nursery(ASKED)
    print(nursery_pid() > 0)


def unloadable() -> None:
    """What the workers run cannot be loaded: that is no error of the command, and its code runs once."""
    try:
        nursery.open_nursery("tests.workers.absent")
        print(type(ask("exit", "0")[0]).__name__)
    finally:
        with Path(os.environ["RAN"]).open("a") as ran:
            ran.write("once ")


def orphaned() -> None:
    """The nursery finds that its command is gone: in it, too, the command's code does not run."""
    os.getppid = lambda: 1
    _begin_and_say_who_goes_on()


def interrupted() -> None:
    """Ctrl-C when the nursery has only just begun is for the command, as ever."""

    def interrupted_fork() -> int:
        if not (pid := fork()):
            os.kill(os.getpid(), signal.SIGINT)
        return pid

    fork, os.fork = os.fork, interrupted_fork
    _begin_and_say_who_goes_on()


def _begin_and_say_who_goes_on() -> None:
    try:
        nursery.open_nursery(ASKED)
    finally:
        os.write(1, b"here ")  # not to be held back, and lost with a process that ends at once
    print(type(ask("exit", "0")[0]).__name__)
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def old_headers() -> None:
    """A Python that was built where the system's headers were old."""
    del os.pidfd_open
    nursery.open_nursery(ASKED)
    print(type(ask("exit", "0")[0]).__name__)


def another_library() -> None:
    """Where the C library is musl."""
    library, ctypes.CDLL = ctypes.CDLL, lambda _name: object()  # type: ignore[assignment, misc]
    reload(nursery_process)
    reload(nursery)
    ctypes.CDLL = library  # type: ignore[misc]
    nursery.open_nursery(ASKED)
    print(type(ask("exit", "0")[0]).__name__)


def no_process() -> None:
    """None can be begun, for now."""

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    fork, os.fork = os.fork, refuse
    nursery.open_nursery(ASKED)
    os.fork = fork
    print(type(ask("exit", "0")[0]).__name__)


def with_threads() -> None:
    """No nursery can be begun."""
    is_over = threading.Event()
    thread = threading.Thread(target=is_over.wait)
    thread.start()
    nursery.open_nursery(ASKED)
    is_over.set()
    thread.join()
    print(type(ask("exit", "0")[0]).__name__)


def elsewhere() -> None:
    """In another thread, and in a fork of the command, children are started by exec."""
    nursery.open_nursery(ASKED)
    thread = threading.Thread(target=lambda: print(type(ask("exit", "0")[0]).__name__, flush=True))
    thread.start()
    thread.join()
    if (pid := os.fork()) == 0:
        child, said = ask("look")
        print(type(child).__name__, f'"parent":{os.getpid()},' in said.replace(" ", ""))
        sys.exit()  # what it does at its end is not to end the nursery
    os.waitpid(pid, 0)
    print(type(ask("exit", "0")[0]).__name__)


def left() -> None:
    """The nursery and a worker that run; the test kills this process."""
    nursery.open_nursery(ASKED)
    pid = nursery_pid()
    child = start("wait")
    print(pid, child.pid, flush=True)
    signal.pause()


def changed() -> None:
    """Another variable in the environment, than there was when the nursery began."""
    nursery.open_nursery(ASKED)
    os.environ["TZ"] = "Asia/Tokyo"
    print(type(ask("exit", "0")[0]).__name__)
    del os.environ["TZ"]
    print(type(ask("exit", "0")[0]).__name__)


def within() -> None:
    """What has called `open_nursery` has more to do when a worker ends."""
    try:
        nursery.open_nursery(ASKED)
    finally:
        print("not in a worker", flush=True)
    for words in (("exit", "3"), ("exit in words", "words"), ("interrupt",)):
        child, said = ask(*words, errors=True)
        print(child.poll(), said.strip().split("\n")[-1])


def killed_at_work() -> None:
    """Somebody ends the nursery when it has just forked, and not said so."""

    def clone() -> int:
        if pid := fork():
            os.kill(os.getpid(), signal.SIGKILL)
        return pid

    fork, nursery_process.clone = nursery_process.clone, clone
    nursery.open_nursery(ASKED)
    child, said = ask("look")
    print(type(child).__name__, said.count("parent"))
    child, said = ask("look")
    print(type(child).__name__, said.count("parent"))


def late() -> None:
    """A fork that comes to life when nobody waits for it any more."""

    def clone() -> int:
        if not (pid := fork()):
            time.sleep(3 * nursery.PATIENCE_S)
        return pid

    nursery.PATIENCE_S = 0.2  # type: ignore[misc]
    fork, nursery_process.clone = nursery_process.clone, clone
    nursery.open_nursery(ASKED)
    with tempfile.TemporaryFile() as said:
        print(type(start("look", stdout=said.fileno())).__name__)
        for _ in range(3):  # the nursery was one, and waited for
            with suppress(ChildProcessError):
                os.wait()
        said.seek(0)
        print(said.read().count(b"parent"))


def full() -> None:
    """The last descriptor that there may be."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    nursery.open_nursery(ASKED)
    os.dup2(0, 127)
    child, said = ask("look", descriptors=[127])
    print(type(child).__name__, "127" in said)
