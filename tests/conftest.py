"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys

import pytest
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import providers

import weft.workers.process
from tests import warm_children
from tests.warm_simweb import WarmSim
from weft.simweb import SimProcess

# nohup ignores SIGHUP, a shell ignores SIGINT for its background jobs, and so would all that is started from here:
# tests that send them would wait for ever. What is handled here, if only by doing nothing, is not ignored there.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# Tests start Python a thousand times: without files of bytecode each process would compile all of weft again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)  # before hypothesis loads the profile that the command line asks for
def pytest_configure() -> None:
    """Examples are the same in each run and in each process: they depend on their test alone.

    A failure is shown as it was found; `--hypothesis-profile shrinking` makes it smaller, which may take minutes.
    """
    gc.disable()  # until all tests are collected: nothing becomes garbage, but it is looked for
    phases = (Phase.explicit, Phase.generate, Phase.target)
    settings.register_profile("weft", derandomize=True, database=None, deadline=None, phases=phases)
    settings.register_profile("shrinking", parent=settings.get_profile("weft"), phases=tuple(Phase))
    settings.load_profile("weft")
    # Else numbers and strings of all modules that happen to be imported, whichever those are, would be among them.
    providers.is_local_module_file = lambda path: False  # type: ignore[assignment, attr-defined]
    SimProcess.started = staticmethod(WarmSim)
    weft.workers.process.start_process = warm_children.start_process


def pytest_collection_finish() -> None:
    """What is alive now stays: sixteen thousand tests, which each search for garbage would look at again."""
    gc.freeze()
    gc.enable()
