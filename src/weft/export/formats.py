"""All formats: a new one is a file with a `Format`, and a line here."""

from __future__ import annotations

from typing import Final

from weft.errors import BadInput
from weft.export.format import Format
from weft.export.graph import GRAPH
from weft.export.huggingface import HUGGINGFACE
from weft.export.items import ITEMS
from weft.export.lines import JSONL, REFUSED, URLS
from weft.export.links import LINKS
from weft.export.parquet import PARQUET
from weft.export.wacz import WACZ
from weft.export.warc import WARC

FORMATS: Final[dict[str, Format]] = {
    one.name: one for one in (GRAPH, HUGGINGFACE, ITEMS, JSONL, LINKS, PARQUET, REFUSED, URLS, WACZ, WARC)
}


def format_named(name: str) -> Format:
    """The format of this name; BadInput if there is none."""
    if name not in FORMATS:
        raise BadInput(f"there is no format {name!r} to export to: there are {', '.join(FORMATS)}")
    return FORMATS[name]
