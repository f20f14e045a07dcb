"""A worker's side of `--archive none`: what a `WarcWriter` would store goes nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from weft.types import Conversion, Fetched, Location, Original

NO_FILE: Final = 0  # the number that no WARC file has

_NOWHERE: Final = Location(NO_FILE, 0, 0, 0, "")


class Nowhere:
    """Takes the place of a `WarcWriter`."""

    def write(
        self,
        fetched: Fetched,
        notes: bytes | None = None,
        original: Original | None = None,
        converted: Iterable[Conversion] = (),
    ) -> Location:
        """Nothing is stored."""
        return _NOWHERE

    def write_dns(self, host: str, addresses: tuple[str, ...], ttl_s: float, asked_at: float) -> Location:
        """Likewise."""
        return _NOWHERE

    def flush(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is open."""
