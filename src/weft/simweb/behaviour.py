"""What a server may do when asked for a URL, as plain values. `play` does it.

    Fixed      a whole response
    Stream     a body made while it is sent, of any length or without end
    Raw        exactly these bytes, whatever they mean
    Drip       exactly these bytes, one at a time
    Endless    some bytes, then the same again and again for ever
    Trap       a page that leads to ever new pages
    Broken     a Fault in the first attempts, then a whole response
    Delayed    another behaviour, after a while

They are made by the model for its own pages and by tests for theirs, and travel as JSON to a server in a
process of its own.
"""

from __future__ import annotations

from enum import StrEnum
from http import HTTPStatus

import msgspec

from weft.errors import BadInput

_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Fault(StrEnum):
    """How a request can go wrong. `faults` has the doing of each."""

    RESET_BEFORE_HEAD = "reset-before-head"
    RESET_IN_BODY = "reset-in-body"
    CLOSE_BEFORE_HEAD = "close-before-head"
    CLOSE_IN_HEAD = "close-in-head"
    CLOSE_IN_BODY = "close-in-body"
    STALL_BEFORE_HEAD = "stall-before-head"
    STALL_IN_BODY = "stall-in-body"
    LENGTH_TOO_LONG = "length-too-long"  # more is promised than comes
    LENGTH_TOO_SHORT = "length-too-short"  # more comes than is promised
    CHUNKS_CUT = "chunks-cut"  # the last chunk does not come
    CHUNKS_GARBLED = "chunks-garbled"  # in the middle a chunk's size is no number
    NOT_HTTP = "not-http"
    STATUS_429 = "status-429"
    STATUS_500 = "status-500"
    STATUS_502 = "status-502"
    STATUS_503 = "status-503"
    STATUS_504 = "status-504"


class TlsFault(StrEnum):
    """How a host's TLS can be wrong. `tls` has the doing of each."""

    EXPIRED = "tls-expired"
    NOT_YET_VALID = "tls-not-yet-valid"
    WRONG_HOST = "tls-wrong-host"
    SELF_SIGNED = "tls-self-signed"
    UNKNOWN_AUTHORITY = "tls-unknown-authority"
    OLD_PROTOCOL = "tls-old-protocol"  # TLS 1.0 and 1.1 only
    STALL = "tls-stall"  # no answer to the ClientHello
    CLOSE = "tls-close"  # closed after the ClientHello
    RESET = "tls-reset"
    GARBAGE = "tls-garbage"  # bytes that are no TLS
    ALERT = "tls-alert"  # handshake_failure
    NO_CLOSE_NOTIFY = "tls-no-close-notify"  # all is well until the connection is closed without a word


class Framing(StrEnum):
    """How a body's end is told."""

    LENGTH = "length"
    CHUNKED = "chunked"
    CLOSE = "close"


class After(StrEnum):
    """What follows raw bytes."""

    KEEP = "keep"  # the next request, on the same connection
    CLOSE = "close"
    RESET = "reset"


class CountedBy(StrEnum):
    """Whose attempts are counted."""

    URL = "url"
    HOST = "host"


class TrapKind(StrEnum):
    """How a site can lead to ever new pages. `traps` has the pages of each."""

    CALENDAR = "calendar"  # every day links to the next
    SESSION = "session"  # every link carries a new session id
    DEEPER = "deeper"  # every link repeats the path's last segment once more
    SAME = "same"  # every path is the same page, with relative links


class Fixed(msgspec.Struct, frozen=True, gc=False, tag="fixed"):
    """A whole response, ready to send."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"  # without the header if empty
    headers: tuple[tuple[str, str], ...] = ()
    keep_alive: bool = True
    framing: Framing = Framing.LENGTH
    http10: bool = False

    @property
    def keeps_connection(self) -> bool:
        """Whether another request may follow."""
        return self.keep_alive and not self.http10 and self.framing is not Framing.CLOSE

    def head(self) -> bytes:
        """Status line and headers, with the blank line."""
        more = "".join([f"{name}: {value}\r\n" for name, value in self.headers]) if self.headers else ""
        content_type = f"Content-Type: {self.content_type}\r\n" if self.content_type else ""
        if self.framing is Framing.LENGTH:
            length = f"Content-Length: {len(self.body)}\r\n"
        else:
            length = "Transfer-Encoding: chunked\r\n" if self.framing is Framing.CHUNKED else ""
        # An HTTP/1.0 server need not say that it closes.
        close = "" if self.keeps_connection or self.http10 else "Connection: close\r\n"
        return (
            f"HTTP/1.{0 if self.http10 else 1} {self.status} {_REASONS.get(self.status, 'Unknown')}\r\n"
            f"{content_type}{length}{more}{close}\r\n"
        ).encode("latin-1")

    def framed_body(self) -> bytes:
        """The body as it goes over the wire: in two chunks, if in chunks."""
        if self.framing is not Framing.CHUNKED:
            return self.body
        half = len(self.body) // 2
        pieces = (piece for piece in (self.body[:half], self.body[half:]) if piece)
        return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class Stream(msgspec.Struct, frozen=True, gc=False, tag="stream"):
    """A body made while it is sent. Bodies of equal length differ only by their prefix."""

    body_bytes: int | None  # the prefix included; None for a body without end
    framing: Framing = Framing.LENGTH
    prefix: bytes = b""
    content_type: str = "application/octet-stream"
    bytes_per_s: int | None = None  # None for as fast as it goes

    def __post_init__(self) -> None:
        if self.body_bytes is None and self.framing is Framing.LENGTH:
            raise BadInput("a body without end has no length to tell: choose another framing")
        if self.body_bytes is not None and self.body_bytes < len(self.prefix):
            raise BadInput("the prefix is longer than the body")

    def head(self) -> bytes:
        """Status line and headers, with the blank line."""
        framing = {
            Framing.LENGTH: f"Content-Length: {self.body_bytes}",
            Framing.CHUNKED: "Transfer-Encoding: chunked",
            Framing.CLOSE: "Connection: close",
        }[self.framing]
        return f"HTTP/1.1 200 OK\r\nContent-Type: {self.content_type}\r\n{framing}\r\n\r\n".encode("latin-1")


class Raw(msgspec.Struct, frozen=True, gc=False, tag="raw"):
    """Exactly these bytes."""

    data: bytes
    after: After = After.CLOSE


class Drip(msgspec.Struct, frozen=True, gc=False, tag="drip"):
    """Exactly these bytes, one after each interval; then the connection is closed."""

    data: bytes
    interval_s: float = 0.05


class Endless(msgspec.Struct, frozen=True, gc=False, tag="endless"):
    """Some bytes, then a unit again and again: a head, interim responses or chunks without end."""

    prefix: bytes
    unit: bytes
    interval_s: float = 0.0  # between two units; 0 for as fast as the client takes them


class Trap(msgspec.Struct, frozen=True, gc=False, tag="trap"):
    """A page that leads to ever new pages of the same kind. Given for the path `*` it holds for a whole host."""

    kind: TrapKind


class Broken(msgspec.Struct, frozen=True, gc=False, tag="broken"):
    """A fault in the first attempts at this URL, or at this host, then a whole response."""

    fault: Fault
    then: Fixed = Fixed()
    attempts: int | None = None  # that fail; None for all of them
    stall_s: float = 60.0  # how long a stalled connection is kept
    counted_by: CountedBy = CountedBy.URL
    retry_after_s: int | None = None  # of a status that goes wrong: what its Retry-After asks for
    retry_after_as_date: bool = False


class Delayed(msgspec.Struct, frozen=True, gc=False, tag="delayed"):
    """Another behaviour, after a while."""

    delay_s: float
    then: Fixed | Stream | Raw | Drip | Endless | Trap | Broken


Behaviour = Fixed | Stream | Raw | Drip | Endless | Trap | Broken | Delayed
