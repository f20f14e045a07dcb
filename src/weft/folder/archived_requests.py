"""What a request had besides its URL, read back from the archive: its note, and its request record."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from weft.fetch.audience import REMOVED
from weft.store import read_record
from weft.store.records import Record
from weft.types import RecordPlace, RequestParts

_DIGEST_BYTES = 16


def parts_of(note: str, response: Record, request: Record | None, file: Path) -> RequestParts | None:
    """By a page's note (`page.notes`); None if it was a plain GET.

    Of one that was a secret the archive does not say what it was: it has an id of its own, and stands for no other.
    """
    method, _, digest = note.partition(" ")
    if not method:
        return None
    is_secret = not digest
    if is_secret:
        own = sha256(response.fields.get("warc-record-id", "").encode()).digest()[:_DIGEST_BYTES]
    else:
        try:
            own = bytes.fromhex(digest)
        except ValueError:
            return None
    head, body = b"", b""
    if request is not None:
        if len(request.block) < request.block_bytes:
            request = read_record(RecordPlace(str(file), request.offset, request.length))
        head, _, body = request.block.partition(b"\r\n\r\n")
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    headers = tuple(
        ("Content-Type", value.strip().decode("latin-1"))
        for name, _, value in lines
        if name.lower() == b"content-type" and method != "GET"
    )
    return RequestParts(own, method, b"" if is_secret and body == REMOVED else body, headers, is_secret)
