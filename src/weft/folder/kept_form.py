"""The cleaned form of a page that `weft crawl --clean` kept beside it.

No row says where it is, because then the rows of every crawl would be longer: it stands in the file behind the page's
response and request, before the page's notes.
"""

from __future__ import annotations

from weft.folder.reading import CrawlReader
from weft.store.records import records_from
from weft.types import Conversion, PageRow

_END_OF_PAGE = ("metadata", "response", "revisit", "resource", "")


def kept_form(reader: CrawlReader, row: PageRow) -> Conversion | None:
    """What was kept of a page; None when it was not cleaned."""
    if not row.file:
        return None
    place = reader.place_of(row)
    for record in records_from(place.path, place.offset + place.length):
        fields = record.fields
        kind = fields.get("warc-type", "")
        if kind == "conversion":
            told = (fields.get(f"weft-{name}", "") for name in ("title", "language", "charset"))
            return Conversion(fields.get("weft-form", ""), record.block.decode(), *told)
        if kind in _END_OF_PAGE:
            break
    return None
