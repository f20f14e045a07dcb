"""A worker's side of the archive: one file, growing by whole records."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from http import HTTPStatus

from isal import isal_zlib

from weft.crash_points import crash_point
from weft.errors import DiskFull
from weft.store.warc import (
    COMPRESSION_LEVEL,
    GZIP_WBITS,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    NOT_MODIFIED,
    RECORD_END,
    SAME_PAYLOAD,
    WARC_FIELDS,
    Fields,
    RecordIds,
    dns_text,
    labelled,
    member,
    record_head,
    sha1,
    warc_date,
    warc_fields,
    warcinfo,
)
from weft.types import Fetched, Location, Original

CHUNK_BYTES = 256 * 1024


class WarcWriter:
    """Appends to one WARC file, which it locks as long as it lives."""

    def __init__(self, path: str, file_id: int, end: int, info: dict[str, str]) -> None:
        self.file_id = file_id
        self._ids = RecordIds()
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        # Whatever lies beyond was never committed.
        if os.fstat(self._fd).st_size > end:
            os.ftruncate(self._fd, end)
            os.fsync(self._fd)  # it must not come back in the place of what follows
        self.end = os.lseek(self._fd, end, os.SEEK_SET)
        if not end:
            filename = os.path.basename(path).removesuffix(".open")
            self._append(warcinfo(self._ids.next(), filename, time.time(), info))

    def write(self, fetched: Fetched, notes: Fields | None = None, original: Original | None = None) -> Location:
        """Archive a response, the request that brought it, and what is known about it (`notes`).

        When the payload is that of `original`, or the server says that it still is, only the head is stored and
        refers to it.
        """
        offset = self.end
        response_id = self._ids.next()
        common = [
            ("WARC-Date", warc_date(fetched.started_at)),
            ("WARC-Target-URI", fetched.url),
            ("WARC-IP-Address", fetched.address),
        ]
        try:
            if fetched.spool is not None:
                digest, is_revisit = self._append_spooled(fetched, response_id, common, original)
                length = self.end - offset
                self._append(self._beside(fetched, response_id, common, notes))
            else:
                response, digest, is_revisit = _response(fetched, response_id, common, original)
                length = len(response)
                self._append(response + self._beside(fetched, response_id, common, notes))
        except BaseException as error:
            self._undo(offset, error)
            raise
        crash_point("record-written")
        return Location(self.file_id, offset, length, self.end, digest, is_revisit)

    def write_dns(self, host: str, addresses: tuple[str, ...], ttl_s: float, asked_at: float) -> Location:
        """Archive the addresses of a host, in the form that RFC 4027 gives to text/dns."""
        offset = self.end
        block = dns_text(host, addresses, ttl_s, asked_at)
        digest = sha1(block)
        try:
            self._append(
                member(
                    [
                        ("WARC-Type", "resource"),
                        ("WARC-Record-ID", self._ids.next()),
                        ("WARC-Date", warc_date(asked_at)),
                        ("WARC-Target-URI", f"dns:{host}"),
                        ("Content-Type", "text/dns"),
                        ("WARC-Payload-Digest", digest),
                        ("WARC-Block-Digest", digest),
                    ],
                    block,
                )
            )
        except BaseException as error:
            self._undo(offset, error)
            raise
        return Location(self.file_id, offset, self.end - offset, self.end, digest)

    def close(self) -> None:
        """Give the file up."""
        os.close(self._fd)

    def _beside(self, fetched: Fetched, response_id: str, common: Fields, notes: Fields | None) -> bytes:
        """What stands behind a response: its request, and what is known about it."""
        records = member(
            [
                ("WARC-Type", "request"),
                ("WARC-Record-ID", self._ids.next()),
                *common,
                ("WARC-Concurrent-To", response_id),
                ("Content-Type", HTTP_REQUEST),
                ("WARC-Block-Digest", sha1(fetched.request)),
            ],
            fetched.request,
        )
        if notes is None:
            return records
        block = warc_fields(notes)
        return records + member(
            [
                ("WARC-Type", "metadata"),
                ("WARC-Record-ID", self._ids.next()),
                *common[:2],
                ("WARC-Concurrent-To", response_id),
                ("Content-Type", WARC_FIELDS),
                ("WARC-Block-Digest", sha1(block)),
            ],
            block,
        )

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.write(self._fd, view)
            self.end += written
            view = view[written:]

    def _append_spooled(
        self, fetched: Fetched, response_id: str, common: Fields, original: Original | None
    ) -> tuple[str, bool]:
        """A body that lies in a file: read twice, once for the digests that stand before it, once to store it."""
        assert fetched.spool is not None
        block = hashlib.sha1(fetched.head, usedforsecurity=False)
        payload = hashlib.sha1(usedforsecurity=False)
        for chunk in _chunks(fetched.spool):
            block.update(chunk)
            payload.update(chunk)
        digest = labelled(payload.digest())
        if original is not None and original.digest == digest:
            self._append(_revisit(fetched, response_id, common, original, SAME_PAYLOAD))
            return digest, True
        fields = _response_fields(fetched, response_id, common, digest, labelled(block.digest()))
        packer = isal_zlib.compressobj(COMPRESSION_LEVEL, isal_zlib.DEFLATED, GZIP_WBITS)
        head = record_head(fields, len(fetched.head) + fetched.body_bytes)
        self._append(packer.compress(head + fetched.head))
        crash_point("record-begun")
        for chunk in _chunks(fetched.spool):
            self._append(packer.compress(chunk))
        self._append(packer.compress(RECORD_END) + packer.flush())
        return digest, False

    def _undo(self, end: int, error: BaseException) -> None:
        """All or nothing: the file ends where it ended before. A full disk is told as such."""
        os.ftruncate(self._fd, end)
        self.end = os.lseek(self._fd, end, os.SEEK_SET)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull("the disk is full") from error


def _response(fetched: Fetched, response_id: str, common: Fields, original: Original | None) -> tuple[bytes, str, bool]:
    """The record of a response whose body is in memory, its payload digest, and whether it is a revisit."""
    body = fetched.body or b""
    digest = sha1(body)
    if original is not None:
        if fetched.status == HTTPStatus.NOT_MODIFIED and not body:
            return _revisit(fetched, response_id, common, original, NOT_MODIFIED), original.digest, True
        if original.digest == digest:
            return _revisit(fetched, response_id, common, original, SAME_PAYLOAD), digest, True
    fields = _response_fields(fetched, response_id, common, digest, sha1(fetched.head, body))
    return member(fields, fetched.head + body), digest, False


def _response_fields(fetched: Fetched, response_id: str, common: Fields, payload: str, block: str) -> Fields:
    fields = [
        ("WARC-Type", "response"),
        ("WARC-Record-ID", response_id),
        *common,
        ("Content-Type", HTTP_RESPONSE),
        ("WARC-Payload-Digest", payload),
        ("WARC-Block-Digest", block),
    ]
    if fetched.truncated:
        fields.append(("WARC-Truncated", fetched.truncated))
    return fields


def _revisit(fetched: Fetched, response_id: str, common: Fields, original: Original, profile: str) -> bytes:
    return member(
        [
            ("WARC-Type", "revisit"),
            ("WARC-Record-ID", response_id),
            *common,
            ("WARC-Profile", profile),
            ("WARC-Refers-To-Target-URI", original.url),
            ("WARC-Refers-To-Date", warc_date(original.fetched_at)),
            ("Content-Type", HTTP_RESPONSE),
            ("WARC-Payload-Digest", original.digest),
            ("WARC-Block-Digest", sha1(fetched.head)),
        ],
        fetched.head,
    )


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
