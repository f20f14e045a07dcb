# mypy: disable-error-code="import-untyped,import-not-found"
"""The process that reads the pages: `python -m bench.metadata.readers NAME JOB.json OUT.json`.

It knows only Python's own library and the reader that it is named, because it also runs in the peers' environment. The
job is a list of URLs and paths; what comes out is what was read of each, and the CPU time of all, in seconds.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict


class Read(TypedDict):
    """What a reader says of a page."""

    title: str
    date: str
    authors: list[str]


Reader = Callable[[bytes, str], Read]


def weft_reader() -> Reader:
    """weft, from bytes to metadata."""
    import weft

    def read(body: bytes, url: str) -> Read:
        found = weft.Page.from_html(body, url).metadata
        return Read(title=found.title, date=found.published, authors=list(found.authors))

    return read


def trafilatura_reader() -> Reader:
    """Its own function for metadata, with the settings it comes with."""
    from trafilatura.metadata import extract_metadata
    from trafilatura.utils import load_html

    def read(body: bytes, url: str) -> Read:
        tree = load_html(body)
        found = None if tree is None else extract_metadata(tree, default_url=url)
        if found is None:
            return Read(title="", date="", authors=[])
        authors = [name.strip() for name in (found.author or "").split(";") if name.strip()]
        return Read(title=found.title or "", date=found.date or "", authors=authors)

    return read


def htmldate_reader() -> Reader:
    """Dates alone: the first publication, as its own evaluation asks for it, and with the URL."""
    from htmldate import find_date

    def read(body: bytes, url: str) -> Read:
        return Read(title="", date=find_date(body, url=url, original_date=True) or "", authors=[])

    return read


READERS = {"weft": weft_reader, "trafilatura": trafilatura_reader, "htmldate": htmldate_reader}


def main(name: str, job: str, out: str) -> None:
    """Read all pages of the job. A page that breaks the reader counts as one of which it says nothing."""
    warnings.simplefilter("ignore")
    pages = json.loads(Path(job).read_text())
    bodies = [(Path(path).read_bytes(), url) for url, path in pages]
    read = READERS[name]()
    read(*bodies[0])  # what is loaded once is no page's cost
    found: list[Read] = []
    began = time.process_time()
    for body, url in bodies:
        try:
            found.append(read(body, url))
        except Exception as error:
            print(f"{name}: {url}: {error!r}", file=sys.stderr)
            found.append(Read(title="", date="", authors=[]))
    cpu_s = time.process_time() - began
    Path(out).write_text(json.dumps({"found": found, "cpu_s": cpu_s}))


if __name__ == "__main__":
    main(*sys.argv[1:4])
