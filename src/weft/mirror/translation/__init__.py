"""The command lines of wget and HTTrack in weft's words: `weft mirror --from-wget '…'`.

    a command line ──words──▶ flags with their values ──table──▶ weft's flags, and remarks on what differs

Pure: nothing is asked for, and no file is read. Each program has a table with one row a flag (`wget`, `httrack`); it
says weft's way, or why there is none, and docs/mirror.md has the same sentences.
"""

from __future__ import annotations

from weft.mirror.translation.httrack import from_httrack
from weft.mirror.translation.row import Row, Translation
from weft.mirror.translation.wget import from_wget

__all__ = ["Row", "Translation", "from_httrack", "from_wget"]
