"""`weft resume`: a crawl goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft.cli.options import takes
from weft.cli.runner import run_crawl
from weft.cli.seeds import read_seeds
from weft.cli.settings import BY_NAME, SETTINGS
from weft.cli.sources import read_flags
from weft.folder.layout import load_config
from weft.pipeline.crawl import Crawl


@takes((setting for setting in SETTINGS if setting.on_resume), shows_defaults=False)
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder.")],
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="Where to begin, too.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Also try again what failed for good.")] = False,
    **flags: Any,
) -> None:
    """Go on with a crawl that was stopped, killed or cut off.

    It has the settings that it began with; flags change them, from now on. A limit or a list is taken back by 'none',
    as in --max-pages none. The settings file and the environment are not looked at.

    Where --scope, --include or --exclude allow more than before, what was refused is found by reading the archived
    pages again; what they no longer allow is dropped from the queue. URLs and --seeds are added to the seeds.
    """
    given = {name: one.value for name, one in read_flags(flags).items()}
    as_json, quiet = given.pop("json", False), given.pop("quiet", False)
    seeds_file = given.pop("seeds", None)
    changes: dict[str, Any] = {str(BY_NAME[name].config_field): value for name, value in given.items()}
    if urls or seeds_file:
        changes["seeds"] = tuple(dict.fromkeys((*load_config(folder).seeds, *read_seeds(urls or (), seeds_file))))
    if retry_failed:
        changes["retry_failed"] = True
    raise typer.Exit(run_crawl(Crawl.resume(folder, **changes), as_json=as_json, quiet=quiet))
