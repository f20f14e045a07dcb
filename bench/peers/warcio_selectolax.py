# mypy: disable-error-code="import-not-found, import-untyped, no-any-unimported"
"""The rows of shop pages, by hand: warcio reads the archive, selectolax the pages, in one process.

python warcio_selectolax.py ARCHIVE OUT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator


def main() -> None:
    """Write an item a line."""
    archive, out = map(Path, sys.argv[1:])
    with out.open("w") as lines:
        for path in sorted(archive.glob("*.warc.gz*")):
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    if record.rec_type == "response" and record.http_headers.get_statuscode().startswith("2"):
                        url = record.rec_headers.get_header("WARC-Target-URI")
                        for item in products(url, record.content_stream().read()):
                            lines.write(json.dumps(item) + "\n")


def products(url: str, body: bytes) -> list[dict[str, object]]:
    """The rows of a page."""
    tree = LexborHTMLParser(body)
    heading = tree.css_first("h1").text()
    return [
        {
            "url": url,
            "shop": heading,
            "name": row.css_first("h3").text(),
            "price": float(row.css_first(".price").text()),
            "link": row.css_first("a").attributes["href"],
        }
        for row in tree.css("li.product")
    ]


if __name__ == "__main__":
    main()
