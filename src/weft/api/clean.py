"""`weft.clean`: what carries nothing is deleted from pages, in bulk."""

from __future__ import annotations

import resource
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import msgspec

from weft.api.summary import KIB, cpu_s
from weft.clean import PRESET_OF, Cleaner, Form, Rules, rules_from
from weft.clean.bulk import Cleaning, Job, Sizes
from weft.errors import BadInput
from weft.folder.layout import crawl_in
from weft.settings.units import read_size

SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
Queue = Literal["keep", "mark", "take"]  # weft.clean.bulk.tables.columns.Queue, which brings SQLAlchemy


class CleanSizes(TypedDict, total=False):
    """How much at once: `weft.clean.bulk.sizes` tells more. Bytes may have a unit: "64M"."""

    workers: int
    read_rows: int
    block_pages: int
    buffer_blocks: int
    buffer_bytes: int | str
    write_rows: int
    large_bytes: int | str
    largest_bytes: int | str


class CleanTables(TypedDict, total=False):
    """What tables and columns are called, and what happens to a page's row when it is cleaned."""

    in_table: str
    out_table: str
    aside_table: str
    in_columns: str
    out_columns: str
    queue: Queue


class CleanOptions(CleanSizes, CleanTables, total=False):
    """What `weft clean` can be told; docs/clean.md tells more."""

    to: Literal["html", "text", "markdown", "article"]
    preset: str | None
    rules: str | Path | Mapping[str, Any] | None  # a TOML file, or what would stand in it
    keep: Sequence[str]
    drop: Sequence[str]
    force: bool


class CleanSummary(msgspec.Struct):
    """The figures of one run. CPU and memory are the whole process's."""

    pages: int
    cleaned: int
    set_aside: int
    bytes: int
    written_chars: int
    seconds: float
    pages_per_s: float
    cpu_s: float
    main_cpu_s: float
    workers_cpu_s: float
    peak_rss_bytes: int
    workers: int
    worker_deaths: int
    exit: str


async def clean(source: str | Path, out: str | Path, **options: Unpack[CleanOptions]) -> CleanSummary:
    """Delete from pages what carries nothing: from a database into a database, from a crawl folder into a file.

    After a stop of any kind the same call goes on: no page is lost, and none is there twice.
    """
    return await clean_to_end(open_cleaning(source, out, **options))


def open_cleaning(source: str | Path, out: str | Path, **options: Unpack[CleanOptions]) -> Cleaning:
    """The work that is asked for; BadInput for what cannot be done."""
    form = _form(options.get("to", Form.HTML))
    rules = _rules(form, options.get("preset"), options.get("rules"), options.get("keep", ()), options.get("drop", ()))
    sizes = Sizes(**{name: _size(name, options[name]) for name in CleanSizes.__annotations__ if name in options})  # type: ignore[literal-required]
    tables = {name: str(options[name]) for name in CleanTables.__annotations__ if name in options}  # type: ignore[literal-required]
    job = _open_job(str(source), str(out), form, rules, sizes, tables, force=options.get("force", False))
    return Cleaning(job, rules, form, sizes)


async def clean_to_end(cleaning: Cleaning) -> CleanSummary:
    """Do it, and return the figures."""
    began = time.monotonic()
    is_done = await cleaning.run()
    seconds, totals = time.monotonic() - began, cleaning.totals
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    main_cpu_s, workers_cpu_s = cpu_s(own), cpu_s(children)
    return CleanSummary(
        pages=totals.pages,
        cleaned=totals.cleaned,
        set_aside=totals.set_aside,
        bytes=totals.read_bytes,
        written_chars=totals.written_chars,
        seconds=round(seconds, 3),
        pages_per_s=round(totals.pages / seconds, 1),
        cpu_s=round(main_cpu_s + workers_cpu_s, 3),
        main_cpu_s=round(main_cpu_s, 3),
        workers_cpu_s=round(workers_cpu_s, 3),
        peak_rss_bytes=max(cleaning.peak_rss_bytes, own.ru_maxrss * KIB),
        workers=cleaning.worker_count,
        worker_deaths=cleaning.worker_deaths,
        exit="done" if is_done else "interrupted",
    )


def _form(name: str) -> Form:
    if name not in list(Form):
        raise BadInput(f"there is no form {name!r}: there are {', '.join(Form)}")
    return Form(name)


def _size(name: str, given: int | str) -> int:
    if name.endswith("_bytes"):
        return read_size(str(given))
    if type(given) is not int or given < 1:
        raise BadInput(f"{name} must be a whole number of at least 1, not {given!r}")
    return given


def _rules(
    form: Form,
    preset: str | None,
    given: str | Path | Mapping[str, Any] | None,
    keep: Sequence[str],
    drop: Sequence[str],
) -> Rules:
    said = dict(given) if isinstance(given, Mapping) else {} if given is None else _rules_in(Path(given))
    if preset is not None:
        said["preset"] = preset
    elif given is None:
        said["preset"] = PRESET_OF[form]
    found = rules_from(said)
    found = msgspec.structs.replace(found, keep=(*found.keep, *keep), drop=(*found.drop, *drop))
    Cleaner(found, form)  # refuses a selector that is none
    return found


def _rules_in(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text())
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{file} is no TOML: {error}") from error


def _open_job(
    source: str, out: str, form: Form, rules: Rules, sizes: Sizes, tables: Mapping[str, str], *, force: bool
) -> Job:
    """What source and out mean."""
    if _is_database(source):
        if not _is_database(out):
            raise BadInput(f"pages of a table go into a table: {out!r} is no database")
        if force:
            raise BadInput("--force has no meaning for tables: delete from them what is to be cleaned again")
        return _open_tables(source, out, sizes, tables)
    if not Path(source).is_dir():
        raise BadInput(f"{source!r} is no crawl folder, and no database: sqlite:///FILE or postgresql://…")
    if _is_database(out):
        raise BadInput("a crawl folder is cleaned into a file: .warc.gz, .jsonl or .parquet")
    for name in tables:
        raise BadInput(f"--{name.replace('_', '-')} has no meaning for a crawl folder")
    from weft.clean.bulk.files.job import open_folder_job

    settings = msgspec.json.encode(rules).decode()
    return Job(*open_folder_job(crawl_in(Path(source)), Path(out), form=form, settings=settings, replaces=force))


def _is_database(word: str) -> bool:
    return "://" in word or word.endswith(SQLITE_SUFFIXES)


def _open_tables(source: str, out: str, sizes: Sizes, given: Mapping[str, str]) -> Job:
    from weft.clean.bulk.tables.columns import IN_COLUMNS, OUT_COLUMNS, Names, Queue, column_names
    from weft.clean.bulk.tables.job import open_table_job

    usual = Names()
    names = Names(
        in_table=given.get("in_table", usual.in_table),
        out_table=given.get("out_table", usual.out_table),
        aside_table=given.get("aside_table", ""),
        in_columns=column_names(given.get("in_columns", ""), IN_COLUMNS),
        out_columns=column_names(given.get("out_columns", ""), OUT_COLUMNS),
    )
    return open_table_job(source, out, names, Queue(given.get("queue", Queue.KEEP)), sizes)
