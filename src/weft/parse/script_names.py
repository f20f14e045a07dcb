"""What a script names: files that it loads for sure, and strings that look like files of the site.

    in the script                                                    relative to
    import "./a.js"   import("./a.js")   export … from "./a.js"      the script                    MODULE
    new URL("a.png", import.meta.url)    importScripts("a.js")
    new Worker("a.js")   fetch("a.json")   .open("GET", "a.json")    the page                      PAGE
    img.src = "a.png"    "<img src='a.png'>"
    "a.png"   root + "a.json"   {search: "js/a.js"}                  nobody knows: script_bases    SOMEWHERE
    root = "../js"; … `${root}/a.js`   is "../js/a.js"

Only the first are sure. A name counts if it ends as files of the web do. What is no name of a file to load: keys of
objects (`{"./a.js": 7}` is the table of a bundle), arguments of `require`, halves of names (`".min.js"`, `"en" + x`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from weft.parse.doxygen import doxygen_names
from weft.parse.script_strings import ScriptString, script_strings
from weft.regex import regex

MOST_NAMES: Final = 10_000  # of a script: an index of a site may name all of its pages
MOST_LOOKED_AT: Final = 50_000  # strings of a script that might be names; hostile ones have a million
MAX_NAME_CHARS: Final = 300
MAX_MARKUP_CHARS: Final = 20_000

_ENDINGS: Final = (
    "js|mjs|cjs|json|css|html?|xhtml|png|gif|jpe?g|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|wasm|xml|txt|pdf"
    "|mp3|mp4|m4a|webm|ogg|ogv|wav|vtt|glb|gltf|webmanifest"
)
FILE_NAME: Final = regex(
    rf"(?:https?://[\w.\-]+(?::\d+)?/|//[\w.\-]+(?::\d+)?/|/|(?:\.\.?/)+|)(?!\.)[\w\-~%@+,=!][\w\-~%@+,=!./]*"
    rf"\.(?:{_ENDINGS})(?:\?[\w\-~%@+,=&./:;]*)?(?:#.*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
# "org.w3c.dom.css" is the name of a package, and not a style sheet.
_DOTTED: Final = regex(
    r"[A-Za-z_]\w*\.(?:[A-Za-z_]\w*\.)+(?!m?js|css|json|html?|svg|png|wasm)\w+|[a-z0-9_]+(?:\.[a-z0-9_]+){3,}"
)
_ADDRESS: Final = regex(r"(?:https?:/|/|\.\.?/)[^\s\"'`<>{}\\^|*()\[\]]+", re.ASCII)
_PATH: Final = regex(r"(?!data:|blob:|javascript:|about:)[\w\-~%@+,=./?&:;]+", re.ASCII)
_CUT_BY_QUOTE: Final = regex(rf"([\w\-~%@+,=][\w\-~%@+,=./]*\.(?:{_ENDINGS}))[\"']", re.ASCII | re.IGNORECASE)
# Of Sphinx and Javadoc: it names words, pages and packages, and loads nothing.
_INDEX_OF_WORDS: Final = regex(r"\s*(?:Search\.setIndex\(|(?:module|package|type|member|tag)SearchIndex\s*=)")
# Quickly: most strings of an index are words of a language.
_MAY_BE: Final = regex(r"[^\s(]+\Z|[\w\-./]+[\"']")
_IN_MARKUP: Final = regex(
    r"<(?:img|script|link|iframe|source|video|audio|embed|object|input|use|image)\b[^<>]{0,500}?\s"
    r"(?:src|href|data|poster)\s*=\s*(?:\"([^\"<>]{1,300})\"|'([^'<>]{1,300})'|([^\s\"'<>]{1,300})(?=[\s>]))",
    re.IGNORECASE,
)

_COMMENT_BEHIND: Final = regex(r"/\*[^*]*+\*/\s*\Z")
_MODULE: Final = regex(r"(?:^|[^\w$.])(?:import\s*\(?|from|importScripts\s*\((?:[^()]*,)?)\s*\Z")
_NEW_URL: Final = regex(r"(?:^|[^\w$.])new\s+(?:\w+\.)?URL\s*\(\s*\Z")
_ITS_BASE: Final = regex(r"\s*,\s*import\.meta\.url\b")
_BY_PAGE: Final = regex(
    r"(?:(?:^|[^\w$])new\s+(?:\w+\.)?(?:Worker|SharedWorker|Audio)\s*\(|(?:^|[^\w$])(?:fetch|\$\.(?:get|getJSON|getScript))\s*\("
    r"|\.open\s*\(\s*[\"'`](?:GET|get)[\"'`]\s*,|\.(?:src|href)\s*=(?!=)|serviceWorker\.register\s*\()\s*\Z"
)
_NO_FILE: Final = regex(
    r"(?:(?:^|[^\w$])(?:require|define|\w)\s*\(|(?:===?|!==?)|(?:endsWith|indexOf|match|test|includes|replace)\s*\()\s*\Z"
)
_IS_KEY: Final = regex(r"\s*:")
_IS_WHOLE: Final = regex(r"\s*[),;\n}\]]|\s*\Z")
_GOES_ON: Final = regex(r"\s*[+.]")
ADDRESSES: Final = ("./", "../", "/", "http://", "https://")
_LOOK_BACK: Final = 120
_LOOK_BACK_FOR_FOLDER: Final = 1_000
_MOST_MENTIONS: Final = 60  # of a variable that are looked at there
# With nothing else in front: "/docs/" + root + "/a.js" has more.
_VARIABLE_BEHIND: Final = regex(
    r"`\$\{([A-Za-z_$][\w$]*)\}\Z|(?:^|[(\[{=,;:?&|!>\n]|\breturn\s)\s*([A-Za-z_$][\w$]*)\s*\+\s*[\"'`]\Z", re.MULTILINE
)
_IN_NAME: Final = regex(r"[\w$]")
_IS_SET: Final = regex(r"\s*=\s*[\"'`]([^\"'`\n]{1,100})[\"'`]\s*[;,)]")
_IS_PARAMETER: Final = regex(r"\s*=>|(?:\s*[,=][^(){};]{0,100})?\s*\)\s*(?:=>|\{)")
_CONDITIONS: Final = ("if", "for", "while", "switch")  # these have brackets, too, but no parameters in them
_FOLDER: Final = regex(r"(?:\.\.?/|/)[\w\-~%@+,=./]*|[\w\-~%@+,=]+(?:/[\w\-~%@+,=]+)*/?", re.ASCII)
_CALL_CHARS: Final = 48  # in which a name and its bracket are


class Base(Enum):
    """What a name is relative to."""

    MODULE = auto()
    PACKAGE = auto()  # the name of a package, which an import map gives an address
    PAGE = auto()
    SOMEWHERE = auto()


class ScriptName(NamedTuple):
    """A name, and where it stands."""

    href: str
    base: Base
    start: int = -1  # -1: it does not stand there as it is
    end: int = -1
    is_tail: bool = False  # something is put in front of it
    is_based: bool = False  # something that is not known is its base


def script_names(script: str) -> list[ScriptName]:
    """The files that a script, or JSON, names: each once, in order."""
    return list({(name.href, name.base, name.is_tail): name for name in names_in(script)}.values())


def names_in(script: str) -> Iterator[ScriptName]:
    """The same, each wherever it stands."""
    return islice(_all_names(script), MOST_NAMES)


@lru_cache(maxsize=512)  # a site has the same few lines on all of its pages
def names_in_short(script: str) -> tuple[ScriptName, ...]:
    """The same for a script of a page, of some lines."""
    return tuple(script_names(script))


def module_names(script: str) -> Iterator[ScriptName]:
    """The addresses that are relative to the script: these alone are sure."""
    if not _INDEX_OF_WORDS.match(script):
        for string in script_strings(script):
            if (
                0 < len(string.raw) <= MAX_NAME_CHARS
                and (name := _module_name(script, string, _before(script, string))) is not None
            ):
                yield name


def _all_names(script: str) -> Iterator[ScriptName]:
    if _INDEX_OF_WORDS.match(script):
        return
    left = MOST_LOOKED_AT
    for string in script_strings(script):
        raw = string.raw
        if not left:
            break
        if "<" in raw:
            if len(raw) <= MAX_MARKUP_CHARS:
                left -= 1
                yield from _names_in_markup(string.text)
        elif ("." in raw or "/" in raw) and len(raw) <= MAX_NAME_CHARS and _MAY_BE.match(raw):
            left -= 1
            name = _name(script, string)
            if name is not None:
                yield name
    for href in doxygen_names(script):
        yield ScriptName(href, Base.MODULE)


def _name(script: str, string: ScriptString) -> ScriptName | None:
    before = _before(script, string)
    if (module := _module_name(script, string, before)) is not None:
        return module
    text = string.text
    is_file = FILE_NAME.fullmatch(text) is not None and not _DOTTED.fullmatch(text)
    if not is_file and _PATH.fullmatch(text) is None and _ADDRESS.fullmatch(text) is None:
        cut = _CUT_BY_QUOTE.match(text)  # '<img src="' + root + 'a.png" alt="">'
        if cut is None or not (before.endswith("+") or script[string.start - 1] == "}"):
            return None
        return ScriptName(cut[1], Base.SOMEWHERE, is_tail=True)
    if is_file and (folder := _folder_before(script, string)) is not None:
        return ScriptName(folder + text, Base.SOMEWHERE)
    span = (string.start, string.end)
    is_tail = before.endswith("+") or script[string.start - 1] == "}"
    # Of what else could it be said? An index is full of commas.
    is_argument = before.endswith(("(", "=")) or (before.endswith(",") and ".open" in before)
    if is_argument:
        before = before[-_CALL_CHARS:]
    if is_argument and _BY_PAGE.search(before):
        is_whole = _IS_WHOLE.match(script, string.end + 1) is not None
        return ScriptName(text, Base.PAGE, *span) if is_file or is_whole else None
    if not is_file or (is_argument and _NO_FILE.search(before)):
        return None
    is_based = is_argument and _NEW_URL.search(before) is not None
    if is_based and text.startswith("../"):
        return None
    if before[-1:] in ("{", ",", "") and _IS_KEY.match(script, string.end + 1):
        return None
    return ScriptName(text, Base.SOMEWHERE, *span, is_tail=is_tail, is_based=is_based)


def _module_name(script: str, string: ScriptString, before: str) -> ScriptName | None:
    if not before.endswith(("(", ",", "import", "from")) or (before[-1] == "," and "importScripts" not in before):
        return None
    if _MODULE.search(before):
        if _GOES_ON.match(script, string.end + 1):  # import("./a/" + name)
            return None
        is_address = string.raw.startswith(ADDRESSES) or "importScripts" in before
        base = Base.MODULE if is_address else Base.PACKAGE
        return ScriptName(string.text, base, string.start, string.end)
    if _NEW_URL.search(before) and _ITS_BASE.match(script, string.end + 1):
        return ScriptName(string.text, Base.MODULE, string.start, string.end)
    return None


def _before(script: str, string: ScriptString) -> str:
    """The code in front of a string, up to its quote."""
    before = script[max(string.start - 1 - _LOOK_BACK, 0) : string.start - 1].rstrip()
    return _COMMENT_BEHIND.sub("", before).rstrip() if before.endswith("*/") else before


def _folder_before(script: str, string: ScriptString) -> str | None:
    """The folder in front of "/a.js", where it is a variable that was set to a text not far above.

    A parameter between the two is another variable of that name: in small scripts all are called e or t.
    """
    if not string.raw.startswith("/"):
        return None
    variable = _VARIABLE_BEHIND.search(script, max(string.start - _CALL_CHARS, 0), string.start)
    if variable is None:
        return None
    name, at = variable[variable.lastindex or 1], variable.start(variable.lastindex or 1)
    start = max(at - _LOOK_BACK_FOR_FOLDER, 0)
    for _ in range(_MOST_MENTIONS):
        at = script.rfind(name, start, at)
        if at < 0:
            break
        behind = at + len(name)
        if script[at - 1 : at] == "." or _IN_NAME.match(script, at - 1, at) or _IN_NAME.match(script, behind):
            continue
        if is_set := _IS_SET.match(script, behind):
            return is_set[1].rstrip("/") if _FOLDER.fullmatch(is_set[1]) else None
        if _IS_PARAMETER.match(script, behind) and not _is_in_condition(script, start, at):
            return None
    return None


def _is_in_condition(script: str, start: int, at: int) -> bool:
    bracket = script.rfind("(", start, at)
    return bracket >= 0 and script[max(bracket - _CALL_CHARS, 0) : bracket].rstrip().endswith(_CONDITIONS)


def _names_in_markup(markup: str) -> Iterator[ScriptName]:
    for found in _IN_MARKUP.finditer(markup):
        href = found[1] or found[2] or found[3]
        if _PATH.fullmatch(href):
            yield ScriptName(href, Base.PAGE)
