"""`weft node` by a person who does not wait."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .running import WITHIN_S, own_environment

# A node that is asked to stop by a signal, does not, and is sent it again; there are no servers.
STUBBORN_NODE = """
import asyncio, os, sys
from pathlib import Path
from weft.cli import main
from weft.cluster import connection, node

class Client:
    async def close(self): pass

class Stubborn:
    name, path, crawl = "a", Path("node-trial"), None

    async def run(self):
        self.stop()
        await asyncio.Event().wait()

    def stop(self):
        os.kill(os.getpid(), NUMBER)

async def connect(*_, **__): return Client()
async def opened(*_, **__): return Stubborn()

NUMBER = int(sys.argv.pop(1))
connection.connect, node.Node.open = connect, opened
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_second_signal_leaves_at_once_and_exits_as_shells_do(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", STUBBORN_NODE, str(int(number)), "node", "trial", "--nats", "nats://127.0.0.1:1"],
        env=own_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert ran.returncode == code, ran.stderr
    assert f"(exit code {code}). left at once" in ran.stderr
