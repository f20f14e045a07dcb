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


# In the order of the help, which shows them by what a person wants to do.
GROUPS = {
    "Crawl": {
        "crawl": Home("weft.cli.crawl", "Crawl from one or more URLs into a folder."),
        "resume": Home("weft.cli.resume", "Continue a crawl that was stopped, killed or cut off."),
        "mirror": Home("weft.cli.mirror", "Save a site for browsing offline."),
        "get": Home("weft.cli.get", "Print one page, as Markdown or in another form."),
        "demo": Home("weft.cli.demo", "Crawl a synthetic web on this machine, and check the result."),
    },
    "While it runs": {
        "top": Home("weft.cli.top", "Watch a crawl: how much, how fast, and what limits it."),
        "dashboard": Home("weft.cli.dashboard", "Watch and steer a crawl in a browser."),
        "control": Home("weft.cli.control", "Steer a running crawl: pause, rate, block, stop."),
        "explain": Home("weft.cli.explain", "Explain what became of a URL or a host, and why."),
    },
    "Results": {
        "report": Home("weft.cli.report", "Summarize a crawl: answers, failures, hosts, times."),
        "export": Home("weft.cli.export", "Write a crawl's pages, index, archive or links."),
        "clean": Home("weft.cli.clean", "Strip scripts, styles and forms from pages, in bulk."),
        "extract": Home("weft.cli.extract", "Call your function with each page of a crawl's archive."),
        "rank": Home("weft.cli.rank", "Rank the URLs of a crawl by the links between them."),
        "shell": Home("weft.cli.shell", "Explore a page or a crawl in interactive Python."),
        "repair": Home("weft.cli.repair", "Rebuild a crawl's database from its archive."),
    },
    "Mirrors": {
        "serve": Home("weft.cli.serve", "Serve a mirror to a browser on this machine, until Ctrl-C."),
        "pack": Home("weft.cli.pack", "Put a mirror into one zip file, with a manifest of checksums."),
        "unpack": Home("weft.cli.pack", "Check a pack, and unpack it: all of it, or nothing."),
        "verify": Home("weft.cli.pack", "Check that a pack, or a folder made from one, is intact."),
    },
    "Several machines": {
        "cluster": Home("weft.cli.cluster", "Run one crawl on many nodes."),
        "node": Home("weft.cli.node", "Join a crawl as one of its nodes."),
    },
    "Setup": {
        "config": Home("weft.cli.show_config", "Show the settings that a crawl would have, and their sources."),
        "doctor": Home("weft.cli.doctor", "Check that this machine is fit for a crawl."),
        "completion": Home("weft.cli.completion", "Print a script that completes weft's words in a shell."),
    },
}
COMMANDS = {name: home for group in GROUPS.values() for name, home in group.items()}


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
        widest = max(map(len, COMMANDS))  # one column for all groups
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), home.summary) for name, home in group.items()])
