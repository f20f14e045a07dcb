"""`weft.export`: a crawl in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from weft.errors import BadInput
from weft.export import (
    Content,
    Selection,
    appears_whole,
    copy_files,
    write_jsonl,
    write_parquet,
    write_refused,
    write_urls,
    write_wacz,
    write_warc,
)
from weft.export.selection import SUCCESS
from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader


class Format(StrEnum):
    """What an export may be."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    REFUSED = "refused"
    URLS = "urls"
    WACZ = "wacz"
    WARC = "warc"


ENDINGS = {
    Format.JSONL: "jsonl",
    Format.PARQUET: "parquet",
    Format.REFUSED: "refused.jsonl",
    Format.URLS: "txt",
    Format.WACZ: "wacz",
    Format.WARC: "warc.gz",
}
LINES = (Format.JSONL, Format.URLS)
TABLES = (*LINES, Format.PARQUET)  # made from rows, of which some may be chosen
ROWS = (*TABLES, Format.REFUSED)
STREAMED = (*LINES, Format.REFUSED)


def export(
    folder: str | Path,
    to: str,
    output: str | Path | BinaryIO | None = None,
    *,
    force: bool = False,
    all: bool = False,  # noqa: A002 — the flag is called so
    match: Sequence[str] = (),
    mime: Sequence[str] = (),
    status: Sequence[str] = (),
    text: bool = False,
    markdown: bool = False,
    cleaned: bool = False,
    html: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Path | None:
    """Write a crawl's pages, its index or its archive in a form that other tools read; returns where it is.

    `to` is a form: urls, jsonl, refused, parquet, wacz or warc. `output` is a file, for warc also a folder, for lines
    also what is open for writing; without it the export lies in the crawl folder. The rest is as docs/export.md says.
    `progress` hears how many rows, or bytes of the archive, were done since it was last called, and of how many bytes.
    """
    form = _format(to)
    _refuse_unless(form in TABLES, {"match": match, "mime": mime, "status": status}, form)
    _refuse_unless(form in LINES, {"all": all}, form)
    _refuse_unless(form in (Format.JSONL, Format.PARQUET, Format.WACZ), {"text": text}, form)
    _refuse_unless(form is Format.JSONL, {"markdown": markdown, "cleaned": cleaned, "html": html}, form)
    selection = Selection(match, mime, status or ([SUCCESS] if form in LINES and not all else []))
    content = Content(text, markdown, html, cleaned)
    crawl = crawl_in(Path(folder))
    with CrawlReader(crawl) as reader:
        advance = _advance(reader, form, progress)
        if output is not None and not isinstance(output, str | Path):
            if form not in STREAMED:
                raise BadInput(f"--to {form} needs a file: -o - is for urls, jsonl and refused")
            _write(reader, form, selection, content, output, crawl, advance)
            return None
        path = crawl / f"export.{ENDINGS[form]}" if output is None else Path(output)
        if form is Format.WARC and path.is_dir():
            copy_files(reader, path, advance, replaces=force)
        else:
            with appears_whole(path, replaces=force) as out:
                _write(reader, form, selection, content, out, path.parent, advance)
        return path


def _format(name: str) -> Format:
    if name not in list(Format):
        raise BadInput(f"there is no form {name!r} to export to: there are {', '.join(Format)}")
    return Format(name)


def _refuse_unless(fits: bool, options: dict[str, object], to: Format) -> None:
    if not fits and (given := [name for name, value in options.items() if value]):
        raise BadInput(f"--{given[0]} has no meaning for --to {to}")


def _advance(
    reader: CrawlReader, to: Format, progress: Callable[[int, int | None], None] | None
) -> Callable[[int], None]:
    if progress is None:
        return lambda amount: None
    total = None if to in ROWS else sum(committed_bytes for _, _, committed_bytes in reader.files())
    return lambda amount: progress(amount, total)


def _write(
    reader: CrawlReader,
    to: Format,
    selection: Selection,
    content: Content,
    out: BinaryIO,
    scratch: Path,
    advance: Callable[[int], None],
) -> None:
    match to:
        case Format.URLS:
            write_urls(reader, selection, out, advance)
        case Format.REFUSED:
            write_refused(reader, out, advance)
        case Format.JSONL:
            write_jsonl(reader, selection, content, out, advance)
        case Format.PARQUET:
            write_parquet(reader, selection, out, advance, with_text=content.text)
        case Format.WACZ:
            write_wacz(reader, out, scratch, advance, with_text=content.text)
        case Format.WARC:
            write_warc(reader, out, advance)
