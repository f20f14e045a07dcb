"""What is asked of the C library's allocator. Not every C library can be asked; weft works with all of them."""

from __future__ import annotations

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
MIB = 1024 * 1024
MAPPED_BYTES = 4 * MIB  # so much at once comes from the system, and goes back
ENGINE_KEPT_BYTES, ENGINE_MAPPED_BYTES, ENGINE_HEAPS = MIB, MIB // 2, 2


def keep_memory(kept_bytes: int, mapped_bytes: int = MAPPED_BYTES, *, heaps: int | None = None) -> None:
    """Keep so much of what a page took for the next page: else each brings half a dozen page faults, 15 µs.

    With `heaps`, threads share N of them, and what one gives back another can have.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    if heaps is not None:
        share_heaps(heaps)
    mallopt(M_MMAP_THRESHOLD, mapped_bytes)
    mallopt(M_TRIM_THRESHOLD, kept_bytes)


def return_blocks() -> None:
    """In an engine: the blocks of the database's buffers, 1 MiB each, come from the system and go back to it.

    Without this glibc puts them among what is small once the first ones were freed, and what comes to lie behind them
    keeps them: after 40,000 pages 12 MB more than after 10,000.
    """
    keep_memory(ENGINE_KEPT_BYTES, ENGINE_MAPPED_BYTES, heaps=ENGINE_HEAPS)


def share_heaps(heaps: int) -> None:
    """Have threads share N heaps from now on: each that is made reserves 64 MiB of addresses."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, heaps)


def give_memory_back() -> None:
    """What is free, but stays with the process without this."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
