"""Small folders, and packs of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.pack import Packed, Trust, Wanted, pack_folder, unpack

Tree = Mapping[str, bytes]

SITE: Tree = {
    "example.org/index.html": b"<p>" + b"All work and no play. " * 40,
    "example.org/logo.png": bytes(range(200)),
    "example.org/empty.txt": b"",
    "example.org/ü/日本.html": b"<p>",
    "example.org@8080/a.css": b"p { color: red }" * 9,
}


def quietly(amount: int) -> None:
    """Nobody looks."""


def write_tree(folder: Path, tree: Tree) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def read_tree(folder: Path) -> dict[str, bytes]:
    """All files but weft's own."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = Path(at, name)
            relative = path.relative_to(folder).as_posix()
            if not relative.startswith(".weft/"):
                found[relative] = path.read_bytes()
    return found


def pack(folder: Path, out: Path, **wanted: Any) -> Packed:
    return pack_folder(folder, out, Wanted(**wanted), quietly)


def unpacked(path: Path, folder: Path, trust: Trust | None = None) -> dict[str, bytes]:
    unpack(path, folder, trust or Trust(), quietly)
    return read_tree(folder)


def packed_site(home: Path, **wanted: Any) -> Path:
    """A pack of SITE, in the folder `home`."""
    out = home / "site.zip"
    pack(write_tree(home / "site", SITE), out, **wanted)
    return out
