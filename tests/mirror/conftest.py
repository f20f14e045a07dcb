"""What tests of mirrors have in common."""

from __future__ import annotations

import pytest


@pytest.fixture
def is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is mirrored counts as a large site: its files are not begun before its crawl is closed."""
    monkeypatch.setattr("weft.mirror.site.writers.PAGES_OF_SMALL_SITE", 0)
