"""Web app manifests as responses: the pictures that an installed page is shown by.

    {"icons": [{"src": "192.png"}], "screenshots": [{"src": …}], "shortcuts": [{"icons": [{"src": …}]}]}

All are Kind.EMBED. start_url and the shortcuts' own URLs are left out: they are pages that the site links to anyway,
mostly with a mark in the query that tells how somebody came.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weft.parse.charset import decode
from weft.parse.lenient_json import read_json
from weft.parse.link_kinds import LinkPlace
from weft.parse.parsed_page import HeaderPairs, LinkList, ParsedPage
from weft.types import Kind

_PICTURES = {name: LinkPlace.of(Kind.EMBED, f"{name}/src") for name in ("icons", "screenshots")}


def parse_manifest(
    body: bytes, url: str, content_type: str | None = None, headers: HeaderPairs = (), agent: str = "weft"
) -> ParsedPage:
    """Read a manifest that was fetched from `url`, to which its links are relative. Anything else returns no links."""
    text, charset = decode(body, "application/manifest+json; charset=utf-8")  # as JSON always is
    return ParsedPage.of_links(LinkList().take_all(_pictures(text), url), url, charset, headers, agent)


def _pictures(text: str) -> Iterator[tuple[str, LinkPlace]]:
    manifest = read_json(text.removeprefix("\ufeff"))
    if not isinstance(manifest, dict):
        return
    for thing in (manifest, *_dicts(manifest.get("shortcuts"))):
        for name, place in _PICTURES.items():
            for picture in _dicts(thing.get(name)):
                href = picture.get("src")
                if isinstance(href, str) and href.strip():
                    yield href, place


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [thing for thing in value if isinstance(thing, dict)] if isinstance(value, list) else []
