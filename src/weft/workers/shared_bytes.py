"""Memory that processes share: each maps the descriptor that it was given."""

from __future__ import annotations

import os
import tempfile


def make_shared_bytes(name: str, count: int) -> int:
    """A descriptor of this many bytes, all of them zero, for whoever makes it to close."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
        os.ftruncate(descriptor, count)
        return descriptor
    # A Python that was built with an old C library, as those of uv and conda are. A file without a name is as good, but
    # must have its room on the disk now: else the first who writes to it might be killed.
    with tempfile.TemporaryFile(prefix=name) as file:
        os.posix_fallocate(file.fileno(), 0, count)
        return os.dup(file.fileno())
