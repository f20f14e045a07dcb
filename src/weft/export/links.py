"""All links: a row each, from a page to what it links to. The ending of the file says in which form.

.jsonl     an object a line
.csv       with a line of names; what a spreadsheet would take for a formula begins with an apostrophe
.parquet   a table

    from, to   URLs
    kind       link, frame, embed, sitemap, redirect, refresh, relation (link rel=…) or other
    rel        those of nofollow, ugc, sponsored and noopener that all links from this page to that URL have
    anchor     the text of the first of them that has one, or the alt of its image
    status     of the target: 200, 404 …, or why no answer came; empty if it was not asked for

A crawl with `--links` has kept all of it. Of another one all pages are read again from the archive first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from weft.errors import BadInput
from weft.export.format import Advance, Format, Source
from weft.export.parquet import load_pyarrow
from weft.export.target_table import TargetTable
from weft.folder.refused_list import Rows
from weft.folder.reread_links import linked_rows
from weft.folder.site_rows import links_of, site_rows
from weft.graph.rows import node_of
from weft.page.link_marks import IN_GRAPH, kind_of, rel_of
from weft.url import url_id
from weft.whole_file import appears_whole

ROWS_AT_ONCE: Final = 10_000
COLUMNS: Final = ("from", "to", "kind", "rel", "anchor", "status")
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")

_KINDS: Final = [kind_of(mark) for mark in range(256)]
_RELS: Final = [rel_of(mark) for mark in range(256)]


class LinkRow(NamedTuple):
    """A link."""

    source: str
    target: str
    kind: str
    rel: str
    anchor: str
    status: str


def write_jsonl(source: Source, out: BinaryIO, advance: Advance) -> None:
    """An object a line."""
    encode = msgspec.json.Encoder().encode
    for rows in _in_parts(source, advance):
        out.write(b"".join([encode(dict(zip(COLUMNS, row, strict=True))) + b"\n" for row in rows]))


def write_csv(source: Source, out: BinaryIO, advance: Advance) -> None:
    """A line with the names of the columns, then a line a link."""
    text = io.TextIOWrapper(out, "utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for rows in _in_parts(source, advance):
        writer.writerows([defused(cell) for cell in row] for row in rows)
    text.detach()


def write_parquet(source: Source, out: BinaryIO, advance: Advance) -> None:
    """A table of six columns."""
    arrow, parquet = load_pyarrow()
    schema = arrow.schema([arrow.field(name, arrow.string(), nullable=False) for name in COLUMNS])
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for rows in _in_parts(source, advance):
            columns = [arrow.array(column, arrow.string()) for column in zip(*rows, strict=True)]
            writer.write_batch(arrow.RecordBatch.from_arrays(columns, schema=schema))


def write_named(source: Source, path: Path, advance: Advance, force: bool) -> None:
    """A file, in the form that its ending says."""
    if path.suffix not in _WRITERS:
        raise BadInput(f"--to links writes .jsonl, .csv or .parquet, by the ending of the file: {path} has another")
    with appears_whole(path, replaces=force) as out:
        _WRITERS[path.suffix](source, out, advance)


def defused(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return "'" + cell if cell.startswith(FORMULA_STARTS) else cell


@contextmanager
def all_links(source: Source, advance: Advance) -> Iterator[Iterator[LinkRow]]:
    """The links of a crawl, page by page; `advance` hears of pages that are read again for them."""
    with (
        linked_rows(source.reader, source.scratch, advance) as database,
        TargetTable(database, source.scratch) as table,
    ):
        yield _links(database, table)


def _links(database: Rows, table: TargetTable) -> Iterator[LinkRow]:
    for node, edges, page in site_rows(database):
        url, _ = table.target(node_of(node))
        too_deep = {node_of(url_id(link.url)): link.url for link in page.outside if link.mark & IN_GRAPH}
        for target_node, mark, anchor in links_of(edges, page):
            target, status = table.target(node_of(target_node))
            if too_deep:
                target = too_deep.get(node_of(target_node), target)
            yield LinkRow(url, target, _KINDS[mark], _RELS[mark], anchor, status)
        for link in page.outside:
            if not link.mark & IN_GRAPH:
                _, status = table.target(node_of(url_id(link.url)))
                yield LinkRow(url, link.url, _KINDS[link.mark], _RELS[link.mark], link.anchor, status)


def _in_parts(source: Source, advance: Advance) -> Iterator[list[LinkRow]]:
    with all_links(source, advance) as links:
        while rows := list(islice(links, ROWS_AT_ONCE)):
            yield rows
            advance(len(rows))


_WRITERS: Final[dict[str, Callable[[Source, BinaryIO, Advance], None]]] = {
    ".jsonl": write_jsonl,
    ".csv": write_csv,
    ".parquet": write_parquet,
}

LINKS = Format("links", "links.jsonl", write_jsonl, is_stream=True, write_named=write_named)
