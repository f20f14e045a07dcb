"""Which answers become files: all with content, unless the user's rules say otherwise; pages of errors if they do."""

from __future__ import annotations

from typing import Final

import msgspec

from weft.config import CrawlConfig
from weft.filter.accept import Accepting
from weft.filter.by_answer import AnswerRules, file_rules
from weft.filter.condition import ERROR, Answer
from weft.folder.history import has_content
from weft.folder.page_rows import link_of
from weft.state import Batch, State
from weft.types import Kind, Outcome, PageRow
from weft.url import is_own_request

SAVED_BY: Final = b"saved-by"  # in `meta`: the rules by which the files are those that they are


class SavedBy(msgspec.Struct, frozen=True, array_like=True):
    """The settings that say so."""

    accept: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    requisites_anywhere: bool = True


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(SavedBy).decode


class Saving:
    """By the settings of one run."""

    def __init__(self, config: CrawlConfig) -> None:
        self._accepting = Accepting(config.accept) if config.accept else None
        self.saves_errors = self._accepting is not None and self._accepting.saves_errors
        self._rules: AnswerRules | None = file_rules(config)

    def is_file(self, page: PageRow) -> bool:
        """Whether a page is to be a file of the mirror."""
        if not has_content(page) and not (self.saves_errors and _is_error(page)):
            return False
        answer = Answer(page.mime, page.body_bytes, status=page.status)
        if self._accepting is not None and not self._accepting.saves(page.url, answer):
            return False
        if self._rules is None or is_own_request(page.parts):
            return True
        return self._rules.refused_by(link_of(page), page.status, answer) is None


def _is_error(page: PageRow) -> bool:
    """Whether it is a page that a server shows in place of another, which somebody has linked to."""
    is_whole = page.outcome is Outcome.RESPONSE and not page.truncated
    return is_whole and page.status >= ERROR and page.body_bytes > 0 and page.kind is not Kind.GUESS


def remember_saving(batch: Batch, config: CrawlConfig) -> None:
    """The files are those of these settings from now on."""
    said = SavedBy(config.accept, config.rules, config.include, config.exclude, config.requisites_anywhere)
    batch.put("meta", SAVED_BY, _encode(said))


def saving_before(state: State, config: CrawlConfig) -> Saving:
    """What was saved by the run before; by these settings if there was none."""
    row = state.get("meta", SAVED_BY)
    return Saving(config if row is None else CrawlConfig(**msgspec.structs.asdict(_decode(row))))
