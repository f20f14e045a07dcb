"""CPU time to parse a page and to resolve its links, over the HTML files of a folder.

    python bench/parse_cpu.py FOLDER [--sample 500] [--rounds 5]

Debian's openjdk-17-doc is a good folder: real pages of 23 KB with some hundred links each.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from pathlib import Path

from weft.parse import parse_html


def main() -> None:
    """Time every page several times and print the mean of each page's best time."""
    arguments = _read_arguments()
    files = sorted(arguments.folder.rglob("*.html"))
    if not files:
        raise SystemExit(f"no HTML file in {arguments.folder}")
    sample = random.Random(1).sample(files, min(arguments.sample, len(files)))
    pages = [
        (path.read_bytes(), f"http://example.org/{path.relative_to(arguments.folder).as_posix()}") for path in sample
    ]
    best_us = [min(_parse_us(body, url) for _ in range(arguments.rounds)) for body, url in pages]
    links = sum(len(parse_html(body, url, "text/html").links) for body, url in pages)
    size_kb = sum(len(body) for body, _ in pages) / len(pages) / 1000
    print(f"{len(pages)} pages, {size_kb:.1f} KB and {links / len(pages):.0f} distinct links a page")
    print(f"{statistics.mean(best_us):.0f} µs CPU a page, median {statistics.median(best_us):.0f} µs")


def _parse_us(body: bytes, url: str) -> float:
    started = time.process_time()
    parse_html(body, url, "text/html")
    return (time.process_time() - started) * 1e6


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
