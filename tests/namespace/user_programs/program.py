"""A user's program that makes use of everything; it is checked, not run."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import weft


def items(page: weft.Page) -> Iterator[dict[str, str | int]]:
    """An extractor."""
    for heading in page.document.select("h2"):
        yield {"url": page.url, "heading": heading.text, "words": len(page.text.split())}


def describe(page: weft.Page) -> str:
    """A line about a page."""
    cookies: list[str] = page.headers.all("set-cookie")
    when: str = page.fetched_at.isoformat()
    size: int = len(page.body)
    is_whole: bool = page.outcome is weft.Outcome.RESPONSE and page.kind is not weft.Kind.EMBED
    said: str = page.headers.get("content-type", "") + page.media_type + page.charset + page.language
    return f"{page.status} {page.url} {page.title} {when} {size} {is_whole} {said} {cookies} {page.via} {page.depth}"


async def crawl(folder: Path) -> list[str]:
    """A crawl with settings, and its resumption."""
    found: list[str] = []
    async with weft.crawl(
        "https://example.org",
        "https://example.org/other",
        output=folder,
        depth=2,
        scope="domain",
        exclude=["*/calendar/*"],
        header=[("Accept-Language", "en")],
        extract=["program:items"],
        max_pages=None,
        delay=0.5,
    ) as pages:
        async for page in pages:
            found += page.links + page.requisites
            if "kettle" in page.article():
                break
    found.extend([page.url async for page in weft.crawl(output=str(folder), max_time=60)])
    return found


def main() -> int:
    """Everything once."""
    try:
        urls = asyncio.run(crawl(Path("crawl")))
    except weft.WeftError as error:
        print(error)
        return 1
    print(len(urls), weft.__version__, weft.CrawlConfig(seeds=("https://example.org",)).delay_s)
    for page in weft.read("crawl"):
        print(describe(page))
    return 0
