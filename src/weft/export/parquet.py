"""Parquet: a table of all archived responses, for DuckDB, pandas, Spark and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from weft.errors import BadInput
from weft.export.columns import ALWAYS, COLUMNS, Columns, columns_of_page, columns_of_robots
from weft.export.format import CHOICE, Advance, Format, Source
from weft.export.languages import three_letters
from weft.export.metadata_fields import LIST_FIELDS, METADATA_FIELDS
from weft.fetch import decode_response
from weft.media import FIRST_BYTES, detected_type
from weft.missing_library import how_to_install
from weft.types import Fetched, PageRow
from weft.url import LinkResolver, text_of_location

if TYPE_CHECKING:
    import pyarrow

# Rows are Python objects until a batch is full, and Arrow's until a row group is.
BATCH_ROWS = 2_000
BATCH_TEXT_CHARS = 8_000_000
GROUP_ROWS = 100_000
GROUP_BYTES = 64 * 1024 * 1024
INT32_END = 2**31

Row = TypeVar("Row")


def write_parquet(source: Source, out: BinaryIO, advance: Advance) -> None:
    """A row for each archived response. If its text is wanted, it has a column, and so has its metadata."""
    arrow, parquet = load_pyarrow()
    has_large_files = any(end >= INT32_END for _, _, end in source.reader.files())
    schema = _schema(arrow, with_text=source.content.text, has_large_files=has_large_files)
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        group: list[pyarrow.RecordBatch] = []
        for batch in in_groups(_rows(source), BATCH_ROWS, lambda row: len(row.get("text") or ""), BATCH_TEXT_CHARS):
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
            f"Parquet files are written by pyarrow, which is not there: {how_to_install('pyarrow')}"
        ) from error
    return pyarrow, pyarrow.parquet


def _schema(arrow: Any, *, with_text: bool, has_large_files: bool) -> pyarrow.Schema:
    """Common Crawl's types. Its places in files have 32 bits, which is enough unless a single body is huge."""
    place = arrow.int64() if has_large_files else arrow.int32()
    kinds = {
        "url_port": arrow.int32(),
        "fetch_time": arrow.timestamp("ms", tz="UTC"),
        "fetch_status": arrow.int16(),
        "warc_record_offset": place,
        "warc_record_length": place,
    }
    kinds |= dict.fromkeys(LIST_FIELDS, arrow.list_(arrow.string()))
    names = (*COLUMNS, *METADATA_FIELDS, "text") if with_text else COLUMNS
    text = arrow.string()
    return arrow.schema([arrow.field(name, kinds.get(name, text), nullable=name not in ALWAYS) for name in names])


def _rows(source: Source) -> Iterator[Columns]:
    reader = source.reader
    crawl = reader.name
    for row in source.rows():
        if not row.file:
            continue
        told = source.content.of(reader, row) if source.content.text else {}
        languages = three_letters(told.get("language", ""))
        file_name, response = reader.file_name(row.file), reader.response(row)
        redirect, detected = _redirect_of(row, response), _detected_of(response)
        columns = columns_of_page(row, file_name, crawl, redirect, languages, detected)
        yield columns | {name: told.get(name) or None for name in (*METADATA_FIELDS, "text")}
    for file, offset, side in reader.sides():
        if side.status and source.selection.takes(side):
            yield columns_of_robots(side, offset, reader.file_name(file), crawl)


def _redirect_of(row: PageRow, response: Fetched) -> str | None:
    """Where a redirect leads. The index does not know, so the archive is asked."""
    location = response.header(b"location") if 300 <= row.status < 400 else b""
    return LinkResolver(row.url).resolve(text_of_location(location)) if location else None


def _detected_of(response: Fetched) -> str:
    """What the first bytes show; the index does not know that either."""
    said = response.header(b"content-type")
    first_bytes = decode_response(response, FIRST_BYTES).data
    return detected_type(first_bytes, said.decode("latin-1") if said else None)


def in_groups(
    rows: Iterable[Row], most_rows: int, size_of: Callable[[Row], int], most_size: int
) -> Iterator[list[Row]]:
    """Rows by the group, each as large as may be in memory at once."""
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += size_of(row)
        if len(group) >= most_rows or size >= most_size:
            yield group
            group, size = [], 0
    if group:
        yield group


def _is_full(group: list[pyarrow.RecordBatch]) -> bool:
    rows: int = sum(batch.num_rows for batch in group)
    size_bytes: int = sum(batch.nbytes for batch in group)
    return rows >= GROUP_ROWS or size_bytes >= GROUP_BYTES


PARQUET = Format("parquet", "parquet", write_parquet, CHOICE | {"text"})
