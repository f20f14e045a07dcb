"""`weft completion`: the shell completes commands and flags."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.completion import get_completion_inspect_parameters, shell_complete

PROGRAM = "weft"
REQUEST = "_WEFT_COMPLETE"  # a shell that wants completions sets it and runs weft


class Shell(StrEnum):
    """Shells that weft can complete in."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    context: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script by which a shell completes weft's words.

    bash: put  eval "$(weft completion bash)"  into ~/.bashrc; zsh: the same with zsh into ~/.zshrc, after compinit;
    fish: weft completion fish > ~/.config/fish/completions/weft.fish
    """
    prepare_completion()
    raise typer.Exit(print_script(context.find_root().command, shell))


def print_script(command: Any, shell: Shell) -> int:
    """Print the script; returns the exit code."""
    return shell_complete(command, {}, PROGRAM, REQUEST, f"source_{shell}")


def is_asked_to_complete() -> bool:
    """Whether a shell asks."""
    return REQUEST in os.environ


def prepare_completion() -> None:
    """Typer knows the shells only once its own flags for completion are asked for, which weft does without."""
    get_completion_inspect_parameters()
