"""Cleaning in bulk: pages from a table or a crawl folder, through workers, in batches.

A page is read once, cleaned in a worker process, and written; what is written is done. A kill at any moment loses no
page and doubles none, because a source gives what its sink has not written, and a sink writes all or nothing.

| file | subject |
|---|---|
| `ports` | what a source and a sink are |
| `sizes` | how much is taken in hand at once |
| `engine` | reads, hands out, writes |
| `window` | the pages between reading and writing |
| `clean_workers` | the pages of the window go to a pool of workers |
| `alone` | large pages and suspects, one at a time |
| `worker` | a worker as it sees itself |
| `messages` | what the two say to each other |
| `balancing` | how many workers there are |
| `tables/` | pages in tables of SQLite and PostgreSQL |
| `files/` | pages of a crawl, into a file |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.clean.bulk.engine import Cleaning, Totals
    from weft.clean.bulk.ports import CleanJob, RawPage, Result, Sink, Source
    from weft.clean.bulk.sizes import Sizes

__all__ = ["CleanJob", "Cleaning", "RawPage", "Result", "Sink", "Sizes", "Source", "Totals"]

# A worker needs none of these, and starts the sooner.
__getattr__ = lazy_names(
    __name__,
    {
        "Cleaning": "weft.clean.bulk.engine",
        "CleanJob": "weft.clean.bulk.ports",
        "RawPage": "weft.clean.bulk.ports",
        "Result": "weft.clean.bulk.ports",
        "Sink": "weft.clean.bulk.ports",
        "Sizes": "weft.clean.bulk.sizes",
        "Source": "weft.clean.bulk.ports",
        "Totals": "weft.clean.bulk.engine",
    },
)
