"""The visited URLs of a crawl in columns, about 20 bytes each beside the URL itself, found again by their nodes.

A *subject* is what a finding is about: the number of a visited URL, in the order of nodes, or of one only named.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from weft.graph.rows import NODE_BYTES, node_of
from weft.types import Kind, Outcome, PageRow
from weft.url import host_of, url_id

HTML: Final = 1  # a page with a 200 answer
NOINDEX: Final = 2
SEED: Final = 4
SITEMAP: Final = 8
CANDIDATE: Final = 16  # a search engine would show it under this URL: its title and description count
LEADS_BACK: Final = 32

HTML_TYPES: Final = frozenset(("text/html", "application/xhtml+xml"))
REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
NOWHERE: Final = -1
_OUTCOMES: Final = tuple(Outcome)
_FAILED: Final = 1000  # statuses from here on are outcomes without an answer
# What weft itself, and not the site, is to blame for.
_OURS: Final = _FAILED + _OUTCOMES.index(Outcome.POISON)


class Pages:
    """Filled once, in the order of nodes."""

    def __init__(self) -> None:
        self._nodes = array("Q")
        self._urls = bytearray()
        self._ends = array("Q")
        self._statuses = array("H")
        self.flags = bytearray()
        self.titles = array("q")  # hashes of titles; 0: none
        self._named: list[str] = []
        self._named_nodes: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def subjects(self) -> int:
        """How many there are, visited or named."""
        return len(self._nodes) + len(self._named)

    def add(self, node: bytes, row: PageRow) -> int:
        """A visited URL, and its number."""
        self._nodes.append(node_of(node))
        self._urls += row.url.encode()
        self._ends.append(len(self._urls))
        answered = row.outcome is Outcome.RESPONSE
        self._statuses.append(row.status if answered else _FAILED + _OUTCOMES.index(row.outcome))
        is_html = answered and row.status == 200 and row.mime in HTML_TYPES and row.kind is not Kind.SITEMAP
        self.flags.append(
            is_html * HTML
            | row.noindex * NOINDEX
            | (row.kind is Kind.SEED and not row.via) * SEED
            | (row.kind is Kind.SITEMAP) * SITEMAP
            | row.leads_back * LEADS_BACK
        )
        self.titles.append(hash(row.title) if row.title else 0)
        return len(self._nodes) - 1

    def name(self, url: str) -> int:
        """A subject for a URL that was not visited."""
        self._named.append(url)
        self._named_nodes[url_id(url)[:NODE_BYTES]] = self.subjects - 1
        return self.subjects - 1

    def find(self, node: bytes) -> int:
        """The number of a visited URL; NOWHERE if it is none."""
        wanted = node_of(node)
        at = bisect_left(self._nodes, wanted)
        return at if at < len(self._nodes) and self._nodes[at] == wanted else NOWHERE

    def find_url(self, url: str) -> int:
        """The same by URL."""
        return self.find(url_id(url)[:NODE_BYTES])

    def node(self, subject: int) -> bytes:
        """The node of a subject."""
        if subject < len(self._nodes):
            return self._nodes[subject].to_bytes(NODE_BYTES, "big")
        return url_id(self.url(subject))[:NODE_BYTES]

    def nodes(self) -> Iterator[bytes]:
        """Of all visited URLs, in order."""
        return (node.to_bytes(NODE_BYTES, "big") for node in self._nodes)

    def url(self, subject: int) -> str:
        """The URL of a subject."""
        if subject >= len(self._nodes):
            return self._named[subject - len(self._nodes)]
        return self._urls[self._ends[subject - 1] if subject else 0 : self._ends[subject]].decode()

    def host(self, subject: int) -> str:
        """Its host."""
        return host_of(self.url(subject))

    def status(self, subject: int) -> int:
        """The HTTP status of a subject; 0 when no whole answer came, or nobody asked."""
        if subject >= len(self._nodes):
            return 0
        status = self._statuses[subject]
        return status if status < _FAILED else 0

    def failure(self, subject: int) -> str:
        """How a visit failed; empty when an answer came."""
        if subject >= len(self._nodes):
            return ""
        status = self._statuses[subject]
        return _OUTCOMES[status - _FAILED].value if status >= _FAILED else ""

    def is_broken(self, subject: int) -> bool:
        """Whether nobody gets to see something there."""
        return self._statuses[subject] >= 400 and self._statuses[subject] != _OURS

    def is_redirect(self, subject: int) -> bool:
        """Whether it leads elsewhere."""
        return self._statuses[subject] in REDIRECTS

    def ended(self, subject: int) -> str:
        """The status or failure in words; empty for a URL that was not visited."""
        return self.failure(subject) or (str(status) if (status := self.status(subject)) else "")
