"""A user's own URL filters, by import path, that end the worker they run in."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

from weft.types import Link

POISONOUS_PATH = "/poison"


def kill_itself(link: Link) -> bool:
    """Die by SIGKILL on a link of the poisonous page."""
    if link.via.endswith(POISONOUS_PATH):
        os.kill(os.getpid(), signal.SIGKILL)
    return False


def crash(link: Link) -> bool:
    """Die by SIGSEGV on a link of the poisonous page."""
    if link.via.endswith(POISONOUS_PATH):
        ctypes.string_at(0)
    return False


def fail(link: Link) -> bool:
    """Raise what nobody expects on a link of the poisonous page."""
    if link.via.endswith(POISONOUS_PATH):
        raise RuntimeError("a fault in a user's filter")
    return False


class CannotStartInWorkers:
    """Can be made in the engine, but ends every worker before its first job."""

    def __init__(self) -> None:
        if any("weft.pipeline.worker" in argument for argument in sys.orig_argv):
            os._exit(9)

    def refuses(self, link: Link) -> bool:
        """Nothing against any link."""
        return False
