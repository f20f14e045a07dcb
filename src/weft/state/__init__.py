"""The rows of a crawl: one RocksDB, written in batches that hold or do not."""

from __future__ import annotations

from weft.state.database import FAMILIES, Batch, Family, State, is_at, sync_path

__all__ = ["FAMILIES", "Batch", "Family", "State", "is_at", "sync_path"]
