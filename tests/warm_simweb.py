"""simweb as a fork of a process that has loaded it: hundreds of tests serve a web of their own, most a small one."""

from __future__ import annotations

import gc
import os
import selectors
import subprocess
import sys
import time

from tests.warm_process import WarmProcess, next_order
from weft.simweb.__main__ import main

PROGRAM = "import sys, tests.warm_simweb; tests.warm_simweb.serve_next(int(sys.argv[1]))"
_CHUNK_BYTES = 1 << 16


class WarmSim(WarmProcess):
    """A web that is served, with what `subprocess.Popen` has for it and `SimProcess` needs."""

    def __init__(self) -> None:
        their_stdin, stdin = os.pipe()
        stdout, their_stdout = os.pipe()
        stderr = os.dup(2)
        try:
            super().__init__(PROGRAM, b"serve", [their_stdin, their_stdout, stderr])
        finally:
            for theirs in (their_stdin, their_stdout, stderr):
                os.close(theirs)
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout = os.fdopen(stdout, "rb")

    def communicate(self, timeout: float) -> tuple[bytes, None]:
        """What it still writes to its output, now that its input ends."""
        self.stdin.close()
        said, give_up_at = b"", time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, give_up_at - time.monotonic())):
                    raise subprocess.TimeoutExpired("simweb", timeout)
                if not (chunk := self.stdout.read1(_CHUNK_BYTES)):
                    break
                said += chunk
        self.wait(max(0.0, give_up_at - time.monotonic()))
        return said, None


def serve_next(descriptor: int) -> None:
    """In the loaded process: serve as it is ordered, each web in a fork."""
    gc.freeze()  # forks need not copy it only to look for garbage
    _, streams = next_order(descriptor, streams=3)
    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = ["weft.simweb", "--job", "-"]
    sys.exit(main())
