"""`weft mirror`: a site on the disk that works with the network off."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from weft.cli.exits import Exit
from weft.cli.options import takes
from weft.cli.runner import Run, Summary, limit_reached, print_summary, run_to_end, what_helps, why_failed
from weft.cli.seeds import read_seeds
from weft.cli.settings import BY_NAME, SETTINGS, Setting
from weft.cli.show_config import ConfigFile
from weft.cli.sources import Effective, SourceKind, effective, read_flags
from weft.config import FIXED, CrawlConfig
from weft.errors import BadInput
from weft.folder.layout import CRAWL_FOLDER, database_of, load_config
from weft.folder.reading import CrawlReader
from weft.mirror.site import Finished, Standing, finish_mirror, standing_of
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.seeds import with_seeds_logins
from weft.state import is_at
from weft.stats import Counters
from weft.stats.verdict import counted
from weft.url import canonicalize, host_of

# A mirror always has them, or has no use for them.
NOT_HERE = ("requisites", "extract", "near-duplicates", "clean", "clean-preset", "archive-outlinks")
# A crawl may be told later; a mirror's files would have to follow.
KEPT = FIXED | {"scope", "include", "exclude"}
DEFAULT_FOLDER = "mirror-HOST"


class MirrorSummary(Summary):
    """The figures of one run, those of the files among them."""

    files: int
    written: int
    deleted: int
    first: str
    changes: dict[str, int]
    kept_packed: int
    for_example: list[str]


def _described(setting: Setting) -> Setting:
    match setting.name:
        case "output":
            return replace(setting, help="The folder of the mirror.", default_text=DEFAULT_FOLDER)
        case "requisites-anywhere":
            return replace(setting, help=f"{setting.help} [default: yes]")
    return setting


@takes(_described(setting) for setting in SETTINGS if setting.name not in NOT_HERE)
def mirror(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="What to mirror.")] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Ask for every page again, and change what has changed.")
    ] = False,
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Make a site work with the network off: pages and all they need, as files that link to each other.

    \b
    weft mirror https://example.org/docs/ --scope prefix -o docs
    weft mirror https://example.org/docs/ -o docs             goes on after a stop of any kind
    weft mirror https://example.org/docs/ -o docs --update    later: only what has changed is transferred

    Links to what was saved become relative, all others absolute; all else stays as the server sent it. The crawl is in
    DIR/.weft, with the archive of all responses and, after each run, changes.json. No file is deleted after a run that
    was not complete, or because a request failed.

    Exit codes are those of `weft crawl`.
    """
    given = {name: one.value for name, one in read_flags(flags).items()}
    settings = effective(flags, config, os.environ)
    quiet = settings["quiet"]
    seeds = read_seeds(urls or (), settings["seeds"]) if urls or settings["seeds"] or not settings["output"] else ()
    root = Path(settings["output"] or DEFAULT_FOLDER.replace("HOST", host_of(canonicalize(seeds[0]))))
    standing = standing_of(root)
    if standing is Standing.NONE:
        if not seeds:
            raise BadInput(f"there is no mirror in {root} to go on with: give a URL")
        crawl = Crawl.create(root / CRAWL_FOLDER, mirror_config(settings, seeds))
    else:
        changes = changes_to(load_config(root / CRAWL_FOLDER), seeds, given)
        if standing is Standing.DONE and not update and not changes:
            if not quiet:
                print(f"Nothing to do: {root} is finished. --update asks for every page again.")
            raise typer.Exit(Exit.DONE)
        if standing is Standing.UNFINISHED and update and not quiet:
            print("weft: the mirror was not finished: this run goes on with it", file=sys.stderr)
        begins_update = update and standing in (Standing.DONE, Standing.LEFT_FOR_LATER)
        crawl = Crawl.resume(root / CRAWL_FOLDER, update=begins_update, retry_failed=not begins_update, **changes)
    raise typer.Exit(_run(crawl, root, as_json=settings["json"], quiet=quiet))


def mirror_config(settings: Effective, seeds: tuple[str, ...]) -> CrawlConfig:
    """The settings of a mirror that begins."""
    anywhere = settings.given["requisites-anywhere"]
    return msgspec.structs.replace(
        settings.config(seeds),
        mirror=True,
        requisites=True,
        requisites_anywhere=anywhere.value or anywhere.source is SourceKind.DEFAULT,
    )


def changes_to(known: CrawlConfig, seeds: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the flags change about a mirror that is there; BadInput for what cannot be changed."""
    asked = with_seeds_logins(msgspec.structs.replace(known, seeds=seeds, auth=given.get("auth", known.auth)))
    if seeds and set(asked.seeds) != set(known.seeds):
        raise BadInput(f"this mirror began with {' '.join(known.seeds)}; another one needs another folder")
    changes: dict[str, Any] = {"auth": asked.auth} if asked.auth != known.auth else {}
    for name, value in given.items():
        field = BY_NAME[name].config_field
        if field in (None, "auth") or getattr(known, field) == value:
            continue
        if field in KEPT:
            raise BadInput(f"--{name} cannot be changed: a mirror of other pages needs another folder")
        changes[field] = value
    return changes


def _run(crawl: Crawl, root: Path, *, as_json: bool, quiet: bool) -> int:
    before = _counters_of(root)
    run = run_to_end(crawl, f"`weft mirror -o {root}` goes on", quiet=quiet)
    if isinstance(run, int):
        return run
    run.summary = of_this_run(run.summary, before)
    if run.exit_code in (Exit.TERMINATED, Exit.HUNG_UP):  # the system goes down, perhaps: there is no time
        return run.exit_code
    finished = _write_files(crawl, root, run, shows_progress=sys.stderr.isatty() and not quiet)
    if as_json:
        figures = msgspec.structs.asdict(run.summary) | msgspec.structs.asdict(finished)
        print(msgspec.json.encode(MirrorSummary(**figures)).decode())
    elif not quiet:
        print_summary(crawl, run.summary, _last_word(crawl, root, run.ending, finished))
    elif run.ending is not Ending.DONE:
        print(f"weft: {_last_word(crawl, root, run.ending, finished)}", file=sys.stderr)
    return run.exit_code


def _counters_of(root: Path) -> Counters:
    if not is_at(database_of(root / CRAWL_FOLDER)):
        return Counters()
    with CrawlReader(root / CRAWL_FOLDER) as reader:
        return reader.counters


def of_this_run(summary: Summary, before: Counters) -> Summary:
    """A crawl counts since it began; who updates a mirror wants to know what this run has transferred."""
    return msgspec.structs.replace(
        summary,
        requests=summary.requests - before.requests,
        bytes=summary.bytes - before.bytes,
        retries=summary.retries - before.retries,
        statuses=_more(summary.statuses, before.statuses),
        failed=_more(summary.failed, before.failed),
        refused=_more(summary.refused, before.refused),
    )


def _more(now: Mapping[str, int], before: Mapping[Any, int]) -> dict[str, int]:
    known = {str(name): count for name, count in before.items()}
    return {name: more for name, count in now.items() if (more := count - known.get(name, 0)) > 0}


def _write_files(crawl: Crawl, root: Path, run: Run, *, shows_progress: bool) -> Finished:
    def finish(progress: Callable[[int], None]) -> Finished:
        return finish_mirror(
            root,
            run.ending,
            processes=crawl.worker_slots,
            has_parked=bool(crawl.parked.count),
            progress=progress,
        )

    if not shows_progress:
        return finish(lambda files: None)
    with Console(stderr=True).status("writing files") as status:
        return finish(lambda files: status.update(f"writing files: {files:,}"))


def _last_word(crawl: Crawl, root: Path, ending: Ending, finished: Finished) -> str:
    files = f"{counted(finished.files, 'file')} in {root}, new or changed: {finished.written:,}"
    if finished.deleted:
        files += f", gone: {finished.deleted:,}"
    if finished.kept_packed:
        examples = ", ".join(finished.for_example)
        files += f"; not unpacked, because they become too large: {finished.kept_packed:,}, such as {examples}"
    files += f". Begin with {root / finished.first}" if finished.first else "."
    match ending:
        case Ending.DONE:
            return f"Done. {files}"
        case Ending.SEEDS_FAILED:
            return f"Not one page could be fetched{why_failed(crawl)}.{what_helps(crawl)} The same command tries again."
        case Ending.LIMIT:
            limit, flag = limit_reached(crawl)
            return f"{limit} `weft mirror -o {root}{flag}` goes on. {files}"
        case Ending.INTERRUPTED:
            return f"Stopped. `weft mirror -o {root}` goes on. {files}"
