"""What nodes tell each other, as it stands in the log: JSON, compressed.

    f.<bucket>   Found                      any node: links of that bucket
    d.<bucket>   Claim, Entries, Release    its owner alone: who owns it, and what became of its pages and hosts
    scope        Scope                      any node: seeds, in the order in which the scope grew
    end          Probe                      the table's writer: nothing came between two of them

Entries say, in order: a page ended (`Done`), a page returns to the queue (`Again`), what manners a host asked for
(`HostNote`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

import msgspec
import zstandard

from weft.errors import WeftError
from weft.fetch.audience import has_secret_header
from weft.types import FoundLink, Kind, Link, PageRow, RequestParts, Standing
from weft.url import host_of, id_of, path_start, split
from weft.url.schemes import SCHEMES

T = TypeVar("T")

COMPRESSION_LEVEL: Final = 1
MOST_BODY_BYTES: Final = 256 * 1024  # of a request: a server takes a megabyte at once, in which it is written in base64
MOST_BYTES: Final = 64 * 1024 * 1024  # of one event, unpacked: no honest one comes near


class LogDamaged(WeftError):
    """An event cannot be read, or the log is not the one that this crawl began with."""


class FoundUrl(msgspec.Struct, frozen=True, rename="upper", omit_defaults=True, gc=False):
    """A link as paper 2 has it, and what else weft knows of it."""

    host: str
    file: str
    port: int = 0  # 0: the scheme's own
    priority: float | None = None  # its score, if the order of the crawl scores …
    depth: int = 0
    ipaddr: str = ""
    scheme: str = "https"
    kind: Kind = Kind.LINK
    via: str = ""
    hops: str = ""
    seed: int = -1
    redirects: int = 0
    inherited: float = 0.0  # … and what its own links build on
    parts: RequestParts | None = None  # without secrets: see `may_be_told`
    beyond: int = 0


class Found(msgspec.Struct, frozen=True, tag="found"):
    """Links of one bucket."""

    urls: list[FoundUrl]


class Claim(msgspec.Struct, frozen=True, tag="claim"):
    """From here on the bucket is this life's. Its place in the log is the claim's number."""

    node: str
    life: str


class Release(msgspec.Struct, frozen=True, tag="release"):
    """The bucket is nobody's."""

    life: str
    claim: int


class Done(msgspec.Struct, frozen=True, tag="done", omit_defaults=True):
    """A page's row, and the names of the files that its numbers mean on the node that wrote it."""

    page: PageRow
    file: str = ""
    original_file: str = ""


class Again(msgspec.Struct, frozen=True, tag="again"):
    """A page returns to the queue."""

    url: FoundUrl


class HostNote(msgspec.Struct, frozen=True, tag="host", omit_defaults=True):
    """What a host asks of whoever crawls it."""

    host: str
    delay_s: float = 0.0  # between requests
    rest_s: float = 0.0  # from now on, whoever has it
    since: float = 0.0  # wall time of that; 0, as it was once written: from when this is read


Entry = Done | Again | HostNote


class Entries(msgspec.Struct, frozen=True, tag="entries"):
    """What happened in a bucket, in order. Life and number tell it from every other event."""

    node: str
    life: str
    claim: int
    number: int
    entries: list[Entry]


class Scope(msgspec.Struct, frozen=True, tag="scope"):
    """More seeds that the scope is made of."""

    seeds: list[str]


class Probe(msgspec.Struct, frozen=True, tag="probe"):
    """A mark in each stream."""

    by: str  # the life that sent it
    number: int


Event = Found | Claim | Release | Entries | Scope | Probe

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL)
_decompressor = zstandard.ZstdDecompressor()


def to_bytes(event: Event) -> bytes:
    """As it stands in the log."""
    return _compressor.compress(_encode(event))


def from_bytes(data: bytes) -> Event:
    """LogDamaged when it is no event: to go on without it could lose pages."""
    try:
        if zstandard.frame_content_size(data) > MOST_BYTES:  # which the next line would believe
            raise LogDamaged("an event in the cluster's log cannot be read (it is too large)")
        text = _decompressor.decompress(data, max_output_size=MOST_BYTES, allow_extra_data=False)
        return _decoder.decode(text)
    except (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogDamaged(f"an event in the cluster's log cannot be read ({error})") from error


def found_url(found: FoundLink) -> FoundUrl:
    """A link, to be sent."""
    return url_of(found.link, found.host)


def url_of(link: Link, host: str) -> FoundUrl:
    """Likewise, of a link alone."""
    score, inherited = (None, 0.0) if link.standing is None else (link.standing.score, link.standing.inherited)
    target = split(link.url)
    usual = SCHEMES[target.scheme].default_port
    return FoundUrl(
        host, link.url[path_start(link.url) :], 0 if target.port == usual else target.port, score, link.depth, "",
        target.scheme, link.kind, link.via, link.hops, link.seed, link.redirects, inherited, link.parts,
        link.beyond,
    )  # fmt: skip


def found_link(url: FoundUrl) -> FoundLink:
    """A link that arrived."""
    host = f"[{url.host}]" if ":" in url.host else url.host
    text = f"{url.scheme}://{host}{f':{url.port}' if url.port else ''}{url.file}"
    standing = None if url.priority is None else Standing(url.priority, url.inherited)
    link = Link(
        text, url.depth, url.kind, url.via, url.redirects, hops=url.hops, seed=url.seed, standing=standing,
        parts=url.parts, beyond=url.beyond,
    )  # fmt: skip
    return FoundLink(id_of(link), host_of(text), link)


def may_be_told(link: Link) -> bool:
    """Whether a link may stand in the log, which all nodes read: no login, no password, nothing too large for it."""
    parts = link.parts
    return parts is None or not (parts.is_secret or has_secret_header(parts) or len(parts.body) > MOST_BODY_BYTES)


def found_events(urls: list[FoundUrl], most_bytes: int) -> Iterator[bytes]:
    """Events with these links, none of them larger than may be sent."""
    for part in _parts(urls, most_bytes):
        yield to_bytes(Found(part))


def scope_events(seeds: list[str], most_bytes: int) -> Iterator[bytes]:
    """Likewise, seeds."""
    for part in _parts(seeds, most_bytes):
        yield to_bytes(Scope(part))


def entry_parts(entries: list[Entry], most_bytes: int) -> Iterator[list[Entry]]:
    """Entries in the same order, in parts of which none is larger than may be sent."""
    return _parts(entries, most_bytes)


def _parts(items: list[T], most_bytes: int) -> Iterator[list[T]]:
    """Cut where the uncompressed size says so: what is compressed is hardly ever larger."""
    part: list[T] = []
    size_bytes = 0
    for item in items:
        item_bytes = len(_encode(item))
        if part and size_bytes + item_bytes > most_bytes:
            yield part
            part, size_bytes = [], 0
        part.append(item)
        size_bytes += item_bytes
    if part:
        yield part


def sized(urls: Iterable[FoundUrl]) -> int:
    """About how many bytes these links take in the log, before they are compressed."""
    return sum(len(url.host) + len(url.file) + len(url.via) + 100 + _parts_bytes(url.parts) for url in urls)


def _parts_bytes(parts: RequestParts | None) -> int:
    if parts is None:
        return 0
    return 100 + 2 * len(parts.body) + sum(len(name) + len(value) for name, value in parts.headers)
