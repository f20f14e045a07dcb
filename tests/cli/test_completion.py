"""Shells that complete weft's words."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_weft(shell: str, tmp_path: Path) -> None:
    done = Finished("completion", shell, cwd=tmp_path)
    assert (done.code, done.errors) == (0, "")
    assert f"_WEFT_COMPLETE=complete_{shell}" in done.out


def test_an_unknown_shell_is_refused(tmp_path: Path) -> None:
    done = Finished("completion", "tcsh", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert "SHELL must be one of bash, zsh, fish, not 'tcsh'" in done.errors


COMPLETED = {
    ("weft", "cr"): ["crawl"],
    ("weft", "co"): ["control", "config", "completion"],
    ("weft", "crawl", "--max-p"): ["--max-pages", "--max-pages-per-host"],
    ("weft", "crawl", "--scope", ""): ["host", "domain", "prefix", "any"],
    ("weft", "resume", "--retry"): ["--retry-failed", "--retry-wait-scale"],
}


def test_bash_completes_commands_flags_and_values(tmp_path: Path) -> None:
    command = tmp_path / "weft"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m weft "$@"\n')
    command.chmod(0o755)
    asked = [
        f"""
        COMP_WORDS=({shlex.join(words)})
        COMP_CWORD={len(words) - 1}
        _weft_completion weft
        echo "${{COMPREPLY[@]}}"
        """
        for words in COMPLETED
    ]
    environment = own_environment()
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(['eval "$(weft completion bash)"', *asked])],
        env=environment | {"PATH": f"{tmp_path}:{environment['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=True,
    )
    told = dict(zip(COMPLETED, done.stdout.splitlines(), strict=True))
    assert {words: sorted(line.split()) for words, line in told.items()} == {
        words: sorted(completed) for words, completed in COMPLETED.items()
    }, done.stderr
