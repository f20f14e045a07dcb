"""What weft says to type when a library is not there works, also in the environment that `make demo` makes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from weft import missing_library
from weft.missing_library import how_to_install


def test_the_command_names_a_python_that_has_pip_wherever_it_is_typed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(missing_library, "find_spec", lambda name: None)
    words = shlex.split(how_to_install("psycopg[binary]"))
    assert words[-2:] == ["install", "psycopg[binary]"]
    at = words.index("-m")
    activated = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([*words[: at + 2], "--version"], env=activated, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert words[words.index("--python") + 1] == sys.executable


def test_an_environment_with_pip_uses_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_library, "find_spec", lambda name: object())
    assert how_to_install("pyarrow", "surt") == f"{sys.executable} -m pip install pyarrow surt"
