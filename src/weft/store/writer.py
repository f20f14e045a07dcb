"""A worker's side of the archive: one file, growing by whole records."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from threading import RLock

from isal import isal_zlib

from weft.crash_points import crash_point
from weft.errors import told_in_words
from weft.store.nowhere import Nowhere
from weft.store.warc import (
    BLOCK_DIGEST,
    BOTH_DIGESTS,
    COMPRESSION_LEVEL,
    GZIP_WBITS,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    NO_DIGEST,
    NOT_MODIFIED,
    PAYLOAD_DIGEST,
    RECORD_END,
    SAME_PAYLOAD,
    WARC_FIELDS,
    RecordIds,
    dns_text,
    ftp_notes,
    labelled,
    member,
    packed,
    record,
    record_head,
    sha1,
    warc_date,
    warc_fields,
    warcinfo,
)
from weft.types import STOPPED, Conversion, Fetched, Location, Original

CHUNK_BYTES = 256 * 1024
HELD_BYTES = 256 * 1024
TYPE_OF_FORM = {"html": "text/html", "text": "text/plain", "markdown": "text/markdown", "article": "text/markdown"}


class WarcWriter:
    """Appends to one WARC file, which it locks as long as it lives.

    With `holds` it keeps records back until `flush`, which another thread may call: each write costs the kernel as much
    as several pages. Whoever tells of a record flushes first.
    """

    def __init__(
        self, path: str, file_id: int, end: int, info: dict[str, str], *, is_lean: bool = False, holds: bool = False
    ) -> None:
        self.file_id = file_id
        self._path = path  # for words
        self._most_held_bytes = HELD_BYTES if holds else 0
        # Records that are not in the file yet. Filled by write, emptied by flush; bound: HELD_BYTES and a page.
        self._held: list[bytes] = []
        self._lock = RLock()
        self._is_lean = is_lean  # responses only, by the digest of their payload
        self._ids = RecordIds()
        with told_in_words(path):
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        # Whatever lies beyond was never committed.
        if os.fstat(self._fd).st_size > end:
            os.ftruncate(self._fd, end)
            os.fsync(self._fd)  # it must not come back in the place of what follows
        self.end = self._flushed = os.lseek(self._fd, end, os.SEEK_SET)  # with all that is held, and without
        if not end:
            filename = os.path.basename(path).removesuffix(".open")
            self._keep(warcinfo(self._ids.next(), filename, time.time(), info))
            self.flush()

    def write(
        self,
        fetched: Fetched,
        notes: bytes | None = None,
        original: Original | None = None,
        converted: Iterable[Conversion] = (),
    ) -> Location:
        """Archive a response, the request that brought it, other forms of it, and what is known about it (`notes`).

        When the payload is that of `original`, or the server says that it still is, only the head is stored and
        refers to it. What came by FTP has no head: a file is a resource, and where there is none, notes are all.
        """
        is_told = fetched.head or fetched.status == HTTPStatus.OK
        if self._is_lean and is_told:
            notes = None
        elif not fetched.head:
            notes = (notes or b"") + ftp_notes(fetched.status, fetched.request)
        offset = self.end
        response_id = self._ids.next()
        about = f"WARC-Date: {warc_date(fetched.started_at)}\r\nWARC-Target-URI: {fetched.url}\r\n"
        exchange = f"{about}WARC-IP-Address: {fetched.address}\r\n"
        try:
            if fetched.spool is not None:
                digest, is_revisit = self._write_spooled(fetched, response_id, exchange, original)
                response, length = b"", self.end - offset
            elif is_told:
                response, digest, is_revisit = self._response(fetched, response_id, exchange, original)
                length = len(response)
            else:
                digest, is_revisit = sha1(fetched.body or b""), False
                response, notes = self._metadata(notes or b"", "", exchange), None
                length = len(response)
            beside = b""
            if fetched.head and not self._is_lean:
                beside = self._request(fetched.request, response_id, exchange)
            for form in converted:  # before the notes, which end a page: whoever finds them has all of it
                beside += self._conversion(form, response_id, about)
            if notes is not None:
                beside += self._metadata(notes, response_id, about)
            self._keep(response + beside)
        except BaseException:
            self._undo(offset)
            raise
        crash_point("record-written")
        return Location(self.file_id, offset, length, self.end, digest, is_revisit)

    def write_dns(self, host: str, addresses: tuple[str, ...], ttl_s: float, asked_at: float) -> Location:
        """Archive the addresses of a host, in the form that RFC 4027 gives to text/dns."""
        offset = self.end
        made, digest = record(
            "WARC-Type: resource\r\n"
            f"WARC-Record-ID: {self._ids.next()}\r\n"
            f"WARC-Date: {warc_date(asked_at)}\r\n"
            f"WARC-Target-URI: dns:{host}\r\n"
            "Content-Type: text/dns\r\n",
            b"",
            dns_text(host, addresses, ttl_s, asked_at),
            digests=BOTH_DIGESTS,
        )
        try:
            self._keep(packed(made))
        except BaseException:
            self._undo(offset)
            raise
        return Location(self.file_id, offset, self.end - offset, self.end, digest)

    def close(self) -> None:
        """Give the file up, and what is held: nobody was told of it."""
        os.close(self._fd)

    def _response(
        self, fetched: Fetched, response_id: str, exchange: str, original: Original | None
    ) -> tuple[bytes, str, bool]:
        """The record of a response whose body is in memory, its payload digest, and whether it is a revisit."""
        body = fetched.body or b""
        if original is not None:
            if fetched.status == HTTPStatus.NOT_MODIFIED and not body:
                return self._revisit(fetched, response_id, exchange, original, NOT_MODIFIED), original.digest, True
            if original.digest == sha1(body):
                return self._revisit(fetched, response_id, exchange, original, SAME_PAYLOAD), original.digest, True
        fields = _response_fields(fetched, response_id, exchange)
        digests = PAYLOAD_DIGEST if self._is_lean else BOTH_DIGESTS
        made, digest = record(fields, fetched.head, body, _truncated(fetched), digests)
        return packed(made), digest, False

    def _revisit(self, fetched: Fetched, response_id: str, exchange: str, original: Original, profile: str) -> bytes:
        return member(
            "WARC-Type: revisit\r\n"
            f"WARC-Record-ID: {response_id}\r\n"
            f"{exchange}"
            f"WARC-Profile: {profile}\r\n"
            f"WARC-Refers-To-Target-URI: {original.url}\r\n"
            f"WARC-Refers-To-Date: {warc_date(original.fetched_at)}\r\n"
            f"Content-Type: {HTTP_RESPONSE}\r\n"
            f"WARC-Payload-Digest: {original.digest}\r\n",
            fetched.head,
            NO_DIGEST if self._is_lean else BLOCK_DIGEST,
        )

    def _request(self, request: bytes, response_id: str, exchange: str) -> bytes:
        return member(
            "WARC-Type: request\r\n"
            f"WARC-Record-ID: {self._ids.next()}\r\n"
            f"{exchange}"
            f"WARC-Concurrent-To: {response_id}\r\n"
            f"Content-Type: {HTTP_REQUEST}\r\n",
            request,
        )

    def _conversion(self, converted: Conversion, response_id: str, about: str) -> bytes:
        # Under the page's own URL, replay tools that index the file themselves would show it in the page's place.
        about = about.replace("WARC-Target-URI: ", f"WARC-Target-URI: urn:{converted.form}:", 1)
        return conversion(self._ids.next(), response_id, about, converted)

    def _metadata(self, notes: bytes, response_id: str, about: str) -> bytes:
        concurrent = f"WARC-Concurrent-To: {response_id}\r\n" if response_id else ""
        return member(
            "WARC-Type: metadata\r\n"
            f"WARC-Record-ID: {self._ids.next()}\r\n"
            f"{about}"
            f"{concurrent}"
            f"Content-Type: {WARC_FIELDS}\r\n",
            notes,
        )

    def flush(self) -> None:
        """Write what is held. If it cannot be, the file ends where it ended before, and all of it is still held."""
        if not self._held:  # nor does it wait then for a long body, which the other thread writes
            return
        with self._lock:
            end = self._flushed
            try:
                self._append(b"".join(self._held))
            except BaseException:
                self._cut(end)
                raise
            self._held.clear()

    def _keep(self, data: bytes) -> None:
        with self._lock:
            self._held.append(data)
            self.end += len(data)
            if self.end - self._flushed > self._most_held_bytes:
                self.flush()

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        with told_in_words(self._path):
            while view:
                written = os.write(self._fd, view)
                self._flushed += written
                view = view[written:]

    def _write_spooled(
        self, fetched: Fetched, response_id: str, exchange: str, original: Original | None
    ) -> tuple[str, bool]:
        """Store a body that lies in a file at once, behind all that is held; its digest, and if it is a revisit."""
        with self._lock:
            self.flush()
            told = self._append_spooled(fetched, response_id, exchange, original)
            self.end = self._flushed
        return told

    def _append_spooled(
        self, fetched: Fetched, response_id: str, exchange: str, original: Original | None
    ) -> tuple[str, bool]:
        """The file is read twice, once for the digests that stand before the body, once to store it."""
        assert fetched.spool is not None
        block = hashlib.sha1(fetched.head, usedforsecurity=False)
        payload = hashlib.sha1(usedforsecurity=False)
        for chunk in _chunks(fetched.spool):
            payload.update(chunk)
            if not self._is_lean:
                block.update(chunk)
        digest = labelled(payload.digest())
        if original is not None and original.digest == digest:
            self._append(self._revisit(fetched, response_id, exchange, original, SAME_PAYLOAD))
            return digest, True
        fields = f"{_response_fields(fetched, response_id, exchange)}WARC-Payload-Digest: {digest}\r\n"
        if not self._is_lean:
            fields += f"WARC-Block-Digest: {labelled(block.digest())}\r\n"
        fields += _truncated(fetched)
        packer = isal_zlib.compressobj(COMPRESSION_LEVEL, isal_zlib.DEFLATED, GZIP_WBITS)
        head = record_head(fields, len(fetched.head) + fetched.body_bytes)
        self._append(packer.compress(head + fetched.head))
        crash_point("record-begun")
        for chunk in _chunks(fetched.spool):
            self._append(packer.compress(chunk))
        self._append(packer.compress(RECORD_END) + packer.flush())
        return digest, False

    def _undo(self, end: int) -> None:
        """All or nothing: what is in the file, or held, ends where it ended before."""
        with self._lock:
            while self._held and self.end > end:
                self.end -= len(self._held.pop())
            self.end = end
            self._cut(min(end, self._flushed))

    def _cut(self, end: int) -> None:
        with told_in_words(self._path):
            self._flushed = os.lseek(self._fd, end, os.SEEK_SET)  # first: what cannot be cut off is written over
            os.ftruncate(self._fd, end)


def _response_fields(fetched: Fetched, response_id: str, exchange: str) -> str:
    kind, content_type = ("response", HTTP_RESPONSE) if fetched.head else ("resource", _media_type(fetched))
    return f"WARC-Type: {kind}\r\nWARC-Record-ID: {response_id}\r\n{exchange}Content-Type: {content_type}\r\n"


def _truncated(fetched: Fetched) -> str:
    why = "unspecified" if fetched.truncated == STOPPED else fetched.truncated  # WARC has no word of its own for it
    return f"WARC-Truncated: {why}\r\n" if why else ""


def conversion(record_id: str, refers_to: str, about: str, made: Conversion) -> bytes:
    """The record of a page in another form; `about` has its date and URL, those of the record that it was made from."""
    block = made.content.encode("utf-8", "replace")
    told = {"Form": made.form, "Title": made.title, "Language": made.language, "Charset": made.charset}
    return member(
        "WARC-Type: conversion\r\n"
        f"WARC-Record-ID: {record_id}\r\n"
        f"{about}"
        f"WARC-Refers-To: {refers_to}\r\n"
        f"Content-Type: {TYPE_OF_FORM[made.form]}; charset=utf-8\r\n"
        f"{warc_fields((f'Weft-{name}', value) for name, value in told.items() if value).decode()}",
        block,
    )


def _media_type(fetched: Fetched) -> str:
    return (fetched.header(b"content-type") or b"application/octet-stream").decode("latin-1")


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


PageWriter = WarcWriter | Nowhere  # by what `--archive` says
