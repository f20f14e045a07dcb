r"""The edits that make the links of a web manifest local: its icons, screenshots and start page.

{"icons": [{"src": "\/i\/192.png"}], "start_url": "/"}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from weft.mirror.edits import Edit
from weft.mirror.links import Links
from weft.regex import regex
from weft.repeats import repeated

# A string without an end goes on to the end of the file, so that nothing is looked at again.
_CHARACTERS: Final = repeated(r'[^"\\]++|\\.')
_MEMBER = regex(rf'"{_CHARACTERS}(?:"|\Z|\\\Z)(?:[\t\n\r ]*+:[\t\n\r ]*+"({_CHARACTERS})")?', re.DOTALL)
_NAMES = ('"src"', '"url"', '"start_url"')


def manifest_edits(text: str, links: Links) -> Iterator[Edit]:
    """Where `src`, `url` and `start_url` have strings."""
    for found in _MEMBER.finditer(text):
        if found[1] and found[0].startswith(_NAMES):
            try:
                href = json.loads(f'"{found[1]}"', strict=False)
            except ValueError:
                continue
            meant = links.meaning(href).href
            if meant is not None:
                yield Edit(*found.span(1), json.dumps(meant)[1:-1])
