"""Which visited URLs an export takes."""

from __future__ import annotations

from collections.abc import Iterable

from weft.errors import BadInput
from weft.filter import PatternFilter
from weft.regex import regex
from weft.types import PageRow, SideRow
from weft.url import host_of

SUCCESS = "2xx"

_STATUS = regex(r"[1-9](?:\d\d|xx)|0")
_MEDIA_TYPE = regex(r"[^/\s*]+/(?:\*|[^/\s*]+)")
_NO_SEED = 1  # at depth 0 the filter would let everything pass


class Selection:
    """URLs that match one of the patterns, one of the media types and one of the statuses; no list, no condition.

    A status is `404`, `2xx`, or `0` for URLs that gave no response; a media type is `text/html` or `text/*`.
    """

    def __init__(
        self, patterns: Iterable[str] = (), media_types: Iterable[str] = (), statuses: Iterable[str] = ()
    ) -> None:
        patterns = tuple(patterns)
        self._patterns = PatternFilter(include=patterns) if patterns else None
        self._media_types = tuple(_media_type(given) for given in media_types)
        self._statuses = frozenset(_status(given) for given in statuses)

    def takes(self, row: PageRow | SideRow) -> bool:
        """Whether the row is to be exported."""
        return (
            self._takes_status(str(row.status))
            and (not self._media_types or self._takes_media_type(row.mime.lower()))
            and (self._patterns is None or self._patterns.refuses_url(row.url, host_of(row.url), _NO_SEED) is None)
        )

    def _takes_status(self, status: str) -> bool:
        return not self._statuses or status in self._statuses or f"{status[0]}xx" in self._statuses

    def _takes_media_type(self, mime: str) -> bool:
        return any(mime.startswith(known) if known.endswith("/") else mime == known for known in self._media_types)


def _status(given: str) -> str:
    if not _STATUS.fullmatch(given.lower()):
        raise BadInput(f"{given!r} is no status: 404 is one, 2xx stands for all that begin with 2, 0 for no response")
    return given.lower()


def _media_type(given: str) -> str:
    """In lower case, and `text/` for `text/*`."""
    if not _MEDIA_TYPE.fullmatch(given):
        raise BadInput(f"{given!r} is no media type: text/html is one, image/* stands for all kinds of images")
    return given.lower().removesuffix("*")
