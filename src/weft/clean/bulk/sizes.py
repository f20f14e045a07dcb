"""How much is taken in hand at once: paper 4's sizes, and the bounds that it does not have."""

from __future__ import annotations

import msgspec

from weft.cores import core_count

MB = 1_000_000


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Each may be set. The first four are the paper's."""

    read_rows: int = 500  # fetched at once
    block_pages: int = 100  # of these a block
    buffer_blocks: int = 10  # that wait for a worker
    write_rows: int = 100  # written at once, in one transaction
    buffer_bytes: int = 64 * MB  # of all pages between reading and writing
    write_bytes: int = 4 * MB  # beyond this a batch is written before it is full
    heavy_bytes: int = 1 * MB  # pages over this wait until nothing else is in hand: their trees take memory
    large_bytes: int = 8 * MB  # pages over this are done alone, by a process of their own
    largest_bytes: int = 64 * MB  # pages over this are set aside
    memory_bytes: int = 1000 * MB  # that a process of its own may take
    workers: int = 0  # the most; 0: one a core

    @property
    def most_workers(self) -> int:
        """The bound for the balancer."""
        return self.workers or core_count()
