"""What the archive says about a page beside its response: the lines of its metadata record.

The first names are Heritrix's, which other tools read. With `depth`, `kind` and `redirects` a crawl's state can be
made again from its archive.
"""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.page.leads import Leads
from weft.types import Fetched, Link, RequestParts
from weft.url import is_own_request


class NoteTaker:
    """Writes the notes of one crawl's pages."""

    def __init__(self, config: CrawlConfig) -> None:
        self._seeds = config.seeds
        self._are_wanted = config.archive == "full"

    def notes_on(self, link: Link, fetched: Fetched, leads: Leads) -> bytes | None:
        """How the page was found, how long it took, and what was read from it: a name and a value a line.

        None if the archive keeps no notes.
        """
        if not self._are_wanted:
            return None
        timing = fetched.timing
        text = f"via: {link.via}\r\n" if link.via else ""
        if link.hops:
            text += f"hopsFromSeed: {link.hops}\r\n"
        if 0 <= link.seed < len(self._seeds):
            text += f"sourceTag: {self._seeds[link.seed]}\r\n"
        text += (
            f"depth: {link.depth}\r\n"
            f"kind: {link.kind}\r\n"
            f"redirects: {link.redirects}\r\n"
            f"fetchTimeMs: {(timing.connect_s + timing.wait_s + timing.receive_s) * 1000:.0f}\r\n"
        )
        if leads.charset:
            text += f"charsetForLinkExtraction: {leads.charset}\r\n"
        if title := " ".join(leads.title.splitlines()):  # keeps to its line, whatever is in it; the rest has no breaks
            text += f"title: {title}\r\n"
        if leads.unread is not None:
            text += f"linksUnread: {leads.unread}\r\nlinksReadBytes: {leads.links_read_bytes}\r\n"
        if leads.empty_entries:
            text += f"emptyEntries: {leads.empty_entries}\r\n"
        if is_own_request(link.parts):
            text += _request_line(link.parts)
        return text.encode()


def _request_line(parts: RequestParts | None) -> str:
    """What tells the request from others for its URL; of a secret not even that, as it might be guessed from it."""
    assert parts is not None
    return f"requestKey: {parts.method}{'' if parts.is_secret else f' {parts.digest.hex()}'}\r\n"
