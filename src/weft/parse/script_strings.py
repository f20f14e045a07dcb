r"""The strings of a script, with what stands around them: one pass, in linear time.

    import{a}from"./b.js";x=/"/.test(`${f("c.png")}`)//"d.js"
                 └──┬─┘                  └──┬──┘
               a string               a string, within a template

Comments, and quotes in regular expressions, are passed over. A template counts if nothing is put into it, or else its
last part: `${root}a.png`. What stands in `${…}` is read like all else. Nothing is parsed: where a slash might be a
division or a regular expression, what stands before it decides, and a mistake lasts to the end of its line at most.

JSON is read in the same way. Whatever has no end (a string, a comment) ends with its line, or with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from weft.regex import regex
from weft.repeats import repeated

MAX_NESTED: Final = 200  # templates in templates: beyond these, the rest is not read
MAX_UNCLOSED: Final = 8  # templates without an end; more of them, and this is no script

_TOKENS: Final = (
    r'"([^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + r')"?+'
    r"|'([^'\\\n]*+" + repeated(r"\\.[^'\\\n]*+") + r")'?+"
    r"|`([^`\\$]*+" + repeated(r"(?:\\.|\$(?!\{))[^`\\$]*+") + r")(`|\$\{|)"
    r"|/(?:/[^\n]*+|\*[^*]*+" + repeated(r"\*(?!/)[^*]*+") + r"(?:\*/|)|())"
)
_OUTSIDE: Final = regex(_TOKENS, re.DOTALL)
_WITHIN: Final = regex(_TOKENS + r"|(\{)|(\})", re.DOTALL)  # of a template, braces count
_REST_OF_TEMPLATE: Final = regex(r"[^`\\$]*+" + repeated(r"(?:\\.|\$(?!\{))[^`\\$]*+") + r"(?:(`)|(\$\{)|)", re.DOTALL)
_REGEX: Final = regex(
    r"/[^/\\\[\n]*+"
    + repeated(r"(?:\\[^\n]|\[[^\]\\\n]*+" + repeated(r"\\[^\n][^\]\\\n]*+") + r"\]?+)[^/\\\[\n]*+")
    + "/?+"
)
_DOUBLE, _SINGLE, _TEMPLATE, _TEMPLATE_END, _SLASH, _OPEN, _CLOSE = range(1, 8)

_BEFORE_REGEX: Final = regex(
    r"(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|instanceof)\Z"
)
_ESCAPE: Final = regex(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(\r?\n)|(.))", re.DOTALL)
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LOOK_BACK: Final = 64


class ScriptString(NamedTuple):
    """Where the text between two quotes is."""

    start: int
    end: int
    raw: str

    @property
    def text(self) -> str:
        """What it means, without its escapes."""
        return _ESCAPE.sub(_unescaped, self.raw) if "\\" in self.raw else self.raw


def script_strings(script: str) -> Iterator[ScriptString]:
    """The strings of a script, or of JSON, in order."""
    at = 0
    unclosed = 0
    depths: list[int] = []  # of braces that are open, in each template around
    while True:
        pattern = _WITHIN if depths else _OUTSIDE
        for found in pattern.finditer(script, at):
            kind = found.lastindex
            if kind is None:  # a comment
                at = found.end()
            elif kind <= _SINGLE:
                at = found.end()
                yield ScriptString(*found.span(kind), found[kind])
            elif kind == _TEMPLATE_END:
                end = found[_TEMPLATE_END]
                at = found.end()
                if end == "`":
                    yield ScriptString(*found.span(_TEMPLATE), found[_TEMPLATE])
                elif end:
                    if len(depths) == MAX_NESTED:
                        return
                    depths.append(0)
                    break
                else:
                    unclosed += 1
                    if unclosed > MAX_UNCLOSED:
                        return
                    at = found.start() + 1
                    break
            elif kind == _SLASH:
                at = _behind_slash(script, found.start())
                if at != found.end():
                    break
            elif kind == _OPEN:
                at = found.end()
                depths[-1] += 1
            elif depths[-1]:
                at = found.end()
                depths[-1] -= 1
            else:
                rest = _REST_OF_TEMPLATE.match(script, found.end())
                assert rest is not None
                at = rest.end()
                if rest.lastindex != 2:  # else another part is put into it
                    depths.pop()
                    if rest.lastindex:
                        yield ScriptString(found.end(), at - 1, script[found.end() : at - 1])
                break
        else:
            return


def _behind_slash(script: str, at: int) -> int:
    """Where to go on behind a slash: behind the regular expression that it begins, or the slash itself."""
    before = script[max(at - _LOOK_BACK, 0) : at].rstrip()
    last = before[-1:]
    is_word = last.isalnum() or last in ("_", "$")
    if last in (")", "]", "}", '"', "'", "`") or (is_word and _BEFORE_REGEX.search(before) is None):
        return at + 1
    regex = _REGEX.match(script, at)
    assert regex is not None
    return regex.end()


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return "" if found[4] else _CONTROL.get(found[5], found[5])
