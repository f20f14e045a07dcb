"""What weft says, as one says it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import weft
from weft.stats.verdict import counted

SOURCE = Path(weft.__file__).parent
# A number in a text, and things behind it: one of them would be "1 pages". Rates (pages/s) are no such thing.
UNCOUNTED = re.compile(
    r"\}(?:\[/\])? (?:hosts|URLs|pages|files|records|bytes|links|items|requests|payloads|calls|workers|entries)\b(?!/s)"
)


@pytest.mark.parametrize(("count", "text"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1234, "1,234 pages")])
def test_one_is_not_many(count: int, text: str) -> None:
    assert counted(count, "page") == text


@pytest.mark.parametrize("folder", ["cli", "stats", "export", "mirror"])
def test_no_message_says_1_pages(folder: str) -> None:
    for path in (SOURCE / folder).rglob("*.py"):
        for line in path.read_text().splitlines():
            assert not UNCOUNTED.search(line), f"{path.name}: {line.strip()}"
