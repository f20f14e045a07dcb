"""Commands that are loaded when they are called: `weft crawl` need not wait for what only `weft demo` needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from weft.cli.options import GroupedCommand

# Where each is, in the order of the help.
HOME_OF = {
    "mirror": "weft.cli.mirror",
    "clean": "weft.cli.clean",
    "config": "weft.cli.show_config",
    "doctor": "weft.cli.doctor",
    "report": "weft.cli.report",
    "export": "weft.cli.export",
    "repair": "weft.cli.repair",
    "pack": "weft.cli.pack",
    "unpack": "weft.cli.pack",
    "verify": "weft.cli.pack",
    "serve": "weft.cli.serve",
    "demo": "weft.cli.demo",
    "completion": "weft.cli.completion",
}


class LazyGroup(TyperGroup):
    """The commands of the program: those that it has itself, then those of HOME_OF."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *HOME_OF]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in HOME_OF:
            return super().get_command(ctx, cmd_name)
        alone = typer.Typer(
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
            add_completion=False,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        function = getattr(import_module(HOME_OF[cmd_name]), cmd_name)
        alone.command(cls=GroupedCommand, name=cmd_name)(function)
        return get_command(alone)
