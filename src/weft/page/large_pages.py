"""Large pages: a tree takes up to fifty times its page's size, and seconds.

Measured on pages of 10 MiB: ordinary markup takes 10 to 20 times its size, `<p>x` again and again 45 times, zeros
50 times, and nothing but links another 600 bytes each. So no tree is built of more than MAX_TREE_BYTES or MAX_ELEMENTS:
what is larger is scanned part by part (`parse.long_page`). Pages over LARGE_BYTES are read by one worker only, one at a
time, while the others go on (`pipeline.parse_workers`).
"""

from __future__ import annotations

from typing import Final

from weft.errors import WeftError

MIB: Final = 1024 * 1024
LARGE_BYTES: Final = 1 * MIB
MAX_TREE_BYTES: Final = 10 * MIB
MAX_ELEMENTS: Final = 400_000
# UTF-16 has a zero in every second byte. More than that is no text.
MOST_ZEROS: Final = 0.6


class LargePage(WeftError):
    """A large page, met by a worker that does not read such."""


def fits_a_tree(body: bytes) -> bool:
    """Whether the tree of a body fits into memory."""
    if len(body) <= LARGE_BYTES:
        return True
    if len(body) > MAX_TREE_BYTES:
        return False
    tags = body.count(b"<")
    is_dense = tags > MAX_ELEMENTS and tags - body.count(b"</") > MAX_ELEMENTS  # the second count takes its time
    return not is_dense and body.count(0) <= len(body) * MOST_ZEROS
