"""The products of a shop, from the JSON-LD of its pages: an item each in `items.jsonl`.

    weft crawl https://example.org --extract extract_products:items
    cat crawl-example.org/items.jsonl

weft calls the function in its workers, with each page that it has fetched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import weft


def items(page: weft.Page) -> Iterator[dict[str, Any]]:
    """What the page sells."""
    if not page.is_html:
        return
    for script in page.document.select('script[type="application/ld+json"]'):
        try:
            found = json.loads(script.text)
        except ValueError:
            continue  # somebody else's mistake
        for thing in found if isinstance(found, list) else [found]:
            if isinstance(thing, dict) and thing.get("@type") == "Product":
                yield {"url": page.url, "name": thing.get("name"), "offers": thing.get("offers")}
