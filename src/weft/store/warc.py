"""WARC 1.1 records as bytes. Pure: nothing here opens a file.

`_record` is built at installation where there is a compiler. Records are the same with and without it.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count

from isal.isal_zlib import compress

from weft.clock import utc_text_exact

try:
    from weft.store import _record
except ImportError:  # no compiler was there at installation
    _record = None  # type: ignore[assignment]
if os.environ.get("WEFT_NO_SCANNER"):  # to compare the two, as in `parse.scan`
    _record = None  # type: ignore[assignment]

# isal's level 1: 52 µs for a page of 27 KB where zlib's default takes 596 µs for files 13 % smaller.
COMPRESSION_LEVEL = 1
# It takes at least 7 µs, whatever the size. Level 0 packs 800 bytes, a request or metadata, in 1.7 µs, into 650 bytes
# instead of 510.
SMALL_RECORD_BYTES = 2_048
SMALL_RECORD_LEVEL = 0

GZIP_WBITS = 31
RECORD_END = b"\r\n\r\n"
HTTP_REQUEST = "application/http; msgtype=request"
HTTP_RESPONSE = "application/http; msgtype=response"
WARC_FIELDS = "application/warc-fields"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

# Which digests stand in a record's header. The payload's is needed to know a body again, the block's to know a record.
NO_DIGEST, PAYLOAD_DIGEST, BLOCK_DIGEST = 0, 1, 2
BOTH_DIGESTS = PAYLOAD_DIGEST | BLOCK_DIGEST

warc_date = utc_text_exact  # WARC-Date: to the microsecond, so that the order of a crawl can be told from it

_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_PAIRS = [first + second for first in _BASE32 for second in _BASE32]  # of ten bits
_SHIFTS = range(150, -1, -10)  # of the 160 bits of a SHA-1


class RecordIds:
    """Names for records: random UUIDs (version 4) whose last twelve digits are counted, which is much faster."""

    def __init__(self) -> None:
        self._prefix = f"<urn:uuid:{str(uuid.uuid4())[:-12]}"
        self._counter = count(int.from_bytes(os.urandom(5), "big"))

    def next(self) -> str:
        """A name that no other record has."""
        return f"{self._prefix}{next(self._counter):012x}>"


def sha1(first: bytes, *more: bytes) -> str:
    """A digest as WARC files name it, of these bytes one after the other."""
    digest = hashlib.sha1(first, usedforsecurity=False)
    for part in more:
        digest.update(part)
    return labelled(digest.digest())


def labelled(sha1_digest: bytes) -> str:
    """The digest's text, as in `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`."""
    # base64.b32encode takes almost twice as long, and there are four digests a page.
    number = int.from_bytes(sha1_digest, "big")
    return "sha1:" + "".join([_BASE32_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def record_head(fields: str, content_length: int) -> bytes:
    """A record's own header, blank line included."""
    return f"WARC/1.1\r\n{fields}Content-Length: {content_length}\r\n\r\n".encode()


def record_in_python(
    fields: str, head: bytes, body: bytes, tail: str = "", digests: int = BLOCK_DIGEST
) -> tuple[bytes, str]:
    """A whole record, whose block is `head` and `body` one after the other; and the digest of its payload, `body`.

    The digests that are asked for, `tail` and the length come behind `fields`. The digest that is returned is the
    block's if only that is asked for.
    """
    payload = sha1(body) if digests & PAYLOAD_DIGEST else ""
    block = payload if payload and not head else sha1(head, body) if digests & BLOCK_DIGEST else ""
    if payload:
        fields += f"WARC-Payload-Digest: {payload}\r\n"
    if digests & BLOCK_DIGEST:
        fields += f"WARC-Block-Digest: {block}\r\n"
    return b"".join((record_head(fields + tail, len(head) + len(body)), head, body, RECORD_END)), payload or block


def _record_in_c(
    fields: str, head: bytes, body: bytes, tail: str = "", digests: int = BLOCK_DIGEST
) -> tuple[bytes, str]:
    return _record.record(fields, head, body, tail, digests, _SHA1)


def _hashlib_sha1(data: bytes) -> hashlib._Hash:
    return hashlib.sha1(data, usedforsecurity=False)


_SHA1 = None if _record is None or _record.has_sha1() else _hashlib_sha1
record = record_in_python if _record is None else _record_in_c


def packed(record: bytes) -> bytes:
    """A record as one gzip member."""
    level = COMPRESSION_LEVEL if len(record) > SMALL_RECORD_BYTES else SMALL_RECORD_LEVEL
    return compress(record, level, GZIP_WBITS)


def member(fields: str, block: bytes, digests: int = BLOCK_DIGEST) -> bytes:
    """A record as one gzip member."""
    return packed(record(fields, b"", block, "", digests)[0])


def warc_fields(fields: Iterable[tuple[str, str]]) -> bytes:
    """A block of named values, one a line. A value keeps to its line, whatever is in it."""
    return "".join(f"{name}: {' '.join(value.splitlines())}\r\n" for name, value in fields).encode()


def warcinfo(record_id: str, filename: str, now: float, fields: dict[str, str]) -> bytes:
    """The record that opens a file and says who wrote it, and how."""
    block = warc_fields(fields.items())
    return member(
        "WARC-Type: warcinfo\r\n"
        f"WARC-Record-ID: {record_id}\r\n"
        f"WARC-Date: {warc_date(now)}\r\n"
        f"WARC-Filename: {filename}\r\n"
        f"Content-Type: {WARC_FIELDS}\r\n",
        block,
    )


def ftp_notes(status: int, conversation: bytes) -> bytes:
    """What is noted of a file or folder that came by FTP, or did not: there is no request and no response to keep."""
    said = conversation.decode("utf-8", "replace").splitlines()
    return warc_fields([("ftpStatus", str(status)), *(("ftpControl", line) for line in said)])


def dns_text(host: str, addresses: tuple[str, ...], ttl_s: float, asked_at: float) -> bytes:
    """A DNS answer as text/dns: when it was asked, then one line a record."""
    when = datetime.fromtimestamp(asked_at, UTC).strftime("%Y%m%d%H%M%S")
    records = (f"{host}.\t{ttl_s:.0f}\tIN\t{'AAAA' if ':' in address else 'A'}\t{address}" for address in addresses)
    return "\n".join((when, *records, "")).encode()
