"""Commands that are loaded when they are called: `weft --help` need not wait for the engine."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group


class Home(NamedTuple):
    """Where a command is, and how its help begins."""

    module: str
    summary: str


# In the order of the help.
COMMANDS = {
    "get": Home("weft.cli.get", "Print one page, as Markdown or in another form."),
    "crawl": Home("weft.cli.crawl", "Crawl from one or more URLs into a folder."),
    "resume": Home("weft.cli.resume", "Go on with a crawl that was stopped, killed or cut off."),
    "control": Home("weft.cli.control", "Tell a crawl that runs something: pause, rate, block, stop."),
    "top": Home("weft.cli.top", "Look on at a crawl: how much, how fast, and what limits it."),
    "dashboard": Home("weft.cli.dashboard", "Show a crawl to a browser, and let it be steered from there."),
    "mirror": Home("weft.cli.mirror", "Make a site work with the network off."),
    "clean": Home("weft.cli.clean", "Delete from pages what carries nothing."),
    "extract": Home("weft.cli.extract", "Call your function with each page of a crawl's archive."),
    "node": Home("weft.cli.node", "Take part in a crawl of several machines."),
    "config": Home("weft.cli.show_config", "Show the settings that a crawl would have, and their sources."),
    "doctor": Home("weft.cli.doctor", "Say whether this machine is fit for a crawl, and what to do."),
    "report": Home("weft.cli.report", "Say what came of a crawl: answers, failures, hosts, times."),
    "explain": Home("weft.cli.explain", "Say what has become of a URL or a host of a crawl, and why."),
    "rank": Home("weft.cli.rank", "Say which URLs of a crawl are best by the links between them."),
    "export": Home("weft.cli.export", "Write a crawl's pages, index, archive or links."),
    "repair": Home("weft.cli.repair", "Make a crawl's database again from its archive."),
    "pack": Home("weft.cli.pack", "Put a mirror into one zip file, with a manifest of checksums."),
    "unpack": Home("weft.cli.pack", "Check a pack, and unpack it: all of it, or nothing."),
    "verify": Home("weft.cli.pack", "Say whether a pack, or a folder made from one, is intact."),
    "shell": Home("weft.cli.shell", "Look at a page, or at those of a crawl, in interactive Python."),
    "serve": Home("weft.cli.serve", "Serve a mirror to a browser on this machine, until Ctrl-C."),
    "demo": Home("weft.cli.demo", "Crawl a synthetic web on this machine, and check the result."),
    "cluster": Home("weft.cli.cluster", "Run one crawl on many nodes."),
    "completion": Home("weft.cli.completion", "Print the script by which a shell completes weft's words."),
}


class LazyGroup(TyperGroup):
    """The commands of the program."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        found = getattr(import_module(COMMANDS[cmd_name].module), cmd_name)
        if isinstance(found, typer.Typer):  # it has commands of its own
            return get_group(found)
        from weft.cli.options import GroupedCommand  # it knows all settings

        alone = typer.Typer(
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
            add_completion=False,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        alone.command(cls=GroupedCommand, name=cmd_name)(found)
        return get_command(alone)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, home.summary) for name, home in COMMANDS.items()])
