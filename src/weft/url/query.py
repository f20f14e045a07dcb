"""Query strings in the charset of the page they stand on.

A browser sends `?q=é` found on a windows-1252 page as `?q=%E9`, not as `?q=%C3%A9`, and servers of such pages
expect it so (WHATWG URL, "percent-encode after encoding"). Paths are always UTF-8. A character that the
charset lacks becomes its decimal reference, percent-encoded: `%26%239731%3B`.
"""

from __future__ import annotations

import codecs
from urllib.parse import quote_from_bytes

# Python's codec for each legacy charset of the web, by its WHATWG name. Where the two names differ, Python's
# codec of the same name is another, smaller charset.
_ENCODER_OF = {
    **{f"windows-{number}": f"cp{number}" for number in (874, *range(1250, 1259))},
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (*range(2, 9), 10, *range(13, 17))},
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "gb18030": "gb18030",
    "gbk": "gbk",
    "ibm866": "cp866",
    "iso-2022-jp": "iso2022_jp",
    "iso-8859-8-i": "iso8859-8",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "x-mac-cyrillic": "mac-cyrillic",
}
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_DROPPED = {ord(char): None for char in "\t\n\r"}

# Everything that the special-query percent-encode set leaves as it is; % too, it may begin an escape.
_SAFE = "!$%&()*+,-./:;=?@[\\]^_`{|}~"


def _decimal_reference(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unencodable = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(char)}%3B" for char in unencodable), error.end


codecs.register_error("weft.decimal-reference", _decimal_reference)


def encoder_for(charset: str) -> str | None:
    """The codec for queries on a page in `charset`, a WHATWG name; None for UTF-8, which ada does itself.

    Pages in UTF-16 send UTF-8, as in browsers; so do pages in a charset that is not one of the web's.
    """
    return _ENCODER_OF.get(charset.lower())


def encode_query(text: str, encoder: str) -> str:
    """Percent-encode the query of a URL as it stands in a page, and leave the rest of it to ada."""
    before_fragment, hash_mark, fragment = text.strip(_C0_AND_SPACE).partition("#")
    path, question_mark, query = before_fragment.partition("?")
    if query.isascii():
        return text
    # Any URL parser drops tabs and line ends; once encoded they would stay.
    query = query.translate(_DROPPED)
    encoded = quote_from_bytes(query.encode(encoder, "weft.decimal-reference"), safe=_SAFE)
    return path + question_mark + encoded + hash_mark + fragment
