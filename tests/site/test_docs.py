"""docs/site-quality.md has exactly the kinds that there are."""

from __future__ import annotations

import re
from pathlib import Path

from weft.api.external import FOLDER, MAX_BODY_BYTES
from weft.cli.site_report import FINDINGS_IN_HTML, REFERRERS_IN_HTML
from weft.site.analysis import MOST_EXTERNAL
from weft.site.findings import FindingKind, severity_of
from weft.site.judging import (
    DEEP_CLICKS,
    EMPTY_WORDS,
    FEW_WORDS,
    LARGE_FILE_BYTES,
    LARGE_PAGE_BYTES,
    MANY_SCRIPTS,
    SLOW_S,
    SOME_SCRIPTS,
)

PAGE = (Path(__file__).parents[2] / "docs" / "site-quality.md").read_text()


def test_the_table_has_each_kind_once_in_order_with_its_severity() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (error|warning|notice) \| \S.* \| \S.* \|$", PAGE, re.MULTILINE)
    assert rows == [(kind.value, severity_of(kind).value) for kind in FindingKind]


def test_the_limits_that_the_page_names_are_those_of_the_code() -> None:
    assert (SLOW_S, LARGE_PAGE_BYTES, LARGE_FILE_BYTES, DEEP_CLICKS) == (1.0, 1_000_000, 10_000_000, 4)
    assert (EMPTY_WORDS, SOME_SCRIPTS, FEW_WORDS, MANY_SCRIPTS) == (10, 1, 50, 5)
    assert f"first {FINDINGS_IN_HTML:,} findings a kind, each with its first {REFERRERS_IN_HTML} referrers" in PAGE
    assert f"up to {MOST_EXTERNAL:,}" in PAGE
    assert f"`{FOLDER}`" in PAGE
    assert f"at most {MAX_BODY_BYTES // 1024} KB" in PAGE
