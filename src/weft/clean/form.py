"""What a page is written as: the four words mean the same in every command, and of a `Page`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Form(StrEnum):
    """The output.

    Rules for attributes, comments, doctype and empty text concern HTML only: the other forms have none of these.
    """

    HTML = "html"  # decoded; what no rule touches is as it came
    TEXT = "text"  # the words that a reader sees, each block on a line of its own
    MARKDOWN = "markdown"  # the whole page, with whole URLs; what leads nowhere without the page's URL is its text
    ARTICLE = "article"  # the main content, as Markdown; the whole page where none can be told apart


# What `weft clean` deletes for who names no preset. Words are written of the page as it is: a form has one meaning.
PRESET_OF: Final[Mapping[Form, str]] = MappingProxyType(
    {Form.HTML: "paper", Form.TEXT: "none", Form.MARKDOWN: "none", Form.ARTICLE: "none"}
)
