"""`weft resume`: a crawl goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft.api.crawl import open_again
from weft.cli.dashboard_beside import listening, shown_beside
from weft.cli.log import start_log
from weft.cli.options import takes
from weft.cli.runner import begin_process, run_crawl
from weft.cli.seeds import read_seeds, tell_meant
from weft.cli.settings import SETTINGS
from weft.cli.sources import fields_of, read_flags
from weft.settings.setting import Group


@takes((setting for setting in SETTINGS if setting.on_resume and setting.group != Group.FILES), shows_defaults=False)
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder.")],
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin, too.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Also try again what failed for good.")] = False,
    **flags: Any,
) -> None:
    """Continue a crawl that was stopped, killed or cut off.

    It has the settings that it began with; flags change them, from now on. A limit or a list is taken back by 'none',
    as in --max-pages none. The settings file and the environment are not looked at.

    Where --scope, --include or --exclude allow more than before, what was refused is found by reading the archived
    pages again; what they no longer allow is dropped from the queue. URLs and --seeds are added to the seeds.
    """
    begin_process()
    given = read_flags(flags)
    said = {name: one.value for name, one in given.items()}
    seeds = read_seeds(urls or (), said.get("seeds")) if urls or "seeds" in said else ()
    listener = listening(said.get("dashboard"))
    crawl = open_again(folder, seeds, fields_of(given), retry_failed=retry_failed)
    start_log(said)
    if not said.get("quiet"):
        tell_meant(urls or ())
    with shown_beside(crawl.folder.path, listener):
        raise typer.Exit(run_crawl(crawl, as_json=said.get("json", False), quiet=said.get("quiet", False)))
