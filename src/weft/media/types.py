"""Media types by their names."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
NO_TYPES: Final = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})  # what is said to say nothing
BYTES: Final = frozenset({"application/octet-stream", "binary/octet-stream"})
# Said of what is to be saved, whatever it is.
DOWNLOADS: Final = BYTES | {
    "application/x-octet-stream", "application/download", "application/x-download", "application/force-download",
}  # fmt: skip


@lru_cache(maxsize=256)  # the same few headers come again and again
def media_type(content_type: str | None) -> str:
    """The type alone: `text/html` of `Text/HTML; charset=utf-8`; empty when there is none.

    Of several, which servers and what stands before them send now and then, the last one counts, as for browsers.
    """
    said = content_type or ""
    if "," in said:
        said = next((one for one in reversed(said.split(",")) if "/" in one.partition(";")[0]), said)
    return said.partition(";")[0].strip().lower()


def is_xml(named: str) -> bool:
    """Whether files of this type are XML."""
    return named.endswith(("/xml", "+xml"))


def is_text(named: str) -> bool:
    """Whether files of this type are some kind of text."""
    return named.startswith("text/") or named.endswith(("+xml", "/xml", "+json", "/json", "/javascript"))
