"""Other people's tools, each in a process of its own: what they import and warn about is not ours."""

from __future__ import annotations

import http.client
import os
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.cli.running import closed_port

WITHIN_S = 60
POLL_S = 0.05
# `make test` installs the tools into an environment of their own: they need libraries in versions that are not ours.
HOMES = (Path(__file__).parents[2] / ".judges" / "bin", Path(sysconfig.get_path("scripts")))


def judge(tool: str, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end."""
    return subprocess.run(
        [path_of(tool), *arguments],
        cwd=cwd,
        env=quiet_environment(),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


def path_of(tool: str) -> Path:
    """Where a tool is installed."""
    for home in HOMES:
        if (home / tool).exists():
            return home / tool
    raise AssertionError(f"{tool} is not installed: `make .judges/ready` does it")


def quiet_environment() -> dict[str, str]:
    """An environment in which nothing of ours is imported."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "WEFT_"))}


class Replayed(NamedTuple):
    """What pywb answers."""

    status: int
    headers: dict[str, str]
    body: bytes


class Pywb:
    """A running pywb."""

    def __init__(self, port: int) -> None:
        self._port = port

    def replay(self, collection: str, timestamp: str, url: str) -> Replayed:
        """A capture as it was archived: the modifier id_ forbids all rewriting."""
        # A body that came packed is to be handed on as it is.
        return self._get(f"/{collection}/{timestamp}id_/{url}", {"Accept-Encoding": "gzip, br"})

    def is_up(self) -> bool:
        """Whether it answers."""
        try:
            return self._get("/", {}).status < 500
        except ConnectionRefusedError:
            return False

    def _get(self, target: str, headers: dict[str, str]) -> Replayed:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=WITHIN_S)
        try:
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Replayed(response.status, named, response.read())
        finally:
            connection.close()


@contextmanager
def running_pywb(folder: Path) -> Iterator[Pywb]:
    """pywb with the collections in a folder."""
    port = closed_port()
    command = [str(path_of("wayback")), "--bind", "127.0.0.1", "--port", str(port), "--directory", str(folder)]
    with (folder / "pywb.log").open("wb") as log:
        process = subprocess.Popen(command, env=quiet_environment(), stdout=log, stderr=subprocess.STDOUT)
    try:
        pywb = Pywb(port)
        give_up_at = time.monotonic() + WITHIN_S
        while not pywb.is_up():
            assert process.poll() is None, (folder / "pywb.log").read_text()
            assert time.monotonic() < give_up_at, "pywb does not answer"
            time.sleep(POLL_S)
        yield pywb
    finally:
        process.terminate()
        process.wait(WITHIN_S)
