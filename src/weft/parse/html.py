"""One HTML page, or a drawing in SVG: its title, its base, what it asks of crawlers, and its links."""

from __future__ import annotations

from collections.abc import Sequence

from weft.parse.charset import decode
from weft.parse.link_kinds import LinkPlace
from weft.parse.page_links import PageLinks
from weft.parse.parsed_page import ParsedPage
from weft.parse.refresh import refresh_target
from weft.parse.robots_directives import robots_directives
from weft.parse.scan import ScanPage, Skipped, scan_page
from weft.regex import regex
from weft.types import Kind
from weft.url import LinkResolver

# A style sheet of an XML document stands before its root, where the tree of an HTML page has only a comment.
_XML_STYLE = LinkPlace.of(Kind.EMBED, "xml-stylesheet")
_XML_STYLE_HREF = regex(r"""<\?xml-stylesheet\s[^<>]*?\bhref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')""")
_PROLOG_CHARS = 4_096


def parse_html(
    body: bytes,
    url: str,
    content_type: str | None = None,
    headers: Sequence[tuple[bytes, bytes]] = (),
    agent: str = "weft",
    *,
    embeds: bool = True,
    needs_first: bool = False,
    keep_text: bool = False,
    notes: bool = False,
    skipped: Skipped | None = None,
    scan: ScanPage = scan_page,
) -> ParsedPage:
    """Parse a page that was fetched from `url`; `headers` are those of its response, names in lower case.

    Without `embeds`, what a page needs to look right is not looked for: it is as if the page did not have it. What it
    both shows and links to is a link, or with `needs_first` something that it needs. `scan` reads the text of pages
    where that is enough. With `keep_text` the decoded text comes along; with `notes`, what links say, and what the page
    says of itself. Of the links that are `skipped`, some or all are left out.

    Never raises because of what the page holds.
    """
    text, charset = decode(body, content_type)
    links = PageLinks(charset, embeds, scan, needs_first=needs_first, notes=notes, skipped=skipped)
    head = links.read(text, LinkResolver(url, charset), refresh_headers(headers))
    asked = robots_directives(headers, head.named, agent)
    if embeds and text.startswith("<?xml"):
        take_xml_styles(links, text, LinkResolver(url, charset))
    taker = links.fact_taker
    return ParsedPage(
        head.title,
        charset,
        head.resolver.url,
        links.places_but(url),
        links.vouched,
        asked.nofollow,
        asked.noindex,
        asked.noarchive,
        text=text if keep_text else "",
        said=links.said_but(url),
        facts=taker.facts(url, head.resolver, head.named, headers) if taker is not None else None,
    )


def take_xml_styles(links: PageLinks, text: str, resolver: LinkResolver) -> None:
    """Take in the style sheets that stand before the root of an XML document."""
    for double, single in _XML_STYLE_HREF.findall(text[:_PROLOG_CHARS]):
        links.take(resolver.resolve(double or single), _XML_STYLE)


def refresh_headers(headers: Sequence[tuple[bytes, bytes]]) -> list[str]:
    """Where the headers of a response send the browser."""
    if b"refresh" not in dict(headers):
        return []
    targets = [refresh_target(value.decode("latin-1")) for name, value in headers if name == b"refresh"]
    return [target for target in targets if target]
