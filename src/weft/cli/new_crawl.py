"""A crawl begins, as a person asked for it: what `weft crawl` does. Typer is not needed for it (`quick`)."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft.cli.dashboard_beside import listening, shown_beside
from weft.cli.log import say, start_log, the_log
from weft.cli.runner import begin_process, run_crawl
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.sources import effective
from weft.engines.number import crawl_type
from weft.url import canonicalize, host_of


def begin_crawl(urls: Sequence[str], flags: Mapping[str, object], config: Path | None) -> int:
    """Crawl to the end; returns the exit code. `flags` are as they were typed, by keyword."""
    begin_process()
    settings = effective(flags, config, os.environ)
    seeds = read_seeds(urls, settings["seeds"])
    listener = listening(settings["dashboard"])
    folder = Path(settings["output"] or f"crawl-{host_of(canonicalize(seeds[0]))}")
    crawl_config = settings.config(seeds)
    created = crawl_type(crawl_config).create(folder, crawl_config)
    start_log(settings.said())
    if not settings["quiet"]:
        tell_meant(urls)
    if not settings["quiet"] and not settings["user-agent"]:
        _ask_for_a_name()
    with shown_beside(created.folder.path, listener):
        return run_crawl(created, as_json=settings["json"], quiet=settings["quiet"])


def _ask_for_a_name() -> None:
    words = "Servers' owners like to know whom to ask: --user-agent 'mybot/1.0 (+https://example.org/bot)' tells them."
    if the_log() is not None:
        say(words, level=logging.INFO)
    else:
        from rich.console import Console  # only for a person

        Console(stderr=True, soft_wrap=True).print(words, style="dim")
