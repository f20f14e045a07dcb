"""`weft shell`: a page, or the pages of a crawl, at hand in an interactive Python."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urljoin

import typer

from weft.cli.exits import Exit
from weft.cli.one_page import one_page_fields, page_at, with_scheme
from weft.cli.options import takes
from weft.cli.printing import leave_pipe
from weft.cli.show_config import ConfigFile
from weft.settings.one_page import ONE_PAGE_SETTINGS

if TYPE_CHECKING:
    from weft.page import Page

SCRIPT = "<stdin>"
RELATIVE = ("/", "?", "./", "../")  # so begins what is no name of a host


@takes(ONE_PAGE_SETTINGS)
def shell(
    what: Annotated[
        str, typer.Argument(metavar="URL|DIR", help="A page to fetch; or a crawl folder, or a mirror, to read.")
    ],
    config: ConfigFile = None,
    **flags: Any,
) -> None:
    """Explore a page or a crawl in interactive Python.

    \b
    weft shell example.org
    weft shell crawl-example.org

    At hand are `page`, the page that was fetched, or the first one of the crawl; `pages`, all pages of the crawl;
    `get(url)`, which fetches another page, also one of the same site: `get("/next")`; and `weft`. It is IPython if that
    is installed. Where standard input is no terminal, it is read as a script. The flags are for URLs.

    Exit codes: 0 done; 1 the script failed; 2 bad input; 4 the page could not be fetched; 6 the folder cannot be used.
    """
    fields = one_page_fields(flags, config)
    names = names_for(what, fields)
    if not sys.stdin.isatty():
        sys.exit(run_script(sys.stdin.read(), names))
    shown = {name: repr(value) for name, value in names.items() if name in ("page", "pages")}
    greeting = "".join(f"\n  {name:<6}{words}" for name, words in {**shown, "get": 'get("/next") fetches it'}.items())
    interactive()(names, f"At hand: {', '.join(names)}{greeting}")


def names_for(what: str, fields: dict[str, Any]) -> dict[str, Any]:
    """What a session has at hand, by name."""
    names: dict[str, Any] = {}
    if Path(what).exists():
        pages = Pages(Path(what))
        first = next(iter(pages), None)
        names["pages"] = pages
    else:
        first = page_at(what, fields, or_folder=True)
    return {"page": first, **names, "weft": import_module("weft"), "get": getter(fields, first.url if first else "")}


def getter(fields: dict[str, Any], base: str) -> Callable[[str], Page]:
    """What fetches pages by the settings of the command, and takes URLs without a host as of the same site."""

    def get(url: str) -> Page:
        """The page at a URL, or at a path such as `/next` of the first page's site; weft.GetFailed if there is none."""
        from weft.api.get import get_by_fields
        from weft.errors import WeftError

        is_relative = base and isinstance(url, str) and url.startswith(RELATIVE)
        try:
            return get_by_fields(urljoin(base, url) if is_relative else with_scheme(url), fields)
        except WeftError as error:
            raise error.with_traceback(None) from None  # where in weft it was says nothing to the one who typed it

    return get


class Pages:
    """The pages of a crawl, from the beginning each time it is asked for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[Page]:
        from weft.api.read import read

        return read(self._folder)

    def __repr__(self) -> str:
        return f"<the pages of {self._folder}: for page in pages>"


def run_script(script: str, names: dict[str, Any]) -> int:
    """Run what came on standard input; returns the exit code. Its errors are told in a line, with its line's number."""
    sys.stdout = sys.__stdout__ or sys.stdout  # a script ends when nobody reads what it prints
    try:
        exec(compile(script, SCRIPT, "exec"), {**names, "__name__": "__main__"})
        sys.stdout.flush()
    except SyntaxError as error:
        if error.filename != SCRIPT:
            return _told(error)
        print(f"weft: line {error.lineno} of the script: {error.msg}", file=sys.stderr)
        return Exit.BAD_INPUT
    except BrokenPipeError:
        leave_pipe()
        return Exit.DONE
    except Exception as error:
        return _told(error)
    return Exit.DONE


def _told(error: Exception) -> int:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == SCRIPT]
    what = " ".join("".join(traceback.format_exception_only(error)).split())
    print(f"weft: line {lines[-1] if lines else '?'} of the script: {what}", file=sys.stderr)
    return Exit.FAILED


def interactive() -> Callable[[dict[str, Any], str], None]:
    """What runs a session: IPython, or else Python's own."""
    try:
        ipython: Any = import_module("IPython")
    except ImportError:
        return _plain_session

    def session(names: dict[str, Any], greeting: str) -> None:
        print(greeting)
        ipython.start_ipython(argv=["--no-banner"], user_ns=names)

    return session


def _plain_session(names: dict[str, Any], greeting: str) -> None:
    import code

    try:
        import readline
        import rlcompleter
    except ImportError:
        pass  # a Python without it: keys for editing are missing, nothing else
    else:
        readline.set_completer(rlcompleter.Completer(names).complete)
        readline.parse_and_bind("tab: complete")
    code.interact(f"{greeting}\nCtrl-D ends it.", local=names, exitmsg="")
