"""Which files become smaller when they are packed."""

from __future__ import annotations

# Packed already; the second time takes time and gains nothing.
_DENSE_FAMILIES = (
    "audio/", "video/", "image/",
    "application/vnd.oasis.opendocument.", "application/vnd.openxmlformats-officedocument.",
)  # fmt: skip
_DENSE_TYPES = frozenset(
    {"font/woff2", "font/woff", "application/epub+zip", "application/zip", "application/gzip", "application/zstd"}
    | {"application/x-7z-compressed", "application/vnd.rar", "application/x-xz", "application/x-bzip2"}
)
_LOOSE_TYPES = frozenset({"image/svg+xml", "image/bmp", "image/tiff", "image/x-icon", "audio/wav", "audio/midi"})


def is_worth_packing(media_type: str) -> bool:
    """Whether files of this type become smaller."""
    if media_type in _LOOSE_TYPES:
        return True
    return media_type not in _DENSE_TYPES and not media_type.startswith(_DENSE_FAMILIES)
