"""What a body is: said by its Content-Type, shown by its first bytes, or told by its file's name.

| file | question |
|---|---|
| `types` | which type does a Content-Type name, and of what family is it? |
| `endings` | which type has a file that ends so; how must a file of a type end? |
| `signatures` | what do the first bytes show? |
| `detection` | of which type is a body that begins so? There is always an answer |
| `medium` | what is a response to who reads its links: a page, a style sheet, a feed, a manifest? |

The tables are ours and not the system's, so that a file is the same on every machine.
"""

from __future__ import annotations

from weft.media.detection import detected_type
from weft.media.medium import FIRST_BYTES, Medium, is_html, may_lead, medium_of
from weft.media.types import media_type

__all__ = ["FIRST_BYTES", "Medium", "detected_type", "is_html", "may_lead", "media_type", "medium_of"]
