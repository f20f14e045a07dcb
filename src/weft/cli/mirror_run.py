"""A mirror begins or goes on, as a person asked for it: what `weft mirror` does. Typer is not needed (`quick`)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from weft.api.mirror import Mirroring, default_root, last_word_of_mirror
from weft.cli.exits import Exit
from weft.cli.log import say, start_log, the_log
from weft.cli.runner import begin_process, print_summary, run_to_end, tell_end
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.sources import effective, fields_of, read_flags
from weft.mirror.site.layout import Standing
from weft.pipeline.crawl import Crawl


def begin_mirror(urls: Sequence[str], flags: Mapping[str, object], config: Path | None, *, update: bool) -> int:
    """Mirror to the end; returns the exit code. `flags` are as they were typed, by keyword."""
    begin_process("weft.mirror.site.writer")
    settings = effective(flags, config, os.environ)
    quiet = settings["quiet"]
    output = settings["output"]
    seeds = read_seeds(urls, settings["seeds"]) if urls or settings["seeds"] or not output else ()
    root = Path(output) if output else default_root(seeds)
    mirroring = Mirroring(root, seeds, settings.fields, fields_of(read_flags(flags)), update=update)
    if mirroring.crawl is None:
        if not quiet:
            print(f"Nothing to do: {mirroring.root} is finished. --update asks for every page again.")
        return Exit.DONE
    start_log(settings.said())
    if not quiet:
        tell_meant(urls)
    if mirroring.standing is Standing.UNFINISHED and update and not quiet:
        say("the mirror was not finished: this run goes on with it")
    with closing(mirroring):
        return _run(mirroring, mirroring.crawl, as_json=settings["json"], quiet=quiet)


def _run(mirroring: Mirroring, crawl: Crawl, *, as_json: bool, quiet: bool) -> int:
    root = mirroring.root
    run = run_to_end(crawl, f"`weft mirror -o {root}` goes on", quiet=quiet)
    if isinstance(run, int):
        return run
    if run.signalled in (Exit.TERMINATED, Exit.HUNG_UP):  # the system goes down, perhaps: there is no time
        run.exit_code = run.signalled
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
    from rich.console import Console  # only for a person

    with Console(stderr=True).status("writing files") as status:
        yield lambda files: status.update(f"writing files: {files:,}")
