"""The commands. What their flags are is in `settings`; here is what each command does."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from weft._version import __version__
from weft.cli.completion import PROGRAM, is_asked_to_complete, prepare_completion
from weft.cli.exits import Exit
from weft.cli.lazy import LazyGroup
from weft.cli.options import GroupedCommand, takes
from weft.cli.runner import run_crawl
from weft.cli.seeds import read_seeds
from weft.cli.settings import BY_NAME, SETTINGS
from weft.cli.show_config import ConfigFile
from weft.cli.sources import effective, read_flags
from weft.errors import BadInput, CrawlFolderError, DiskFull, WeftError
from weft.pipeline.crawl import Crawl
from weft.url import canonicalize, host_of

app = typer.Typer(
    name=PROGRAM,
    cls=LazyGroup,  # the other commands have files of their own
    help="A web crawler: polite, complete, crash-proof and fast.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: names are never cut off, whatever the width
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run weft; every expected error becomes one sentence and an exit code."""
    if is_asked_to_complete():
        prepare_completion()
    try:
        _let_import_from_here()
        sys.exit(app(prog_name=PROGRAM, standalone_mode=False))
    except typer.TyperException as error:
        _fail(_usage_sentence(error), Exit.BAD_INPUT)
    except DiskFull as error:
        _fail(error, Exit.DISK_FULL)
    except CrawlFolderError as error:
        _fail(error, Exit.FOLDER)
    except BadInput as error:
        _fail(error, Exit.BAD_INPUT)
    except WeftError as error:
        _fail(error, Exit.FAILED)
    except PermissionError as error:
        _fail(f"cannot use {error.filename}: {error.strerror}", Exit.FOLDER)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        _fail("no more files may be open at once: `ulimit -n 4096` allows more; `weft resume` goes on", Exit.FAILED)
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(Exit.INTERRUPTED)


def _let_import_from_here() -> None:
    """A user's own filter lies where the user is."""
    try:
        sys.path.append(os.getcwd())
    except FileNotFoundError:
        raise CrawlFolderError("the folder in which weft was started is gone") from None


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"weft {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(Exit.BAD_INPUT)


@app.command(cls=GroupedCommand)
@takes(SETTINGS)
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
    page could be fetched; 5 disk full; 6 the folder cannot be used; 130 interrupted; 143 terminated.
    """
    settings = effective(flags, config, os.environ)
    seeds = read_seeds(urls or (), settings["seeds"])
    folder = Path(settings["output"] or f"crawl-{host_of(canonicalize(seeds[0]))}")
    if not settings["quiet"] and not settings["user-agent"]:
        Console(stderr=True).print(
            "Servers' owners like to know whom to ask: --user-agent 'mybot/1.0 (+https://example.org/bot)' tells them.",
            style="dim",
        )
    created = Crawl.create(folder, settings.config(seeds))
    raise typer.Exit(run_crawl(created, as_json=settings["json"], quiet=settings["quiet"]))


@app.command(cls=GroupedCommand)
@takes((setting for setting in SETTINGS if setting.on_resume), shows_defaults=False)
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder.")],
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Also try again what failed for good.")] = False,
    **flags: Any,
) -> None:
    """Go on with a crawl that was stopped, killed or cut off.

    It has the settings that it began with; flags change them, from now on. A limit is taken back by 'none', as in
    --max-pages none. The settings file and the environment are not looked at.
    """
    given = {name: one.value for name, one in read_flags(flags).items()}
    as_json, quiet = given.pop("json", False), given.pop("quiet", False)
    changes = {str(BY_NAME[name].config_field): value for name, value in given.items()}
    if retry_failed:
        changes["retry_failed"] = True
    raise typer.Exit(run_crawl(Crawl.resume(folder, **changes), as_json=as_json, quiet=quiet))


def _usage_sentence(error: typer.TyperException) -> str:
    """What is wrong with the command line, with the nearest flag if one is near."""
    flag = getattr(error, "option_name", None)
    nearest = getattr(error, "possibilities", None)
    if flag is None or nearest is None:
        return error.format_message()
    return f"there is no flag {flag}" + (f"; did you mean {nearest[0]}?" if nearest else "")


def _fail(error: WeftError | str, code: Exit) -> None:
    sentence = " ".join(str(error).split("\n"))
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"weft: {sentence}", markup=False)
    sys.exit(code)
