"""The archive: WARC files that others can open, and index files made from the rows.

    worker:  Fetched ──WarcWriter.write──▶ records at the end of its slot's file ──▶ Location
    engine:  Location ──Archive.commit──▶ `warc` row's committed_end, in the page's own batch

A file belongs to a worker *slot*, not to a process: when a worker dies, the file is cut to committed_end before
anything else is written to it, and the next worker goes on in it. So a record is in the archive exactly when its
page is in the database.

| file | subject |
|---|---|
| `warc`, `_record.c` | a record as bytes |
| `writer`, `open_file` | a file as the worker that writes it knows it, and under which name others find it |
| `records` | reading: the one place where records are unpacked |
| `archive` | the engine's table of files, and how far each of them is true |
| `index`, `_lines.c`, `sorted_lines` | `index.cdxj` and `pages.jsonl`, sorted on disk |
| `items` | `items.jsonl` |
| `no_archive`, `nowhere` | both sides of a crawl that keeps no archive |
| `similar` | pages that say nearly the same |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.store.archive import Archive, record_key
    from weft.store.index import write_blocks, write_cdxj, write_index
    from weft.store.no_archive import NoArchive
    from weft.store.nowhere import Nowhere
    from weft.store.open_file import OpenFile
    from weft.store.records import block_pieces, read_record
    from weft.store.writer import WarcWriter

__all__ = [
    "Archive",
    "NoArchive",
    "Nowhere",
    "OpenFile",
    "WarcWriter",
    "block_pieces",
    "read_record",
    "record_key",
    "write_blocks",
    "write_cdxj",
    "write_index",
]

# Loaded when first used: the workers write records, and have no database.
__getattr__ = lazy_names(
    __name__,
    {
        "Archive": "weft.store.archive",
        "NoArchive": "weft.store.no_archive",
        "Nowhere": "weft.store.nowhere",
        "OpenFile": "weft.store.open_file",
        "WarcWriter": "weft.store.writer",
        "block_pieces": "weft.store.records",
        "read_record": "weft.store.records",
        "record_key": "weft.store.archive",
        "write_blocks": "weft.store.index",
        "write_cdxj": "weft.store.index",
        "write_index": "weft.store.index",
    },
)
