"""Each page of a site as a Markdown file.

    python to_markdown.py https://example.org pages

Menus, headers and footers are left out.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import weft


def file_name(url: str) -> str:
    """`example.org-products-teapot.md`"""
    return re.sub(r"[^\w.]+", "-", url.partition("//")[2]).strip("-")[:200] + ".md"


async def main(url: str, folder: Path) -> None:
    """Write a file a page."""
    folder.mkdir(parents=True, exist_ok=True)
    async for page in weft.crawl(url, depth=1):
        if page.is_html:
            text = page.article()
            (folder / file_name(page.url)).write_text(f"<!-- {page.url} -->\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
