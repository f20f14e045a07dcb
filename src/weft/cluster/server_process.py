"""Becomes a server that ends with whoever started it: `python -m weft.cluster.server_process PID PROGRAM WORD...`."""

from __future__ import annotations

import os
import sys

from weft.workers.process import die_with

if __name__ == "__main__":
    die_with(int(sys.argv[1]))  # the kernel remembers it, whatever program this becomes
    os.execv(sys.argv[2], sys.argv[2:])
