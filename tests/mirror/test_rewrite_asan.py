"""What finds links in bytes touches no memory but its own, whatever a page holds."""

from __future__ import annotations

import pytest

from tests.mirror.rewrite_asan import run
from tests.sanitized import has_sanitizers


@pytest.mark.skipif(not has_sanitizers(), reason="there is no compiler with sanitizers here")
def test_the_marker_reads_nothing_beyond_a_page() -> None:
    assert run(pages=300, seed=1).endswith("no error\n")
