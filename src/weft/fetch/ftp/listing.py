"""A folder's entries, as servers list them, and the page that is made of them.

MLSD (RFC 3659) was made for programs:

    type=file;size=6;modify=20261115145837; a.txt

LIST was made for people; nearly all servers write as `ls -l` does, and those of Windows as `dir`:

    -rw-r--r--   1 me   users    6 Nov 15 14:58 a.txt
    lrwxrwxrwx   1 me   users    3 Nov 15 14:58 link -> sub
    11-15-26  02:58PM       <DIR>          sub

Names are bytes: in the page each byte that is not plain is escaped, so whatever charset the server's disk has, the link
leads back to the same bytes.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from weft.regex import regex

# Two runs of blanks never meet in these: a line may have 4 MiB of them, and the event loop waits.
_AS_LS: Final = regex(
    rb"([-dlbcps])[-rwxsStTlL]{9}[.+@]?\s+\d+\s+(?:\S+\s+){1,2}?(\d+)\s+"
    rb"(?:[A-Za-z]{3,9}\.?\s+\d{1,2}|\d{1,2}\.?\s+[A-Za-z]{3,9}\.?)\s+(?:\d{1,2}:\d{2}|\d{4}) (.+)"
)
_AS_DIR: Final = regex(rb"\d{2}-\d{2}-\d{2,4}\s+\d{1,2}:\d{2}(?:\s*[AP]M)?\s+(?:(<DIR>)|(\d+))\s+(.+)", re.IGNORECASE)
_LINK_ARROW: Final = b" -> "
_MAX_SIZE_DIGITS: Final = 18  # int() refuses thousands of them
_NOT_IN_A_NAME: Final = regex(rb"[/\0\r\n]")


class Entry(NamedTuple):
    """A file or a folder in a folder."""

    name: bytes
    is_folder: bool  # a symbolic link may be one and not say so
    size_bytes: int | None


class Facts(NamedTuple):
    """What MLST or MLSD says of an entry."""

    kind: str  # file, dir, or something else; empty if it is not said
    size_bytes: int | None
    modified: bytes  # YYYYMMDDHHMMSS; empty if it is not said


def size_in(digits: bytes) -> int | None:
    """The size that a server tells; None if it is no number, or one that no file has."""
    return int(digits) if digits.isdigit() and len(digits) <= _MAX_SIZE_DIGITS else None


def facts_of(line: bytes) -> tuple[Facts, bytes]:
    """The facts and the name in a line of MLST or MLSD."""
    told, _, name = line.lstrip(b" ").partition(b" ")
    pairs = (fact.partition(b"=") for fact in told.split(b";"))
    facts = {key.lower(): value for key, _, value in pairs}
    size = facts.get(b"size", b"")
    modified = facts.get(b"modify", b"")[:14]
    return (
        Facts(
            facts.get(b"type", b"").decode("latin-1").lower(),
            size_in(size),
            modified if modified.isdigit() else b"",
        ),
        name,
    )


def read_mlsd(listing: bytes) -> list[Entry]:
    """The entries in an answer to MLSD."""
    entries = []
    for line in _lines(listing):
        facts, name = facts_of(line)
        if facts.kind not in ("cdir", "pdir"):
            entries.append(Entry(name, facts.kind == "dir", facts.size_bytes if facts.kind == "file" else None))
    return _in_order(entries)


def read_list(listing: bytes) -> list[Entry]:
    """The entries in an answer to LIST; lines of no known form are passed over."""
    entries = []
    for line in _lines(listing):
        if found := _AS_LS.fullmatch(line):
            kind, size, name = found.groups()
            if kind == b"l":
                name = name.partition(_LINK_ARROW)[0]
            entries.append(Entry(name, kind == b"d", size_in(size) if kind == b"-" else None))
        elif found := _AS_DIR.fullmatch(line):
            folder, size, name = found.groups()
            entries.append(Entry(name, folder is not None, size_in(size or b"")))
    return _in_order(entries)


def listing_page(path: str, entries: list[Entry]) -> bytes:
    """A page with a link to each entry. `path` is the folder's, as it stands in its URL.

    The same entries always give the same bytes, so there are no dates in it: LIST writes them by the day it is asked.
    """
    title = escape(f"Index of {_shown(unquote_to_bytes(path))}")
    rows = "".join(map(_row, entries))
    return (
        f'<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>\n<h1>{title}</h1>\n<ul>\n{rows}</ul>\n</body>\n</html>\n"
    ).encode()


def _row(entry: Entry) -> str:
    slash = "/" if entry.is_folder else ""
    size = "" if entry.size_bytes is None else f" {entry.size_bytes}"
    name = escape(_shown(entry.name))
    return f'<li><a href="{quote_from_bytes(entry.name, safe="")}{slash}">{name}{slash}</a>{size}</li>\n'


def _shown(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _lines(listing: bytes) -> list[bytes]:
    return [line.rstrip(b"\r") for line in listing.split(b"\n")]


def _in_order(entries: list[Entry]) -> list[Entry]:
    """Sorted, and without names that would lead out of the folder or cannot be asked for."""
    usable = {
        entry.name: entry
        for entry in entries
        if entry.name not in (b"", b".", b"..") and not _NOT_IN_A_NAME.search(entry.name)
    }
    return [usable[name] for name in sorted(usable)]
