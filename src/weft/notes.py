"""What the archive says about a page beside its response: the lines of its metadata record.

The first names are Heritrix's, which other tools read. With `depth`, `kind` and `redirects` a crawl's state can be
made again from its archive.
"""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.leads import Leads
from weft.types import HOP_OF, Fetched, Link

Notes = list[tuple[str, str]]


class NoteTaker:
    """Writes the notes of one crawl's pages."""

    def __init__(self, config: CrawlConfig) -> None:
        self._seeds = config.seeds
        self._lists_outlinks = config.archive_outlinks

    def notes_on(self, link: Link, fetched: Fetched, leads: Leads) -> Notes:
        """How the page was found, how long it took, and what was read from it."""
        timing = fetched.timing
        notes = [
            ("via", link.via),
            ("hopsFromSeed", link.hops),
            ("sourceTag", self._seeds[link.seed] if link.seed >= 0 else ""),
            ("depth", str(link.depth)),
            ("kind", link.kind),
            ("redirects", str(link.redirects)),
            ("fetchTimeMs", f"{(timing.connect_s + timing.wait_s + timing.receive_s) * 1000:.0f}"),
            ("charsetForLinkExtraction", leads.charset),
            ("title", leads.title),
        ]
        if self._lists_outlinks:
            notes += (("outlink", f"{url} {HOP_OF[kind]}") for url, kind, _ in leads.urls)
        return [(name, value) for name, value in notes if value]
