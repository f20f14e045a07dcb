"""`weft serve` from the command line."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.pack.trees import SITE, write_tree
from tests.pipeline.engine_process import weft_command
from tests.warm_weft import start_program

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment


def test_a_mirror_is_served_until_ctrl_c(tmp_path: Path) -> None:
    write_tree(tmp_path / "site", SITE)
    process = start_program(
        weft_command("serve", "site", "--port", "0"),
        cwd=tmp_path,
        env=own_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with urlopen(f"{url}example.org/", timeout=WITHIN_S) as answer:
            assert answer.read() == SITE["example.org/index.html"]
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=WITHIN_S)
        assert (process.returncode, out, errors) == (0, "", "")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["absent"], 6, "not a folder"),
        (["site", "--address", "nowhere"], 2, "not an IP address"),
        (["site", "--address", "192.0.2.1"], 2, "no address of this machine"),
        (["site", "--port", "70000"], 2, "65535"),
        (["site", "--port", "-1"], 2, "--port"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(arguments: list[str], code: int, word: str, tmp_path: Path) -> None:
    write_tree(tmp_path / "site", SITE)
    done = Finished("serve", *arguments, cwd=tmp_path)
    assert done.code == code
    assert_is_one_sentence(done)
    assert word in done.errors


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = Finished("serve", str(tmp_path), "--port", str(other.getsockname()[1]), cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert "in use" in done.errors
