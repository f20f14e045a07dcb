"""What wget2's cases have plugins for, as functions of a user: `--extract tests.mirror.wget_functions:NAME`."""

from __future__ import annotations

import re
from codecs import encode
from collections.abc import Iterator

import weft


def turned_links(page: weft.Page) -> Iterator[weft.Request]:
    """The links that stand there as rot13(…)."""
    for turned in re.findall(r"rot13\(([^)]*)\)", page.text):
        yield weft.Request(encode(turned, "rot13"))


def fourth_for_third(page: weft.Page) -> Iterator[weft.Request]:
    """Another page in the place of one that a page links to."""
    for link in page.links:
        if "third" in link:
            yield weft.Request(link.replace("third", "fourth"))
