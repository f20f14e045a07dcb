from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.names import host_name, knowing_names, why_no_names, write_hosts


def test_a_command_knows_the_names_and_the_machine_does_not(tmp_path: Path) -> None:
    if why := why_no_names():
        pytest.skip(why)
    hosts_file = write_hosts(tmp_path / "hosts", ["127.0.1.1", "127.0.1.2"])
    before = Path("/etc/hosts").read_bytes()
    told = subprocess.run(
        knowing_names(["getent", "hosts", host_name(1)], hosts_file), capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["127.0.1.2", host_name(1)]
    assert Path("/etc/hosts").read_bytes() == before


def test_what_the_command_is_told_reaches_it_letter_by_letter(tmp_path: Path) -> None:
    if why := why_no_names():
        pytest.skip(why)
    words = ["a b", "$0", "'", "-x"]
    command = knowing_names(["printf", "%s\\n", *words], write_hosts(tmp_path / "hosts", []))
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines() == words
