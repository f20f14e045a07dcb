"""A finished or running crawl, in the forms that other people's tools read.

    urls      one URL a line                                     ┐
    jsonl     one object a page, with its text if asked          │ made from the rows, one at a time
    refused   one object a URL that was left out                 │
    parquet   one row an archived response, as Common Crawl's    ┘
    huggingface   a folder with shards of such rows, and a data card
    graph     one row a link: URLs, or numbers for networkx and the like; made from the link graph
    links     one row a link, with its kind, rel, anchor text and the status of its target; read again if need be
    items     what users' functions made of the pages, as lines, CSV, Parquet or SQLite
    wacz      the whole archive with its index, to replay        ┐
    warc      the whole archive in one file, or as it is         ┘ committed bytes, copied

Everything shows what was committed when the folder was opened, so a crawl may run meanwhile. Memory is bounded
whatever the crawl's size. A file appears under its name once it is whole.

| file | subject |
|---|---|
| `format`, `formats` | what a format is, and the table of all |
| `selection`, `content` | which rows a source has by their index, and which by their text; what of their pages |
| `reading`, `page_places`, `content_worker` | pages read on all cores, in the order of their rows |
| `site_templates` | what stands on many pages of each site, so that it is in no article |
| `near_texts`, `tally` | near duplicates left out; what is left out, counted |
| `shards` | files of some size |
| `lines`, `parquet`, `huggingface`, `graph`, `links`, `items`, `wacz`, `warc` | the formats |
| `columns`, `data_card`, `item_columns`, `languages`, `link_table`, `target_table`, `zipnum` | what is in these |
"""

from __future__ import annotations

from weft.export.content import Content
from weft.export.format import Format, Source
from weft.export.formats import FORMATS, format_named
from weft.export.selection import Selection
from weft.lazy_names import make_callable

__all__ = ["FORMATS", "Content", "Format", "Selection", "Source", "format_named"]

make_callable(__name__, "weft.api.export")
