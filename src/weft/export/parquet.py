"""Parquet: a table of all archived responses, for DuckDB, pandas, Spark and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from weft.errors import BadInput
from weft.export.columns import ALWAYS, COLUMNS, Columns, columns_of_page, columns_of_robots
from weft.export.content import Told
from weft.export.format import FORMS, WITH_FORMS, Advance, Format, Source
from weft.export.languages import three_letters
from weft.export.metadata_fields import LIST_FIELDS, METADATA_FIELDS
from weft.export.shards import OneFile, Outputs
from weft.fetch import decode_response
from weft.folder.reading import CrawlReader
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
GROUPS_A_SHARD = 8  # at least, so that it is nearly full when the next group does not find room
DESCRIBED_BYTES = 400  # what a file says of a column of a row group, about
INDEX_CHARS = 500  # what the columns of the index take, about
INT32_END = 2**31
BEGINNING_BYTES = 8 * 1024  # of a response: the head and the body's first bytes, mostly

Row = TypeVar("Row")


def write_parquet(source: Source, out: BinaryIO, advance: Advance) -> None:
    """A row for each archived response. Wanted forms have columns; if pages are read, content_languages is filled."""
    write_parquet_shards(source, OneFile(out), advance)


def write_parquet_shards(source: Source, outputs: Outputs, advance: Advance) -> None:
    """The same in files of some size.

    What a row group takes in memory, and its description at the file's end, must find room in a file that has rows.
    """
    _, parquet = load_pyarrow()
    schema = parquet_schema(source)
    most_bytes = outputs.size_bytes
    described_bytes = len(schema) * DESCRIBED_BYTES
    out, groups = outputs.open(), 0
    writer = parquet.ParquetWriter(out, schema, compression="zstd")
    try:
        for group in _groups(source, schema, advance):
            end_bytes = out.tell() + group.nbytes + (groups + 1) * described_bytes
            if most_bytes is not None and groups and end_bytes > most_bytes:
                writer.close()
                out, groups = outputs.open(), 0
                writer = parquet.ParquetWriter(out, schema, compression="zstd")
            writer.write_table(group)
            groups += 1
    finally:
        writer.close()


def _groups(source: Source, schema: pyarrow.Schema, advance: Advance) -> Iterator[pyarrow.Table]:
    arrow, _ = load_pyarrow()
    group_bytes = min(GROUP_BYTES, (source.shard_bytes or GROUP_BYTES * GROUPS_A_SHARD) // GROUPS_A_SHARD)
    group: list[pyarrow.RecordBatch] = []
    batches = in_groups(_rows(source), BATCH_ROWS, _chars(source.content.forms), min(BATCH_TEXT_CHARS, group_bytes))
    for batch in batches:
        group.append(arrow.RecordBatch.from_pylist(batch, schema=schema))
        advance(len(batch))
        if _is_full(group, group_bytes):
            yield arrow.Table.from_batches(group)
            group = []
    if group:
        yield arrow.Table.from_batches(group)


def _chars(forms: Iterable[str]) -> Callable[[Columns], int]:
    """About how much memory a row takes."""
    return lambda row: INDEX_CHARS + sum(len(row[form] or "") for form in forms)


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


def parquet_schema(source: Source) -> pyarrow.Schema:
    """Common Crawl's types. Its places in files have 32 bits, which is enough unless a single body is huge."""
    arrow, _ = load_pyarrow()
    has_large_files = any(end >= INT32_END for _, _, end in source.reader.files())
    place = arrow.int64() if has_large_files else arrow.int32()
    kinds = {
        "url_port": arrow.int32(),
        "fetch_time": arrow.timestamp("ms", tz="UTC"),
        "fetch_status": arrow.int16(),
        "warc_record_offset": place,
        "warc_record_length": place,
    }
    kinds |= dict.fromkeys(LIST_FIELDS, arrow.list_(arrow.string()))
    names = (*COLUMNS, *_added(source))
    text = arrow.string()
    return arrow.schema([arrow.field(name, kinds.get(name, text), nullable=name not in ALWAYS) for name in names])


def _rows(source: Source) -> Iterator[Columns]:
    reader = source.reader
    crawl = reader.name
    for row, told in source.pages(archived=True):
        columns = columns_of_page(row, reader.file_name(row.file), crawl, **_from_archive(reader, row, told))
        read = {} if told is None else told.metadata | told.forms
        yield columns | {name: read.get(name) or None for name in _added(source)}
    if source.content.filters:
        return  # a robots.txt has no text that could be judged
    for file, offset, side in reader.sides():
        if side.status and source.selection.takes(side):
            yield dict.fromkeys(_added(source)) | columns_of_robots(side, offset, reader.file_name(file), crawl)


def _added(source: Source) -> tuple[str, ...]:
    """The columns that are not Common Crawl's."""
    forms = source.content.forms
    return (*METADATA_FIELDS, *forms) if forms else ()


def _from_archive(reader: CrawlReader, row: PageRow, told: Told | None) -> dict[str, str | None]:
    """What the index does not know: the language, what the first bytes show, where a redirect leads."""
    languages = three_letters(told.true_language) if told is not None else None
    detected = told.detected_type if told is not None else ""
    location: bytes | None = None
    if not detected or 300 <= row.status < 400:
        response, first_bytes = _begun(reader, row)
        said = response.header(b"content-type")
        detected = detected or detected_type(first_bytes, said.decode("latin-1") if said else None)
        location = response.header(b"location") if 300 <= row.status < 400 else None
    redirect = LinkResolver(row.url).resolve(text_of_location(location)) if location else None
    return {"redirect": redirect, "languages": languages, "detected": detected}


def _begun(reader: CrawlReader, row: PageRow) -> tuple[Fetched, bytes]:
    """A response, and how its body begins. All of it is read only where its beginning does not tell."""
    response = reader.response(row, BEGINNING_BYTES)
    first_bytes = decode_response(response, FIRST_BYTES).data
    if len(first_bytes) < FIRST_BYTES and response.archived is not None:
        response = reader.response(row)
        first_bytes = decode_response(response, FIRST_BYTES).data
    return response, first_bytes


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


def _is_full(group: list[pyarrow.RecordBatch], group_bytes: int) -> bool:
    rows: int = sum(batch.num_rows for batch in group)
    size_bytes: int = sum(batch.nbytes for batch in group)
    return rows >= GROUP_ROWS or size_bytes >= group_bytes


PARQUET = Format(
    "parquet",
    "parquet",
    write_parquet,
    WITH_FORMS | {"shard_size"},
    FORMS,
    needs_archive=True,
    write_shards=write_parquet_shards,
)
