"""A user's own code, named by its import path, `package.module:Name`, or by its file, `quotes.py:Name`."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import Any

from weft.errors import BadInput
from weft.program import CrawlBegins, CrawlBeginsInFork, is_cut_short, is_main, only_loaded, program_named

FILE_ENDING = ".py"
PROGRAM = ("__main__", "__mp_main__")  # the second in processes that multiprocessing spawns
BELOW_MAIN = "that must stand below if __name__ == '__main__'"


def load(path: str, what: str) -> Any:
    """What the path names; `what` says in errors what it should be: "the filter"."""
    module_name, _, name = path.rpartition(":")
    if not module_name or not name:
        raise BadInput(f"{what} {path!r} must be named as package.module:Name")
    if module_name.endswith(FILE_ENDING) and not os.path.exists(module_name):
        raise BadInput(f"there is no file {module_name} with {what} {name!r}")
    try:
        found: Any = _module(module_name)
    except (CrawlBegins, CrawlBeginsInFork):
        raise BadInput(
            f"the module of {what} {path!r} crawls, fetches or writes when it is imported: {BELOW_MAIN}"
        ) from None
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        reason = str(error) if isinstance(error, ImportError | SyntaxError) else f"{type(error).__name__}: {error}"
        raise BadInput(f"the module of {what} {path!r} cannot be imported: {reason}") from error
    try:
        return _found_in(found, name)
    except AttributeError:
        if is_cut_short(found):
            raise BadInput(
                f"{module_name!r} has no {name!r} above where it crawls, fetches or writes: {BELOW_MAIN}"
            ) from None
        raise BadInput(f"the module {module_name!r} has no {name!r}") from None


def path_of(named: object, what: str) -> str:
    """The path of a function, or of another object of a module: by it each worker finds it again."""
    module_name = getattr(named, "__module__", None)
    module = sys.modules.get(module_name) if isinstance(module_name, str) else None
    if module is None:
        raise BadInput(f"{what} {_shown(named)} cannot be found again in a worker: no module has it")
    name = getattr(named, "__qualname__", None)
    if not isinstance(name, str):
        name = next((name for name, value in vars(module).items() if value is named), None)
    if name is None or not _is_found(module, name, named):
        raise BadInput(f"{what} {_shown(named)} cannot be found again in a worker: {_why_not(name)}")
    return f"{_main_path(what, named) if module_name in PROGRAM else module_name}:{name}"


def absolute(path: str) -> str:
    """The path as it means the same thing in every folder."""
    module_name, _, name = path.rpartition(":")
    return f"{os.path.abspath(module_name)}:{name}" if module_name.endswith(FILE_ENDING) else path


def _module(name: str) -> Any:
    if name.endswith(FILE_ENDING):
        return program_named(Path(os.path.abspath(name)))
    if is_main(name):
        return sys.modules["__main__"]
    with only_loaded():
        return import_module(name)


def _found_in(module: object, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is_found(module: object, name: str, named: object) -> bool:
    try:
        found = _found_in(module, name)
    except AttributeError:
        return False
    # A method of a class is another object each time.
    return found is named or (type(named) is MethodType and found == named)


def _why_not(name: str | None) -> str:
    if name is None:
        return "it is no function, and has no name at the top of its module"
    return "a lambda has no name" if "<lambda>" in name else f"the top of its module has no such {name.split('.')[0]!r}"


def _main_path(what: str, named: object) -> str:
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name != "__main__":
        return str(spec.name)
    file = getattr(main, "__file__", None)
    if not isinstance(file, str) or not file.endswith(FILE_ENDING) or not os.path.isfile(file):
        raise BadInput(
            f"{what} {_shown(named)} cannot be found again in a worker: the program has no file; put it into a module"
        )
    return os.path.abspath(file)


def _shown(named: object) -> str:
    name = getattr(named, "__qualname__", None)
    return repr(name) if isinstance(name, str) else f"of type {type(named).__name__}"
