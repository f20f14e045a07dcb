"""What every command waits for is little: each is loaded when it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from weft.cli.app import app
from weft.cli.lazy import COMMANDS

from .running import Finished, own_environment

GROUP: Any = get_group(app)
HEAVY = ("weft.pipeline", "weft.fetch", "weft.dns", "weft.config", "uvloop", "asyncio", "nats")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []], ids=["help", "version", "nothing"])
def test_help_and_version_do_without_the_engine(arguments: list[str], tmp_path: Path) -> None:
    program = f"""
import sys
from weft.cli import main
sys.argv = ["weft", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print("loaded:", *(name for name in {HEAVY!r} if name in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=own_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


@pytest.mark.parametrize(
    ("who", "unwanted"),
    [
        (
            "weft.cli.crawl, weft.cli.runner, weft.pipeline.run",
            ("turbohtml", "weft.parse", "weft.mirror.paths", "nats"),
        ),
        (
            "weft.pipeline.worker",
            ("rocksdict", "uvloop", "aiodns", "typer", "weft.mirror", "weft.parse.css_spans", "weft.page.page"),
        ),
    ],
    ids=["engine", "worker"],
)
def test_no_process_loads_what_only_the_other_needs(who: str, unwanted: tuple[str, ...], tmp_path: Path) -> None:
    program = f"import sys, {who}; print(*(name for name in {unwanted!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=own_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_in_the_list_with_how_its_own_help_begins(name: str) -> None:
    summary = COMMANDS[name].summary
    own = " ".join(GROUP.get_command(None, name).help.split())
    assert own.startswith(summary.removesuffix(".")), own


def test_the_list_of_commands_is_shown_whole_on_a_terminal_of_80_columns(tmp_path: Path) -> None:
    done = Finished("--help", cwd=tmp_path)
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    for name, home in COMMANDS.items():
        assert f"{name} {home.summary}" in lines


def test_help_tells_a_newcomer_what_to_type_first(tmp_path: Path) -> None:
    for arguments in ([], ["--help"]):
        done = Finished(*arguments, cwd=tmp_path)
        assert "weft demo" in done.out + done.errors
        assert "weft crawl https://example.org" in done.out + done.errors
