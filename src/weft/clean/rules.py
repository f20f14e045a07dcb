"""Which parts of a page go and which stay, as data.

A page is a tree of elements, texts, comments and a doctype. Three kinds of rules say what becomes of them:

| kind       | fields                               | what it says                                            |
|------------|--------------------------------------|---------------------------------------------------------|
| kill       | `kill` (tags), `drop` (CSS)          | these elements go with all that is in them              |
| unwrap     | `unwrap` (tags)                      | these go, and what is in them takes their place         |
| attributes | `keep_attributes`, `drop_attributes` | what the first names stays, unless the second names it  |

What `keep` (CSS) selects is neither killed nor unwrapped, and neither is anything in it; but it goes with an element
around it that is killed. Comments, the doctype and empty text go unless a flag says that they stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec
import turbohtml

from weft.errors import BadInput
from weft.regex import regex

_TAG: Final = regex(r"[a-z][\w.:-]*", re.ASCII | re.IGNORECASE)
_ATTRIBUTE: Final = regex(r"[\w.:@-]*\*?", re.ASCII)


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What goes and what stays. Rules that cannot be used raise BadInput when they are made."""

    kill: tuple[str, ...] = ()
    unwrap: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    keep_attributes: tuple[str, ...] = ("*",)  # names, or how names begin: "data-*"
    drop_attributes: tuple[str, ...] = ()
    comments: bool = False  # whether they stay
    doctype: bool = False
    empty_text: bool = False  # what that is, `white_space` says
    safe: bool = False  # nothing stays that can run or mislead, whatever the other rules say: `safety`

    def __post_init__(self) -> None:
        _check("tag", (*self.kill, *self.unwrap), _TAG)
        _check("attribute", (*self.keep_attributes, *self.drop_attributes), _ATTRIBUTE)
        nothing = turbohtml.parse("")
        for selector in (*self.drop, *self.keep):
            try:
                nothing.select_one(selector)
            except ValueError as error:
                raise BadInput(f"{selector!r} is not a CSS selector: {_why(error)}") from error


def _check(what: str, names: Iterable[str], pattern: re.Pattern[str]) -> None:
    for name in names:
        if not name or not pattern.fullmatch(name):
            raise BadInput(f"{name!r} is not the name of {'an' if what[0] == 'a' else 'a'} {what}")


def _why(error: ValueError) -> str:
    """turbohtml's sentence, without its repetition of the selector."""
    return str(error).rpartition('": ')[2]
