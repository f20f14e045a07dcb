"""The public suffix list may change between two runs: then no row is passed over in silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from weft.errors import FolderError
from weft.pipeline.buckets import SUFFIXES, adopt_suffixes
from weft.state import State
from weft.state.keys import host_key
from weft.types import PageRow
from weft.url import url_id
from weft.url.domain import suffix_list_hash

URL = "http://www.a.example/x"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "db")
    batch = state.batch()
    batch.put("meta", SUFFIXES, b"another list")
    batch.put("page", url_id(URL), msgspec.msgpack.encode(PageRow(URL, 200, 0.0, 0)))
    batch.put("host", host_key("b.example"), b"")
    state.write(batch)
    yield state
    state.close()


def adopt(state: State) -> None:
    batch = state.batch()
    adopt_suffixes(state, batch)
    state.write(batch)


def test_a_list_by_which_every_row_lies_where_it_did_is_adopted(state: State) -> None:
    adopt(state)
    assert state.get("meta", SUFFIXES) == suffix_list_hash()


@pytest.mark.parametrize(
    ("family", "key"), [("page", b"\0\0" + url_id(URL)[2:]), ("host", b"\0\0b.example")], ids=["page", "host"]
)
def test_a_list_by_which_a_row_would_lie_elsewhere_is_refused(family: str, key: bytes, state: State) -> None:
    batch = state.batch()
    batch.put(family, key, msgspec.msgpack.encode(PageRow(URL, 200, 0.0, 0)))  # type: ignore[arg-type]
    state.write(batch)
    with pytest.raises(FolderError, match="`weft repair`"):
        adopt(state)
    assert state.get("meta", SUFFIXES) == b"another list"


def test_while_the_list_is_the_same_no_row_is_looked_at(state: State) -> None:
    adopt(state)
    batch = state.batch()
    batch.put("page", b"\0" * 16, b"not a page")
    state.write(batch)
    adopt(state)
