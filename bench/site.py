"""The real pages of the bench: Debian's documentation of Java, about 10,000 files, served as one host."""

from __future__ import annotations

from pathlib import Path

from bench.server import ServerError

FOLDERS = (
    Path("/usr/share/doc/openjdk-17-jre-headless/api"),
    Path("/usr/share/doc/openjdk-17-doc/api"),
)
START_PATH = "/index.html"


def find_site() -> Path:
    """The folder of the pages."""
    for folder in FOLDERS:
        if (folder / START_PATH.lstrip("/")).is_file():
            return folder.resolve()
    raise ServerError("the pages of Debian's openjdk-17-doc are not installed: run bench/install-site")
