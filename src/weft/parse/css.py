r"""The URLs in a style sheet.

    url(x)  url("x")                     anywhere, but not in strings and comments
    @import "x"  @import url(x)
    image-set("x" 1x, url(y) 2x)         type("image/avif") is no URL
    url(a\2f b)  \75rl(x)  @im\port      escapes, in names too
    @namespace url(…)                    a name, nothing to fetch

Read as a browser reads it (CSS Syntax 3) as far as URLs go, but not as a tree: a style sheet's broken rules may
hold URLs that a browser would not fetch, and so may an @import that comes too late. turbohtml's links() reads the
plain CSS of pages (page_links.py); it knows neither escapes nor image-set, and it does not read files.

Every step goes forward, so a character is looked at a few times at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from weft.parse.charset import decode
from weft.parse.link_kinds import Place
from weft.parse.parsed_page import LinkList, ParsedPage
from weft.parse.robots_directives import robots_directives
from weft.types import Kind
from weft.url import Resolver

STYLE: Final = Place.of(Kind.EMBED, "style")

_SPACE: Final = r"[ \t\n\r\f]"
_COMMENT: Final = r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+"
_ESCAPED: Final = rf"\\(?:[0-9a-fA-F]{{1,6}}+(?:\r\n|{_SPACE})?+|[^\n\r\f])"

# Where something begins that matters: a URL, or what must be passed over as a whole. Plain characters, because the
# search for one of them takes a tenth of the time that a pattern of whole words takes.
_STOP = re.compile(r"[\"'\\@(]|/\*")
_STOP_IN_SET = re.compile(r"[\"'\\@();{}]|/\*")
_REST_OF_COMMENT = re.compile(r"(?:[^*]++|\*(?!/))*+(?:\*/)?+")
_SPACES = re.compile(rf"{_SPACE}*+")
_SPACES_AND_COMMENTS = re.compile(rf"(?:{_SPACE}++|{_COMMENT})*+")
_PRELUDE = re.compile(r"[^;{}]*+")
_NAME = re.compile(rf"(?:[\w\-]++|{_ESCAPED})*+")
_NAME_AT_END = re.compile(r"[\w\-]*+\Z")
_MAX_NAME_CHARS: Final = 24  # a longer one is none of those that matter
# What is in the quotes, and the closing one: empty at the end of the text, None where a line ends first.
_STRINGS = {
    quote: re.compile(rf"((?:[^{quote}\\\n\r\f]++|\\(?:\r\n|.|\Z))*+)({quote}|\Z)?+", re.DOTALL) for quote in "\"'"
}
_BARE_URL = re.compile(rf"((?:[^\"'()\\\x00-\x20\x7f]++|{_ESCAPED})*+){_SPACE}*+(?:\)|\Z)")
_REST_OF_BAD_URL = re.compile(r"(?:[^)\\]++|\\.?)*+\)?+", re.DOTALL)
_ESCAPE = re.compile(rf"\\(?:([0-9a-fA-F]{{1,6}})(?:\r\n|{_SPACE})?+|(\r\n|[\n\r\f]|\Z)|(.))", re.DOTALL)

_CHARSET_RULE = re.compile(rb'@charset "([^"\n]{1,40})";')


def parse_css(
    body: bytes,
    url: str,
    content_type: str | None = None,
    headers: Sequence[tuple[bytes, bytes]] = (),
    agent: str = "weft",
) -> ParsedPage:
    """Read a style sheet that was fetched from `url`; what it names is relative to that."""
    rule = _CHARSET_RULE.match(body)
    if "charset" not in (content_type or "").lower():
        content_type = "text/css; charset=" + (rule[1].decode("latin-1") if rule else "utf-8")
    text, charset = decode(body, content_type)
    links = LinkList()
    resolve = Resolver(url).resolve
    for href in css_urls(text):
        links.take(resolve(href), STYLE)
    return ParsedPage.of_links(links, url, charset, robots_directives(headers, (), agent))


def css_urls(text: str) -> Iterator[str]:
    """The URLs of a style sheet or of a style attribute, as they stand there, without escapes.

    Those that only name a part of the document itself, such as `url(#gradient)`, are left out.
    """
    for url in _Scanner(text).urls():
        if url and not url.startswith("#"):
            yield url


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def urls(self) -> Iterator[str]:
        while token := self._next(_STOP):
            match token:
                case "url(":
                    yield self._url()
                case "image-set(" | "-webkit-image-set(":
                    yield from self._image_set()
                case "@import":
                    self._skip(_SPACES_AND_COMMENTS)
                    if self._text.startswith(("'", '"'), self._at):
                        yield self._quoted()
                case "'" | '"':
                    self._string(token)

    def _image_set(self) -> Iterator[str]:
        """What stands in image-set(): strings are URLs here, unless they are in another function's brackets."""
        depth = 1
        while depth and (token := self._next(_STOP_IN_SET)):
            match token:
                case "url(":
                    yield self._url()
                case "'" | '"':
                    string = self._string(token)
                    if depth == 1:
                        yield string
                case ")":
                    depth -= 1
                case ";" | "{" | "}":
                    return  # it was never closed
                case _ if token.endswith("("):
                    depth += 1

    def _next(self, stops: re.Pattern[str]) -> str:
        """The next thing that matters, and go behind it: `url(`, `@import`, a quote. Empty at the end."""
        while found := stops.search(self._text, self._at):
            begin, self._at = self._at, found.end()
            match found[0]:
                case "/*":
                    self._skip(_REST_OF_COMMENT)
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
        return _without_escapes(name).lower()

    def _rule(self) -> str:
        """The name of the rule whose @ was passed. A URL in @namespace is only a name."""
        name = _without_escapes(self._skip(_NAME)).lower()
        if name in ("namespace", "document", "-moz-document"):
            self._skip(_PRELUDE)
        return "@" + name

    def _url(self) -> str:
        """The URL whose `url(` was passed; empty if it is broken."""
        self._skip(_SPACES)
        if self._text.startswith(("'", '"'), self._at):
            return self._quoted()
        found = _BARE_URL.match(self._text, self._at)
        if found is None:
            self._skip(_REST_OF_BAD_URL)
            return ""
        self._at = found.end()
        return _without_escapes(found[1])

    def _quoted(self) -> str:
        self._at += 1
        return self._string(self._text[self._at - 1])

    def _string(self, quote: str) -> str:
        """The string whose opening quote was passed; empty if it is broken."""
        found = _STRINGS[quote].match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return _without_escapes(found[1]) if found[2] is not None else ""

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Go behind what matches here."""
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code, line_end, character = found.groups()
    if character is not None:
        return str(character)
    if line_end is not None:  # a line that goes on
        return ""
    number = int(code, 16)
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number <= 0x10FFFF else "\ufffd"
