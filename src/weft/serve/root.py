"""Which site of a mirror is shown at the root, so that paths like /js/app.js lead somewhere.

docs/example.org/a.html      /a.html
docs/cdn.example.net/b.js    /cdn.example.net/b.js, which is also where ../cdn.example.net/b.js leads from there
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.errors import BadInput, WeftError
from weft.folder.layout import CRAWL_FOLDER, load_config
from weft.mirror.paths import wanted_path
from weft.url import canonicalize


class Root(msgspec.Struct, frozen=True):
    """The folder of a site, and the page to begin with, both below the mirror's folder; empty for none."""

    site: str = ""
    first: str = ""


def root_of(folder: Path, site: str | None = None) -> Root:
    """The site of this name; without one, that where the mirror began. A folder that is no mirror has none."""
    if site == ".":
        return Root()
    if site is not None:
        if not site or site[0] == "." or "/" in site or not (folder / site).is_dir():
            raise BadInput(f"there is no site {site!r} in {folder}")
        return Root(site)
    if not (folder / CRAWL_FOLDER).is_dir():
        return Root()
    try:
        seeds = load_config(folder / CRAWL_FOLDER).seeds
        first = wanted_path(canonicalize(seeds[0]), "text/html")
    except (WeftError, OSError, IndexError):
        return Root()
    host = first.partition("/")[0]
    return Root(host, first if (folder / first).is_file() else "") if (folder / host).is_dir() else Root()
