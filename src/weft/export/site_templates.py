"""What stands on many pages of each site, learnt before the articles of an export are made.

    rows ──counted by host──▶ the hosts with most pages ──some rows of each──▶ their pages read ──▶ templates
           first scan          MAX_HOSTS                   second scan          as `reading` does

The order of rows is by hashes of their URLs, and always the same, so the first rows of a host are a sample, and what is
learnt depends on the crawl alone: a sample is of all pages of its host, also where few of them are exported. Memory:
5 bytes a place of the counts, an id and a digest a page of the samples, and at most MAX_LINES numbers a host.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from heapq import nlargest
from itertools import groupby
from typing import Final
from zlib import crc32

from weft.export.content import Content, Told
from weft.export.page_places import ContentSetup
from weft.export.reading import read_pages
from weft.export.selection import Selection
from weft.folder.reading import CrawlReader
from weft.media import is_html
from weft.parse.article.templates import LEAST_PAGES, MAX_HOSTS, SAMPLE_PAGES, SiteSamples
from weft.parse.simhash import NO_TEXT
from weft.store.similar import NEAR_BITS
from weft.types import PageRow
from weft.url import host_of
from weft.url.ids import id_of

PLACES: Final = 1 << 18  # hosts that share one are counted together: no more than a wrong guess of how large they are
_LOOKS_LIKE_HTML: Final = b"<html>"


def learn_templates(
    reader: CrawlReader, selection: Selection, is_stopping: Callable[[], bool] = bool
) -> dict[str, dict[int, float]]:
    """The templates of hosts that the selection has pages of; none of a host with few pages."""
    templates = {}
    setup = ContentSetup(Content(), has_kept_forms=False, is_learning=True)
    sampled = read_pages(reader, _sample_rows(reader, selection), setup)
    for host, pages in groupby(sampled, lambda one: host_of(one[0].url)):
        samples = SiteSamples()
        if is_stopping():
            break
        for row, told in _unlike(pages):
            samples.add(host, row.url, told.fingerprints)
        if template := samples.template(host):
            templates[host] = template
    return templates


def _sample_rows(reader: CrawlReader, selection: Selection) -> Iterator[PageRow]:
    """Those of one host after those of another."""
    chosen = _large_hosts(reader, selection)
    samples: dict[str, dict[str, bytes]] = {}  # of each host, by digest: the same body by other URLs is no other page
    for row in reader.rows() if chosen else ():
        host = host_of(row.url)
        if _place(host) in chosen and _may_be_page(row) and (host in samples or len(samples) < MAX_HOSTS):
            sample = samples.setdefault(host, {})
            if len(sample) < SAMPLE_PAGES:
                sample.setdefault(row.digest or row.url, id_of(row, host))
    for sample in samples.values():
        if len(sample) >= LEAST_PAGES:
            rows = map(reader.row_of, sample.values())
            yield from (row for row in rows if row is not None)


def _large_hosts(reader: CrawlReader, selection: Selection) -> frozenset[int]:
    """The places of hosts with most pages, among those that are wanted and have enough."""
    counts, wanted = array("I", bytes(4 * PLACES)), bytearray(PLACES)
    for row in reader.rows():
        if _may_be_page(row):
            place = _place(host_of(row.url))
            counts[place] += 1
            if not wanted[place]:
                wanted[place] = selection.takes(row)
    enough = (place for place, count in enumerate(counts) if count >= LEAST_PAGES and wanted[place])
    return frozenset(nlargest(MAX_HOSTS, enough, key=counts.__getitem__))


def _unlike(pages: Iterator[tuple[PageRow, Told]]) -> Iterator[tuple[PageRow, Told]]:
    """Without those that say almost the same as others: an article under four URLs would be taken for a template."""
    known: list[int] = []
    for row, told in pages:
        if told.left_out:  # nothing is known of it
            continue
        if told.simhash == NO_TEXT or all((told.simhash ^ one).bit_count() > NEAR_BITS for one in known):
            known.append(told.simhash)
            yield row, told


def _place(host: str) -> int:
    return crc32(host.encode()) % PLACES


def _may_be_page(row: PageRow) -> bool:
    """Whether it is HTML by the server's word, or may be because the server gave none."""
    return bool(row.file) and 200 <= row.status < 300 and is_html(row.mime, _LOOKS_LIKE_HTML)
