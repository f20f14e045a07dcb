"""The template of a site: the blocks that stand on many of its pages, and so say nothing of any one of them.

    pages of a host ──fingerprints_of──▶ SiteSamples.add ──merge──▶ SiteSamples.template ──▶ article_of(page, template)
      first pass                          any order, any worker        once, between          second pass

What is learnt depends on the pages alone, not on their order nor on who read them: of each host the pages whose URLs
have the smallest hashes are the sample, and so it is for hosts where there are too many. So samples of several
workers can be merged, and memory is bounded: MAX_HOSTS × SAMPLE_PAGES × MAX_FINGERPRINTS numbers of 8 bytes.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Final

from turbohtml import Document

from weft.parse.article.blocks import HEADINGS, Block, blocks_of

SAMPLE_PAGES: Final = 40  # of a host
MAX_FINGERPRINTS: Final = 400  # of a page
MAX_HOSTS: Final = 1_000
MAX_LINES: Final = 400  # of a template
# A block is the template's if it stands on as many pages of the sample, and on that part of them.
LEAST_PAGES: Final = 4
LEAST_SHARE: Final = 0.1
MOST_PAGES: Final = 0.5  # of them, where it is short or stands among a page's own text

_TEXT_CHARS: Final = 300
_SENTENCE_CHARS: Final = 40
_LABELS: Final = HEADINGS | {"caption", "dd", "dt", "legend", "li", "pre", "summary", "td", "th"}


def fingerprints_of(page: Document) -> list[int]:
    """The fingerprints of a page's blocks; of a large page, a part of them that does not depend on their order."""
    root = page.select_one("body")
    found = {_fingerprint(block) for block in blocks_of(root) if block.text} if root is not None else set()
    return sorted(found)[:MAX_FINGERPRINTS]


class SiteSamples:
    """Fingerprints of a sample of pages of each host. Filled page by page; asked once all are in."""

    __slots__ = ("_hosts",)

    def __init__(self) -> None:
        self._hosts: dict[str, list[tuple[int, array[int]]]] = {}

    def __len__(self) -> int:
        """How many hosts it has a sample of."""
        return len(self._hosts)

    def pages_of(self, host: str) -> int:
        """How many pages of a host are in its sample."""
        return len(self._hosts.get(host, ()))

    def add(self, host: str, url: str, fingerprints: Iterable[int]) -> None:
        """Take a page into its host's sample, if its place is among the first. The same URL again changes nothing."""
        self._add(host, _hash(url), array("Q", fingerprints))

    def merge(self, other: SiteSamples) -> None:
        """Take what another has seen."""
        for host, pages in other._hosts.items():
            for place, fingerprints in pages:
                self._add(host, place, fingerprints)

    def template(self, host: str) -> dict[int, float]:
        """The fingerprints of the host's template, and on what part of its pages each stands; none of too few pages.

        Of more than MAX_LINES those that stand on most.
        """
        pages = self._hosts.get(host, [])
        counts = Counter(fingerprint for _, fingerprints in pages for fingerprint in fingerprints)
        least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
        lines = ((count, fingerprint) for fingerprint, count in counts.items() if count >= least)
        return {fingerprint: count / len(pages) for count, fingerprint in nlargest(MAX_LINES, lines)}

    def _add(self, host: str, place: int, fingerprints: array[int]) -> None:
        pages = self._hosts.setdefault(host, [])
        if any(place == taken for taken, _ in pages):
            return
        insort(pages, (place, fingerprints))
        del pages[SAMPLE_PAGES:]
        if len(self._hosts) > MAX_HOSTS:
            del self._hosts[max(self._hosts, key=_hash)]


def template_blocks(blocks: list[Block], left: Sequence[int], template: Mapping[int, float]) -> list[int]:
    """Of the blocks that are left of a page, those of the template; none where there are no others.

    Before and after the page's own text that is all of them, but for short lines on fewer than most pages, such as
    "New in version 3.2.". Among it, only sentences on most pages: a manual has the same headings, labels, values and
    warnings on many pages, and they are a part of each.
    """
    lines = [blocks[number] for number in left if blocks[number].text]
    shares = [template.get(_fingerprint(block), 0.0) for block in lines]
    known = [share > 0 for share in shares]
    own = [place for place, is_known in enumerate(known) if not is_known]
    if not own:
        return []
    first, last = own[0], own[-1]
    gone = []
    for place, block in enumerate(lines):
        if not known[place] or block.tag == "h1":
            continue
        if shares[place] < MOST_PAGES and block.chars < _SENTENCE_CHARS:
            continue
        if place < first:
            is_gone = not (place + 1 == first and block.tag in _LABELS)
        elif place < last:
            is_sentence = block.tag not in _LABELS and block.has_stop
            is_gone = is_sentence and shares[place] >= MOST_PAGES
        else:
            is_gone = True
        if is_gone:
            gone.append(block.number)
    return gone


def all_known(blocks: list[Block], left: Sequence[int], template: Mapping[int, float]) -> bool:
    """Whether the template has all lines that are left."""
    return all(_fingerprint(blocks[number]) in template for number in left if blocks[number].text)


def known_lines(blocks: list[Block], template: Mapping[int, float]) -> list[int]:
    """All lines of a page that the template has."""
    return [block.number for block in blocks[1:] if block.text and _fingerprint(block) in template]


def _fingerprint(block: Block) -> int:
    return _hash(block.text[:_TEXT_CHARS])


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
