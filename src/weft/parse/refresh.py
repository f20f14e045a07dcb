"""Where `<meta http-equiv=refresh>` or the Refresh header sends a browser, by the steps of the HTML standard.

0; url=x    0;URL='x'    0,x    5 x    .5 ; url = "x"y       →  x
5    url=x    ;url=x    5s;url=x                             →  nowhere else
"""

from __future__ import annotations

from typing import Final

from weft.parse.link_kinds import LinkPlace
from weft.parse.value_spans import refresh_span
from weft.types import Kind

REFRESH: Final = LinkPlace.of(Kind.REFRESH, "meta/@content")


def refresh_target(content: str) -> str | None:
    """The URL in a refresh, as it stands there; None when the same page is loaded again, or nothing is."""
    span = refresh_span(content)
    return content[slice(*span)] if span else None
