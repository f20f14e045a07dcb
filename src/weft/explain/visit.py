"""How a visit ended, in sentences."""

from __future__ import annotations

from typing import Final

from weft.errors import BadUrl, FolderError
from weft.explain.moments import moment, said
from weft.explain.result import Visited
from weft.folder.reading import CrawlReader
from weft.stats.verdict import counted
from weft.types import STOPPED, Outcome, PageRow, Unread
from weft.url import canonicalize, text_of_location

HEAD_BYTES: Final = 64 * 1024  # of a redirect's record: more than its head needs

OUTCOMES: Final = {
    Outcome.RESPONSE: "its server answered",
    Outcome.DNS_NOT_FOUND: "its host has no address: the name servers know no such name",
    Outcome.DNS_FAILED: "the name servers did not answer",
    Outcome.CONNECT_REFUSED: "nobody listens at its server's port",
    Outcome.CONNECT_TIMEOUT: "its server did not take the connection in time",
    Outcome.UNREACHABLE: "no way leads to its server's address",
    Outcome.TLS_CERTIFICATE: "the certificate of its server is not valid: expired, of another host, or of nobody known",
    Outcome.TLS_FAILED: "no TLS connection to its server could be made",
    Outcome.PROXY_FAILED: "the proxy did not let the request through",
    Outcome.RESET: "its server broke the connection off before the answer was whole",
    Outcome.CLOSED: "its server closed the connection before the answer was whole",
    Outcome.RESPONSE_TIMEOUT: "its server did not answer in time",
    Outcome.STALLED: "its server stopped sending in the middle of the answer",
    Outcome.TOO_SLOW: "its server sent so slowly that the answer was not whole in time",
    Outcome.HEAD_TOO_LARGE: "its server sent more headers than are read",
    Outcome.BAD_RESPONSE: "what its server sent is no HTTP answer",
    Outcome.PRIVATE_ADDRESS: "its host has an address of a private network, which only --allow-private permits",
    Outcome.POISON: "its page ended the process that read it, so it was archived unread",
}
UNREAD: Final = {
    Unread.TOO_LARGE: "it is too large, so links were read in its first bytes only",
    Unread.TOO_MANY_LINKS: "it has so many links that only the first ones were read",
    Unread.LONG_TAG: "a tag, comment or script in it is so long that links were read only in what stands before it",
    Unread.NO_TREE: "it is too large to be sure of its links: a few may be missing, or be too many",
    Unread.NO_SCANNER: "it is large, and weft was installed without its part in C: links were read in its first bytes",
    Unread.BROKEN: "it is a sitemap that ends too early: what stands before that was read",
    Unread.EMPTY_ENTRIES: "it is a sitemap with entries that name no URL",
    Unread.COSTLY: "to unpack it takes work without end: what came before that was read",
}
TRUNCATED: Final = {
    "length": "its body was cut off at --max-body",
    "time": "its body was cut off when its time was over",
    "disconnect": "the connection broke off within its body",
    STOPPED: "its body was not received: a rule about its type or size is against it",
}


def visited(reader: CrawlReader, row: PageRow) -> Visited:
    """A visit that has ended, from its row; where a redirect leads is in the archive."""
    target = _target(reader, row)
    return Visited(
        words=_words(row, target),
        at=moment(row.fetched_at),
        outcome=row.outcome,
        status=row.status,
        attempts=row.attempts,
        bytes=row.body_bytes,
        media_type=row.mime,
        title=row.title,
        address=row.address,
        file=reader.file_name(row.file) if row.file else "",
        offset=row.offset,
        length=row.length,
        redirects_to=target,
        near_duplicate_of=row.near,
        same_as=row.original.url if row.original is not None else "",
        truncated=row.truncated,
        unread=row.unread,
        remarks=_remarks(row),
    )


def _words(row: PageRow, target: str) -> str:
    tries = f" in {row.attempts:,} tries" * (row.attempts > 1)
    if row.outcome is not Outcome.RESPONSE:
        return f"asked for at {said(row.fetched_at)}{tries}, and failed: {OUTCOMES[row.outcome]} ({row.outcome})"
    leads = f", which redirects to {target}" * bool(target)
    return f"visited at {said(row.fetched_at)}{tries}: {OUTCOMES[row.outcome]} with status {row.status}{leads}"


def _remarks(row: PageRow) -> list[str]:
    remarks = []
    if row.truncated:
        remarks.append(TRUNCATED.get(row.truncated, f"its body was cut off ({row.truncated})"))
    if row.unread is not None:
        about = f", about {counted(row.links_read_bytes, 'byte')}" * bool(row.links_read_bytes)
        remarks.append(f"not all of its links may be known ({row.unread}): {UNREAD[row.unread]}{about}")
    if row.near:
        remarks.append(f"its text is almost that of {row.near}")
    if row.original is not None:
        remarks.append(f"its content is that of {row.original.url}, and is archived there")
    if row.leads_back:
        remarks.append("its redirect leads back to itself: nothing came of it, as often where cookies are not kept")
    if row.noindex:
        remarks.append("it asks not to be shown in search results (noindex)")
    return remarks


def _target(reader: CrawlReader, row: PageRow) -> str:
    """Where a redirect leads; empty if it is none, or its record cannot be read now."""
    if not (300 <= row.status < 400 and row.file):
        return ""
    try:
        location = reader.response(row, HEAD_BYTES).header(b"location")
        return canonicalize(text_of_location(location), row.url) if location is not None else ""
    except (BadUrl, FolderError, OSError):
        return ""
