"""A finished or running crawl, in the forms that other people's tools read.

    urls      one URL a line                                     ┐
    jsonl     one object a page, with its text if asked          ├ made from the rows, one at a time
    parquet   one row an archived response, as Common Crawl's    ┘
    wacz      the whole archive with its index, to replay        ┐
    warc      the whole archive in one file, or as it is         ┘ committed bytes, copied

Everything shows what was committed when the folder was opened, so a crawl may run meanwhile. Memory is bounded
whatever the crawl's size. A file appears under its name once it is whole.
"""

from __future__ import annotations

from weft.export.content import Content
from weft.export.destination import appears_whole
from weft.export.formats import FORMATS, Wish
from weft.export.selection import Selection
from weft.export.warc import copy_files
from weft.lazy_names import make_callable

__all__ = ["FORMATS", "Content", "Selection", "Wish", "appears_whole", "copy_files"]

make_callable(__name__, "weft.api.export")
