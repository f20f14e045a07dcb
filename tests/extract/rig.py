"""An archive to extract from, made without a crawl, and `weft extract` in a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.made_archive import MadePage, make_archive
from tests.pipeline.engine_process import WITHIN_S, WeftProcess, children_of, cmdline, start_weft, weft_environment

from . import functions

PAGES = 40
BAD_EVERY = 8


def path_of(name: str) -> str:
    """The import path of a function of these tests."""
    return f"{functions.__name__}:{name}"


def url_of(number: int) -> str:
    """Some pages are bad."""
    return f"http://site.test{functions.BAD if number % BAD_EVERY == 3 else ''}/{number}"


def pages_of(numbers: range) -> Iterator[MadePage]:
    """HTML pages, and among them what is none."""
    for number in numbers:
        yield MadePage(url_of(number), f"<!DOCTYPE html><title>T</title><h1>{number}</h1>{'<p>word' * 50}".encode())
    yield MadePage(f"http://site.test/gone{numbers.start}", b"<h1>-1</h1>", status=404)


def made(folder: Path, numbers: range = range(PAGES), *, node: str = "") -> Path:
    """A crawl folder with these pages."""
    return make_archive(folder, pages_of(numbers), node=node)


def expected(numbers: range = range(PAGES)) -> list[dict[str, object]]:
    """What `numbers` gives, by number and place."""
    return [{"url": url_of(number), "number": number, "place": place} for number in numbers for place in range(2)]


def items_in(path: Path) -> list[dict[str, Any]]:
    """The lines of an output."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def by_number(path: Path) -> list[dict[str, Any]]:
    """Likewise, in the order of `expected`."""
    return sorted(items_in(path), key=lambda item: (item["number"], item["place"]))


def left_in(out: Path) -> set[str]:
    """What lies beside an output, and is not it."""
    return {path.name for path in out.parent.iterdir() if path.name.startswith(out.name)} - {out.name}


class ExtractProcess:
    """`weft extract` and its workers, in a process group of its own."""

    def __init__(self, folder: Path, function: str, out: Path, *flags: str, **environment: str) -> None:
        arguments = ("extract", str(folder), path_of(function), "-o", str(out), "--quiet", *flags)
        self.parts = out.with_name(out.name + ".parts")
        self.popen: WeftProcess = start_weft(*arguments, environment=weft_environment() | environment)
        self.pid = self.popen.pid

    def is_running(self) -> bool:
        return self.popen.poll() is None

    def worker_pids(self) -> list[int]:
        return [pid for pid in children_of(self.pid) if is_extract_worker(pid)]

    def kill(self, *, with_workers: bool) -> None:
        """SIGKILL to the engine alone, or to all at once."""
        if with_workers:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self.popen.kill()
        self.popen.communicate(timeout=WITHIN_S)

    def wait(self) -> tuple[int, str]:
        """The exit code, and what was said."""
        _, errors = self.popen.communicate(timeout=WITHIN_S)
        return self.popen.returncode, errors.decode()

    def written_bytes(self) -> int:
        """Of items in all parts."""
        total = 0
        with suppress(FileNotFoundError):
            for path in self.parts.glob("*.items"):
                total += path.stat().st_size
        return total

    def journal_bytes(self) -> int:
        """Of entries."""
        with suppress(FileNotFoundError):
            return (self.parts / "journal").stat().st_size
        return 0


@contextmanager
def extracting(folder: Path, function: str, out: Path, *flags: str, **environment: str) -> Iterator[ExtractProcess]:
    """A process that does not outlive the block."""
    process = ExtractProcess(folder, function, out, *flags, **environment)
    try:
        yield process
    finally:
        process.kill(with_workers=True)


def is_extract_worker(pid: int) -> bool:
    """Whether a process is a worker; before its exec it is not."""
    return b"weft.extract.worker" in cmdline(pid)
