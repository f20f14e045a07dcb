"""`weft mirror`: a site on the disk that works with the network off."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
import typer
from rich.console import Console

from weft.api.mirror import DEFAULT_FOLDER, Mirroring, default_root, last_word_of_mirror
from weft.cli.exits import Exit
from weft.cli.log import say, start_log, the_log
from weft.cli.options import takes
from weft.cli.runner import print_summary, run_to_end, tell_end
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.settings import SETTINGS
from weft.cli.show_config import ConfigFile
from weft.cli.sources import effective, fields_of, read_flags
from weft.mirror.site import Standing
from weft.pipeline.crawl import Crawl
from weft.settings.setting import Setting

# A mirror always has them, or has no use for them.
NOT_HERE = ("dashboard", "requisites", "near-duplicates", "clean", "clean-preset")


def _described(setting: Setting) -> Setting:
    match setting.name:
        case "output":
            return msgspec.structs.replace(setting, help="The folder of the mirror.", default_text=DEFAULT_FOLDER)
        case "requisites-anywhere":
            return msgspec.structs.replace(setting, help=f"{setting.help} [default: yes]")
    return setting


@takes(_described(setting) for setting in SETTINGS if setting.name not in NOT_HERE)
def mirror(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="What to mirror.")] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Ask for every page again, and change what has changed.")
    ] = False,
    from_wget: Annotated[
        str | None,
        typer.Option("--from-wget", metavar="COMMAND", help="Print what does the same as this command of wget."),
    ] = None,
    from_httrack: Annotated[
        str | None, typer.Option("--from-httrack", metavar="COMMAND", help="Likewise, of HTTrack.")
    ] = None,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Save a site for browsing offline: pages and all they need, as files that link to each other.

    \b
    weft mirror https://example.org/docs/ --scope prefix -o docs
    weft mirror https://example.org/docs/ -o docs             goes on after a stop of any kind
    weft mirror https://example.org/docs/ -o docs --update    later: only what has changed is transferred

    Links to what was saved become relative, all others absolute; all else stays as the server sent it. The crawl is in
    DIR/.weft, with the archive of all responses and, after each run, changes.json. No file is deleted after a run that
    was not complete, or because a request failed.

    Exit codes are those of `weft crawl`.
    """
    if from_wget is not None or from_httrack is not None:
        _translate(from_wget, from_httrack)
    settings = effective(flags, config, os.environ)
    quiet = settings["quiet"]
    output = settings["output"]
    seeds = read_seeds(urls or (), settings["seeds"]) if urls or settings["seeds"] or not output else ()
    root = Path(output) if output else default_root(seeds)
    mirroring = Mirroring(root, seeds, settings.fields, fields_of(read_flags(flags)), update=update)
    if mirroring.crawl is None:
        if not quiet:
            print(f"Nothing to do: {mirroring.root} is finished. --update asks for every page again.")
        raise typer.Exit(Exit.DONE)
    start_log(settings.said())
    if not quiet:
        tell_meant(urls or ())
    if mirroring.standing is Standing.UNFINISHED and update and not quiet:
        say("the mirror was not finished: this run goes on with it")
    with closing(mirroring):
        raise typer.Exit(_run(mirroring, mirroring.crawl, as_json=settings["json"], quiet=quiet))


def _translate(from_wget: str | None, from_httrack: str | None) -> NoReturn:
    """Print what does the same as a command of another program."""
    from weft.mirror import translation  # only then: nobody else needs it

    if from_wget is not None:
        print(translation.from_wget(from_wget).text())
    if from_httrack is not None:
        print(translation.from_httrack(from_httrack).text())
    raise typer.Exit(Exit.DONE)


def _run(mirroring: Mirroring, crawl: Crawl, *, as_json: bool, quiet: bool) -> int:
    root = mirroring.root
    run = run_to_end(crawl, f"`weft mirror -o {root}` goes on", quiet=quiet)
    if isinstance(run, int):
        return run
    if run.exit_code in (Exit.TERMINATED, Exit.HUNG_UP):  # the system goes down, perhaps: there is no time
        tell_end(run, f"`weft mirror -o {root}` goes on.", quiet=False)
        return run.exit_code
    if the_log() is not None:
        say("the crawl is over; the files are written", level=logging.INFO)
    with _shown(enabled=sys.stderr.isatty() and not quiet and the_log() is None) as progress:
        summary = mirroring.finish(run.summary, progress)
    last_word = last_word_of_mirror(crawl, root, run.ending, summary)
    if as_json:
        print(msgspec.json.encode(summary).decode())
    elif not quiet:
        print_summary(crawl, summary, last_word)
    tell_end(run, last_word, quiet=quiet)
    return run.exit_code


@contextmanager
def _shown(*, enabled: bool) -> Iterator[Callable[[int], None]]:
    """Show on standard error how many files are written."""
    if not enabled:
        yield lambda files: None
        return
    with Console(stderr=True).status("writing files") as status:
        yield lambda files: status.update(f"writing files: {files:,}")
