"""Parquet: a table of all archived responses, for DuckDB, pandas, Spark and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from weft.errors import BadInput
from weft.export.columns import Columns, columns_of_page, columns_of_robots
from weft.export.content import Content
from weft.export.languages import three_letters
from weft.export.selection import Selection
from weft.folder.reading import CrawlReader
from weft.types import PageRow
from weft.url import LinkResolver, text_of_location

if TYPE_CHECKING:
    import pyarrow

# Rows are Python objects until a batch is full, and Arrow's until a row group is.
BATCH_ROWS = 2_000
BATCH_TEXT_CHARS = 8_000_000
GROUP_ROWS = 100_000
GROUP_BYTES = 64 * 1024 * 1024
INT32_END = 2**31


def write_parquet(
    reader: CrawlReader, selection: Selection, out: BinaryIO, advance: Callable[[int], None], *, with_text: bool = False
) -> None:
    """A row for each archived response; `with_text` adds the column `text`, and fills content_languages."""
    arrow, parquet = load_pyarrow()
    schema = _schema(arrow, with_text=with_text, has_large_files=any(end >= INT32_END for _, _, end in reader.files()))
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        group: list[pyarrow.RecordBatch] = []
        for batch in _batches(_rows(reader, selection, with_text=with_text)):
            group.append(arrow.RecordBatch.from_pylist(batch, schema=schema))
            advance(len(batch))
            if _is_full(group):
                writer.write_table(arrow.Table.from_batches(group))
                group = []
        if group:
            writer.write_table(arrow.Table.from_batches(group))


def load_pyarrow() -> tuple[Any, Any]:
    """pyarrow and its part for Parquet, which are an extra."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BadInput(
            "Parquet files are written by pyarrow, which is not there: pip install 'weft[parquet]'"
        ) from error
    return pyarrow, pyarrow.parquet


def _schema(arrow: Any, *, with_text: bool, has_large_files: bool) -> pyarrow.Schema:
    """Common Crawl's types. Its places in files have 32 bits, which is enough unless a single body is huge."""
    place = arrow.int64() if has_large_files else arrow.int32()
    text, time = arrow.string(), arrow.timestamp("ms", tz="UTC")

    def always(name: str, kind: Any) -> Any:
        return arrow.field(name, kind, nullable=False)

    fields = [
        always("url_surtkey", text),
        always("url", text),
        always("url_host_name", text),
        ("url_host_tld", text),
        ("url_host_2nd_last_part", text),
        ("url_host_3rd_last_part", text),
        ("url_host_4th_last_part", text),
        ("url_host_5th_last_part", text),
        ("url_host_registry_suffix", text),
        ("url_host_registered_domain", text),
        ("url_host_private_suffix", text),
        ("url_host_private_domain", text),
        ("url_host_name_reversed", text),
        always("url_protocol", text),
        ("url_port", arrow.int32()),
        always("url_path", text),
        ("url_query", text),
        always("fetch_time", time),
        always("fetch_status", arrow.int16()),
        ("fetch_redirect", text),
        ("content_digest", text),
        ("content_mime_type", text),
        ("content_mime_detected", text),
        ("content_charset", text),
        ("content_languages", text),
        ("content_truncated", text),
        always("warc_filename", text),
        always("warc_record_offset", place),
        always("warc_record_length", place),
        always("warc_segment", text),
        always("crawl", text),
        always("subset", text),
    ]
    return arrow.schema([*fields, ("text", text)] if with_text else fields)


def _rows(reader: CrawlReader, selection: Selection, *, with_text: bool) -> Iterator[Columns]:
    crawl = reader.path.resolve().name
    for row in reader.rows():
        if row.file and selection.takes(row):
            redirect = _redirect_of(reader, row)
            if with_text:
                told = Content(text=True).of(reader, row)
                languages = three_letters(told["language"])
                columns = columns_of_page(row, reader.file_name(row.file), crawl, redirect, languages)
                yield {**columns, "text": told["text"] or None}
            else:
                yield columns_of_page(row, reader.file_name(row.file), crawl, redirect)
    for file, offset, side in reader.sides():
        if side.status and selection.takes(side):
            yield columns_of_robots(side, offset, reader.file_name(file), crawl)


def _redirect_of(reader: CrawlReader, row: PageRow) -> str | None:
    """Where a redirect leads. The index does not know, so the archive is asked."""
    if not 300 <= row.status < 400:
        return None
    location = reader.response(row).header(b"location")
    return LinkResolver(row.url).resolve(text_of_location(location)) if location else None


def _batches(rows: Iterator[Columns]) -> Iterator[list[Columns]]:
    batch: list[Columns] = []
    text_chars = 0
    for row in rows:
        batch.append(row)
        text_chars += len(row.get("text") or "")
        if len(batch) >= BATCH_ROWS or text_chars >= BATCH_TEXT_CHARS:
            yield batch
            batch, text_chars = [], 0
    if batch:
        yield batch


def _is_full(group: list[pyarrow.RecordBatch]) -> bool:
    rows: int = sum(batch.num_rows for batch in group)
    size_bytes: int = sum(batch.nbytes for batch in group)
    return rows >= GROUP_ROWS or size_bytes >= GROUP_BYTES
