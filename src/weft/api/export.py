"""`weft.export`: a crawl in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, TypedDict, Unpack

from weft.config import Count, PageForm, Positive
from weft.errors import BadInput
from weft.export import Content, Format, Selection, Source, format_named
from weft.export.content import ARTICLE, language_tags
from weft.export.format import Advance
from weft.export.shards import sharded
from weft.export.tally import Tally
from weft.folder.reading import CrawlReader
from weft.folder.readings import Folders, open_reader, paths_of
from weft.program import stop_if_only_loaded
from weft.settings.setting import Setting
from weft.settings.table import settings_of
from weft.settings.values import read_keywords
from weft.whole_file import appears_whole

_PAGES = "What is in it of pages"
Progress = Callable[[int, int | None], None]


class ExportOptions(TypedDict, total=False):
    """What `weft export` can be told, as flags and as keywords; docs/export.md tells more."""

    # fmt: off
    force: Annotated[bool, Setting("", "", "Replace a file that is there already.")]
    all: Annotated[bool, Setting("", "", "Every visited URL, not only 2xx pages (urls, jsonl).")]
    match: Annotated[Sequence[str], Setting("", "PATTERN", "Only URLs that match; as --include of crawl.")]
    mime: Annotated[Sequence[str], Setting("", "TYPE", "Only this media type: text/html, image/*.")]
    status: Annotated[Sequence[str], Setting("", "STATUS", "Only this status: 404, 3xx.")]
    with_: Annotated[Sequence[PageForm] | PageForm, Setting(
        _PAGES, "FORM,…", "With each page as html, text, markdown (the whole page) or article (its main content); "
        "wacz: text.", name="with", splits=True, was=("text", "markdown", "html", "cleaned"))]
    language: Annotated[Sequence[str], Setting(
        _PAGES, "TAG,…", "Only pages whose text is in one of these languages: en,de.", splits=True)]
    min_length: Annotated[Count, Setting(
        _PAGES, "N", "Only pages whose text, or article if --with has that, has at least N characters.")]
    max_length: Annotated[Positive, Setting(_PAGES, "N", "Likewise, at most N.")]
    no_near_duplicates: Annotated[bool, Setting(
        _PAGES, "", "Of pages whose text, or article, is almost the same, only one.")]
    no_templates: Annotated[bool, Setting(
        _PAGES, "", "Keep in articles what stands on many pages of their site; else it is left out.")]
    shard_size: Annotated[Positive | str, Setting(
        _PAGES, "SIZE", "Several files, NAME-00001 and so on, none larger: 500M (jsonl, parquet, huggingface).")]
    # fmt: on


EXPORT_SETTINGS: Final = settings_of(ExportOptions)


def export(
    folder: Folders,
    to: str,
    output: str | Path | BinaryIO | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[ExportOptions],
) -> Path | None:
    """Write a crawl's pages, its index or its archive in a form that other tools read; returns where it is.

    `folder` is a crawl folder, or a list of those of the nodes of one cluster's crawl: then `output` must be given.
    `to` is a format: urls, jsonl, refused, parquet, huggingface, items, wacz, warc, graph or links. `output` is a file,
    for huggingface a folder, for warc either, for lines also what is open for writing; without it the export lies in
    the crawl folder. `progress` hears how many rows, or bytes of the archive, were done since it was last called, and
    of how many bytes.
    """
    stop_if_only_loaded()
    return export_counted(folder, to, output, Tally(), progress=progress, **options)


def export_counted(
    folder: Folders,
    to: str,
    output: str | Path | BinaryIO | None,
    tally: Tally,
    *,
    progress: Progress | None = None,
    **options: Unpack[ExportOptions],
) -> Path | None:
    """The same; `tally` has the counts when it is done."""
    form = format_named(to)
    given = {name: value for name, value in read_keywords(options, EXPORT_SETTINGS).items() if value}
    force, every = given.pop("force", False), given.get("all", False)
    forms = given.pop("with_", ())
    form.refuse_others(given)
    form.refuse_forms(forms)
    statuses = given.get("status", () if every else form.statuses)
    selection = Selection(given.get("match", ()), given.get("mime", ()), statuses)
    content = _content(forms, given)
    shard_bytes = given.get("shard_size")
    paths = paths_of(folder)
    if len(paths) > 1 and output is None:
        raise BadInput("several folders need a file to export to: -o FILE")
    crawl = paths[0]
    with open_reader(paths) as reader:
        if form.needs_archive or content.is_wanted:
            reader.refuse_without_archive()
        advance = _advance(reader, form, progress)
        if output is not None and not isinstance(output, str | Path):
            if not form.is_stream:
                raise BadInput(f"--to {to} needs a file: -o - is for urls, jsonl, refused, items, graph and links")
            if shard_bytes:
                raise BadInput("--shard-size needs a file to name the shards after: -o NAME")
            form.write(Source(reader, selection, content, tally=tally), output, advance)
            return None
        path = crawl / f"export.{form.ending}" if output is None else Path(output)
        source = Source(reader, selection, content, shard_bytes, tally, path.parent)
        if form.write_files is not None and path.is_dir():
            form.write_files(source, path, advance, force)
        elif form.write_named is not None:
            form.write_named(source, path, advance, force)
        elif form.write_shards is not None and shard_bytes is not None:
            with sharded(path, shard_bytes, replaces=force) as shards:
                form.write_shards(source, shards, advance)
            tally.shards = len(shards.paths)
        else:
            with appears_whole(path, replaces=force) as out:
                form.write(source, out, advance)
        return path


def _content(forms: Sequence[PageForm], given: Mapping[str, Any]) -> Content:
    shortest, longest = given.get("min_length", 0), given.get("max_length")
    if longest is not None and longest < shortest:
        raise BadInput(f"--max-length {longest} is less than --min-length {shortest}: no page could be both")
    languages = language_tags(tuple(given.get("language", ())))
    near, templates = bool(given.get("no_near_duplicates")), not given.get("no_templates")
    if not templates and ARTICLE not in forms:
        raise BadInput("--no-templates has no meaning without --with article")
    return Content(tuple(forms), languages, shortest, longest, near, templates)


def _advance(reader: CrawlReader, form: Format, progress: Progress | None) -> Advance:
    if progress is None:
        return lambda amount: None
    total = sum(committed_bytes for _, _, committed_bytes in reader.files()) if form.is_archive else None
    return lambda amount: progress(amount, total)
