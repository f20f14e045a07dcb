"""The program: its commands by name, and how each ends. What a command does is in a file of its own (`lazy`)."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Annotated, Any, NamedTuple, NoReturn

import typer

from weft._version import __version__
from weft.cli.completion import PROGRAM, is_asked_to_complete, prepare_completion
from weft.cli.exits import Exit
from weft.cli.lazy import LazyGroup
from weft.cli.process import have_all_streams, let_import_from_here
from weft.errors import BadInput, DiskFull, FolderError, WeftError, in_words
from weft.missing_library import how_to_install

app = typer.Typer(
    name=PROGRAM,
    cls=LazyGroup,
    help="A web crawler: polite, complete, crash-proof and fast.",
    epilog="Begin with `weft demo`, `weft crawl https://example.org --depth 2`, or `weft get example.org`; "
    "`weft COMMAND --help` tells more.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: names are never cut off, whatever the width
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run weft; every expected error becomes one sentence and an exit code."""
    have_all_streams()
    _run(_by_typer)


def end_by(error: BaseException) -> NoReturn:
    """End by what a command has raised that was called without Typer, as if it had been called by it."""

    def fail() -> NoReturn:
        raise error

    _run(fail)
    raise AssertionError("unreachable")


def _by_typer() -> NoReturn:
    if is_asked_to_complete():
        prepare_completion()
    let_import_from_here()
    sys.exit(app(prog_name=PROGRAM, standalone_mode=False))


def _run(command: Callable[[], NoReturn]) -> None:
    try:
        _end_as_told(command)
    except Exception as error:
        _log_unexpected(error)
        raise


def _end_as_told(command: Callable[[], NoReturn]) -> None:
    try:
        command()
    except typer.TyperException as error:
        _fail(_usage_sentence(error), Exit.BAD_INPUT)
    except ModuleNotFoundError as error:
        if (library := _library_of(error)) is None:
            raise
        said = f"the library {library.name} is missing: {how_to_install(library.name)}"
        _fail(said, Exit.BAD_INPUT if library.is_optional else Exit.FAILED)
    except DiskFull as error:
        _fail(error, Exit.DISK_FULL)
    except FolderError as error:
        _fail(error, Exit.FOLDER)
    except BadInput as error:
        _fail(error, Exit.BAD_INPUT)
    except WeftError as error:
        _fail(error, Exit.FAILED)
    except (OSError, RuntimeError) as error:
        if (told := in_words(error)) is None:
            raise
        _fail(told, Exit.FOLDER if isinstance(told, FolderError) else Exit.FAILED)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)


class Library(NamedTuple):
    """What weft is made with; if it is optional, it was for the user to know that a command needs it."""

    name: str
    is_optional: bool


def _library_of(error: ModuleNotFoundError) -> Library | None:
    """Which of weft's libraries is not there; None if it is something else."""
    module = (error.name or "").partition(".")[0]
    name = "nats-py" if module == "nats" else module.replace("_", "-")
    lines = [line for line in metadata.requires("weft") or () if re.split(r"[^\w-]", line)[0].lower() == name]
    return Library(name, all("extra ==" in line for line in lines)) if lines else None


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


# What Typer says of a command line, and what weft says instead.
_PLAIN_WORDS = (
    (r"No such option: (-\w)", "there is no flag {}"),
    (r"Missing (?:argument|option) '(.*?)'", "{} is missing"),
    (r"Missing (command)", "a {} is missing"),
    (r"Option '(.*?)' requires an argument", "{} needs a value"),
    (r"Option '(.*?)' does not take a value", "{} takes no value"),
    (r"Got unexpected extra argument\(s\) \((.*)\)", "unexpected argument {}"),
)


def _usage_sentence(error: typer.TyperException) -> str:
    """What is wrong with the command line, with the nearest flag or command if one is near."""
    flag = getattr(error, "option_name", None)
    nearest = getattr(error, "possibilities", None)
    context: Any = getattr(error, "ctx", None)
    if flag is not None and nearest is not None:
        return _no_such_flag(flag, nearest, context)
    said = error.format_message()
    if command := re.match(r"No such command '(.*?)'", said):
        return _no_such_command(command[1], context)
    hint = f": `{context.command_path} --help` tells more" if context is not None else ""
    if (several := _which_may_be_missing(error, context)) is not None:
        return f"{several} is missing{hint}"
    sentences = (words.format(match[1]) + hint for form, words in _PLAIN_WORDS if (match := re.match(form, said)))
    return next(sentences, said)


def _which_may_be_missing(error: typer.TyperException, context: Any) -> str | None:
    """The arguments, one of which is missing: after one that takes several words, Typer cannot tell which."""
    first: Any = getattr(error, "param", None)
    if context is None or first is None or first.param_type_name != "argument" or first.nargs != -1:
        return None
    arguments = [one for one in context.command.params if one.param_type_name == "argument"]
    later = arguments[arguments.index(first) + 1 :]
    return " or ".join(one.metavar for one in (first, *later)) if later else None


def _no_such_flag(flag: str, nearest: Sequence[str], context: typer.Context | None) -> str:
    from weft.api.export import EXPORT_SETTINGS
    from weft.settings.table import CRAWL_SETTINGS

    own = {name for one in context.command.params for name in one.opts} if context is not None else set()
    for setting in (*CRAWL_SETTINGS, *EXPORT_SETTINGS):
        if (old := flag.removeprefix("--")) in setting.was and f"--{setting.name}" in own:
            return f"{flag} is now {setting.now(old, f'--{setting.name}')}"
    is_of_crawls = flag.removeprefix("--") in {setting.name for setting in CRAWL_SETTINGS}
    if is_of_crawls and context is not None and context.info_name != "crawl":
        return f"there is no flag {flag} of `{context.command_path}`: it is one of `weft crawl`"
    # Many a word is like --help: it is meant by those that begin as it does.
    near = [other for other in nearest if other != "--help" or flag.startswith("--h")]
    return f"there is no flag {flag}" + (f"; did you mean {near[0]}?" if near else "")


def _no_such_command(word: str, context: typer.Context) -> str:
    if word == "help":
        return f"help is a flag: `{context.command_path} --help`"
    if context.parent is None and "." in word:  # a site, most likely
        url = word if "://" in word else f"https://{word}"
        return f"there is no command {word}; did you mean `weft crawl {url}`?"
    group: Any = context.command
    nearest = difflib.get_close_matches(word, group.list_commands(context), n=1)
    others = f"did you mean {nearest[0]}?" if nearest else f"`{context.command_path} --help` lists them"
    return f"there is no command {word}; {others}"


def _log_unexpected(error: Exception) -> None:
    """In a log it must be seen that there is an end, and which one."""
    from weft.cli.log import the_log

    if the_log() is not None:
        from weft.cli.log_lines import say_end

        say_end(Exit.FAILED, f"An error that weft did not expect: {error!r}; what was finished is kept.")


def _fail(error: WeftError | str, code: Exit) -> None:
    from rich.console import Console  # only for this

    from weft.cli.log import the_log

    sentence = " ".join(str(error).split("\n"))
    if the_log() is not None:
        from weft.cli.log_lines import say_end

        say_end(code, sentence)
        sys.exit(code)
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"weft: {sentence}", markup=False)
    sys.exit(code)
