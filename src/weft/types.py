"""The values that travel along a page's way, in the order in which they appear.

    str ──url──▶ Link ──frontier──▶ Visit ──fetch──▶ Fetched ──parse, store──▶ Processed ──commit──▶ PageRow

Each is made once and never changed. The names of reasons (`Refusal`, `Outcome`) are the same in the log, the
metrics and the report.
"""

# No `from __future__ import annotations`: msgspec would compile each of them again whenever weft starts.

from enum import StrEnum

import msgspec

from weft.media.types import media_type


class Kind(StrEnum):
    """How a link was found."""

    SEED = "seed"
    LINK = "link"  # a, area, link rel=next and the like: another page
    FRAME = "frame"  # frame, iframe
    EMBED = "embed"  # what a page needs to look right: images, scripts, style sheets, media
    REFRESH = "refresh"  # meta refresh
    REDIRECT = "redirect"  # the Location of a 3xx response
    SITEMAP = "sitemap"  # a list of pages that a site publishes
    GUESS = "guess"  # a text in a script that looks like a file of the site: if it is not there, nothing is broken


# Heritrix's letters, which tools that read hop paths know.
HOP_OF = {
    Kind.SEED: "R",  # a seed that is not given but found is where a seed redirects to
    Kind.LINK: "L", Kind.FRAME: "E", Kind.EMBED: "E", Kind.REFRESH: "R", Kind.REDIRECT: "R", Kind.SITEMAP: "M",
    Kind.GUESS: "X",
}  # fmt: skip
MAX_HOPS = 50
CONTENT_TYPE = b"content-type"
STOPPED = "rule"  # why a body is not whole: its head had come, and a rule about type or size refused the rest


class Refusal(StrEnum):
    """Why a URL is not fetched although it was found."""

    SCHEME = "scheme"
    LENGTH = "length"
    SUFFIX = "suffix"
    SCOPE = "scope"
    HOST = "host"
    DEPTH = "depth"
    PATTERN = "pattern"
    TRAP = "trap"
    SESSION_ID = "session-id"  # asked for without its session id instead, or with another one
    USER = "user"
    ROBOTS = "robots"
    HOST_BUDGET = "host-budget"
    TOO_MANY_REDIRECTS = "too-many-redirects"


OUT_OF_SCOPE = frozenset((Refusal.SCHEME, Refusal.SCOPE, Refusal.HOST))
# Not listed one by one: what is out of scope was not asked for; and beyond a depth limit lie most links of a crawl,
# which a higher limit finds again by reading their pages from the archive.
COUNTED_ONLY = OUT_OF_SCOPE | {Refusal.DEPTH}


class Outcome(StrEnum):
    """How a request ended. Everything but RESPONSE is an error; `fetch.retry` says what follows."""

    RESPONSE = "response"
    DNS_NOT_FOUND = "dns-not-found"
    DNS_FAILED = "dns-failed"
    CONNECT_REFUSED = "connect-refused"
    CONNECT_TIMEOUT = "connect-timeout"
    UNREACHABLE = "unreachable"
    TLS_CERTIFICATE = "tls-certificate"  # expired, of another host, or of nobody known
    TLS_FAILED = "tls-failed"  # no TLS connection for another reason
    PROXY_FAILED = "proxy-failed"
    RESET = "reset"  # the connection broke off before the response was whole
    CLOSED = "closed"  # the server closed without answering, or in the middle of the response
    RESPONSE_TIMEOUT = "response-timeout"  # no head in time
    STALLED = "stalled"  # bytes stopped coming
    TOO_SLOW = "too-slow"  # bytes came, but the whole took too long
    HEAD_TOO_LARGE = "head-too-large"
    BAD_RESPONSE = "bad-response"  # not HTTP
    PRIVATE_ADDRESS = "private-address"  # the name leads into a private network
    POISON = "poison"  # the page ends its parse worker


class Unread(StrEnum):
    """Why not all links of a response may have been read."""

    TOO_LARGE = "too-large"  # its first bytes were read
    TOO_MANY_LINKS = "too-many-links"  # the first ones were read
    LONG_TAG = "long-tag"  # what stands before a tag, comment or script of tens of megabytes was read
    NO_TREE = "no-tree"  # too large for a tree, which alone could be sure: a few links may be missing, or too many
    NO_SCANNER = "no-scanner"  # too large for a tree, and the part in C was not built: its first bytes were read
    BROKEN = "broken"  # a sitemap that ends too early
    EMPTY_ENTRIES = "empty-entries"  # a sitemap with entries that name no URL
    COSTLY = "costly"  # decoding it takes work and yields nothing: what came before that was read


class Standing(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What an order that scores thinks of a URL while it waits."""

    score: float = 0.0  # higher comes earlier
    inherited: float = 0.0  # what its own links build on, beside its score


class RequestParts(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """What a request has besides its URL; a plain GET has none of it."""

    digest: bytes  # tells it from other requests for the same URL (`url.ids.request_id`); empty for a GET
    method: str = "GET"
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    is_secret: bool = False  # its body has a password, which no archive and no log shows


class Link(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A canonical URL to visit, and how it was found."""

    url: str
    depth: int
    kind: Kind = Kind.LINK
    via: str = ""  # the page it was found on
    redirects: int = 0  # how many redirects in a row led here
    attempts: int = 0  # tries that failed so far
    not_before: float = 0.0  # wall time; after a failed try
    hops: str = ""  # the way here from a seed, a letter a step (HOP_OF), at most the last MAX_HOPS
    seed: int = -1  # that seed's place among the crawl's seeds; -1 when it is not known
    again: bool = False  # asked once, on a dead kept connection or at one of several addresses: no try that counts
    standing: Standing | None = None  # when it was queued; None: its order does not score, or has not been asked
    parts: RequestParts | None = None
    beyond: int = 0  # steps in a row out of scope; counted only where a crawl goes there


class Visit(msgspec.Struct, frozen=True, gc=False):
    """A link whose turn has come: its host is ready and its robots rules are known."""

    key: bytes  # its row in the queue, which stays there until the page is committed
    id: bytes  # hash of the URL: the key in `seen` and `page`
    host: str
    link: Link
    addresses: tuple[str, ...]  # IP addresses that it may connect to now, the preferred one first
    trouble: Outcome | None = None  # why it cannot be fetched: its host has no address that may be used

    @property
    def address(self) -> str:
        """The preferred address; empty when there is none."""
        return self.addresses[0] if self.addresses else ""


class Timing(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Seconds spent in each phase of one request."""

    connect_s: float = 0.0  # 0 on a reused connection
    wait_s: float = 0.0  # request sent → first byte of the response
    receive_s: float = 0.0  # first byte → last byte


class RecordPlace(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where a record lies."""

    path: str  # of a file that may have got its final name meanwhile
    offset: int
    length: int  # compressed


class ArchivedBody(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A body within a record of the archive."""

    record: RecordPlace
    skip_bytes: int  # what comes before the body in the record's block: its head


class Fetched(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A response as it came over the wire. `head` and `body` together are the exact bytes received."""

    url: str
    address: str
    started_at: float  # wall time
    request: bytes  # the request as the archive keeps it: as it was sent, but for passwords and cookies
    status: int
    head: bytes  # status line and headers up to and including the blank line
    headers: tuple[tuple[bytes, bytes], ...]  # names in lower case
    body: bytes | None  # None when spooled
    spool: str | None  # path of the file that holds the body instead
    body_bytes: int  # as received, chunk framing included
    chunked: bool
    truncated: str | None  # None, or WARC-Truncated's reason: length, time, disconnect, unspecified; or STOPPED
    timing: Timing
    archived: ArchivedBody | None = None  # all of a body of which `body` has the first bytes only
    sent_cookies: int = 0  # fingerprint of the kept cookies that were sent (`fetch.cookies`)

    def header(self, name: bytes) -> bytes | None:
        """The first header of this name, which is in lower case; all that name a content type, in one."""
        if len(by_name := dict(self.headers)) == len(self.headers):  # nearly always: no name is there twice
            return by_name.get(name)
        values = [value for header, value in self.headers if header == name]
        return (b", ".join(values) if name == CONTENT_TYPE else values[0]) if values else None

    @property
    def media_type(self) -> str:
        """What the server says it is, in lower case: `text/html`; empty when it does not."""
        return media_type((self.header(CONTENT_TYPE) or b"").decode("latin-1"))


class Location(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where a response record lies in the archive."""

    file: int
    offset: int
    length: int  # of the response record, compressed
    end: int  # of everything written with it; the file is whole up to here
    digest: str  # of the payload
    is_revisit: bool = False  # the payload was archived before; only the head was stored


class Original(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The record that holds a payload which came again later."""

    url: str
    fetched_at: float
    digest: str
    file: int
    offset: int
    length: int


class FoundLink(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link that passed the filters, with what the engine would otherwise compute from it."""

    id: bytes
    host: str
    link: Link


class RefusedLink(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link within the scope that a filter refused."""

    id: bytes
    host: str
    link: Link
    reason: Refusal
    rule: str = ""  # of several that may be the reason: a pattern, a kind of trap, the path of a user's filter


class AnswerNote(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What is noted of an answer beside its row: which file a mirror makes of it, and by what to ask for it again."""

    path: str = ""  # the file that it would like to be; empty for what is no file: a redirect
    redirect: str = ""  # the URL that it redirects to
    etag: bytes = b""  # by these two the server is asked whether it has changed
    last_modified: bytes = b""


class Conversion(msgspec.Struct, frozen=True, gc=False):
    """A page in another form: what is left of it after cleaning, and what its head said."""

    form: str  # html, text, markdown or article
    content: str
    title: str = ""
    language: str = ""
    charset: str = ""  # in which the page was written; the content is written in UTF-8


class Likeness(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What a page is like, session ids aside: `pipeline.sessions` says when two are the same."""

    exact: int  # hash of its bytes
    words: int = 0  # hash of its words and link targets, numbers and dates aside; 0 when it is no HTML
    numbers: bytes = b""  # a byte for each of the first numbers in its text
    share: float = 0.0  # of numbers in its text


class TrailNote(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What a worker noted of a page that may be part of an endless walk."""

    likeness: Likeness | None = None  # where the engine asked for it
    bare: FoundLink | None = None  # the page without its session id, if the filters let it pass
    new_id: str = ""  # the one session id that it gives to links to several pages, if it is not its own
    named: list[tuple[str, str]] = []  # host and argument: the page names others by what looks like session ids
    walk: list[FoundLink] = []  # links to other days of the calendar that it is of
    day_print: int = 0  # what it has of its own there


class Outlinks(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """All links of a page that passed the filters, each once, also those that were told before; and their worth."""

    ids: bytes = b""  # of their URLs, one after the other, in the order of the page; only if the order asks for them
    edges: bytes = b""  # as the graph keeps them (`graph.rows`); only if it is kept
    relevance: float = 0.0  # of the page to the topic, 0 to 1
    worths: bytes = b""  # a float32 each: what is said of the topic in and around the link, 0 to 1; empty: nothing
    about: bytes = b""  # the page's `LinkNotes`, encoded; only if asked for


class PageFacts(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """What a page says of itself, beside its links; texts on one line, white space collapsed."""

    description: str = ""  # at most 500 characters
    h1: str = ""  # the first one, at most 300
    h1s: int = 0
    canonical: str = ""  # rel=canonical, resolved; empty: none
    hreflangs: list[tuple[str, str]] = []  # language and resolved URL, the first 50
    language: str = ""  # of the html element
    insecure: list[str] = []  # http: things that an https page loads, the first 10
    images: int = 0
    images_without_alt: int = 0  # no alt attribute at all: an empty one says that it is decoration
    words: int = 0  # of visible text, about
    scripts: int = 0


class OutsideLink(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link that did not pass the filters, or is too deep: no other row has its URL."""

    url: str  # canonical
    mark: int  # as in `LinkNotes.marks`; with `page.link_marks.IN_GRAPH` if the graph has it, too
    anchor: str


class LinkNotes(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A row of the family `links`: what the page's row in `graph` does not know."""

    marks: bytes = b""  # a byte for each link of that row, in its order: its place and its rel (`page.link_marks`)
    anchors: str = ""  # their anchor texts, in the same order, joined by line feeds; each at most 200 characters
    outside: list[OutsideLink] = []  # at most 10,000
    facts: PageFacts = PageFacts()


class Processed(msgspec.Struct, frozen=True, array_like=True):
    """What a parse worker made of a response."""

    links: list[FoundLink] = []
    location: Location | None = None
    mime: str = ""
    charset: str = ""
    title: str = ""
    noindex: bool = False  # the page asks not to be shown in search results
    refused: dict[Refusal, int] = {}  # links that the filters held back
    refused_links: list[RefusedLink] = []  # of them, those within the scope that this worker has not just reported
    items: list[bytes] = []  # what the user's functions made of it, as JSON
    items_failed: int = 0  # calls of the user's functions that failed
    simhash: int = 0  # of its text; 0 when nobody asked
    took_s: float = 0.0  # in the worker
    mirror: AnswerNote | None = None  # only for a mirror
    unread: Unread | None = None  # why not all of its links may have been read …
    links_read_bytes: int = 0  # … and about how much of the body was
    unpacked_bytes: int = 0  # by which its file is longer than what came; only for a mirror with a limit of bytes
    trail: TrailNote | None = None  # only of pages that may be part of an endless walk
    outlinks: Outlinks | None = None  # only if an order or the graph asks for them


class PageRow(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """A visited URL as its row in `page` keeps it: what the index files and the report are made from."""

    url: str
    status: int  # 0 when no response came
    fetched_at: float
    depth: int
    outcome: Outcome = Outcome.RESPONSE
    mime: str = ""
    digest: str = ""  # of the payload, "sha1:…"
    file: int = 0  # id of the WARC file
    offset: int = 0
    length: int = 0  # of the response record, compressed
    body_bytes: int = 0
    charset: str = ""
    title: str = ""
    via: str = ""
    kind: Kind = Kind.LINK
    redirects: int = 0
    truncated: str = ""
    noindex: bool = False
    address: str = ""
    attempts: int = 1
    timing: Timing = Timing()
    hops: str = ""
    seed: int = -1
    original: Original | None = None  # where the payload is, if it was archived before
    near: str = ""  # URL of an earlier page that says nearly the same
    simhash: int = 0
    unread: Unread | None = None  # why not all of its links may have been read …
    links_read_bytes: int = 0  # … and about how much of the body was
    leads_back: bool = False  # a redirect to itself, or to a URL that redirects here: nothing came of it
    outside: int = 0  # if it has links out of scope: how many seeds the scope was known by then
    parts: RequestParts | None = None
    beyond: int = 0  # as `Link.beyond`


class SideRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An archived record that is no page's: a DNS answer, a robots.txt."""

    url: str
    fetched_at: float
    status: int  # 0 for DNS
    mime: str
    digest: str
    length: int  # of the record, compressed
    body_bytes: int
    parts: RequestParts | None = None
