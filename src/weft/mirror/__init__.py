"""A site that works with the network off: which file each URL becomes, and how links lead from file to file."""

from __future__ import annotations

from weft.lazy_names import make_callable

make_callable(__name__, "weft.api.mirror")
