"""A user's code is named by an import path or by its file, and found again in another process."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import weft
from weft.errors import BadInput
from weft.import_path import absolute, load, path_of
from weft.program import CrawlBegins, only_loaded, stop_if_only_loaded


def at_the_top(page: object) -> None:
    """A function as it should be."""


def decorated(function: Callable[[object], None]) -> Callable[[object], None]:
    @functools.wraps(function)
    def inner(page: object) -> None:
        function(page)

    return inner


@decorated
def with_decorator(page: object) -> None:
    """The name means what the decorator made of it."""


class Group:
    """Functions may be methods of a class."""

    @staticmethod
    def static(page: object) -> None:
        """Found as Group.static."""

    @classmethod
    def of_class(cls, page: object) -> None:
        """Another object each time, which is the same all the same."""

    def of_object(self, page: object) -> None:
        """Of which object?"""


site = weft.Site("http://site.test/")


@pytest.mark.parametrize(
    ("named", "name"),
    [
        (at_the_top, "at_the_top"),
        (with_decorator, "with_decorator"),
        (Group.static, "Group.static"),
        (Group.of_class, "Group.of_class"),
        (site, "site"),
    ],
)
def test_what_a_module_has_at_its_top_is_found_again(named: object, name: str) -> None:
    path = path_of(named, "the function")
    assert path == f"{__name__}:{name}"
    assert load(path, "the function") == named


def nested() -> Callable[[object], None]:
    def inner(page: object) -> None:
        """Gone when `nested` is."""

    return inner


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (lambda page: None, "a lambda has no name"),
        (nested(), "the top of its module has no such 'nested'"),
        (with_decorator.__wrapped__, "'with_decorator' cannot be found again"),  # type: ignore[attr-defined]
        (Group().of_object, "'Group.of_object' cannot be found again"),
        (functools.partial(at_the_top, 1), "of type partial cannot be found again"),
        (weft.Site("http://site.test/"), "of type Site cannot be found again"),
        (len, ""),
    ],
)
def test_what_no_worker_could_find_again_is_refused(named: object, told: str) -> None:
    if named is len:
        assert path_of(named, "x") == "builtins:len"
        return
    with pytest.raises(BadInput) as caught:
        path_of(named, "the function")
    assert told in str(caught.value)


PROGRAM = """
import sys
import weft
from weft.program import stop_if_only_loaded

class Item:
    pass

def above(page): return __name__

assert len(sys.argv) == 1
try:
    stop_if_only_loaded()
except Exception:
    pass
def below(page): return __name__
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """For programs, which are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def test_a_file_is_loaded_up_to_where_its_crawl_begins(folder: Path) -> None:
    (folder / "own_program.py").write_text(PROGRAM)
    path = f"{folder}/own_program.py"
    assert load(f"{path}:above", "the function")(None) == "own_program", "as others import it"
    assert load(f"{path}:Item", "x") is __import__("own_program").Item, "there is one of it"
    with pytest.raises(BadInput, match="has no 'below'"):
        load(f"{path}:below", "the function")
    stop_if_only_loaded()  # all is over: nothing is stopped any more


@pytest.mark.parametrize("name", ["site.py", "weft.py", "a.b.py"])
def test_a_file_whose_name_is_taken_is_loaded_under_another(name: str, folder: Path) -> None:
    (folder / name).write_text(PROGRAM)
    taken = sys.modules.get(name.removesuffix(".py"))
    found = load(f"{folder / name}:above", "the function")
    assert found(None) not in ("__main__", name.removesuffix(".py"))
    assert load(f"{folder / name}:above", "the function") is found, "once is enough"
    assert sys.modules.get(name.removesuffix(".py")) is taken


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("1/0", "ZeroDivisionError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("import no_such_module_anywhere", "No module named"),
        ("def f(", "never closed"),
        ("", "has no 'above'"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_told_in_one_sentence(source: str, told: str, folder: Path) -> None:
    (folder / "own_program.py").write_text(source)
    with pytest.raises(BadInput) as caught:
        load(f"{folder}/own_program.py:above", "the function")
    assert told in str(caught.value)
    with pytest.raises(BadInput, match="there is no file"):
        load(f"{folder}/missing.py:above", "the function")


def test_a_module_that_crawls_when_it_is_imported_is_told(folder: Path) -> None:
    (folder / "own_module.py").write_text("from weft.program import stop_if_only_loaded\nstop_if_only_loaded()")
    sys.path.append(str(folder))
    with pytest.raises(BadInput, match="below if __name__ == '__main__'"):
        load("own_module:x", "the function")


def test_a_crawl_begins_wherever_no_program_is_only_loaded() -> None:
    stop_if_only_loaded()
    assert not issubclass(CrawlBegins, Exception)


def test_a_file_means_the_same_in_every_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute("./quotes.py:site") == f"{tmp_path}/quotes.py:site"
    assert absolute("/x/quotes.py:site") == "/x/quotes.py:site"
    assert absolute("quotes:site") == "quotes:site"


MAIN = """
import weft
from weft.import_path import load, path_of
def function(page): pass
site = weft.Site("http://site.test/")
for named in (function, site):
    try:
        path = path_of(named, "the function")
        print(path, load(path, "x") is named)
    except weft.WeftError as error:
        print(error)
"""


@pytest.mark.parametrize("how", ["file", "module", "text", "package"])
def test_the_program_that_runs_is_found_by_its_file_or_its_module(how: str, tmp_path: Path) -> None:
    (tmp_path / "own_main.py").write_text(MAIN)
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__main__.py").write_text(MAIN)
    arguments: dict[str, Any] = {
        "file": ["own_main.py"],
        "module": ["-m", "own_main"],
        "text": ["-c", MAIN],
        "package": ["-m", "own_package"],
    }
    named = {"file": f"{tmp_path}/own_main.py", "module": "own_main", "package": "own_package.__main__"}
    done = subprocess.run(
        [sys.executable, *arguments[how]], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    lines = done.stdout.splitlines()
    if how == "text":
        assert len(lines) == 2
        assert all("the program has no file" in line for line in lines)
    else:
        assert lines == [f"{named[how]}:function True", f"{named[how]}:site True"]


# ── what a program does by itself, it does once ────────────────────────────────────────────────────────

CALLS = {
    "get": "asyncio.run(weft.get({url!r}))",
    "get_sync": "weft.get_sync({url!r})",
    "crawl": "asyncio.run(weft.crawl({url!r}).run())",
    "crawl_sync": "weft.crawl_sync({url!r}).run()",
    "mirror": "asyncio.run(weft.mirror({url!r}, output={file!r}))",
    "clean": "asyncio.run(weft.clean({file!r}, {file!r}))",
    "extract": "asyncio.run(weft.extract({file!r}, 'builtins:len', {file!r}))",
    "export": "weft.export({file!r}, 'urls', {file!r})",
    "gathered": "asyncio.run(all_of(weft.get({url!r}), weft.crawl({url!r}).run()))",
    "in a task group": "asyncio.run(grouped(weft.crawl({url!r}).run()))",
    "in a thread of asyncio's": "asyncio.run(asyncio.to_thread(weft.get_sync, {url!r}))",
}
CALLING = """
import asyncio
import weft

async def all_of(*awaitables):
    return await asyncio.gather(*awaitables, return_exceptions=True)

async def grouped(coroutine):
    async with asyncio.TaskGroup() as group:
        group.create_task(coroutine)

def above(page): pass

{call}
def below(page): pass
"""


@pytest.mark.parametrize("name", CALLS)
def test_a_program_that_is_only_loaded_ends_where_it_calls_weft(name: str, folder: Path) -> None:
    call = CALLS[name].format(url="http://127.0.0.1:1/", file=str(folder / "nothing"))
    (folder / "own_program.py").write_text(CALLING.format(call=call))
    assert callable(load(f"{folder}/own_program.py:above", "the function"))
    with pytest.raises(BadInput, match=r"has no 'below' above .* must stand below if __name__ == '__main__'") as caught:
        load(f"{folder}/own_program.py:below", "the function")
    assert "\n" not in str(caught.value)
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == ["own_program.py"]


THREADED = """
import threading
import weft

loaded, told = threading.Event(), []

def call(work):
    try:
        work()
    except BaseException as error:
        told.append(type(error).__name__)

def later(work):
    assert loaded.wait(60)
    call(work)

works = (lambda: weft.get_sync({url!r}), lambda: weft.crawl_sync({url!r}).run())
now = [threading.Thread(target=call, args=(work,)) for work in works]
then = [threading.Thread(target=later, args=(work,), daemon=True) for work in works]
for thread in (*now, *then):
    thread.start()
for thread in now:
    thread.join()
"""


def test_threads_of_a_program_that_a_worker_loads_call_weft_in_vain(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "own_program.py").write_text(THREADED.format(url="http://127.0.0.1:1/"))
    worker = ModuleType("__main__")
    worker.__spec__ = ModuleSpec("weft.pipeline.worker", None)
    monkeypatch.setitem(sys.modules, "__main__", worker)
    told = load(f"{folder}/own_program.py:told", "x")
    assert told == ["CrawlBegins"] * 2
    load(f"{folder}/own_program.py:loaded", "x").set()
    for thread in load(f"{folder}/own_program.py:then", "x"):
        thread.join()
    assert told == ["CrawlBegins"] * 4, "when it is loaded, too"
    stop_if_only_loaded()


def test_threads_of_other_crawls_go_on_while_a_program_loads_a_module() -> None:
    told: list[BaseException] = []

    def crawls() -> None:
        try:
            stop_if_only_loaded()
        except BaseException as error:
            told.append(error)

    with only_loaded():
        other = threading.Thread(target=crawls)
        other.start()
        other.join()
    assert told == []


SPAWNING = """
import multiprocessing
from weft.import_path import load, path_of
def function(page): pass
def tell():
    path = path_of(function, "the function")
    print(path, load(path, "x") is function)
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=tell)
    child.start()
    child.join()
"""


def output_of(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_program_is_found_in_processes_that_multiprocessing_spawns(how: str, tmp_path: Path) -> None:
    (tmp_path / "own_main.py").write_text(SPAWNING)
    named, arguments = {
        "file": (f"{tmp_path}/own_main.py", ("own_main.py",)),
        "module": ("own_main", ("-m", "own_main")),
    }[how]
    assert output_of(tmp_path, *arguments) == [f"{named}:function True"]


FORKS = {
    "a fork that crawls": "if os.fork() == 0: weft.crawl_sync({url!r}).run()",
    "a fork that goes on": "os.fork()",
    "a pool": "with multiprocessing.get_context('fork').Pool(1) as pool: pool.map(weft.get_sync, [{url!r}])",
    "an executor": "with ProcessPoolExecutor(1) as pool: list(pool.map(weft.get_sync, [{url!r}]))",
}
FORKING = """
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
import weft
def function(page): pass
{call}
"""
LOADING = """
import sys
from importlib.machinery import ModuleSpec
from weft.import_path import load
sys.modules["__main__"].__spec__ = ModuleSpec("weft.pipeline.worker", None)
print(load("./own_program.py:function", "the function").__name__, flush=True)
"""


@pytest.mark.parametrize("name", FORKS)
def test_forks_of_a_program_that_a_worker_loads_are_no_further_workers_and_keep_none_waiting(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "own_program.py").write_text(FORKING.format(call=FORKS[name].format(url="http://127.0.0.1:1/")))
    (tmp_path / "loading.py").write_text(LOADING)
    assert output_of(tmp_path, "loading.py") == ["function"]
