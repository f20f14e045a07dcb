"""The tools of others that sign and unzip: this machine's, or those that tests/install-servers has unpacked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SERVERS = Path(__file__).parents[2] / ".servers"


@pytest.fixture(autouse=True)
def tools_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = [str(path) for path in (SERVERS / "usr/lib").glob("*-linux-*")]
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{SERVERS / 'usr/bin'}")
    monkeypatch.setenv("LD_LIBRARY_PATH", ":".join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]).strip(":"))
