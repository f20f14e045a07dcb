"""`weft.export`: a crawl in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO, Final, TypedDict, Unpack

from weft.errors import BadInput
from weft.export import Content, Format, Selection, Source, format_named
from weft.export.format import Advance
from weft.folder.reading import CrawlReader
from weft.folder.readings import Folders, open_reader, paths_of
from weft.settings.setting import Setting
from weft.settings.table import settings_of
from weft.settings.values import read_keywords
from weft.whole_file import appears_whole

Progress = Callable[[int, int | None], None]


class ExportOptions(TypedDict, total=False):
    """What `weft export` can be told, as flags and as keywords; docs/export.md tells more."""

    force: Annotated[bool, Setting("", "", "Replace a file that is there already.")]
    all: Annotated[bool, Setting("", "", "Every visited URL, not only 2xx pages (urls, jsonl).")]
    match: Annotated[Sequence[str], Setting("", "PATTERN", "Only URLs that match; as --include of crawl.")]
    mime: Annotated[Sequence[str], Setting("", "TYPE", "Only this media type: text/html, image/*.")]
    status: Annotated[Sequence[str], Setting("", "STATUS", "Only this status: 404, 3xx.")]
    text: Annotated[bool, Setting("", "", "With the text of each page (jsonl, parquet, wacz).")]
    markdown: Annotated[bool, Setting("", "", "With each page as Markdown (jsonl).")]
    cleaned: Annotated[bool, Setting("", "", "With what `crawl --clean` kept of each page (jsonl).")]
    html: Annotated[bool, Setting("", "", "With the HTML of each page, decoded (jsonl).")]


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
    `to` is a form: urls, jsonl, refused, parquet, items, wacz, warc, graph or links. `output` is a file, for warc also
    a folder, for lines also what is open for writing; without it the export lies in the crawl folder. `progress` hears
    how many rows, or bytes of the archive, were done since it was last called, and of how many bytes.
    """
    form = format_named(to)
    given = {name: value for name, value in read_keywords(options, EXPORT_SETTINGS).items() if value}
    force, every = given.pop("force", False), given.get("all", False)
    form.refuse_others(given)
    statuses = given.get("status", () if every else form.statuses)
    selection = Selection(given.get("match", ()), given.get("mime", ()), statuses)
    content = Content(**{name: name in given for name in Content.__struct_fields__})
    paths = paths_of(folder)
    if len(paths) > 1 and output is None:
        raise BadInput("several folders need a file to export to: -o FILE")
    crawl = paths[0]
    with open_reader(paths) as reader:
        advance = _advance(reader, form, progress)
        if output is not None and not isinstance(output, str | Path):
            if not form.is_stream:
                raise BadInput(f"--to {to} needs a file: -o - is for urls, jsonl, refused, items, graph and links")
            form.write(Source(reader, selection, content), output, advance)
            return None
        path = crawl / f"export.{form.ending}" if output is None else Path(output)
        source = Source(reader, selection, content, path.parent)
        if form.write_files is not None and path.is_dir():
            form.write_files(source, path, advance, force)
        elif form.write_named is not None:
            form.write_named(source, path, advance, force)
        else:
            with appears_whole(path, replaces=force) as out:
                form.write(source, out, advance)
        return path


def _advance(reader: CrawlReader, form: Format, progress: Progress | None) -> Advance:
    if progress is None:
        return lambda amount: None
    total = sum(committed_bytes for _, _, committed_bytes in reader.files()) if form.is_archive else None
    return lambda amount: progress(amount, total)
