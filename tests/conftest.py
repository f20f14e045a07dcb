"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import sys

# nohup ignores SIGHUP, a shell ignores SIGINT for its background jobs, and so would all that is started from here:
# tests that send them would wait for ever. What is handled here, if only by doing nothing, is not ignored there.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# Tests start Python a thousand times: without files of bytecode each process would compile all of weft again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
