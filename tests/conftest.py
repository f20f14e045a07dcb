"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import sys

# Under nohup, and as a background job of a shell, SIGINT is ignored, also by whatever is started from here: tests that
# send it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start Python a thousand times: without files of bytecode each process would compile all of weft again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
