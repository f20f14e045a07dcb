from __future__ import annotations

from pathlib import Path

from tests.html_files import html_files, some_html_files


def test_only_regular_files_count(tmp_path: Path) -> None:
    (tmp_path / "expat.html").mkdir()
    (tmp_path / "expat.html" / "index.html").touch()
    (tmp_path / "gone.html").symlink_to(tmp_path / "nowhere")
    assert html_files(tmp_path) == [tmp_path / "expat.html" / "index.html"]


def test_a_folder_without_pages_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "empty" / "x.html").mkdir(parents=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.html").touch()
    folders = [tmp_path / "none", tmp_path / "empty", tmp_path / "full"]
    assert some_html_files(folders, 3) == (tmp_path / "full", [tmp_path / "full" / "a.html"])
    assert some_html_files(folders[:2], 3) is None
