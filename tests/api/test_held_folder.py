"""The temporary folder of a crawl: it goes when nobody holds it, and with the process that made it alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weft.api.held_folder import HeldFolder


def test_a_temporary_folder_is_gone_when_nobody_holds_it() -> None:
    folder = HeldFolder(None)
    temporary = folder.path.parent
    assert temporary.is_dir()
    del folder
    assert not temporary.exists()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_of_the_program_does_not_remove_it() -> None:
    folder = HeldFolder(None)
    temporary = folder.path.parent
    if not (forked := os.fork()):
        del folder
        os._exit(0)
    assert os.waitpid(forked, 0)[1] == 0
    assert temporary.is_dir()
    del folder
    assert not temporary.exists()


def test_the_folder_of_a_user_stays(tmp_path: Path) -> None:
    folder = HeldFolder(tmp_path)
    assert folder.is_kept
    del folder
    assert tmp_path.is_dir()
