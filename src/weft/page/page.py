"""A page as users see it: in their own functions, in `async for`, and read back from a crawl folder.

Everything that takes time is worked out when it is first asked for, and then kept.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Unpack

import turbohtml

from weft.errors import BadUrl
from weft.fetch import decode_response
from weft.media import FIRST_BYTES, detected_type, is_html, media_type
from weft.media.signatures import has_binary_byte, type_by_signature
from weft.media.types import is_text
from weft.page.contents import Contents, read_contents
from weft.page.pdf_text import PDF, pdf_text
from weft.page.request import Request, RequestOptions
from weft.parse import Found, LongPage, decode
from weft.parse.article import NO_TEMPLATE
from weft.parse.language import page_language, text_language
from weft.parse.markdown import page_markdown
from weft.parse.metadata import Metadata, page_metadata
from weft.parse.text import page_text
from weft.types import Fetched, Kind, Outcome, PageRow
from weft.url import canonicalize

MIB = 1024 * 1024
MAX_BODY_BYTES = 64 * MIB  # a longer body is cut here; the archive has all of it


class Headers(Mapping[str, str]):
    """A response's headers; a name may be written in any case. One that came more than once is joined by commas."""

    def __init__(self, pairs: tuple[tuple[bytes, bytes], ...]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.decode("latin-1").lower(), []).append(value.decode("utf-8", "replace"))

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._values[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"

    def all(self, name: str) -> list[str]:
        """The values of a header that may come more than once, such as Set-Cookie."""
        return list(self._values.get(name.lower(), ()))


class Page:
    """A URL that was visited, and what came of it."""

    def __init__(self, row: PageRow, load: Callable[[], Fetched]) -> None:
        self._row = row
        self._load = load

    @classmethod
    def from_html(
        cls,
        html: str | bytes,
        url: str = "https://example.org/",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Page:
        """A page that was never fetched, to try a function with: `titles(weft.Page.from_html("<h1>A"))`.

        A text is taken as it is. Bytes are decoded as a server's would be, by the charset of `headers` or their own.
        """
        # Imported by those who ask for it: workers get their pages from servers.
        from weft.page.made_response import made_response

        canonical, now = canonicalize(url), time.time()
        response = made_response(html, canonical, status, headers, now)
        row = PageRow(canonical, status, now, 0, kind=Kind.SEED, body_bytes=response.body_bytes)
        return cls(row, lambda: response)

    def __repr__(self) -> str:
        return f"<Page {self.url} {self.status or self.outcome}>"

    @property
    def url(self) -> str:
        """Its canonical URL."""
        return self._row.url

    @property
    def status(self) -> int:
        """The HTTP status; 0 when no response came."""
        return self._row.status

    @property
    def outcome(self) -> Outcome:
        """How the request ended: `Outcome.RESPONSE`, or what went wrong."""
        return self._row.outcome

    @property
    def depth(self) -> int:
        """How many links it is away from a seed."""
        return self._row.depth

    @property
    def via(self) -> str:
        """The URL of the page on which it was found; empty for a seed."""
        return self._row.via

    @property
    def kind(self) -> Kind:
        """How it was found."""
        return self._row.kind

    @property
    def fetched_at(self) -> datetime:
        """When it was asked for."""
        return datetime.fromtimestamp(self._row.fetched_at, UTC)

    @property
    def row(self) -> PageRow:
        """All that the crawl's index knows of it."""
        return self._row

    @cached_property
    def headers(self) -> Headers:
        """The headers of the response."""
        return Headers(self._response.headers if self._response else ())

    @property
    def media_type(self) -> str:
        """What the server says it is: `text/html`."""
        return media_type(self.headers.get("content-type"))

    @property
    def detected_type(self) -> str:
        """What its first bytes show it to be, whatever the server says: `text/html`, `application/pdf`; never empty."""
        return detected_type(self.body[:FIRST_BYTES], self.headers.get("content-type"))

    @cached_property
    def body(self) -> bytes:
        """The body, chunking and compression undone; at most 64 MB of it."""
        return decode_response(self._response, MAX_BODY_BYTES).data if self._response else b""

    @property
    def charset(self) -> str:
        """The charset of the body, by its name on the web in lower case; empty when it is no text."""
        return self._decoded[1]

    @property
    def html(self) -> str:
        """The body as text; empty when it is none."""
        return self._decoded[0]

    @property
    def is_html(self) -> bool:
        """Whether it is a page with text and links."""
        return is_html(self.headers.get("content-type"), self.body[:FIRST_BYTES]) and not self._is_a_file

    @property
    def title(self) -> str:
        """What stands in its title element."""
        return self._parsed.title if self._parsed else ""

    @property
    def links(self) -> list[str]:
        """The URLs of the pages it leads to, each once, in their order; also those that the crawl does not follow."""
        return [found.url for found in self._found if found.kind not in (Kind.EMBED, Kind.GUESS)]

    @property
    def requisites(self) -> list[str]:
        """The URLs of what it needs to look right: images, style sheets, scripts."""
        return [found.url for found in self._found if found.kind is Kind.EMBED]

    @cached_property
    def document(self) -> turbohtml.Document:
        """Its tree, to select from: `page.document.select("h2")`."""
        return turbohtml.parse(self.html if self.is_html else "", positions=False)

    @cached_property
    def text(self) -> str:
        """What a reader sees, without markup; for other kinds of text, the text; of a PDF too, with pypdfium2."""
        if self.is_html:
            return page_text(self.document)
        if not self.html and self.detected_type == PDF:
            return pdf_text(self.body)
        return self.html

    @cached_property
    def language(self) -> str:
        """Its language as a short tag, such as `de`: what it says itself, else a guess by its script; or empty."""
        said = page_language(self.document, "", self.headers.get("content-language"))
        return said or text_language(self.text)  # made last: it costs most

    @cached_property
    def metadata(self) -> Metadata:
        """What it says of itself: title, authors, dates, site, type, picture; empty fields if it is no HTML page."""
        if not self.is_html:
            return Metadata()
        return page_metadata(
            self.document,
            self.url,
            self.fetched_at.date() + timedelta(days=1),  # it may be tomorrow already where it was written
            language=self.language,
            headers=self._response.headers if self._response else (),
        )

    def markdown(self, *, main_only: bool = False) -> str:
        """The whole page as Markdown, with absolute links. `main_only` is what `article()` is now."""
        if main_only:
            warnings.warn("page.markdown(main_only=True) is now page.article()", DeprecationWarning, stacklevel=2)
            return self.article()
        return self._as_markdown(main_only=False)

    def article(self) -> str:
        """Its main content as Markdown, without menus, headers and footers; all of it if they cannot be told apart."""
        return self._as_markdown(main_only=True)

    def _as_markdown(self, *, main_only: bool, template: Mapping[int, float] = NO_TEMPLATE) -> str:
        if not self.is_html:
            return self.html
        return page_markdown(self.document, self._base, charset=self.charset, main_only=main_only, template=template)

    def follow(self, url: str, **options: Unpack[RequestOptions]) -> Request:
        """A request for a URL, which may be relative to the page, to be yielded by a function in a worker.

        What stands in a page may be no URL, or a `mailto:`: then it is refused and counted when it is yielded.
        """
        if isinstance(url, str):  # else the next line says so
            with suppress(BadUrl):
                url = canonicalize(url, self._base, self.charset or "utf-8")
        return Request(url, **options)

    def submit(
        self,
        values: Mapping[str, object] | None = None,
        *,
        form: str | int | None = None,
        button: str | None = None,
        headers: Mapping[str, str] | None = None,
        kind: Kind = Kind.LINK,
    ) -> Request:
        """A form of the page with these values filled in, as a request to be yielded; other fields keep theirs.

        A value is a text, a list of texts, True or False for a box, or None to leave the field out. `form` is the
        form's number, its name or id, or a CSS selector; without it, the first form that has the fields is meant.
        `button` is the name, id, value or text of the button to press, or empty for none; else it is the first one.
        Raises BadInput if there is no such form, field or button. A form with a password is kept out of the archive;
        one that would put it into a URL raises BadInput.
        """
        from weft.page.forms import form_on, submitted

        given = values or {}
        filled = form_on(self.document, form, given).filled(given, button, self.charset or "utf-8")
        return submitted(filled, self.url, self._base, headers or {}, kind)

    def json(self) -> Any:
        """What its body says as JSON, as dicts and lists; raises ValueError if it is none."""
        from json import loads  # few pages are

        return loads(self.html or self.body)

    @cached_property
    def _response(self) -> Fetched | None:
        return self._load() if self._row.status else None

    @cached_property
    def _is_a_file(self) -> bool:
        """Whether it is plainly a PDF, a picture or the like, though the server may call it a text."""
        first_bytes = self.body[:FIRST_BYTES]
        found = type_by_signature(first_bytes)
        # A text may begin like a file, as "BMW" does like a bitmap: it has none of a file's other bytes.
        return found == PDF or (bool(found) and has_binary_byte(first_bytes))

    @cached_property
    def _decoded(self) -> tuple[str, str]:
        if self._is_a_file or not (self.is_html or is_text(self.media_type)):
            return "", ""
        return decode(self.body, self.headers.get("content-type"))

    @cached_property
    def _parsed(self) -> Contents | None:
        return read_contents(self._response, self.headers.get("content-type")) if self._response else None

    @cached_property
    def _found(self) -> list[Found]:
        page = self._parsed
        if isinstance(page, LongPage):
            return list({found.url: found for part in page.parts() for found in part.links}.values())
        return page.links if page else []

    @property
    def _base(self) -> str:
        return self._parsed.base if self._parsed else self.url


def article_without(template: Mapping[int, float], page: Page) -> str:
    """A page's article, without what is known to stand on many pages of its site."""
    return page._as_markdown(main_only=True, template=template)
