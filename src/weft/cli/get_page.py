"""One page, fetched and printed: what `weft get` does. Typer is not needed for it (`quick`)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weft.cli.one_page import end_without_page, one_page_fields, page_at
from weft.cli.printing import printable, printed
from weft.errors import BadInput
from weft.regex import regex

if TYPE_CHECKING:
    from weft.page import Page

# What moves the cursor of a terminal, or turns the direction of writing.
_MOVES_CURSOR: Final = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

MARKDOWN: Final = "markdown"
TEXT: Final = "text"
HTML: Final = "html"
JSON: Final = "json"
FORMS: Final = (MARKDOWN, TEXT, "article", HTML, "links", JSON)


def print_page(url: str, form: str, flags: Mapping[str, object], config: Path | None) -> None:
    """Fetch a page and print it in a form; where that cannot be, nothing is printed but the reason."""
    if form not in FORMS:
        raise BadInput(f"--to must be one of {', '.join(FORMS)}, not {form!r}")
    page = page_at(url, one_page_fields(flags, config))
    if page.status >= 400:
        end_without_page(f"{page.url}: the server answered with status {page.status}")
    written = written_as(page, form)
    with printed() as out:
        out.write(written)
    if page.row.truncated:
        from weft.page.page import MAX_BODY_BYTES  # only for this
        from weft.stats.verdict import counted

        length = counted(len(page.body), "byte")
        more = "--max-body takes more" if len(page.body) < MAX_BODY_BYTES else "a page in memory has no more"
        print(f"weft: {page.url} is cut after {length}: {more}", file=sys.stderr)


def written_as(page: Page, form: str) -> bytes:
    """A page in a form; BadInput if it has none."""
    on_terminal = sys.stdout.isatty()
    if form == JSON:
        return json.dumps(described(page)).encode() + b"\n"
    if _is_binary(page) and not (form == TEXT and _has_text(page)):
        what = f"{page.url} is no text ({printable(page.media_type) or 'of no type'})"
        if form != HTML:
            raise BadInput(f"{what}: --to html writes it as it is")
        if on_terminal:
            raise BadInput(f"{what}, and no terminal can show it: `> FILE` takes it")
        return page.body
    text = _WRITERS[form](page)
    if text and not text.endswith("\n"):
        text += "\n"
    if on_terminal:
        text = _MOVES_CURSOR.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
    return text.encode(errors="replace")


def described(page: Page) -> dict[str, object]:
    """What --to json prints: what a `weft.Page` knows, by the same names."""
    return {
        "url": page.url,
        "status": page.status,
        "fetched_at": page.fetched_at.isoformat(timespec="milliseconds"),
        "via": page.via,
        "headers": dict(page.headers),
        "media_type": page.media_type,
        "charset": page.charset,
        "title": page.title,
        "language": page.language,
        "links": page.links,
        "requisites": page.requisites,
        "markdown": page.markdown(),
    }


_WRITERS: Final[Mapping[str, Callable[[Page], str]]] = {
    MARKDOWN: lambda page: page.markdown(),
    TEXT: lambda page: page.text,
    "article": lambda page: page.article(),
    HTML: lambda page: page.html,
    "links": lambda page: "\n".join(page.links),
}


def _has_text(page: Page) -> bool:
    """Whether it is a PDF with text in it; BadInput if nothing here can read it."""
    from weft.page.pdf_text import PDF, can_read_pdf, how_to_read_pdf  # only for this

    if page.detected_type == PDF and not can_read_pdf():
        raise BadInput(f"{page.url} is a PDF, and {how_to_read_pdf()}")
    return bool(page.text)


def _is_binary(page: Page) -> bool:
    return bool(page.body) and not page.charset
