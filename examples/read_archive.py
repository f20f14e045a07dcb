"""The pages with most words in a crawl folder.

    weft crawl https://example.org
    python read_archive.py crawl-example.org

The second asks no server, and also works while the crawl runs.
"""

from __future__ import annotations

import heapq
import sys

import weft


def longest_pages(folder: str, number: int) -> list[tuple[int, str]]:
    """How many words each has, and its URL; one page at a time is in memory."""
    counted = ((len(page.text.split()), page.url) for page in weft.read(folder) if page.is_html)
    return heapq.nlargest(number, counted)


if __name__ == "__main__":
    for words, url in longest_pages(sys.argv[1], number=10):
        print(f"{words:8}  {url}")
