r"""Where the URLs are in a style sheet.

    url(x)  url("x")                     anywhere, but not in strings and comments
    @import "x"  @import url(x)
    image-set("x" 1x, url(y) 2x)         type("image/avif") is no URL
    url(a\2f b)  \75rl(x)  @im\port      escapes, in names too
    @namespace url(…)                    a name, nothing to fetch

Read as a browser reads it (CSS Syntax 3) as far as URLs go, but not as a tree: a style sheet's broken rules may
hold URLs that a browser would not fetch, and so may an @import that comes too late.

Every step goes forward, so a character is looked at a few times at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from weft.regex import regex
from weft.repeats import repeated

_SPACE: Final = r"[ \t\n\r\f]"
_ESCAPED: Final = rf"\\(?:[0-9a-fA-F]{{1,6}}+(?>\r\n|{_SPACE}|)|[^\n\r\f0-9a-fA-F])"
_REST_OF_COMMENT: Final = r".*?(?:\*/|\Z)"

# Where something begins that matters: a URL, or what must be passed over as a whole. Plain characters, because the
# search for one of them takes a tenth of the time that a pattern of whole words takes.
_STOP = regex(r"[\"'\\@(]|/\*")
_STOP_IN_SET = regex(r"[\"'\\@();{}]|/\*")
_BEHIND_COMMENT = regex(_REST_OF_COMMENT, re.DOTALL)
_SPACES = regex(rf"{_SPACE}*+")
_SPACES_AND_COMMENTS = regex(repeated(rf"{_SPACE}++|/\*{_REST_OF_COMMENT}"), re.DOTALL)
_PRELUDE = regex(r"[^;{}]*+")
_NAME = regex(repeated(rf"[a-zA-Z0-9_\-\x80-\U0010ffff]++|{_ESCAPED}"))
_NAME_AT_END = regex(r"[a-zA-Z0-9_\-\x80-\U0010ffff]*+\Z")
_MAX_NAME_CHARS: Final = 24  # a longer one is none of those that matter
# What is in the quotes, and the closing one: empty at the end of the text, None where a line ends first.
_STRINGS = {
    quote: regex("(" + repeated(rf"[^{quote}\\\n\r\f]++|\\(?:\r\n|.|\Z)") + rf")({quote}|\Z)?", re.DOTALL)
    for quote in "\"'"
}
_BARE_URL = regex("(" + repeated(rf"[^\"'()\\\x00-\x20\x7f]++|{_ESCAPED}") + rf"){_SPACE}*+(?:\)|\Z)")
_REST_OF_BAD_URL = regex(repeated(r"[^)\\]++|\\.?") + r"\)?", re.DOTALL)
_ESCAPE = regex(rf"\\(?:([0-9a-fA-F]{{1,6}})(?:\r\n|{_SPACE})?|(\r\n|[\n\r\f]|\Z)|(.))", re.DOTALL)


class CssUrl(NamedTuple):
    """A URL in a style sheet: its place without the quotes, and these, if it has any."""

    start: int
    end: int
    quote: str


def css_spans(text: str) -> Iterator[CssUrl]:
    """The URLs of a style sheet or of a style attribute, in their order."""
    return _Scanner(text).urls() if "(" in text or "@" in text or "\\" in text else iter(())


def unescaped(text: str) -> str:
    """What a name, a string or a URL means."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def urls(self) -> Iterator[CssUrl]:
        while token := self._next(_STOP):
            found = None
            if token == "url(":
                found = self._url()
            elif token in ("image-set(", "-webkit-image-set("):
                yield from self._image_set()
            elif token == "@import":
                self._skip(_SPACES_AND_COMMENTS)
                if self._text.startswith(("'", '"'), self._at):
                    found = self._quoted()
            elif token in ("'", '"'):
                self._string(token)
            if found is not None:
                yield found

    def _image_set(self) -> Iterator[CssUrl]:
        """What stands in image-set(): strings are URLs here, unless they are in another function's brackets."""
        depth = 1
        while depth and (token := self._next(_STOP_IN_SET)):
            found = None
            if token == "url(":
                found = self._url()
            elif token in ("'", '"'):
                string = self._string(token)
                found = string if depth == 1 else None
            elif token == ")":
                depth -= 1
            elif token in (";", "{", "}"):
                return  # it was never closed
            elif token.endswith("("):
                depth += 1
            if found is not None:
                yield found

    def _next(self, stops: re.Pattern[str]) -> str:
        """The next thing that matters, and go behind it: `url(`, `@import`, a quote. Empty at the end."""
        while found := stops.search(self._text, self._at):
            begin, self._at = self._at, found.end()
            match found[0]:
                case "/*":
                    self._skip(_BEHIND_COMMENT)
                case "(":
                    return self._name_before(found.start(), begin).lower() + "("
                case "\\":
                    name = self._escaped_name(found.start(), begin)
                    if self._text.startswith("(", self._at):
                        self._at += 1
                        return name + "("
                case "@":
                    return self._rule()
                case stop:
                    return stop
        return ""

    def _name_before(self, end: int, begin: int) -> str:
        """The name that ends here and does not begin before `begin`."""
        found = _NAME_AT_END.search(self._text[max(begin, end - _MAX_NAME_CHARS) : end])
        return found[0] if found else ""

    def _escaped_name(self, at: int, begin: int) -> str:
        """The name with this backslash in it."""
        self._at = at - len(self._name_before(at, begin))
        name = self._skip(_NAME)
        self._at = max(self._at, at + 1)  # a backslash at the end of a line is no escape
        return unescaped(name).lower()

    def _rule(self) -> str:
        """The name of the rule whose @ was passed. A URL in @namespace is only a name."""
        name = unescaped(self._skip(_NAME)).lower()
        if name in ("namespace", "document", "-moz-document"):
            self._skip(_PRELUDE)
        return "@" + name

    def _url(self) -> CssUrl | None:
        """The URL whose `url(` was passed; None if it is broken."""
        self._skip(_SPACES)
        if self._text.startswith(("'", '"'), self._at):
            return self._quoted()
        found = _BARE_URL.match(self._text, self._at)
        if found is None:
            self._skip(_REST_OF_BAD_URL)
            return None
        self._at = found.end()
        return CssUrl(*found.span(1), "")

    def _quoted(self) -> CssUrl | None:
        self._at += 1
        return self._string(self._text[self._at - 1])

    def _string(self, quote: str) -> CssUrl | None:
        """The string whose opening quote was passed; None if it is broken."""
        found = _STRINGS[quote].match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return CssUrl(*found.span(1), quote) if found[2] is not None else None

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Go behind what matches here."""
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]


def _character(found: re.Match[str]) -> str:
    code, line_end, character = found.groups()
    if character is not None:
        return str(character)
    if line_end is not None:  # a line that goes on
        return ""
    number = int(code, 16)
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number <= 0x10FFFF else "\ufffd"
