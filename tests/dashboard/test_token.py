"""The token: a secret that lasts as long as its folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from weft.dashboard.token import FILE, VARIABLE, token_for
from weft.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path


def test_a_folder_keeps_its_token_so_that_a_link_stays_good(folder: Path) -> None:
    first = token_for(folder, {})
    assert len(first) >= 40
    assert token_for(folder, {}) == first
    assert [path.name for path in (folder / "state").iterdir()] == [FILE]


def test_nobody_but_its_owner_may_read_it(folder: Path) -> None:
    token_for(folder, {})
    assert stat.S_IMODE((folder / "state" / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "short", "with a blank in it 0123456789", "é" * 40, "x" * 2_000])
def test_a_file_that_is_no_token_is_replaced(folder: Path, text: str) -> None:
    path = folder / "state" / FILE
    path.write_text(text)
    path.chmod(0o600)
    assert token_for(folder, {}) != text
    assert path.read_text().strip() == token_for(folder, {})


def test_a_token_that_others_could_read_is_replaced(folder: Path) -> None:
    path = folder / "state" / FILE
    path.write_text("known-to-all-0123456789\n")
    path.chmod(0o644)
    assert token_for(folder, {}) != "known-to-all-0123456789"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("somebody-elses-0123456789\n")
    elsewhere.chmod(0o600)
    (folder / "state" / FILE).symlink_to(elsewhere)
    assert token_for(folder, {}) != "somebody-elses-0123456789"
    assert elsewhere.read_text() == "somebody-elses-0123456789\n"


def test_a_pipe_in_its_place_keeps_nobody_waiting(folder: Path) -> None:
    os.mkfifo(folder / "state" / FILE, 0o600)
    assert token_for(folder, {}) == token_for(folder, {})


def test_a_folder_without_a_place_for_it_has_one_for_this_time(tmp_path: Path) -> None:
    assert len(token_for(tmp_path, {})) >= 40
    assert list(tmp_path.iterdir()) == []


def test_the_environment_comes_first(folder: Path) -> None:
    given = "from-the-environment-0"
    assert token_for(folder, {VARIABLE: given}) == given
    assert token_for(None, {VARIABLE: given}) == given
    assert list((folder / "state").iterdir()) == []


@pytest.mark.parametrize("given", ["short", "with a blank 0123456789", "x" * 600])
def test_a_weak_one_from_the_environment_is_refused(given: str) -> None:
    with pytest.raises(BadInput, match=VARIABLE):
        token_for(None, {VARIABLE: given})
