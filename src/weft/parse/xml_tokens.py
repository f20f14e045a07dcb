"""Tags and text of XML that need not be well formed, one after the other.

    <url><loc>https://a.org/?b&amp;c</loc></url>    ("url", ">", "", False)
                                                    ("loc", ">", "https://a.org/?b&c", True)
                                                    ("/url", ">", "", False)

Written by hand because of what is published as XML: files cut off in the middle, bare & and <, tags never
closed or closed in another letter case, blank lines before the declaration. A strict parser gives up at the
first of these. What it has and this lacks are entities declared in the file, and those are the dangerous part
(they expand without end, or name files of the reader's machine): here there is nothing to guard. Speed decides
nothing: a sitemap of 50,000 URLs and 11.6 MB takes 0.55 s from bytes to canonical URLs, and with expat 0.37 s.

Text comes in pieces, so that memory depends on the longest token and not on the file. Whatever the file holds,
a character is looked at a few times at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from weft.parse.char_refs import without_references
from weft.regex import regex
from weft.repeats import repeated

# A tag with its text, a comment or a CDATA section longer than this ends the reading.
MAX_TOKEN_CHARS: Final = 1024 * 1024

# A value in quotes may hold a > but no <; where the quotes do not match, the next > ends the tag.
_IN_TAG: Final = repeated(r"""[^<>"']++|"[^"<]*+"|'[^'<]*+'""")
_TOKEN = regex(
    r"<(?:"
    rf"""(/?[^\W\d][^\s<>/]*+)([^<>"']*+>|{_IN_TAG}>|[^<>]*+>)"""
    r"|!\[CDATA\[(.*?)\]\]>"
    r"|!--.*?-->"
    r"|(!\[CDATA\[|!--)"  # no end, or none yet
    r"|[?!][^<>]*+>"
    r"|()"  # a < that begins nothing: text
    r")([^<]*+)(?:(</(?i:\1)\s*+>\s*+)|)",
    re.DOTALL,
)
# A name begins where a word does: looked for at each letter, a long word would be read again and again.
_ATTRIBUTE = regex(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++))""")

# A tag's name in lower case with its prefix, and with a slash before it when it closes; the rest of the tag up to
# and including its >; the text up to the next tag; whether that next tag closes this one, which is then left out.
# Without a name: more of that text.
Token = tuple[str, str, str, bool]


def xml_tokens(pieces: Iterable[str]) -> Iterator[Token]:
    """The tokens of a text; it ends early at one that is too long or has no end."""
    held = ""
    for piece in chain(pieces, (None,)):
        if piece is None:
            whole = len(held)
        else:
            held += piece
            whole = max(held.rfind("<"), 0)  # the last tag, or the text after it, may go on in the next piece
        taken = 0
        for found in _TOKEN.finditer(held, 0, whole):
            name, rest, cdata, endless, bare, text, closing = found.groups()
            if endless:
                break
            taken = found.end()
            if "&" in text:
                text = without_references(text)
            if name:
                yield name.lower(), rest, text, closing is not None
            elif cdata is not None:
                yield "", "", cdata + text, False
            else:
                yield "", "", text if bare is None else "<" + text, False
        held = held[taken:]
        if len(held) > MAX_TOKEN_CHARS:
            return


def attributes_of(rest: str) -> dict[str, str]:
    """The attributes in the rest of a tag, their names in lower case."""
    return {
        name.lower(): without_references(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(rest)
    }
