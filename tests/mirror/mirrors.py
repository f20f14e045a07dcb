"""`weft mirror` in a process of its own, and how its files are read and judged."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

import turbohtml

from tests.cli.running import Finished
from weft.parse.css import css_urls

from .site_server import Site

QUICK = ("--allow-private", "--delay", "0", "--connections-per-host", "4", "--workers", "1", "--user-agent", "test")
FOLDER = "out"
_SRCSET_URL = re.compile(r"(?:^|,)\s*([^\s,]\S*)")
_COMMENT_OR_SCRIPT = re.compile(r"<!--.*?-->|<script\b[^>]*>.*?</script>|/\*.*?\*/", re.DOTALL | re.IGNORECASE)


def mirror(site: Site, cwd: Path, *more: str, start: str = "/") -> Finished:
    """Mirror a site into the folder `out`, or go on with that."""
    return Finished("mirror", site.url(start), "-o", FOLDER, *QUICK, *more, cwd=cwd)


def summary_of(done: Finished) -> dict[str, Any]:
    assert done.code == 0, done.errors
    return done.summary()


def changes(cwd: Path) -> dict[str, Any]:
    """What changes.json says: lists of URLs instead of objects."""
    found = json.loads((cwd / FOLDER / ".weft" / "changes.json").read_bytes())
    lists = {name: sorted(one["url"] for one in found[name]) for name in ("new", "changed", "mended", "gone", "kept")}
    return {"complete": found["complete"], "counts": found["counts"], **lists}


def tree(cwd: Path) -> dict[str, bytes]:
    """The files of a mirror, without its crawl."""
    root = cwd / FOLDER
    paths = (path for path in root.rglob("*") if path.is_file())
    named = {str(path.relative_to(root)): path for path in paths}
    return {name: path.read_bytes() for name, path in sorted(named.items()) if not name.startswith(".weft/")}


def times(cwd: Path) -> dict[str, int]:
    """When each file was changed, in nanoseconds."""
    return {name: os.stat(cwd / FOLDER / name).st_mtime_ns for name in tree(cwd)}


def links_in(name: str, data: bytes) -> Iterator[str]:
    """The links of a file, however they stand in it; scripts and comments are left out."""
    encoding = "utf-16" if data[:2] == b"\xff\xfe" else "latin-1"
    text = _COMMENT_OR_SCRIPT.sub("", data.decode(encoding))
    if name.endswith(".css"):
        yield from css_urls(text)
        return
    for element in turbohtml.parse(text).find_all():
        for attribute, value in element.attrs.items():
            yield from _links_of(attribute, value if isinstance(value, str) else " ".join(value or ()), element.tag)
        if element.tag == "style":
            yield from css_urls(element.text)


def _links_of(attribute: str, value: str, tag: str) -> Iterator[str]:
    if attribute in ("href", "xlink:href", "src", "poster", "data", "background", "data-src"):
        if not (tag == "base" or (tag == "link" and attribute == "rel")):
            yield value
    elif attribute in ("srcset", "imagesrcset"):
        yield from (one for one in _SRCSET_URL.findall(value) if not one.startswith("data:"))
    elif attribute == "style":
        yield from css_urls(value)
    elif attribute == "srcdoc":
        yield from links_in("srcdoc.html", value.encode("latin-1"))
    elif attribute == "content" and "url" in value.lower():
        yield re.split(r"url\s*=\s*", value, flags=re.IGNORECASE)[1].strip("'\" ")


def broken_links(files: dict[str, bytes], site: Site, saved: set[str]) -> list[tuple[str, str]]:
    """Links that lead to no file although they are relative, or out although what they mean was saved."""
    broken = []
    for name, data in files.items():
        if not name.endswith((".html", ".xhtml", ".svg", ".css")):
            continue
        for link in links_in(name, data):
            whole = urljoin(f"file:///{'/'.join(name.split('/'))}", link.partition("#")[0]) if link else ""
            if whole.startswith("file:"):
                path = unquote(whole.removeprefix("file:///").partition("?")[0])
                if path not in files:
                    broken.append((name, link))
            elif link.partition("#")[0] in saved:
                broken.append((name, link))
    return broken
