"""CPU time to parse a page and to resolve its links, by its tree and by scan, over the HTML files of a folder.

    python bench/parse_cpu.py FOLDER [--sample 500] [--rounds 5]

Debian's openjdk-17-doc is a good folder: real pages of 23 KB with some hundred links each. "Pages only" is a crawl
without --requisites: images, scripts and style sheets are not looked for.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from pathlib import Path

from weft.parse import decode, parse_html
from weft.parse.scan import ScanPage, always_tree, has_scanner, scan_page

WAYS: list[tuple[str, ScanPage, bool]] = [
    ("tree, all links", always_tree, True),
    ("tree, pages only", always_tree, False),
    ("scan, all links", scan_page, True),
    ("scan, pages only", scan_page, False),
]


def main() -> None:
    """Time every page several times each way and print the mean of each page's best time."""
    arguments = _read_arguments()
    files = sorted(path for path in arguments.folder.rglob("*.html") if path.is_file())
    if not files:
        raise SystemExit(f"no HTML file in {arguments.folder}")
    sample = random.Random(1).sample(files, min(arguments.sample, len(files)))
    pages = [
        (path.read_bytes(), f"http://example.org/{path.relative_to(arguments.folder).as_posix()}") for path in sample
    ]
    links = sum(len(parse_html(body, url, "text/html").links) for body, url in pages)
    size_kb = sum(len(body) for body, _ in pages) / len(pages) / 1000
    print(f"{len(pages)} pages, {size_kb:.1f} KB and {links / len(pages):.0f} distinct links a page")
    for name, scan, embeds in WAYS if has_scanner() else WAYS[:2]:
        best_us = [min(_parse_us(page, scan, embeds) for _ in range(arguments.rounds)) for page in pages]
        print(f"{name:18}{statistics.mean(best_us):6.0f} µs CPU a page, median {statistics.median(best_us):4.0f} µs")
    decode_us = [min(_decode_us(body) for _ in range(arguments.rounds)) for body, _ in pages]
    print(f"{'of that, charset':18}{statistics.mean(decode_us):6.0f} µs")
    if has_scanner():
        texts = [decode(body, "text/html")[0] for body, _ in pages]
        print(f"{sum(scan_page(text, True) is None for text in texts)} of {len(pages)} pages take a tree all the same")


def _parse_us(page: tuple[bytes, str], scan: ScanPage, embeds: bool) -> float:
    body, url = page
    started = time.process_time()
    parse_html(body, url, "text/html", embeds=embeds, scan=scan)
    return (time.process_time() - started) * 1e6


def _decode_us(body: bytes) -> float:
    started = time.process_time()
    decode(body, "text/html")
    return (time.process_time() - started) * 1e6


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
