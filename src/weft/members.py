"""Members of enums that each page or link asks for: to look one up in its class takes as long as five calls."""

from __future__ import annotations

from typing import Final

from weft.types import Kind, Outcome, Unread

EMBED: Final = Kind.EMBED
GUESS: Final = Kind.GUESS
SEED: Final = Kind.SEED
SITEMAP: Final = Kind.SITEMAP
RESPONSE: Final = Outcome.RESPONSE
COSTLY: Final = Unread.COSTLY
