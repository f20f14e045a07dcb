"""What is left of a page."""

from __future__ import annotations

import msgspec


class Cleaned(msgspec.Struct, frozen=True):
    """A cleaned page, and what its head said, which most rules delete."""

    content: str
    title: str = ""
    language: str = ""
    charset: str = ""  # in which the page was written
