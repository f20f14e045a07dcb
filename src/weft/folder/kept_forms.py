"""The forms of a page that `weft crawl --with` kept beside it.

No row says where they are, because then the rows of every crawl would be longer: they stand in the file behind the
page's response and request, before the page's notes.
"""

from __future__ import annotations

from weft.store.records import records_from
from weft.types import Conversion, RecordPlace

_END_OF_PAGE = ("metadata", "response", "revisit", "resource", "")


def kept_forms(place: RecordPlace) -> dict[str, Conversion]:
    """What was kept of the page whose response lies here, by form."""
    kept: dict[str, Conversion] = {}
    for record in records_from(place.path, place.offset + place.length):
        fields = record.fields
        kind = fields.get("warc-type", "")
        if kind == "conversion":
            form = fields.get("weft-form", "")
            told = (fields.get(f"weft-{name}", "") for name in ("title", "language", "charset"))
            kept[form] = Conversion(form, record.block.decode(), *told)
        if kind in _END_OF_PAGE:
            break
    return kept
