"""A user's program, loaded where it does not run: in a worker, for the functions that it defines.

Its file is executed under another name than `__main__`, so that what stands below `if __name__ == "__main__"` is left
out, and up to the first line that would crawl, fetch or write again what the program does itself.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final
from weakref import WeakSet

_loaded_in: ContextVar[int] = ContextVar("loaded_in", default=0)  # the id of the process, while code is only loaded
# No thread inherits a context, so in processes of weft's own all threads that loaded code began are known. Filled by
# `_threads_stopped`, which holds it for the time of a load; bound: threads that run.
_begun_by_loaded: Final[WeakSet[threading.Thread]] = WeakSet()
_is_loading = False
_cut_short: Final[set[str]] = set()  # modules that ended early. Filled by `_executed`; bound: programs that are named


class CrawlBegins(SystemExit):
    """A program that is only loaded has come to where it crawls: what it defines is defined by now.

    No Exception: a program that catches these would go on. A SystemExit, as no task of asyncio's keeps it for itself.
    """


class CrawlBeginsInFork(Exception):
    """Likewise in a fork of such a program: a pool tells its owner of Exceptions only, who would wait for ever."""


def stop_if_only_loaded() -> None:
    """Where a crawl begins, a page is fetched or a file written: a program that is loaded in a worker ends here."""
    if _loaded_in.get() or _is_loading or threading.current_thread() in _begun_by_loaded:
        raise CrawlBegins if _loaded_in.get() in (0, os.getpid()) else CrawlBeginsInFork


@contextmanager
def only_loaded() -> Iterator[None]:
    """Code of users that is executed in this block begins no crawl."""
    token = _loaded_in.set(process := os.getpid())
    try:
        with _threads_stopped() if _is_weft_itself() else nullcontext():
            yield
    finally:
        if os.getpid() != process and _is_weft_itself():
            os._exit(0)  # a fork that loaded code began has done what that says: it is no second worker
        _loaded_in.reset(token)


@contextmanager
def _threads_stopped() -> Iterator[None]:
    """Nor do threads that it begins. Not in a program that runs: those may be other crawls."""
    global _is_loading
    known, outer = set(threading.enumerate()), _is_loading
    _is_loading = True
    try:
        yield
    finally:
        _begun_by_loaded.update(set(threading.enumerate()) - known)
        _is_loading = outer


def _is_weft_itself() -> bool:
    """Whether this process was begun as `python -m weft.…`: a worker, or an engine."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return spec is not None and spec.name.startswith("weft.")


def is_cut_short(module: ModuleType) -> bool:
    """Whether it was executed no further than to where it crawls."""
    return module.__name__ in _cut_short


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
    except (CrawlBegins, CrawlBeginsInFork):
        _cut_short.add(name)
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
