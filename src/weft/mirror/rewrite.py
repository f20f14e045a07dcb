"""Links of saved files become local: relative to what was saved, absolute to what was not.

    body ──View──▶ text of the same length ──▶ page_edits, style_edits, manifest_edits ──▶ splice ──▶ body

Done at the end of a mirror, when it is known what became of every URL. Nothing is parsed and written again: the places
of links are found in the bytes, and other bytes are put there. All else stays as the server sent it, in its own
charset, and a file without a link to change is the same file.

| file | question |
|---|---|
| `syntax` | by whose rules is it read? |
| `view` | which text is it, byte by byte? |
| `tags` | where are tags and styles? |
| `scan` | the same in C, for all but rare pages |
| `link_attributes` | which attributes hold links? |
| `edits` | texts inside texts: references, escaping |
| `manifest`, `script`, parse's `css_spans` and `value_spans` | where are the URLs in it? |
| `links` | what does a link mean, and what must stand there? |
| `page` | the edits of a page |
| `label` | will a browser know the charset without the server's word? |

Decided, and why:

- Comments stay, conditional ones too: only a browser of long ago reads these. Templates and noscript elements are
  changed like all else, because a script or its absence may show them.
- Of scripts, only what is surely an address is changed: what modules import, and names of saved files that have a
  query. All other strings stay.
- A base is obeyed and emptied; its `target` stays. `integrity` and `crossorigin` go from what is loaded from the disk.
- A canonical address, and the action of a form that is posted, are absolute even if they were saved.
- A link that leads to its file as it stands is not touched: `./x.html`, `a b.html`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.mirror.edits import Edit
from weft.mirror.label import label_edits
from weft.mirror.links import KnownLinks, Links, Local, Remote, Target
from weft.mirror.manifest import manifest_edits
from weft.mirror.page import marked_page_edits, page_edits, style_edits
from weft.mirror.scan import MARKER
from weft.mirror.script import may_import, may_name, name_edits, script_edits
from weft.mirror.syntax import Syntax
from weft.mirror.view import View

if TYPE_CHECKING:
    from weft.mirror._marks import Marker

__all__ = ["KnownLinks", "Local", "Remote", "Rewritten", "Syntax", "Target", "rewrite"]


class Rewritten(msgspec.Struct, frozen=True, gc=False):
    """A file as it is to be saved."""

    body: bytes
    changed: bool  # False: it is what the server sent
    edits: int  # in how many places it is not


def rewrite(
    body: bytes,
    syntax: Syntax,
    charset: str,
    url: str,
    target: Target,
    header_charset: str | None = None,
    shared: KnownLinks | None = None,
    marker: Marker | None = MARKER,
) -> Rewritten:
    """Make the links of a file local.

    `url` is its canonical URL, `charset` the WHATWG name of what it is written in; `target` is asked for such.
    `header_charset` is the charset that the Content-Type named: where nothing in the file says the same, it is noted
    there. `shared` is what the pages of a folder have in common. `marker` finds links faster than Python does, where it
    was built. Never raises because of what the file holds.
    """
    view = View(body, charset)
    links = Links(url, target, view.characters, charset, shared=shared if syntax is Syntax.HTML else None)
    edits = _edits(view, syntax, links, marker)
    edits = sorted(edits + label_edits(view, syntax, charset, header_charset))
    if not edits:
        return Rewritten(body, False, 0)
    rewritten = view.splice(edits)
    return Rewritten(rewritten, rewritten != body, len(edits))


def _edits(view: View, syntax: Syntax, links: Links, marker: Marker | None) -> list[Edit]:
    match syntax:
        case Syntax.CSS:
            return list(style_edits(view.text, links))
        case Syntax.SCRIPT:
            imports = script_edits(view.text, links) if may_import(view.body) else ()
            return [*imports, *(name_edits(view.text, links) if may_name(view.body) else ())]
        case Syntax.MANIFEST:
            return list(manifest_edits(view.text, links))
        case Syntax.HTML if marker is not None and view.is_bytewise:
            return marked_page_edits(view, links, marker)
        case _:
            return page_edits(view.text, links, syntax is Syntax.XML)
