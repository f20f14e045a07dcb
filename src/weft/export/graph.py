"""The link graph: a row a link, from a page to what it links to. The ending of the file says in which form.

.tsv       two URLs and a tab between them
.parquet   columns `source` and `target`, both URLs
.txt       two numbers, as networkx, SNAP and graph-tool read them; FILE.nodes.tsv has the URL of each
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from weft.errors import BadInput
from weft.export.format import Advance, Format, Source
from weft.export.parquet import load_pyarrow
from weft.graph.arrays import refuse_without_arrays
from weft.whole_file import appears_whole

if TYPE_CHECKING:
    from weft.export.link_table import LinkTable

NAMES_ENDING: Final = ".nodes.tsv"


def write_tsv(source: Source, out: BinaryIO, advance: Advance) -> None:
    """Two URLs a line."""
    with _table(source) as table:
        for pages, targets in table.links():
            urls = zip(table.urls(pages), table.urls(targets), strict=True)
            out.write(b"".join([b"%b\t%b\n" % both for both in urls]))
            advance(len(pages))


def write_parquet(source: Source, out: BinaryIO, advance: Advance) -> None:
    """A table of two columns."""
    arrow, parquet = load_pyarrow()
    schema = arrow.schema([arrow.field(name, arrow.string(), nullable=False) for name in ("source", "target")])
    with _table(source) as table, parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for pages, targets in table.links():
            columns = [arrow.array([url.decode() for url in table.urls(numbers)]) for numbers in (pages, targets)]
            writer.write_batch(arrow.RecordBatch.from_arrays(columns, schema=schema))
            advance(len(pages))


def write_numbers(source: Source, out: BinaryIO, names: BinaryIO, advance: Advance) -> None:
    """Two numbers a line; and in `names`, number and URL of each node."""
    with _table(source) as table:
        out.write(b"# FromNodeId\tToNodeId\n")  # as SNAP's own files begin
        for pages, targets in table.links():
            out.write("".join([f"{page}\t{target}\n" for page, target in zip(pages, targets, strict=True)]).encode())
            advance(len(pages))
        for number in range(len(table.nodes)):
            names.write(b"%d\t%b\n" % (number, table.url(number)))


def write_named(source: Source, path: Path, advance: Advance, force: bool) -> None:
    """A file, in the form that its ending says."""
    if path.suffix not in _WRITERS and path.suffix != ".txt":
        raise BadInput(f"--to graph writes .tsv, .parquet or .txt, by the ending of the file: {path} has none of them")
    with appears_whole(path, replaces=force) as out:
        if path.suffix in _WRITERS:
            _WRITERS[path.suffix](source, out, advance)
            return
        with appears_whole(path.with_name(path.name + NAMES_ENDING), replaces=force) as names:
            write_numbers(source, out, names, advance)


def _table(source: Source) -> LinkTable:
    refuse_without_arrays()
    source.reader.refuse_without_graph()
    from weft.export.link_table import LinkTable

    return LinkTable(source.reader.database, source.scratch)


_WRITERS: Final[dict[str, Callable[[Source, BinaryIO, Advance], None]]] = {
    ".tsv": write_tsv,
    ".parquet": write_parquet,
}

GRAPH = Format("graph", "graph.tsv", write_tsv, is_stream=True, write_named=write_named)
