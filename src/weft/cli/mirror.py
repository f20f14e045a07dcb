"""`weft mirror`: a site on the disk that works with the network off."""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

import msgspec
import typer

from weft.api.mirror import DEFAULT_FOLDER
from weft.cli.exits import Exit
from weft.cli.mirror_run import begin_mirror
from weft.cli.options import takes
from weft.cli.settings import MIRROR_FLAGS
from weft.cli.show_config import ConfigFile
from weft.settings.setting import Setting


def _described(setting: Setting) -> Setting:
    match setting.name:
        case "output":
            return msgspec.structs.replace(setting, help="The folder of the mirror.", default_text=DEFAULT_FOLDER)
        case "requisites-anywhere":
            return msgspec.structs.replace(setting, help=f"{setting.help} [default: yes]")
    return setting


@takes(map(_described, MIRROR_FLAGS))
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
    raise typer.Exit(begin_mirror(urls or (), flags, config, update=update))


def _translate(from_wget: str | None, from_httrack: str | None) -> NoReturn:
    """Print what does the same as a command of another program."""
    from weft.mirror import translation  # only then: nobody else needs it

    if from_wget is not None:
        print(translation.from_wget(from_wget).text())
    if from_httrack is not None:
        print(translation.from_httrack(from_httrack).text())
    raise typer.Exit(Exit.DONE)
