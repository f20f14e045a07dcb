"""`weft completion`: the shell completes commands and flags."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from typer.completion import get_completion_inspect_parameters, shell_complete

from weft.cli.process import COMPLETION_REQUEST as REQUEST
from weft.errors import BadInput

PROGRAM = "weft"
SHELLS = ("bash", "zsh", "fish")


def completion(
    context: typer.Context,
    shell: Annotated[
        str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", autocompletion=lambda: list(SHELLS))
    ],
) -> None:
    """Print a script that completes weft's words in a shell.

    bash: put  eval "$(weft completion bash)"  into ~/.bashrc; zsh: the same with zsh into ~/.zshrc, after compinit;
    fish: weft completion fish > ~/.config/fish/completions/weft.fish
    """
    if shell not in SHELLS:
        raise BadInput(f"SHELL must be one of {', '.join(SHELLS)}, not {shell!r}")
    prepare_completion()
    raise typer.Exit(print_script(context.find_root().command, shell))


def print_script(command: Any, shell: str) -> int:
    """Print the script; returns the exit code."""
    return shell_complete(command, {}, PROGRAM, REQUEST, f"source_{shell}")


def is_asked_to_complete() -> bool:
    """Whether a shell asks."""
    return REQUEST in os.environ


def prepare_completion() -> None:
    """Typer knows the shells only once its own flags for completion are asked for, which weft does without."""
    get_completion_inspect_parameters()
