# mypy: disable-error-code="import-untyped"
"""Broken links by other means: what warcio reads from an archive, and lxml from its pages. Nothing of weft is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin

from lxml import etree, html
from warcio.archiveiterator import ArchiveIterator

# By element and attribute; `link` is judged by its rel.
_ATTRIBUTES = (
    ("a", "href"), ("area", "href"), ("iframe", "src"), ("frame", "src"), ("img", "src"), ("script", "src"),
    ("source", "src"), ("video", "src"), ("video", "poster"), ("audio", "src"), ("embed", "src"), ("track", "src"),
    ("object", "data"), ("body", "background"),
)  # fmt: skip
_NO_LINKS = {"preconnect", "dns-prefetch", "search", "edituri", "pingback", "shortcut"}
_CSS_URL = re.compile(r"""(?:url\(\s*|@import\s+)(?:"([^"]*)"|'([^']*)'|([^'"()\s]+)\s*\))""")

Referrers = dict[str, set[str]]


def broken_links(archive: Path) -> Referrers:
    """URLs that answered 4xx or 5xx, each with all pages that refer to it."""
    status: dict[str, int] = {}
    digest_of: dict[str, str] = {}
    said: dict[str, list[str]] = {}  # by digest: of a page that is the same as another, the archive has the body once
    for path in sorted(archive.glob("*.warc*")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "revisit") and record.http_headers is not None:
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    digest_of[url] = digest = record.rec_headers.get_header("WARC-Payload-Digest")
                    status[url] = int(record.http_headers.get_statuscode())
                    if record.rec_type == "response":
                        kind = record.http_headers.get_header("Content-Type") or ""
                        said[digest] = list(_hrefs(kind, record.content_stream().read()))
    refers: Referrers = {}
    for url, digest in digest_of.items():
        for target in _resolved(url, said[digest]):
            refers.setdefault(target, set()).add(url)
    return {url: pages - {url} for url, pages in refers.items() if status.get(url, 0) >= 400}


def _hrefs(kind: str, body: bytes) -> Iterator[str]:
    """The base, which is empty if the page names none; then what it refers to."""
    if kind.startswith("text/css"):
        yield ""
        yield from _in_css(body.decode("utf-8", "replace"))
    elif kind.startswith(("text/html", "application/xhtml")) and body.strip():
        tree = html.document_fromstring(body, parser=_parser(kind, body))
        yield next(iter(tree.xpath("//base/@href")), "")
        yield from _in_html(tree)


def _parser(kind: str, body: bytes) -> html.HTMLParser:
    said = re.search(rb"charset=[\"']?([\w-]+)", kind.encode() + body[:2000])
    try:
        return html.HTMLParser(encoding=said[1].decode() if said else "utf-8", huge_tree=True)
    except LookupError:
        return html.HTMLParser(encoding="utf-8", huge_tree=True)


def _in_html(tree: etree._Element) -> Iterator[str]:
    for element, attribute in _ATTRIBUTES:
        yield from tree.xpath(f"//{element}/@{attribute}")
    for link in tree.xpath("//link[@href]"):
        if not _NO_LINKS.intersection((link.get("rel") or "").lower().split()) or "icon" in link.get("rel"):
            yield link.get("href")
    for choices in tree.xpath("//img/@srcset | //source/@srcset"):
        yield from (choice.split()[0] for choice in choices.split(",") if choice.strip())
    for style in [*tree.xpath("//style/text()"), *tree.xpath("//@style")]:
        yield from _in_css(style)


def _in_css(text: str) -> Iterator[str]:
    return (match[1] or match[2] or match[3] or "" for match in _CSS_URL.finditer(text))


def _resolved(url: str, hrefs: list[str]) -> Iterator[str]:
    base = urljoin(url, hrefs[0]) if hrefs else url
    for href in hrefs[1:]:
        with suppress(ValueError):
            target = urldefrag(urljoin(base, href.strip())).url
            if target.startswith(("http:", "https:")):
                yield quote(target, safe="/:?&=%#+,;@!$'()*~[]")
