"""A Parquet file of cleaned pages, made from lines when all of them are there."""

from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from weft.export.parquet import in_groups, load_pyarrow
from weft.whole_file import appears_whole

GROUP_ROWS = 50_000
GROUP_CHARS = 16_000_000  # of content: Python's copy, Arrow's, and what is packed of it are in memory at once


class Line(msgspec.Struct):
    """A page as its line has it; the fields are the columns."""

    url: str
    fetched_at: datetime
    status: int
    title: str
    language: str
    charset: str
    content: str
    digest: str
    file: str
    offset: int


_decode = msgspec.json.Decoder(Line).decode


def write_parquet(lines: Path, out: Path) -> None:
    """A row a line; the file appears when it is whole, and replaces one that is there."""
    arrow, parquet = load_pyarrow()
    schema = _schema(arrow)
    with (
        gzip.open(lines) as file,
        appears_whole(out, replaces=True) as whole,
        parquet.ParquetWriter(whole, schema, compression="zstd") as writer,
    ):
        for group in in_groups(map(_decode, file), GROUP_ROWS, lambda line: len(line.content), GROUP_CHARS):
            columns = [
                arrow.array([getattr(line, name) for line in group], kind)
                for name, kind in zip(schema.names, schema.types, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))


def _schema(arrow: Any) -> Any:
    kinds = {datetime: arrow.timestamp("ms", tz="UTC"), int: arrow.int64(), str: arrow.string()}
    kinds_of = {field.name: kinds[field.type] for field in msgspec.structs.fields(Line)}
    return arrow.schema([arrow.field(name, kind, nullable=False) for name, kind in kinds_of.items()])
