"""What a page says of itself: title, authors, dates, site, type, picture.

    tree ─┬─ meta, itemprop, JSON-LD ───▶ claims, by name       claims.py, things.py
          ├─ headings, bylines, dates ──▶ what a reader sees    visible.py
          └─ URL ───────────────────────▶ a date in its path    written_dates.py
                                            │
                     for each field the best of them: page_metadata.py, with headline.py, names.py

Each field has an order of sources, the most deliberate first: what was written for machines, then what stands near
the headline. All of it may be wrong, missing, broken or hostile; so nothing raises, everything is bounded, and what
cannot be true (a date in the future, an author called admin) is passed over for the next source.
"""

from __future__ import annotations

from weft.parse.metadata.fields import Metadata
from weft.parse.metadata.page_metadata import page_metadata

__all__ = ["Metadata", "page_metadata"]
