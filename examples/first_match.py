"""The first page of a site that has a word in its text; then the crawl stops.

    python first_match.py https://example.org kettle

The exit code says whether there is one.
"""

from __future__ import annotations

import asyncio
import sys

import weft


async def first_match(url: str, word: str) -> str | None:
    """The URL of a page with this word."""
    async with weft.crawl(url, max_pages=500) as pages:
        async for page in pages:
            if word.lower() in page.text.lower():
                return page.url  # leaves the block, so the crawl has ended when this function has
    return None


if __name__ == "__main__":
    found = asyncio.run(first_match(sys.argv[1], sys.argv[2]))
    print(found or "no page has it")
    sys.exit(0 if found else 1)
