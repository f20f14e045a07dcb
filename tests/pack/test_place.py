"""Unpacking is all or nothing, whenever it is killed."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scratch import files_no_longer_than
from weft.errors import BadInput, FolderError, WeftError
from weft.pack import Trust, unpack, verify_folder

from .test_changes import LATER, packs
from .trees import SITE, packed_site, quietly, read_tree, unpacked

KILLED_AT_PASS = """
import os, signal, sys
from pathlib import Path
from weft.pack import Trust, unpack
passes = 0
def advance(amount):
    global passes
    passes += 1
    if passes == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
unpack(Path(sys.argv[1]), Path(sys.argv[2]), Trust(), advance)
"""


def unpack_until(path: Path, folder: Path, at_pass: int) -> bool:
    """Unpack in a process that is killed at a pass; whether it was."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED_AT_PASS, str(path), str(folder), str(at_pass)]
    done = subprocess.run(command, env=environment, timeout=60, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


def test_a_whole_pack_goes_into_a_new_folder_or_an_empty_one(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    assert unpacked(path, tmp_path / "deep" / "new") == SITE
    (tmp_path / "empty").mkdir()
    assert unpacked(path, tmp_path / "empty") == SITE
    with pytest.raises(BadInput, match="not empty"):
        unpack(path, tmp_path / "empty", Trust(), quietly)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="is a file"):
        unpack(path, tmp_path / "file", Trust(), quietly)


def test_a_killed_unpacking_of_a_whole_pack_leaves_no_folder_and_is_simply_done_again(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    assert unpack_until(path, tmp_path / "out", 3)
    assert not (tmp_path / "out").exists()
    assert unpacked(path, tmp_path / "out") == SITE
    assert {one.name for one in tmp_path.iterdir()} == {"site", "site.zip", "out"}


@pytest.mark.parametrize("name", ["notes.txt", ".weft/notes.txt", ".weft/manifest.jsonl", "empty/"])
def test_a_folder_of_the_user_s_is_not_taken_for_a_killed_unpacking(tmp_path: Path, name: str) -> None:
    path = packed_site(tmp_path)
    mine = tmp_path / ".out.unpacking" / name
    mine.parent.mkdir(parents=True)
    if name.endswith("/"):
        mine.mkdir()
    else:
        mine.write_text("mine")
    with pytest.raises(BadInput, match=r"\.out\.unpacking"):
        unpack(path, tmp_path / "out", Trust(), quietly)
    assert mine.exists()
    assert not (tmp_path / "out").exists()


class Killed(BaseException):
    """From here on nothing is removed."""


def test_killed_while_it_clears_up_an_unpacking_is_still_known_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed_site(tmp_path)
    left = 0

    def counted(remove: Callable[..., None]) -> Callable[..., None]:
        def removed(*arguments: Any, **keywords: Any) -> None:
            nonlocal left
            if not left:
                raise Killed
            left -= 1
            remove(*arguments, **keywords)

        return removed

    def killed(amount: int) -> None:
        nonlocal left
        left = 0
        raise Killed

    monkeypatch.setattr(os, "unlink", counted(os.unlink))
    monkeypatch.setattr(os, "rmdir", counted(os.rmdir))
    for removals in range(30):
        folder = tmp_path / f"out-{removals}"
        left = 1_000
        with pytest.raises(Killed):
            unpack(path, folder, Trust(), killed)
        left = removals
        try:
            unpack(path, folder, Trust(), quietly)
            break
        except Killed:
            left = 1_000
            assert read_tree(folder) == SITE if folder.exists() else unpacked(path, folder) == SITE
    else:
        pytest.fail("it never came to its end")
    assert removals > 3


def test_killed_anywhere_a_folder_has_the_earlier_state_or_goes_on_to_the_later(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    outcomes = []
    for at_pass in range(1, 30):
        folder = tmp_path / f"out-{at_pass}"
        unpack(first, folder, Trust(), quietly)
        if not unpack_until(changes, folder, at_pass):
            break
        if (folder / ".weft" / "unpacking").exists():
            outcomes.append("later")
            with pytest.raises(FolderError, match="cut off"):
                verify_folder(folder, Trust(), quietly)
        else:
            outcomes.append("earlier")
            assert read_tree(folder) == SITE
        assert unpacked(changes, folder) == LATER
        assert verify_folder(folder, Trust(), quietly).is_sound
        assert [one.name for one in (folder / ".weft").iterdir()] == ["manifest.jsonl"]
    else:
        pytest.fail("it never came to its end")
    assert outcomes.count("earlier") > 4
    assert outcomes.count("later") == 4  # a removal, three placements


def test_a_disk_that_is_full_leaves_nothing(tmp_path: Path) -> None:
    path = packed_site(tmp_path)
    with files_no_longer_than(500), pytest.raises(WeftError):
        unpack(path, tmp_path / "out", Trust(), quietly)
    assert {one.name for one in tmp_path.iterdir()} == {"site", "site.zip"}


def test_two_do_not_unpack_into_one_folder(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    unpack(first, tmp_path / "out", Trust(), quietly)
    holder = os.open(tmp_path / "out", os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(FolderError, match="another process"):
            unpack(changes, tmp_path / "out", Trust(), quietly)
    finally:
        os.close(holder)


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    first, changes = packs(tmp_path, SITE, LATER)
    folder = tmp_path / "out"
    unpack(first, folder, Trust(), quietly)
    (folder / "example.org").rename(tmp_path / "elsewhere")
    (folder / "example.org").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match=r"example\.org is no plain file"):
        unpack(changes, folder, Trust(), quietly)
