"""A browser for the tests of the page.

playwright keeps an event loop in the thread that uses it, so that no other can run there: a module has its own browser,
and no longer than it lasts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .browser import WITHIN_MS, chromium

expect.set_options(timeout=WITHIN_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running
