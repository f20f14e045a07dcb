"""The fields of a form as they are sent: behind the URL, or as a body."""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import quote_plus

from weft.regex import regex
from weft.url.query import encoder_for

URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
PLAIN_TEXT: Final = "text/plain"

_LINE_BREAK: Final = regex(r"\r\n?|\n")
_LABELS: Final = {"utf8": "utf-8", **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "ascii"), "windows-1252")}
_ESCAPES: Final = {'"': "%22", "\r": "%0D", "\n": "%0A"}


class Entry(NamedTuple):
    """One name with its value."""

    name: str
    value: str
    is_file: bool = False  # none was chosen: an empty one is sent


class Filled(NamedTuple):
    """A form that is ready to be sent."""

    action: str  # as it stands in the page; empty: the page itself
    method: str
    form: str  # its media type
    charset: str
    entries: list[Entry]
    is_secret: bool  # a password is in it

    def query(self) -> str:
        """The fields of a GET, as they stand behind the ?."""
        return "&".join(f"{self._quoted(entry.name)}={self._quoted(entry.value)}" for entry in self.entries)

    def body(self) -> tuple[bytes, str]:
        """The body of a POST, and its media type. The same fields are always the same bytes."""
        if self.form == MULTIPART:
            return self._multipart()
        if self.form == PLAIN_TEXT:
            lines = (f"{_on_lines(entry.name)}={_on_lines(entry.value)}\r\n" for entry in self.entries)
            return self._encoded("".join(lines)), PLAIN_TEXT
        return self.query().encode(), URLENCODED

    def _multipart(self) -> tuple[bytes, str]:
        parts = []
        for entry in self.entries:
            name = "".join(_ESCAPES.get(letter, letter) for letter in _on_lines(entry.name))
            head = f'Content-Disposition: form-data; name="{name}"'
            if entry.is_file:
                head += '; filename=""\r\nContent-Type: application/octet-stream'
            parts.append(self._encoded(f"{head}\r\n\r\n{_on_lines(entry.value)}\r\n"))
        # Not by chance: a request is known by its body. It is nowhere within, or its own hash would be.
        boundary = f"weft{sha256(b''.join(parts)).hexdigest()[:32]}".encode()
        body = b"".join(b"--" + boundary + b"\r\n" + part for part in parts) + b"--" + boundary + b"--\r\n"
        return body, f"{MULTIPART}; boundary={boundary.decode()}"

    def _quoted(self, text: str) -> str:
        return quote_plus(self._encoded(_on_lines(text)), safe="*").replace("~", "%7E")

    def _encoded(self, text: str) -> bytes:
        # As browsers do with letters that the page's charset does not have.
        return text.encode(encoder_for(self.charset) or "utf-8", "xmlcharrefreplace")


def charset_of(accepted: str | None, page_charset: str) -> str:
    """In which charset the fields are sent: one that the form accepts, else the page's own, else UTF-8."""
    for label in [*(accepted or "").lower().split(), page_charset]:
        name = _LABELS.get(label, label)
        if name == "utf-8" or encoder_for(name) is not None:
            return name
    return "utf-8"


def _on_lines(text: str) -> str:
    return _LINE_BREAK.sub("\r\n", text)
