"""A command with a nursery, for tests: `python -m tests.workers.nursery_command WHAT`.

Tests run in processes that have threads, so none of them can have a nursery of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from weft.workers import nursery, process
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
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "ASKED": "yes"},
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
    nursery.open_nursery(ASKED)
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
        print(type(child).__name__, f'"parent":{os.getpid()},' in said.replace(" ", ""), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
    print(type(ask("exit", "0")[0]).__name__)


def left() -> None:
    """The nursery and a worker that run; the test kills this process."""
    nursery.open_nursery(ASKED)
    pid = nursery_pid()
    child = start("wait")
    print(pid, child.pid, flush=True)
    signal.pause()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
