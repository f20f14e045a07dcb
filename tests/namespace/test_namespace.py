"""The network of the examples is closed, complete, and gone afterwards."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.namespace import run
from tests.namespace.inside import refuse_a_network_that_leads_anywhere
from tests.namespace.outside import NamespaceUnavailable
from tests.namespace.place import ADDRESS
from tests.namespace.site import SITE

ASK = """
import socket, urllib.request
print([name for _, name in socket.if_nameindex()])
print(socket.gethostbyname("example.org"))
for scheme in ("http", "https"):
    with urllib.request.urlopen(f"{scheme}://example.org/products") as answer:
        print(answer.url, len(answer.read()))
"""


def test_a_program_finds_example_org_and_no_other_network(tmp_path: Path) -> None:
    finished = run("python", "-c", ASK, cwd=tmp_path)
    assert finished.errors == ""
    answer = f"https://example.org/products {len(SITE['/products'].body)}"
    assert finished.out.splitlines() == ["['lo']", ADDRESS, answer, answer]
    assert finished.requests == ["/products"] * 3  # one of them on port 80, which leads to 443


def test_outside_nothing_changes(tmp_path: Path) -> None:
    def seen_from_outside() -> list[object]:
        return [Path("/etc/hosts").read_bytes(), Path("/etc/resolv.conf").read_bytes(), socket.if_nameindex()]

    before = seen_from_outside()
    assert "example.org" in run("cat", "/etc/hosts", cwd=tmp_path).out
    assert seen_from_outside() == before


def test_the_exit_code_and_both_outputs_come_back(tmp_path: Path) -> None:
    finished = run("sh", "-c", "pwd; echo no >&2; exit 7", cwd=tmp_path)
    assert (finished.code, finished.out, finished.errors) == (7, f"{tmp_path}\n", "no\n")


def test_the_driver_refuses_a_network_that_leads_anywhere() -> None:
    refuse_a_network_that_leads_anywhere(["lo"])
    with pytest.raises(SystemExit, match="eth0"):
        refuse_a_network_that_leads_anywhere(["lo", "eth0"])


def test_a_machine_that_allows_no_namespace_fails_the_test_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "unshare"
    fake.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(NamespaceUnavailable, match=r"does not let it: unshare: .*Operation not permitted"):
        run("true", cwd=tmp_path)
