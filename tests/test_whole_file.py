"""A file appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scratch import files_no_longer_than
from weft.errors import BadInput, FolderError
from weft.whole_file import appears_whole


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_gets_its_name_when_it_is_whole(tmp_path: Path) -> None:
    with appears_whole(tmp_path / "x.jsonl") as out:
        out.write(b"1\n")
        assert "x.jsonl" not in names_in(tmp_path)
    assert (tmp_path / "x.jsonl").read_bytes() == b"1\n"
    assert names_in(tmp_path) == ["x.jsonl"]


def test_after_a_failure_what_was_there_is_still_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), appears_whole(tmp_path / "x", replaces=True) as out:
        out.write(b"new" * (1 // 0))
    assert (tmp_path / "x").read_bytes() == b"old"
    assert names_in(tmp_path) == ["x"]


def test_a_file_is_replaced_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(BadInput, match="--force"), appears_whole(tmp_path / "x"):
        pass
    with appears_whole(tmp_path / "x", replaces=True) as out:
        out.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"), appears_whole(tmp_path, replaces=True):
        pass


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="nowhere/x"), appears_whole(tmp_path / "nowhere" / "x"):
        pass


def test_a_write_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    with (
        files_no_longer_than(1_000),
        pytest.raises(FolderError, match=r"cannot write .*x: File too large"),
        appears_whole(tmp_path / "x") as out,
    ):
        out.write(b"x" * 100_000)
    assert names_in(tmp_path) == []
