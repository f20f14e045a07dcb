"""From bytes to text: which charset a page is written in.

    1. a byte order mark                  the page cannot mean anything else; nor can it by the zero bytes of UTF-16,
                                          nor by the escape sequences of ISO-2022-JP
    2. valid UTF-8, beyond ASCII          nothing else looks like it by chance
    3. a label that decodes               charset= in the Content-Type, then meta, then the XML declaration
       and reads like its language        (the charsets of East Asia decode each other's pages, to nonsense)
    4. the bytes themselves               guess.py
    5. windows-1252

A label that names a charset of single bytes nearly always decodes, so it is believed, as in browsers: windows-1251
labelled windows-1252 stays wrong. Charsets go by their WHATWG names in lower case. Bytes that do not fit become
U+FFFD; how many may, errors.py says.

A page in ASCII has a charset too: its links may hold `&eacute;`, and the charset says how a query spells that.
"""

from __future__ import annotations

from typing import Final

from weft.parse.charset.errors import has_few_errors, is_nearly_utf8
from weft.parse.charset.guess import WIDE_LOOK_BYTES, guess, iso2022_jp, sample_of, utf16_without_mark
from weft.parse.charset.labels import charset_in_markup, charset_of_header
from weft.parse.charset.readings import READS_WELL, best_reading, share_of_frequent

_CHARSET_BY_MARK: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
BYTE_ORDER_MARKS: Final = tuple(mark for mark, _ in _CHARSET_BY_MARK)


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """The text of a body, and the charset it was written in. Never raises."""
    if body.startswith(BYTE_ORDER_MARKS):
        return _decode_marked(body)
    if body.find(0, 0, WIDE_LOOK_BYTES) >= 0 and (charset := utf16_without_mark(body)):
        return _decode_as(charset, body), charset
    try:
        text = body.decode("utf-8")  # nearly every page: text and proof in one step
    except UnicodeDecodeError:
        return _decode_legacy(body, content_type)
    if not text.isascii():
        return text, "utf-8"
    if "\x1b" in text and (japanese := iso2022_jp(body)) is not None:
        return japanese, "iso-2022-jp"
    return text, charset_of_header(content_type) or charset_in_markup(body) or "windows-1252"


def _decode_marked(body: bytes) -> tuple[str, str]:
    mark, charset = next(known for known in _CHARSET_BY_MARK if body.startswith(known[0]))
    return _decode_as(charset, body[len(mark) :]), charset


def _decode_legacy(body: bytes, content_type: str | None) -> tuple[str, str]:
    """Of a body that is not ASCII, and not UTF-8 to the last byte."""
    labels = _labels(body, content_type)
    text = _decode_as("utf-8", body)
    if is_nearly_utf8(text, "utf-8" in labels):
        return text, "utf-8"
    for charset in labels:
        if charset == "utf-8":
            continue  # it was tried
        text = _decode_as(charset, body)
        if has_few_errors(text):
            return _unless_another_reads_better(text, charset, body)
    charset = guess(body)
    return _decode_as(charset, body), charset


def _unless_another_reads_better(text: str, charset: str, body: bytes) -> tuple[str, str]:
    """A text that decodes as labelled. If it does not read well, that may be its own fault: it is short, or a list."""
    share = share_of_frequent(text, charset)
    if share >= READS_WELL:
        return text, charset
    better = best_reading(sample_of(body), better_than=share)
    return (_decode_as(better, body), better) if better else (text, charset)


def _labels(body: bytes, content_type: str | None) -> list[str]:
    """The server's word, then the page's own."""
    named = (charset_of_header(content_type), charset_in_markup(body))
    return list(dict.fromkeys(charset for charset in named if charset))


def _decode_as(charset: str, body: bytes) -> str:
    return body.decode("utf-8", "replace") if charset == "utf-8" else body.decode("whatwg-" + charset)
