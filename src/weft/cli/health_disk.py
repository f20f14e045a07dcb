"""What `weft doctor` looks at on the disk: may it be written to, is there room, how fast is a sync."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from weft.cli.health import Finding, Level

MB: Final = 1_000_000
GB: Final = 1000 * MB
TOO_LITTLE_BYTES: Final = 100 * MB
LITTLE_BYTES: Final = 2 * GB

SYNCS: Final = 10
SYNC_BYTES: Final = 4096
SLOW_SYNC_S: Final = 0.1  # a crawl syncs every second


def disk_findings(folder: Path) -> list[Finding]:
    """Everything about the place where a crawl would be stored."""
    place = existing_part_of(folder)
    try:
        sync_s = median_sync_s(place)
    except OSError as error:
        said = f"{place.absolute()} cannot be written to: {error.strerror or error}"
        return [Finding(Level.PROBLEM, "folder", said, "choose another with --output, or change its owner or mode")]
    said = f"{place.absolute()} can be written to"
    return [Finding(Level.OK, "folder", said), space(shutil.disk_usage(place).free), sync_speed(sync_s)]


def existing_part_of(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists: weft would make the rest."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if os.path.lexists(path))


def median_sync_s(folder: Path) -> float:
    """How long it takes to write a little and to sync it; OSError if nothing can be written."""
    with tempfile.TemporaryFile(dir=folder) as file:
        return statistics.median(_sync_s(file.fileno()) for _ in range(SYNCS))


def _sync_s(descriptor: int) -> float:
    os.write(descriptor, bytes(SYNC_BYTES))
    began = time.perf_counter()
    os.fdatasync(descriptor)
    return time.perf_counter() - began


def space(free_bytes: int) -> Finding:
    """How much room is left."""
    said = f"{free_bytes / GB:,.1f} GB free"
    advice = "make room, choose another disk with --output, or set --max-bytes"
    if free_bytes < TOO_LITTLE_BYTES:
        return Finding(Level.PROBLEM, "disk space", said, advice)
    if free_bytes < LITTLE_BYTES:
        return Finding(Level.WARN, "disk space", said, advice)
    return Finding(Level.OK, "disk space", said)


def sync_speed(sync_s: float) -> Finding:
    """How long the disk takes until data is safe."""
    said = f"a sync takes {sync_s * 1000:,.1f} ms"
    if sync_s > SLOW_SYNC_S:
        return Finding(Level.WARN, "disk speed", said, "store the crawl on a local disk; network disks slow it down")
    return Finding(Level.OK, "disk speed", said)
