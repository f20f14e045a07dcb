"""Blocks of code: what they hold, and in which language.

<div class="highlight-python3"><pre>            Sphinx
<div class="language-ruby highlighter-rouge">   Jekyll
<pre><code class="language-js">                 CommonMark, highlight.js, Prism
<pre class="brush: css; toolbar: false">        SyntaxHighlighter
<div class="sourceCode"><pre class="sourceCode haskell">
<figure data-lang="go">
"""

from __future__ import annotations

import copy
from typing import Final

from turbohtml import Element

from weft.parse.markdown.escape import fence_around
from weft.parse.text import HIDDEN, text_as_written
from weft.regex import regex

# Numbers beside the lines, some of them a `pre` of their own.
LINE_NUMBERS: Final = (
    ".linenos, .lineno, .linenodiv, .line-numbers-rows, .rouge-gutter, .hljs-ln-numbers, .blob-num, td.gutter,"
    " td.line-numbers, pre .gutter, pre .line-number, pre .line-numbers"
)
_NOT_CODE: Final = f"{HIDDEN}, {LINE_NUMBERS}"
_LANGUAGE: Final = regex(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight|src|code)-|brush:\s*|(?:sourceCode|hljs|rouge)\s+)"
    r"(?P<name>[A-Za-z][\w+#.-]{0,30})(?=[\s;]|$)"
)
_NO_LANGUAGE: Final = frozenset((
    "block", "code", "default", "example", "none", "nohighlight", "notranslate", "numbertable", "plain", "plaintext",
    "text", "txt", "wrap", "wrapper",
))  # fmt: skip
_LEVELS_UP: Final = 3


def code_block(pre: Element) -> str:
    """A fenced block; nothing, if it is empty."""
    code = code_in(pre)
    if not code:
        return ""
    fence = fence_around(code, 3)
    return f"{fence}{language_of(pre)}\n{code}\n{fence}"


def code_in(pre: Element) -> str:
    """What a reader sees of it, without the numbers of its lines."""
    if pre.select_one(_NOT_CODE) is not None:
        pre = copy.deepcopy(pre)
        pre.remove(_NOT_CODE)
    return text_as_written(pre).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()


def language_of(pre: Element) -> str:
    """The name of the language as the page has it, in small letters; nothing, if it has none."""
    candidates = [pre.select_one("code"), pre]
    parent = pre.parent
    for _ in range(_LEVELS_UP):
        if not isinstance(parent, Element) or parent.tag not in ("div", "figure", "td", "tr", "tbody", "table"):
            break
        candidates.append(parent)
        parent = parent.parent
    for element in candidates:
        if element is not None and (name := _named_by(element)):
            return name
    return ""


def _named_by(element: Element) -> str:
    named = element.attr("data-lang") or element.attr("data-language")
    classes = f"language-{named}" if named else element.attr("class") or ""
    for found in _LANGUAGE.finditer(classes):
        name = found["name"].lower()
        if name not in _NO_LANGUAGE:
            return name
    return ""
