"""What holds for all tests."""

from __future__ import annotations

import signal

# Under nohup, and as a background job of a shell, SIGINT is ignored, also by whatever is started from here: tests that
# send it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
