"""`weft.extract`: functions of yours over the archive of a crawl."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict, Unpack

import msgspec

from weft.config import AboveZero, CrawlConfig, Positive
from weft.cores import core_count
from weft.errors import BadInput
from weft.export.selection import SUCCESS, Selection
from weft.extract.engine import Extracting
from weft.extract.job import Bounds, ExtractJob
from weft.folder.readings import Folders, paths_of
from weft.import_path import absolute, path_of
from weft.live.summary import KIB, cpu_s
from weft.page.user_functions import UserFunctions
from weft.program import stop_if_only_loaded
from weft.settings.setting import Setting
from weft.settings.table import settings_of
from weft.settings.values import read_keywords

DEFAULT_NAME: Final = "extract.jsonl"
_USUAL: Final = CrawlConfig()


class ExtractOptions(TypedDict, total=False):
    """What `weft extract` can be told, as flags and as keywords; docs/extract.md tells more."""

    # fmt: off
    force: Annotated[bool, Setting("", "", "Begin again, and replace a file that is there already.")]
    match: Annotated[Sequence[str], Setting("", "PATTERN", "Only URLs that match; as --include of crawl.")]
    mime: Annotated[Sequence[str], Setting("", "TYPE", "Only this media type: text/html, image/*.")]
    status: Annotated[Sequence[str], Setting("", "STATUS", "Only this status: 404, 3xx.", default_text="2xx")]
    handler_time: Annotated[AboveZero | str, Setting(
        "", "TIME", "Interrupt a call that takes longer with a page.", default_text="30s")]
    handler_memory: Annotated[Positive | str, Setting(
        "", "SIZE", "Memory by which the function may let a process grow.", default_text="1G")]
    workers: Annotated[Positive, Setting("", "N", "This many processes.", default_text="one a core")]
    # fmt: on


EXTRACT_SETTINGS: Final = settings_of(ExtractOptions)
Function = str | Callable[..., object]


class ExtractSummary(msgspec.Struct):
    """The figures of an extraction: of all its runs together, but for time, speed, processes and memory."""

    pages: int
    items: int
    failed: int
    unreadable: int
    requests: int
    seconds: float
    pages_per_s: float
    cpu_s: float
    main_cpu_s: float
    workers_cpu_s: float
    peak_rss_bytes: int
    workers: int
    worker_deaths: int
    exit: str


async def extract(
    folder: Folders, function: Function, output: str | Path | None = None, **options: Unpack[ExtractOptions]
) -> ExtractSummary:
    """Call a function with each page of a crawl's archive, in all cores; its items go to the file `output`.

    `function` is an import path, a function of a module, or a `weft.Site`. The ending of `output` says how items are
    written: .jsonl, .csv, .parquet or .sqlite; without it they are in `extract.jsonl` in the crawl folder. After a
    stop of any kind the same call goes on, and each item is there once.
    """
    stop_if_only_loaded()
    return await extract_to_end(open_extracting(folder, function, output, **options))


def open_extracting(
    folder: Folders, function: Function, output: str | Path | None = None, **options: Unpack[ExtractOptions]
) -> Extracting:
    """The work that is asked for; BadInput for what cannot be done."""
    given: dict[str, Any] = {name: value for name, value in read_keywords(options, EXTRACT_SETTINGS).items() if value}
    chosen = {name: tuple(given.get(name, ())) for name in ("match", "mime", "status")}
    chosen["status"] = chosen["status"] or (SUCCESS,)
    selection = Selection(chosen["match"], chosen["mime"], chosen["status"])
    paths = paths_of(folder)
    if len(paths) > 1 and output is None:
        raise BadInput("several folders need a file to write to: -o FILE")
    name = absolute(function) if isinstance(function, str) else path_of(function, "the function")
    UserFunctions((name,))  # before workers find out
    out = paths[0] / DEFAULT_NAME if output is None else Path(output)
    pages = msgspec.json.encode(chosen).decode()
    bounds = Bounds(
        given.get("handler_time", _USUAL.handler_time_s), given.get("handler_memory", _USUAL.handler_memory_bytes)
    )
    job = ExtractJob(paths, (name,), out, selection, pages, bounds, replaces=given.get("force", False))
    return Extracting(job, given.get("workers") or core_count())


async def extract_to_end(extracting: Extracting) -> ExtractSummary:
    """Do it, and return the figures."""
    began = time.monotonic()
    is_done = await extracting.run()
    seconds, totals = time.monotonic() - began, extracting.totals
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    main_cpu_s, workers_cpu_s = cpu_s(own), cpu_s(children)
    return ExtractSummary(
        pages=totals.pages,
        items=totals.items,
        failed=totals.failed,
        unreadable=totals.unreadable,
        requests=totals.requests,
        seconds=round(seconds, 3),
        pages_per_s=round((totals.pages - extracting.before) / max(seconds, 0.001), 1),
        cpu_s=round(main_cpu_s + workers_cpu_s, 3),
        main_cpu_s=round(main_cpu_s, 3),
        workers_cpu_s=round(workers_cpu_s, 3),
        # The largest worker stands for each of them: the kernel tells no more.
        peak_rss_bytes=(own.ru_maxrss + children.ru_maxrss * extracting.worker_count) * KIB,
        workers=extracting.worker_count,
        worker_deaths=extracting.worker_deaths,
        exit="done" if is_done else "interrupted",
    )
