"""Which file answers a path. Links are percent-encoded names, as `weft.mirror.paths.relative_link` writes them."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote_to_bytes

import msgspec

from weft.errors import FolderError
from weft.mirror.paths import wanted_path
from weft.pack.names import OWN_FOLDER, name_key
from weft.pack.walk import is_crawl, refuse_crawl
from weft.serve.root import Root

INDEX: Final = "index.html"
_ANY_HOST: Final = "h"


class FoundFile(msgspec.Struct, frozen=True):
    """A file to send."""

    path: Path


class Moved(msgspec.Struct, frozen=True):
    """A folder's path without the slash at its end, with which links in it would lead elsewhere."""

    to: str
    for_now: bool = False  # another mirror may be at this port tomorrow


class Listing(msgspec.Struct, frozen=True):
    """A folder without a page of its own."""

    html: str


class Site:
    """The files below a folder, by the paths of requests: first those of the site at the root, then all."""

    def __init__(self, folder: Path, root: Root | None = None) -> None:
        if not folder.is_dir():
            raise FolderError(f"{folder} is not a folder")
        refuse_crawl(folder, "makes a file that ReplayWeb.page shows")
        self._folder = folder.resolve()
        self._root = root or Root()

    def find(self, target: str) -> FoundFile | Moved | Listing | None:
        """What a request's target means; None for what is not there, or not to be seen."""
        address, _, query = target.partition("#")[0].partition("?")
        names = _names(address)
        if names is None:
            return None
        if not self._root.site:
            return self._at(names, names, address)
        site = self._root.site
        if not names and self._root.first.startswith(f"{site}/") and not (self._folder / site / INDEX).is_file():
            return Moved(_link(self._root.first.split("/")[1:]).rstrip("/"), for_now=True)
        return (
            (self._by_url(address, query) if query else None)
            or self._at([site, *names], names, address)
            or self._at(names, names, address)
            or self._by_url(address, query)
        )

    def _at(self, inside: list[str], names: list[str], address: str) -> FoundFile | Moved | Listing | None:
        path = self._inside(inside)
        if path is None:
            return None
        if not path.is_dir():
            return None if address.endswith("/") or not path.is_file() else FoundFile(path)
        if not address.endswith("/"):
            return Moved(_link(names), for_now=bool(self._root.site))
        index = self._inside([*inside, INDEX])
        return FoundFile(index) if index and index.is_file() else Listing(self._listing(path, inside))

    def _by_url(self, address: str, query: str) -> FoundFile | None:
        """The file of a URL that has another name, as a mirror gives them: /about, /a.json?page=2."""
        for media_type in ("", "text/html"):
            url = f"http://{_ANY_HOST}{address}" + f"?{query}" * bool(query)
            _, _, name = wanted_path(url, media_type).partition("/")
            path = self._inside([self._root.site, *name.split("/")])
            if path is not None and path.is_file():
                return FoundFile(path)
        return None

    def _inside(self, names: list[str]) -> Path | None:
        """The path in the folder, if it is there; also a link must not lead out of it, nor into what is weft's own."""
        try:
            path = self._folder.joinpath(*names).resolve(strict=True)
        except (OSError, RuntimeError):  # not there, too long, a circle of links
            return None
        if not path.is_relative_to(self._folder):
            return None
        ways = [path, *path.parents][: len(path.relative_to(self._folder).parts)]
        return None if any(map(_is_wefts_own, ways)) else path

    def _listing(self, path: Path, names: list[str]) -> str:
        with os.scandir(path) as found:
            rows = sorted(one.name + "/" * one.is_dir() for one in found if not _is_wefts_own(path / one.name))
        title = _shown("/".join(names) or f"Mirror: {self._folder.name}")
        lines = "\n".join(f'<li><a href="{_quoted(row)}">{_shown(row)}</a></li>' for row in rows)
        return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1>
<ul>
{lines}
</ul></body></html>
"""


def _is_wefts_own(path: Path) -> bool:
    """What may hold passwords: a mirror's own folder, or a crawl, wherever it lies."""
    return name_key(path.name) == OWN_FOLDER or is_crawl(path)


def _names(address: str) -> list[str] | None:
    """The names on the way; None for a path that means no file."""
    if not address.startswith("/"):
        return None
    decoded = os.fsdecode(unquote_to_bytes(address))
    if "\0" in decoded:
        return None
    names = [name for name in decoded.split("/") if name]
    return None if ".." in names or "." in names else names


def _link(names: list[str]) -> str:
    return f"/{'/'.join(map(_quoted, names))}/"


def _quoted(name: str) -> str:
    """As mirrors write links; the colon too, so that no name is taken for a scheme."""
    return quote(os.fsencode(name), safe="/@=~")


def _shown(name: str) -> str:
    return escape(os.fsencode(name).decode("utf-8", "replace"), quote=False)
