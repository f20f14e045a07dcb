"""`weft.export`: a crawl in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO, Final, TypedDict, Unpack

from weft.errors import BadInput
from weft.export import FORMATS, Content, Selection, Wish, appears_whole, copy_files
from weft.export.selection import SUCCESS
from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.settings.setting import Setting
from weft.settings.table import settings_of
from weft.settings.values import read_keywords

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
    folder: str | Path,
    to: str,
    output: str | Path | BinaryIO | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[ExportOptions],
) -> Path | None:
    """Write a crawl's pages, its index or its archive in a form that other tools read; returns where it is.

    `to` is a form: urls, jsonl, refused, parquet, wacz or warc. `output` is a file, for warc also a folder, for lines
    also what is open for writing; without it the export lies in the crawl folder. `progress` hears how many rows, or
    bytes of the archive, were done since it was last called, and of how many bytes.
    """
    if to not in FORMATS:
        raise BadInput(f"there is no form {to!r} to export to: there are {', '.join(FORMATS)}")
    form = FORMATS[to]
    given = {name: value for name, value in read_keywords(options, EXPORT_SETTINGS).items() if value}
    if useless := [name for name in given if name not in {"force", *form.options}]:
        raise BadInput(f"--{useless[0]} has no meaning for --to {to}")
    wants_successes = "all" in form.options and not given.get("all")
    statuses = given.get("status") or ([SUCCESS] if wants_successes else [])
    selection = Selection(given.get("match", ()), given.get("mime", ()), statuses)
    content = Content(**{name: given.get(name, False) for name in Content.__struct_fields__})
    crawl = crawl_in(Path(folder))
    with CrawlReader(crawl) as reader:
        advance = _advance(reader, progress, has_rows=form.has_rows)
        if output is not None and not isinstance(output, str | Path):
            if not form.is_lines:
                raise BadInput(f"--to {to} needs a file: -o - is for urls, jsonl and refused")
            form.write(Wish(reader, selection, content, output, crawl, advance))
            return None
        path = crawl / f"export.{form.ending}" if output is None else Path(output)
        if to == "warc" and path.is_dir():
            copy_files(reader, path, advance, replaces=given.get("force", False))
        else:
            with appears_whole(path, replaces=given.get("force", False)) as out:
                form.write(Wish(reader, selection, content, out, path.parent, advance))
        return path


def _advance(reader: CrawlReader, progress: Progress | None, *, has_rows: bool) -> Callable[[int], None]:
    if progress is None:
        return lambda amount: None
    total = None if has_rows else sum(committed_bytes for _, _, committed_bytes in reader.files())
    return lambda amount: progress(amount, total)
