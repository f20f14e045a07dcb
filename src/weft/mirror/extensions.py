"""How a saved file must end, so that a browser that opens it from the disk takes it for what the server said it was.

A server tells a browser the type of what it sends; a disk has only the extension. So it follows the type, and the first
bytes where browsers believe these more, or where the type says nothing:

| the server says                    | the bytes are              | the file is              |
|------------------------------------|----------------------------|--------------------------|
| a type of the table                | of no known signature      | that type                |
| an image, a font                   | another image, font        | what the bytes are       |
| some kind of text                  | an image, sound, font, PDF | what the bytes are       |
| text/plain, text of no known kind  | text                       | as it is named (1)       |
| nothing, octet-stream              | of a known signature       | what the bytes are (2)   |
| another type                       |                            | as it is named           |

(1) Servers say so of all that they do not know. (2) But an extension that the table does not have is kept: data.bin.
"""

from __future__ import annotations

from typing import Final

from weft.media.endings import DEMANDED, ending_for_nameless, fitting_endings, usual_name
from weft.media.signatures import has_binary_byte, type_by_markup, type_by_signature
from weft.media.types import BYTES, DOWNLOADS, NO_TYPES, is_text, media_type

_SAYS_NOTHING: Final = NO_TYPES | DOWNLOADS
_ARCHIVES: Final = frozenset({"zip", "gz", "7z", "rar", "xz", "bz2", "zst"})
# These name what makes a page on the server, not what the page is.
_SERVER_SIDE: Final = frozenset(
    {"php", "php3", "php4", "php5", "phtml", "asp", "aspx", "ashx", "jsp", "jspx", "cgi", "cfm", "do"}
)
_ACTIVE: Final = frozenset(
    {"html", "htm", "xhtml", "xht"}
)  # a server that sends these as plain text wants their source shown


def extension_for(content_type: str, first_bytes: bytes, own: str) -> str:
    """The extension that a file must have: `own`, in lower case and without its dot, where it is right, or another.

    `content_type` is the server's word; `first_bytes` are of the body without its content coding. Empty when there is
    none and none is known.
    """
    declared = media_type(content_type)
    actual = _actual_type(usual_name(declared), first_bytes)
    fitting = fitting_endings(actual)
    if not fitting:
        return _kept_or_filled(actual, first_bytes, own)
    if own in fitting:
        return own
    if declared in _SAYS_NOTHING and own and not (own in DEMANDED or own in _ARCHIVES or own in _SERVER_SIDE):
        return own
    return fitting[0]


def _kept_or_filled(named: str, first_bytes: bytes, own: str) -> str:
    """The extension of a type that fits any: its own, unless that says nothing of the file."""
    if named.startswith("text/"):
        return "txt" if not own or own in _SERVER_SIDE or own in _ACTIVE else own
    if own and own not in _SERVER_SIDE:
        return own
    return ending_for_nameless(named) or ending_for_nameless(type_by_signature(first_bytes)) or own


def _actual_type(declared: str, first_bytes: bytes) -> str:
    says_nothing = declared in _SAYS_NOTHING
    found = type_by_signature(first_bytes)
    if fitting_endings(found):
        family = declared.partition("/")[0]
        if says_nothing or (family in ("image", "font") and found.startswith(family) and declared != "image/svg+xml"):
            return found
        if is_text(declared) and (found == "application/pdf" or has_binary_byte(first_bytes, 64)):
            return found
    elif says_nothing and declared not in BYTES:
        return type_by_markup(first_bytes) or declared
    return declared
