"""A mirror to look at: a small server of one folder's files, for one's own browser on one's own machine.

    request → root (which site is at /), site (which file, if any) → answer (whole, part, not modified) → server (bytes)

Nothing outside the folder is served, and nothing of weft's own in it. A type never says a charset: a page's own word
counts, as it does from the disk.
"""

from __future__ import annotations

from weft.serve.root import Root, root_of
from weft.serve.server import MirrorServer
from weft.serve.site import Site

__all__ = ["MirrorServer", "Root", "Site", "root_of"]
