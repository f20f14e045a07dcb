"""A user's program, loaded where it does not run: in a worker, for the functions that it defines.

Its file is executed under another name than `__main__`, so that what stands below `if __name__ == "__main__"` is left
out, and up to the line that would begin the crawl again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

_is_only_loaded: ContextVar[bool] = ContextVar("is_only_loaded", default=False)


class CrawlBegins(BaseException):
    """A program that is only loaded has come to where it crawls: what it defines is defined by now.

    No Exception: a program that catches these would go on.
    """


def stop_if_only_loaded() -> None:
    """Where a crawl begins: a program that is loaded in a worker ends here."""
    if _is_only_loaded.get():
        raise CrawlBegins


@contextmanager
def only_loaded() -> Iterator[None]:
    """Code of users that is executed in this block begins no crawl."""
    token = _is_only_loaded.set(True)
    try:
        yield
    finally:
        _is_only_loaded.reset(token)


def is_main(module_name: str) -> bool:
    """Whether it is the program that runs: `python -m module_name`."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return spec is not None and spec.name == module_name


def program_named(file: Path) -> ModuleType:
    """The module that a file defines; the program that runs if it is that one. Raises whatever its code does."""
    found = _loaded_from(file, "__main__", file.stem)
    return found or _executed(file)


def _loaded_from(file: Path, *names: str) -> ModuleType | None:
    for name in names:
        module = sys.modules.get(name)
        if module is not None and _is_same(getattr(module, "__file__", None), file):
            return module
    return None


def _executed(file: Path) -> ModuleType:
    # As Python does for the program that it runs.
    if (folder := str(file.parent)) not in sys.path:
        sys.path.append(folder)
    name = file.stem if _is_found_as(file.stem, file) else f"_weft_program_{file.stem}"
    while (known := sys.modules.get(name)) is not None:
        if _is_same(known.__file__, file):
            return known
        name += "_"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python file")
    module = sys.modules[name] = module_from_spec(spec)
    arguments, sys.argv = sys.argv, [str(file)]
    try:
        with only_loaded():
            spec.loader.exec_module(module)
    except CrawlBegins:
        pass
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.argv = arguments
    return module


def _is_found_as(name: str, file: Path) -> bool:
    """Whether other modules import the file by this name: then there must not be a second one of it."""
    if "." in name:
        return False
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and _is_same(spec.origin, file)


def _is_same(path: object, file: Path) -> bool:
    return isinstance(path, str) and os.path.realpath(path) == os.path.realpath(file)
