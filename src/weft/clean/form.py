"""What a cleaned page is written as."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Form(StrEnum):
    """The output.

    Rules for attributes, comments, doctype and empty text concern HTML only: the other forms have none of these.
    """

    HTML = "html"
    TEXT = "text"  # the words that a reader sees, each block on a line of its own
    MARKDOWN = "markdown"  # with whole URLs; a link that leads nowhere without the page's URL is its text
    ARTICLE = "article"  # the main part of the page, as Markdown; the whole page where none can be told apart


# The preset that suits a form best, for who names none: `paper` kills `br`, which text and Markdown want.
PRESET_OF: Final[Mapping[Form, str]] = MappingProxyType(
    {Form.HTML: "paper", Form.TEXT: "text", Form.MARKDOWN: "article", Form.ARTICLE: "article"}
)
