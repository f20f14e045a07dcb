"""What the engine and its workers say to each other: Setup, then one PageToClean after another; an Answer to each."""

from __future__ import annotations

import msgspec

from weft.clean import Cleaned, Form, Rules
from weft.clean.bulk.ports import RawPage, Result


class Setup(msgspec.Struct, frozen=True, array_like=True):
    """How pages are cleaned."""

    rules: Rules
    form: Form
    memory_bytes: int = 0  # of address space; 0: no limit


class PageToClean(msgspec.Struct, frozen=True, array_like=True):
    """A page to be cleaned."""

    content: bytes
    url: str
    content_type: str
    is_decoded: bool  # the content is text already, here in UTF-8
    template: dict[int, float] = {}
    damage: str = ""

    @classmethod
    def of(cls, page: RawPage) -> PageToClean:
        """The same page."""
        content = page.content
        if isinstance(content, str):
            return cls(content.encode("utf-8", "replace"), page.url, page.content_type, True, page.template)
        return cls(content, page.url, page.content_type, False, page.template, page.damage)


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What came of a page."""

    cleaned: Cleaned | None = None
    reason: str = ""

    def result(self, page: RawPage) -> Result:
        """With the page that it came of."""
        return Result(page, self.cleaned, self.reason)


decode_setup = msgspec.msgpack.Decoder(Setup).decode
decode_page = msgspec.msgpack.Decoder(PageToClean).decode
decode_answer = msgspec.msgpack.Decoder(Answer).decode
