"""What is told of a page's content, when more is asked for than the index knows.

A page is read once, whatever is asked for, and each of its forms is made once: filters judge by the same text that is
written. It may be done in another process (`reading`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from weft.config import PageForm
from weft.errors import BadInput
from weft.export.languages import three_letters
from weft.export.metadata_fields import metadata_fields
from weft.folder.reading import CrawlReader
from weft.page import Page
from weft.page.page import article_without
from weft.parse.article import NO_TEMPLATE
from weft.parse.language import primary_tag, text_language
from weft.parse.simhash import NO_TEXT, simhash
from weft.regex import regex

ARTICLE: Final = "article"
TEXT: Final = "text"
# Where a link or a picture of Markdown leads to, and what stands as a URL in any text.
_ADDRESS: Final = regex(r"(?<=\])\([^()\s]*+\)|https?://[^\s<>()]*+")
# Norwegian is written in two ways, each with a tag of its own.
_ALSO = {"no": ("nb", "nn")}


class Content(msgspec.Struct, frozen=True):
    """The forms of a page that are wanted, and what its text must be like. Any of it means that pages are read."""

    forms: tuple[PageForm, ...] = ()
    languages: tuple[str, ...] = ()  # primary tags; none: any
    min_length: int = 0
    max_length: int | None = None
    no_near_duplicates: bool = False
    templates: bool = True  # what stands on many pages of a site is in no article

    @property
    def filters(self) -> bool:
        """Whether pages are left out for what their text is like."""
        return bool(self.languages or self.min_length or self.max_length is not None or self.no_near_duplicates)

    @property
    def is_wanted(self) -> bool:
        """Whether pages must be read at all."""
        return bool(self.forms) or self.filters

    @property
    def judged_by(self) -> PageForm:
        """The form whose language and length count, and which must be unlike others'."""
        return ARTICLE if ARTICLE in self.forms else TEXT


class Told(msgspec.Struct, array_like=True):
    """What is known of a page once it was read."""

    forms: dict[str, str] = {}
    metadata: dict[str, Any] = {}  # if forms are wanted
    detected_type: str = ""  # by the first bytes
    language: str = ""  # what the page says, else what its text is
    detected_language: str = ""  # what its text is
    simhash: int = NO_TEXT
    left_out: str = ""  # which filter says so
    fingerprints: list[int] = []  # if templates are learnt

    @property
    def true_language(self) -> str:
        """What its text is; if that cannot be told, what the page says."""
        return self.detected_language or self.language


def told_of(
    page: Page | None, kept: Mapping[str, str], content: Content, template: Mapping[int, float] = NO_TEMPLATE
) -> Told:
    """A page's content as it is wanted; `kept` are forms that need not be made. Empty if there is no text."""
    forms: dict[str, str] = {
        form: kept[form] if form in kept else form_of(page, form, template) for form in content.forms
    }
    judged_by = content.judged_by
    text = forms[judged_by] if judged_by in forms else kept.get(judged_by) or form_of(page, judged_by)
    told = Told(forms, language=page.language if page else "", detected_language=text_language(_words(text)))
    told.left_out = _why_not(told, len(text), content)
    if told.left_out:
        return Told(left_out=told.left_out)
    if content.no_near_duplicates:
        told.simhash = simhash(text)
    if content.forms:
        told.metadata = metadata_fields(page)
    told.detected_type = page.detected_type if page else ""
    return told


def _words(text: str) -> str:
    """A text, or an article, without addresses: the words in them are of no language, or of another one."""
    return _ADDRESS.sub("", text)


def form_of(page: Page | None, form: PageForm, template: Mapping[int, float] = NO_TEMPLATE) -> str:
    """A page in a form; its article without what is known to stand on many pages of its site."""
    if page is None:
        return ""
    match form:
        case "html":
            return page.html
        case "text":
            return page.text
        case "markdown":
            return page.markdown()
        case "article":
            return article_without(template, page)


def _why_not(told: Told, length: int, content: Content) -> str:
    if length < content.min_length:
        return "too short"
    if content.max_length is not None and length > content.max_length:
        return "too long"
    return "another language" if content.languages and told.true_language not in content.languages else ""


def language_tags(given: tuple[str, ...]) -> tuple[str, ...]:
    """The tags by which languages are known that a person names: `de`, `deu`, `de-AT`."""
    tags: list[str] = []
    for word in given:
        if not (tag := primary_tag(word)) or three_letters(tag) is None:
            raise BadInput(f"--language {word!r} is no language: en, de and zh are some")
        tags += [tag, *_ALSO.get(tag, ())]
    return tuple(dict.fromkeys(tags))


def keeps_forms(reader: CrawlReader, content: Content) -> bool:
    """Whether the crawl has kept a form that is wanted."""
    return not {*content.forms, content.judged_by}.isdisjoint(reader.config.with_forms)


def uses_templates(reader: CrawlReader, content: Content) -> bool:
    """Whether articles are made here, and what stands on many pages of a site is not to be in them.

    A crawl that has kept articles has read each page alone, and all articles of an export are made in one way.
    """
    return content.templates and ARTICLE in content.forms and ARTICLE not in reader.config.with_forms
