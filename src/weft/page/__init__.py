"""What is made of a response: where it leads, what is noted of it, and the `Page` that a user gets.

| file | subject |
|---|---|
| `page` | a page as users see it |
| `pdf_text` | the text of a PDF |
| `pdf_reader` | the process that reads it |
| `made_response` | a response that never came, to try a function with |
| `request` | a request that a user's function asks for |
| `hooks` | what a user's hooks are given and return |
| `forms` | a form of a page, filled in |
| `form_body` | its fields as they are sent |
| `contents` | the parsed contents of a response |
| `bodies` | a body in pieces, wherever it lies |
| `large_pages` | which pages are read one at a time |
| `leads` | where a response leads |
| `judge` | how much a page and its links have to do with a topic |
| `needles` | several strings looked for in a text at once |
| `topic_words` | where a page has words of the topic |
| `linked_text` | the text around them, and which links are near |
| `unseen` | scripts, styles and comments, where words do not count |
| `link_finder` | which of its links the engine should hear of |
| `likeness` | what a page is like, to compare it with others |
| `notes` | what the archive notes of it |
| `extract` | what a user's functions and the cleaner make of it |
| `user_functions` | a user's functions and sites: called, their results taken, their failures named |
| `rule_book` | which function is called with which page, and which sees its items |
| `item_types` | which items a function wants |
| `items` | items checked, and written as JSON |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.page.hooks import HookRequest, Retry
    from weft.page.page import Page
    from weft.page.request import Request, RequestOptions
    from weft.parse.metadata import Metadata

__all__ = ["HookRequest", "Metadata", "Page", "Request", "RequestOptions", "Retry"]

# A worker needs it only where a user's function is to see a page.
__getattr__ = lazy_names(
    __name__,
    {
        "HookRequest": "weft.page.hooks",
        "Metadata": "weft.parse.metadata",
        "Page": "weft.page.page",
        "Request": "weft.page.request",
        "RequestOptions": "weft.page.request",
        "Retry": "weft.page.hooks",
    },
)
