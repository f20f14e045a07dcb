"""A worker's side of the archive: one file, growing by whole records."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator

from isal import isal_zlib

from weft.errors import DiskFull
from weft.store.warc import (
    COMPRESSION_LEVEL,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    RECORD_END,
    dns_text,
    labelled,
    member,
    record_head,
    record_id,
    sha1,
    warc_date,
    warcinfo,
)
from weft.types import Fetched, Location

CHUNK_BYTES = 256 * 1024
GZIP_WBITS = 31


class WarcWriter:
    """Appends to one WARC file, which it locks as long as it lives."""

    def __init__(self, path: str, file_id: int, end: int, info: dict[str, str]) -> None:
        self.file_id = file_id
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        # Whatever lies beyond was never committed.
        os.ftruncate(self._fd, end)
        self.end = os.lseek(self._fd, end, os.SEEK_SET)
        if not end:
            self._append(warcinfo(os.path.basename(path).removesuffix(".open"), time.time(), info))

    def write(self, fetched: Fetched) -> Location:
        """Archive a response and the request that brought it."""
        offset = self.end
        response_id = record_id()
        date = warc_date(fetched.started_at)
        fields = [
            ("WARC-Type", "response"),
            ("WARC-Record-ID", response_id),
            ("WARC-Date", date),
            ("WARC-Target-URI", fetched.url),
            ("WARC-IP-Address", fetched.address),
            ("Content-Type", HTTP_RESPONSE),
        ]
        if fetched.truncated:
            fields.append(("WARC-Truncated", fetched.truncated))
        try:
            append = self._append_body if fetched.spool is None else self._append_spooled
            digest = append(fetched, fields)
            length = self.end - offset
            self._append(self._request_member(fetched, response_id, date))
        except BaseException as error:
            self._undo(offset, error)
            raise
        return Location(self.file_id, offset, length, self.end, digest)

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
                        ("WARC-Record-ID", record_id()),
                        ("WARC-Date", warc_date(asked_at)),
                        ("WARC-Target-URI", f"dns:{host}"),
                        ("Content-Type", "text/dns"),
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

    def _request_member(self, fetched: Fetched, response_id: str, date: str) -> bytes:
        return member(
            [
                ("WARC-Type", "request"),
                ("WARC-Record-ID", record_id()),
                ("WARC-Date", date),
                ("WARC-Target-URI", fetched.url),
                ("WARC-IP-Address", fetched.address),
                ("WARC-Concurrent-To", response_id),
                ("Content-Type", HTTP_REQUEST),
                ("WARC-Block-Digest", sha1(fetched.request)),
            ],
            fetched.request,
        )

    def _append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.write(self._fd, view)
            self.end += written
            view = view[written:]

    def _append_body(self, fetched: Fetched, fields: list[tuple[str, str]]) -> str:
        body = fetched.body or b""
        digest = sha1(body)
        fields += [("WARC-Payload-Digest", digest), ("WARC-Block-Digest", sha1(fetched.head, body))]
        self._append(member(fields, fetched.head + body))
        return digest

    def _append_spooled(self, fetched: Fetched, fields: list[tuple[str, str]]) -> str:
        """A body that lies in a file: read twice, once for the digests that stand before it, once to store it."""
        assert fetched.spool is not None
        block = hashlib.sha1(fetched.head, usedforsecurity=False)
        payload = hashlib.sha1(usedforsecurity=False)
        for chunk in _chunks(fetched.spool):
            block.update(chunk)
            payload.update(chunk)
        digest = labelled(payload.digest())
        fields += [("WARC-Payload-Digest", digest), ("WARC-Block-Digest", labelled(block.digest()))]
        packer = isal_zlib.compressobj(COMPRESSION_LEVEL, isal_zlib.DEFLATED, GZIP_WBITS)
        head = record_head(fields, len(fetched.head) + fetched.body_bytes)
        self._append(packer.compress(head + fetched.head))
        for chunk in _chunks(fetched.spool):
            self._append(packer.compress(chunk))
        self._append(packer.compress(RECORD_END) + packer.flush())
        return digest

    def _undo(self, end: int, error: BaseException) -> None:
        """All or nothing: the file ends where it ended before. A full disk is told as such."""
        os.ftruncate(self._fd, end)
        self.end = os.lseek(self._fd, end, os.SEEK_SET)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull("the disk is full") from error


def _chunks(path: str) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
