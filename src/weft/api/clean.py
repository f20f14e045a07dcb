"""`weft.clean`: what carries nothing is deleted from pages, in bulk."""

from __future__ import annotations

import resource
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypedDict, Unpack

import msgspec

from weft.clean import PRESET_OF, PRESETS, Cleaner, Form, Rules, rules_from
from weft.clean.bulk import Cleaning, CleanJob, Sizes
from weft.config import PageForm, Positive
from weft.errors import BadInput
from weft.folder.layout import crawl_in
from weft.live.summary import KIB, cpu_s
from weft.program import stop_if_only_loaded
from weft.settings.setting import Setting
from weft.settings.table import settings_of
from weft.settings.units import Unit, written
from weft.settings.values import read_keywords

SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_RULES, _TABLES, _SIZES = "What is deleted", "Tables", "How much at once"
_USUAL = Sizes()


def _size(name: str, help_: str) -> Setting:
    """A setting of `Sizes`, with its default."""
    default = getattr(_USUAL, name)
    is_bytes = name.endswith("_bytes")
    text = written(default, Unit.SIZE) if is_bytes else str(default)
    return Setting(_SIZES, "SIZE" if is_bytes else "N", help_, default_text=text)


class CleanOptions(TypedDict, total=False):
    """What `weft clean` can be told, as flags and as keywords; docs/clean.md tells more."""

    # fmt: off
    to: Annotated[PageForm, Setting(
        "", "FORM", f"What is left is written as this: {', '.join(Form)}.", default_text="html")]
    no_templates: Annotated[bool, Setting(
        "", "", "Keep in articles of a crawl folder what stands on many pages of their site; else it is left out.")]
    force: Annotated[bool, Setting("", "", "Replace a file that is there already.")]
    preset: Annotated[str | None, Setting(
        _RULES, "NAME", f"Delete by these rules: {', '.join(PRESETS)}.",
        default_text="none; paper for html")]
    rules: Annotated[str | Mapping[str, Any] | None, Setting(
        _RULES, "FILE", "Rules of your own, a TOML file: docs/clean.md.")]
    keep: Annotated[Sequence[str], Setting(_RULES, "CSS", "What this selects stays, whatever the rules say.")]
    drop: Annotated[Sequence[str], Setting(_RULES, "CSS", "What this selects goes.")]
    in_table: Annotated[str, Setting(_TABLES, "NAME", "The pages to clean.", default_text="pages")]
    out_table: Annotated[str, Setting(_TABLES, "NAME", "Where they go; made if missing.", default_text="cleaned")]
    aside_table: Annotated[str, Setting(
        _TABLES, "NAME", "Those that cannot be cleaned, with the reason.",
        default_text="that of --out-table and _aside")]
    in_columns: Annotated[str, Setting(
        _TABLES, "NAMES", "What the columns of --in-table are called, if not url, content and type: "
        "url=address,content=html.")]
    out_columns: Annotated[str, Setting(
        _TABLES, "NAMES", "The same for --out-table, if not url, content, title, language and charset.")]
    queue: Annotated[Literal["keep", "mark", "take"], Setting(
        _TABLES, "NAME", "When a page is cleaned its row stays as it is (keep), is marked in a column cleaned_at "
        "(mark), or goes (take).", default_text="keep")]
    workers: Annotated[Positive, Setting(_SIZES, "N", "At most N processes.", default_text="one a core")]
    read_rows: Annotated[Positive, _size("read_rows", "Rows read at once.")]
    block_pages: Annotated[Positive, _size("block_pages", "Pages in a block.")]
    buffer_blocks: Annotated[Positive, _size("buffer_blocks", "Blocks that may wait.")]
    buffer_bytes: Annotated[Positive | str, _size("buffer_bytes", "Bytes in memory at once.")]
    write_rows: Annotated[Positive, _size("write_rows", "Pages written at once.")]
    large_bytes: Annotated[Positive | str, _size(
        "large_bytes", "Longer pages are cleaned alone, with 1 GB of memory.")]
    largest_bytes: Annotated[Positive | str, _size("largest_bytes", "Longer pages are set aside.")]
    # fmt: on


CLEAN_SETTINGS: Final = settings_of(CleanOptions)


class _Wanted(msgspec.Struct, frozen=True):
    """What is to be made of pages."""

    form: Form
    rules: Rules
    templates: bool
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
    """Strip scripts, styles and forms from pages, in bulk: a database into another, a crawl folder into a file.

    After a stop of any kind the same call goes on: no page is lost, and none is there twice.
    """
    stop_if_only_loaded()
    return await clean_to_end(open_cleaning(source, out, **options))


def open_cleaning(source: str | Path, out: str | Path, **options: Unpack[CleanOptions]) -> Cleaning:
    """The work that is asked for; BadInput for what cannot be done."""
    rules = options.pop("rules", None)
    read = read_keywords(options, CLEAN_SETTINGS)
    given = {name: value for name, value in read.items() if value is not None}
    form = Form(given.get("to", Form.HTML))
    chosen = _rules(form, given.get("preset"), rules, given.get("keep", ()), given.get("drop", ()))
    sizes = Sizes(**_those_of(_SIZES, given))
    tables = _those_of(_TABLES, given)
    templates = not given.get("no_templates")
    if not templates and form is not Form.ARTICLE:
        raise BadInput("--no-templates has no meaning without --to article")
    wanted = _Wanted(form, chosen, templates=templates, force=given.get("force", False))
    job = _open_job(str(source), str(out), wanted, sizes, tables)
    return Cleaning(job, chosen, form, sizes)


def _those_of(group: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {one.keyword: given[one.keyword] for one in CLEAN_SETTINGS if one.group == group and one.keyword in given}


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


def _rules(
    form: Form,
    preset: str | None,
    given: str | Mapping[str, Any] | None,
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


def _open_job(source: str, out: str, wanted: _Wanted, sizes: Sizes, tables: Mapping[str, str]) -> CleanJob:
    """What source and out mean."""
    if _is_database(source):
        if not _is_database(out):
            raise BadInput(f"pages of a table go into a table: {out!r} is no database")
        if wanted.force:
            raise BadInput("--force has no meaning for tables: delete from them what is to be cleaned again")
        if not wanted.templates:
            raise BadInput("--no-templates has no meaning for tables: each of their pages is read alone")
        return _open_tables(source, out, sizes, tables)
    if not Path(source).is_dir():
        raise BadInput(f"{source!r} is no crawl folder, and no database: sqlite:///FILE or postgresql://…")
    if _is_database(out):
        raise BadInput("a crawl folder is cleaned into a file: .warc.gz, .jsonl or .parquet")
    for name in tables:
        raise BadInput(f"--{name.replace('_', '-')} has no meaning for a crawl folder")
    from weft.clean.bulk.files.job import open_folder_job

    uses_templates = wanted.form is Form.ARTICLE and wanted.templates
    settings = msgspec.json.encode(wanted.rules).decode() + (" with templates" if uses_templates else "")
    return CleanJob(
        *open_folder_job(
            crawl_in(Path(source)),
            Path(out),
            form=wanted.form,
            settings=settings,
            uses_templates=uses_templates,
            replaces=wanted.force,
        )
    )


def _is_database(word: str) -> bool:
    return "://" in word or word.endswith(SQLITE_SUFFIXES)


def _open_tables(source: str, out: str, sizes: Sizes, given: Mapping[str, str]) -> CleanJob:
    from weft.clean.bulk.tables.columns import IN_COLUMNS, OUT_COLUMNS, Names, Queue, column_names
    from weft.clean.bulk.tables.job import open_table_job

    names: dict[str, Any] = {name: word for name, word in given.items() if name != "queue"}
    for name, known in (("in_columns", IN_COLUMNS), ("out_columns", OUT_COLUMNS)):
        names[name] = column_names(given.get(name, ""), known)
    return open_table_job(source, out, Names(**names), Queue(given.get("queue", Queue.KEEP)), sizes)
