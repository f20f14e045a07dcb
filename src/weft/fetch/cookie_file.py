"""Reads a cookie file in the format of Netscape, which browsers' extensions, curl and wget write.

domain \\t with subdomains (TRUE, FALSE) \\t path \\t secure (TRUE, FALSE) \\t expires \\t name \\t value
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from weft.errors import BadInput
from weft.fetch.host_port import parse_host_port
from weft.fetch.set_cookie import CONTROLS, NEVER, Cookie

_HTTP_ONLY: Final = "#HttpOnly_"  # not a comment: such a line is a cookie that scripts must not see
_FLAGS: Final = {"TRUE": True, "FALSE": False}
_MAX_FILE_BYTES: Final = 16 * 1024 * 1024


def read_cookie_file(path: str) -> list[Cookie]:
    """All cookies of the file. BadInput, with the line, when it is no cookie file."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"The cookie file {path} cannot be read: {error.strerror}.") from error
    if len(data) > _MAX_FILE_BYTES:
        raise BadInput(f"{path} is too large for a cookie file.")
    cookies = []
    for number, line in enumerate(data.decode("latin-1").split("\n"), 1):
        line = line.rstrip("\r").removeprefix(_HTTP_ONLY)
        if line.strip() and not line.startswith("#"):
            try:
                cookies.append(_parse_line(line))
            except ValueError as error:
                raise BadInput(f"{path} is no cookie file: line {number}: {error}.") from error
    return cookies


def _parse_line(line: str) -> Cookie:
    """ValueError, with what is wrong, when the line is no cookie."""
    fields = line.split("\t")
    if len(fields) == 6:
        fields.append("")  # curl's way of writing an empty value
    if len(fields) != 7:
        raise ValueError(f"{len(fields)} fields between tabs instead of 7")
    domain, with_subdomains, path, secure, expires, name, value = fields
    if with_subdomains not in _FLAGS or secure not in _FLAGS:
        raise ValueError("TRUE or FALSE expected in the second and the fourth field")
    if not path.startswith("/"):
        raise ValueError("the path does not begin with /")
    if not name or "=" in name or ";" in name + value or CONTROLS.search(name + value):
        raise ValueError("the name or the value cannot be sent")
    return Cookie(
        name,
        value,
        _parse_domain(domain),
        path,
        host_only=not _FLAGS[with_subdomains],
        secure=_FLAGS[secure],
        expires_at=_parse_expiry(expires),
    )


def _parse_domain(text: str) -> str:
    try:
        return parse_host_port(text.removeprefix(".")).host
    except BadInput:
        raise ValueError(f"{text!r} is no domain") from None


def _parse_expiry(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no time in seconds") from None
    return seconds if seconds > 0 else NEVER  # 0: as long as the browser runs
