"""The tags of a page that may hold links, and its style sheets, by the rules of the WHATWG tokenizer.

What only looks like a tag is passed over: in comments, in the text of script, style, title and textarea elements, in
the values of attributes. Everything inside templates and noscript elements is markup like any other.

An XML document (SVG, XHTML) has other rules: CDATA sections, no elements of raw text. Inside an `<svg>` or `<math>` of
an HTML page they hold too, until an element of HTML ends it.

One regular expression takes a whole tag, and can only fail where no tag ends any more; so time grows with the length.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from weft.mirror.link_attributes import CSS_ATTRIBUTES
from weft.regex import regex
from weft.repeats import repeated

SPACE: Final = r"\t\n\f\r "
# A name may begin with =; a quote counts only where a value begins; a value without its closing quote has no end.
ATTRIBUTES: Final = repeated(
    rf"[{SPACE}/]*+[^{SPACE}/>][^{SPACE}/>=]*+"
    rf"""(?:[{SPACE}]*+=[{SPACE}]*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^{SPACE}>]*+)|(?![{SPACE}]*+=))"""
)
_TAG_OR_COMMENT: Final = rf"(?:<(?:(/?+[a-zA-Z][^{SPACE}/>]*+)({ATTRIBUTES})[{SPACE}/]*+(>)?|(!--|[!?/]))|\Z)"
# Behind these a page is read in another way, or their attributes say something about what follows.
_MATTERS: Final = "script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext|svg|math|template|form"
# Most tags have no attribute, or none that could hold a link. The expression goes over the commonest by itself: by a
# list, because to look whether a name is none of those that matter takes twice the time for the whole page.
_DULL_NAMES: Final = (
    "div|span|p|li|ul|ol|td|tr|th|b|i|em|code|pre|dl|dt|dd|h[1-6]|br|hr|strong|section|nav|header|footer|main|small|sup"
    "|sub|tbody|thead|table|u|s|dfn|var|kbd|samp|tt|center|article|aside|figure|figcaption|abbr|label|caption|col"
    "|colgroup|details|summary|wbr|html|head|body|noscript|blockquote|option|button|time|mark"
)
_DULL_TAG: Final = (
    rf"/[a-zA-Z][^{SPACE}/>]*+>|(?:{_DULL_NAMES})"
    r'(?:>|(?: (?:class|id|title|name|width|height|align|alt|colspan|rowspan|lang|type|role)="[^"]*+"){0,100} ?+/?+>)'
)
_NO_TAG: Final = r"(?![a-zA-Z!?/])|/\Z"
# Both match wherever they are tried, at the end with nothing. A dull tag behind a hundred others is one of interest.
_REST: Final = repeated(f"<(?:{_NO_TAG})[^<]*+") + _TAG_OR_COMMENT
_NEXT = regex(f"[^<]*+{_REST}")
_NEXT_OF_INTEREST = regex(f"[^<]*+(?>(?:<(?:{_DULL_TAG}|{_NO_TAG})[^<]*+){{0,100}}){_REST}")
ATTRIBUTE = regex(
    rf"([^{SPACE}/>][^{SPACE}/>=]*+)(?:[{SPACE}]*+=[{SPACE}]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^{SPACE}>]*+)))?"
)

_END_OF_COMMENT = regex(r"-?>|.*?(?:--!?>|\Z)", re.DOTALL)
_RAW_TEXT_ENDS: Final = {
    name: regex(rf"</{name}(?=[{SPACE}/>])", re.IGNORECASE)
    for name in ("style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_IN_SCRIPT = regex(rf"<!--|-->|<(/?)script(?=[{SPACE}/>])", re.IGNORECASE)
_DOCTYPE_OF_XML = regex(r"<!DOCTYPE[^\[>]*+(?:\[[^\]]*+\][^>]*+)?>", re.IGNORECASE)
_STYLE_OF_XML = regex(r"<\?xml-stylesheet(?=[\t\n\r ])")
_CDATA: Final = "<![CDATA["
XML_STYLE: Final = "?xml-stylesheet"  # the name of what is like a tag in an XML document: a style sheet for all of it

# The elements in them whose contents are HTML again.
_HTML_IN: Final = {
    "svg": ("foreignobject", "desc", "title"),
    "math": ("mi", "mo", "mn", "ms", "mtext", "annotation-xml"),
}
_MAX_DEPTH: Final = 512  # browsers nest no deeper either
_NAME = regex(r"\S+")
_HTML_ANNOTATION = regex(r"(?i)encoding\s*+=\s*+[\"']?(?:text/html|application/xhtml\+xml)[\"'\s>/]?")
_ENDS_FOREIGN: Final = frozenset(
    _NAME.findall(
        "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu"
        " meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var /p /br"
    )
)
_SIGN_OF_URL = regex(r"[(@\\&]")
_CSS_NAME = regex("|".join(map(re.escape, CSS_ATTRIBUTES)), re.IGNORECASE)
_NAMES_THAT_MATTER: Final = frozenset(_MATTERS.split("|"))


class Tag(NamedTuple):
    """A start tag whose attributes stand between `start` and `end`. `name` is in lower case, without a prefix."""

    name: str
    start: int
    end: int
    is_inert: bool = False  # in a template, or in an SVG drawing of a page: a base there is no base


class Style(NamedTuple):
    """The text of a style element; one with `references` has `&amp;` for &."""

    start: int
    end: int
    has_references: bool


def markup(text: str, names: Collection[str], is_xml: bool = False) -> Iterator[Tag | Style]:
    """The start tags of elements with these names or with a style, and all style elements' texts, in their order."""
    return _Walk(text, names, is_xml).found()


class _Walk:
    """Goes through a page once."""

    def __init__(self, text: str, names: Collection[str], is_xml: bool) -> None:
        self._text = text
        self._names = names
        self._is_xml = is_xml
        self._at = 0
        self._open: list[str] = []  # the elements that decide by whose rules to read: svg, foreignobject in it, …
        self._templates = 0
        self._had_doctype = False

    def found(self) -> Iterator[Tag | Style]:
        text, names, is_xml = self._text, self._names, self._is_xml
        links = frozenset(names) - _NAMES_THAT_MATTER
        while self._at >= 0:
            is_plain = self._is_plain
            for token in (_NEXT_OF_INTEREST if is_plain else _NEXT).finditer(text, self._at):
                name, attributes, end, comment = token.groups()
                if comment is not None:
                    if is_xml and (style := _STYLE_OF_XML.match(text, token.start(4) - 1)):
                        yield Tag(XML_STYLE, style.end(), _end_of(text, "?>", style.end()))
                    self._at = self._behind_comment(comment, token.start(4) - 1)
                    break
                if end is None:
                    return  # also when the page ends within a tag, which then does not count
                if is_plain and name in links:  # nearly every tag that comes here
                    yield Tag(name, *token.span(2))
                    continue
                if name not in names:
                    name = name.lower()
                    if is_xml and name[0] != "/":
                        name = name.rpartition(":")[2]
                if name in names or (attributes and name[0] != "/" and _may_have_style(attributes)):
                    yield Tag(
                        name, token.start(2), token.end(2), not is_plain and (self._templates > 0 or self._is_foreign)
                    )
                if (not is_plain or name in _NAMES_THAT_MATTER) and not self._goes_on(token, name):
                    yield from self._styles(name)
                    break
                if is_plain != self._is_plain:
                    break
            else:
                return

    @property
    def _is_plain(self) -> bool:
        """Whether end tags may be passed over: nothing is open whose end matters."""
        return not (self._is_xml or self._open or self._templates)

    def _goes_on(self, token: re.Match[str], name: str) -> bool:
        """Take note of a tag; False if what comes behind it is not simply markup: then `_at` is there."""
        self._at = token.end()
        if name in ("template", "/template"):
            self._templates = max(self._templates + (1 if name == "template" else -1), 0)
        if self._is_xml:
            return name != "style" or _is_closed(token)
        if self._follow_foreign(token, name):
            return name != "style" or _is_closed(token)
        if name == "plaintext":
            self._at = -1
        return name not in _RAW_TEXT_ENDS and name not in ("script", "plaintext")

    def _styles(self, name: str) -> Iterator[Style]:
        """The text of a style element; and go behind what is no markup."""
        start = self._at
        if start < 0:
            return
        if self._is_xml or self._is_foreign:
            yield from self._styles_of_xml()
            return
        if name == "script":
            self._at = self._end_of_script()
            return
        ending = _RAW_TEXT_ENDS[name].search(self._text, start)
        self._at = ending.start() if ending else -1
        if name == "style":
            yield Style(start, self._at if ending else len(self._text), False)

    def _styles_of_xml(self) -> Iterator[Style]:
        """The pieces of a style element's text up to the next tag."""
        while True:
            end = self._text.find("<", self._at)
            if end < 0:
                end = len(self._text)
            if end > self._at:
                yield Style(self._at, end, True)
            self._at = end
            if self._text.startswith(_CDATA, end):
                start, self._at = end + len(_CDATA), self._behind("]]>", end)
                stop = self._at - len("]]>") if self._at >= 0 else len(self._text)
                yield Style(start, stop, False)
                if self._at < 0:
                    return
            elif self._text.startswith("<!--", end):
                self._at = _behind_match(_END_OF_COMMENT, self._text, end + 4)
            else:
                return

    def _end_of_script(self) -> int:
        """Where the end tag of a script is: not in `<!-- <script> … </script> -->`; -1 for nowhere."""
        is_escaped = is_doubly_escaped = False
        at = self._at
        while found := _IN_SCRIPT.search(self._text, at):
            at = found.end()
            if found[0] == "<!--":
                is_escaped = True
                at -= len("--")  # these may belong to a -->
            elif found[0] == "-->":
                is_escaped = is_doubly_escaped = False
            elif not found[1]:
                is_doubly_escaped = is_escaped
            elif is_doubly_escaped:
                is_doubly_escaped = False
            else:
                return found.start()
        return -1

    def _behind_comment(self, opening: str, start: int) -> int:
        """Where a comment ends, or what browsers take for one; -1 for nowhere."""
        text, at = self._text, start + 1 + len(opening)
        if opening == "!--":
            return self._behind("-->", at) if self._is_xml else _behind_match(_END_OF_COMMENT, text, at)
        if (self._is_xml or self._is_foreign) and text.startswith(_CDATA, start):
            return self._behind("]]>", start)
        if self._is_xml:
            if opening == "?":
                return self._behind("?>", at)
            if not self._had_doctype:
                self._had_doctype = True
                doctype = _DOCTYPE_OF_XML.match(text, start)
                return doctype.end() if doctype else self._behind(">", at)
        return self._behind(">", at)

    def _behind(self, end: str, at: int) -> int:
        found = self._text.find(end, at)
        return found + len(end) if found >= 0 else -1

    @property
    def _is_foreign(self) -> bool:
        return bool(self._open) and self._open[-1] in _HTML_IN

    def _follow_foreign(self, token: re.Match[str], name: str) -> bool:
        """Keep `_open` true; whether the element is one of SVG or MathML."""
        stack = self._open
        if self._is_foreign and _ends_foreign(name, token[2]):
            while self._is_foreign:
                stack.pop()
        if name[0] == "/":
            if name[1:] in stack:
                while stack.pop() != name[1:]:
                    pass
            return True
        is_foreign = self._is_foreign
        holds_html = is_foreign and name in _HTML_IN[stack[-1]]
        if name == "annotation-xml":
            holds_html = holds_html and _HTML_ANNOTATION.search(token[2]) is not None
        if (name in _HTML_IN or holds_html) and not _is_closed(token) and len(stack) < _MAX_DEPTH:
            stack.append(name)
        return is_foreign or name in _HTML_IN


def _may_have_style(attributes: str) -> bool:
    return _SIGN_OF_URL.search(attributes) is not None and _CSS_NAME.search(attributes) is not None


def _is_closed(token: re.Match[str]) -> bool:
    return token[0].endswith("/>") and token.string[token.end(2) - 1 : token.end(2)] != "/"


def _ends_foreign(name: str, attributes: str) -> bool:
    return name in _ENDS_FOREIGN or (name == "font" and _is_html_font(attributes))


def _is_html_font(attributes: str) -> bool:
    return any(found[1].lower() in ("color", "face", "size") for found in ATTRIBUTE.finditer(attributes))


def _end_of(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    return found if found >= 0 else len(text)


def _behind_match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else -1
