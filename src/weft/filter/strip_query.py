"""Arguments of queries that change nothing: `--strip-query utm_*,fbclid`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote

from weft.errors import BadInput

Strip = Callable[[str], str]


def stripper(keys: Iterable[str]) -> Strip | None:
    """What takes arguments of these names out of a URL; None if there are none. A * stands for anything."""
    names = [name.strip() for entry in keys for name in entry.split(",")]
    if not names:
        return None
    for name in names:
        if not name or name.count("*") > 3:
            raise BadInput(f"{name!r} is no name of an argument; one looks like utm_source, or utm_*")
    is_one = re.compile("|".join(".*".join(map(re.escape, name.split("*"))) for name in names), re.DOTALL).fullmatch

    def strip(url: str) -> str:
        path, question_mark, query = url.partition("?")
        if not question_mark:
            return url
        kept = [one for one in query.split("&") if not is_one(unquote(one.partition("=")[0]))]
        return f"{path}?{'&'.join(kept)}" if kept else path

    return strip
