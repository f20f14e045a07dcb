"""docs/status.md explains each field of report.json, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from weft.dns import DnsStatistics
from weft.live.limiter import NAMES
from weft.live.status import HostFigures, Limit, Limiter, Memory, Stage, State, Status, Steered, Visited
from weft.pipeline.progress import HostStates

PAGE = (Path(__file__).parents[2] / "docs" / "status.md").read_text()
STRUCTS = (Status, Limit, Limiter, Stage, HostFigures, HostStates, Visited, Memory, Steered, DnsStatistics)


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_each_field_is_explained_and_no_other(struct: type[msgspec.Struct]) -> None:
    section = re.search(rf"^## {struct.__name__}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section, f"docs/status.md does not explain {struct.__name__}"
    cells = re.findall(r"^\| (`.*?) \|", section.group(1), re.MULTILINE)
    assert sorted(name for cell in cells for name in re.findall(r"`(\w+)`", cell)) == sorted(struct.__struct_fields__)


@pytest.mark.parametrize("word", [*State, *NAMES])
def test_each_state_and_what_may_limit_a_crawl_is_named(word: str) -> None:
    assert f"`{word}`" in PAGE
