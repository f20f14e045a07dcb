"""`weft crawl`: a crawl begins."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from weft.cli.dashboard_beside import listening, shown_beside
from weft.cli.log import say, start_log, the_log
from weft.cli.options import takes
from weft.cli.runner import run_crawl
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.settings import SETTINGS
from weft.cli.show_config import ConfigFile
from weft.cli.sources import effective
from weft.engines.crawl import CrawlOfEngines
from weft.settings.setting import Group
from weft.url import canonicalize, host_of


@takes(setting for setting in SETTINGS if setting.group != Group.FILES)
def crawl(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin.")] = None,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Crawl from one or more URLs into a folder.

    In a PATTERN only * is special, and stands for anything: '*/calendar/*' looks at the whole URL, '/private/*' at its
    path, 're:...' is a regular expression.

    Settings may also stand in a file or in the environment: docs/configuration.md; `weft config` shows which hold.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 3 a limit was reached, or hosts were left for later; 4 not one
    page could be fetched; 5 disk full; 6 the folder cannot be used; 129, 130, 143 stopped by a signal.
    """
    settings = effective(flags, config, os.environ)
    seeds = read_seeds(urls or (), settings["seeds"])
    listener = listening(settings["dashboard"])
    folder = Path(settings["output"] or f"crawl-{host_of(canonicalize(seeds[0]))}")
    created = CrawlOfEngines.create(folder, settings.config(seeds))
    start_log(settings.said())
    if not settings["quiet"]:
        tell_meant(urls or ())
    if not settings["quiet"] and not settings["user-agent"]:
        _ask_for_a_name()
    with shown_beside(created.folder.path, listener):
        raise typer.Exit(run_crawl(created, as_json=settings["json"], quiet=settings["quiet"]))


def _ask_for_a_name() -> None:
    words = "Servers' owners like to know whom to ask: --user-agent 'mybot/1.0 (+https://example.org/bot)' tells them."
    if the_log() is not None:
        say(words, level=logging.INFO)
    else:
        Console(stderr=True, soft_wrap=True).print(words, style="dim")
