"""Which names a pack may hold: those that mean the same file on each system, and nothing outside the folder.

The same rules hold for writing and for reading: what would be refused there is refused here.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from weft.regex import regex

OWN_FOLDER: Final = ".weft"
MANIFEST: Final = f"{OWN_FOLDER}/manifest.jsonl"
MAX_NAME_BYTES: Final = 255  # of most file systems
MAX_PATH_BYTES: Final = 4000  # of Linux, with room for the folder
MAX_DEPTH: Final = 200

_DEVICE = regex(r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³]) *(?:\.|\Z)", re.IGNORECASE)
_INVISIBLE = regex(r"[\0-\x1f\x7f]")
_DRIVE = regex(r"[A-Za-z]:")


def refusal_of(path: str) -> str:
    """Why a path may not be in a pack; empty when it may."""
    try:
        length_bytes = len(path.encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if length_bytes > MAX_PATH_BYTES:
        return "its path is too long"
    if path.startswith("/") or _DRIVE.match(path):
        return "its path is absolute"
    if "\\" in path:
        return "there is a backslash in its path"
    if _INVISIBLE.search(path):
        return "there is a control character in its path"
    names = path.split("/")
    if len(names) > MAX_DEPTH:
        return "it lies in too many folders"
    if name_key(names[0]) == OWN_FOLDER:
        return f"{OWN_FOLDER} belongs to weft"
    return next(filter(None, map(_refusal_of_name, names)), "")


def _refusal_of_name(name: str) -> str:
    if name in ("", ".", ".."):
        return "its path leads through an empty name, . or .."
    if len(name.encode()) > MAX_NAME_BYTES:
        return "a name in its path is too long"
    return f"{name} is the name of a device on Windows" if _DEVICE.match(name) else ""


def name_key(name: str) -> str:
    """The same for two names that some file system takes for one: by case, or by Unicode's forms."""
    if name.isascii():
        return name.lower()
    return normalize("NFC", normalize("NFD", name).casefold())


class Tree:
    """The files of a pack as they come by, sorted: no two may be one on some system, nor a file be a folder as well.

    All files of a folder come one after the other, so only the folders on the way to the last one are held.
    """

    def __init__(self) -> None:
        self._open: list[tuple[str, dict[str, str]]] = [("", {})]

    def refusal_of(self, path: str) -> str:
        """Why the next path may not stand here; empty when it may, and then it counts."""
        *folders, name = path.split("/")
        common = 0
        while common < len(folders) and common + 1 < len(self._open) and self._open[common + 1][0] == folders[common]:
            common += 1
        del self._open[common + 1 :]
        for folder in folders[common:]:
            clash = self._add(f"{folder}/")
            if clash:
                return clash
            self._open.append((folder, {}))
        return self._add(name)

    def _add(self, name: str) -> str:
        names = self._open[-1][1]
        known = names.setdefault(name_key(name.rstrip("/")), name)
        return "" if known is name else f"some systems take it and {known.rstrip('/')} for the same"
