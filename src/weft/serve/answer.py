"""What is answered: head and the part of the file that belongs to it. Pure but for the file's own facts."""

from __future__ import annotations

import re
from email.message import Message
from email.utils import formatdate
from http import HTTPStatus
from ipaddress import ip_address
from os import stat_result

import msgspec

from weft.listening import host_in, is_local_name
from weft.media.endings import type_by_name
from weft.regex import regex

_RANGE = regex(r"bytes=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)
_GZIP_START = b"\x1f\x8b"


class ServedPart(msgspec.Struct, frozen=True):
    """A status, headers, and which bytes of the file follow."""

    status: HTTPStatus
    headers: dict[str, str]
    start: int = 0
    length: int = 0


def answer_for(name: str, facts: stat_result, first_bytes: bytes, asked: Message) -> ServedPart:
    """How a request with the headers `asked` for a file is answered."""
    size_bytes = facts.st_size
    tag = f'"{facts.st_mtime_ns:x}-{size_bytes:x}"'
    headers = {
        "ETag": tag,
        "Last-Modified": formatdate(facts.st_mtime, usegmt=True),
        "Accept-Ranges": "bytes",
        "Cache-Control": "no-cache",  # the mirror may be updated while it is looked at
    }
    if tag in asked.get("If-None-Match", ""):
        return ServedPart(HTTPStatus.NOT_MODIFIED, headers)
    headers |= _type_headers(name, first_bytes)
    part = _part(asked.get("Range", ""), size_bytes) if asked.get("If-Range", tag) == tag else None
    if part is None:
        return ServedPart(HTTPStatus.OK, headers | {"Content-Length": str(size_bytes)}, 0, size_bytes)
    start, length = part
    if not length:
        unsatisfied = {"Content-Range": f"bytes */{size_bytes}", "Content-Length": "0"}
        return ServedPart(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, unsatisfied)
    headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{size_bytes}"
    headers["Content-Length"] = str(length)
    return ServedPart(HTTPStatus.PARTIAL_CONTENT, headers, start, length)


def is_own_host(host: str) -> bool:
    """Whether a Host header names this machine: no page from outside may reach the mirror by a name of its own."""
    name = host_in(host)
    if not name or is_local_name(name):
        return True
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _type_headers(name: str, first_bytes: bytes) -> dict[str, str]:
    """The type, if it is known; else the browser finds out."""
    media_type = type_by_name(name)
    headers = {"Content-Type": media_type} if media_type else {}
    if name.lower().endswith(".svgz") and first_bytes.startswith(_GZIP_START):
        headers["Content-Encoding"] = "gzip"
    return headers


def _part(wanted: str, size_bytes: int) -> tuple[int, int] | None:
    """Start and length of the part that is asked for; None for all of it, length 0 when there is no such part."""
    found = _RANGE.fullmatch(wanted.strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size_bytes)
        return size_bytes - length, length
    start = int(found[1])
    end = min(int(found[2]) + 1, size_bytes) if found[2] else size_bytes
    if found[2] and int(found[2]) < start:
        return None
    return start, max(0, end - start)
