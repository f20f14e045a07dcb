"""What a person gets wrong, and the one sentence that says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .running import Finished, assert_is_one_sentence

URL = "http://127.0.0.1:9/"  # never asked for


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl"], "nothing to crawl"),
        (["crawl", "not a url"], "not a url"),
        (["crawl", "ftp://example.test/"], "ftp"),
        (["crawl", URL, "--scope", "planet"], "planet"),
        (["crawl", URL, "--header", "nonsense"], "nonsense"),
        (["crawl", URL, "--header", "X-Bad: a\r\nInjected: b"], "header"),
        (["crawl", URL, "--seeds", "missing.txt"], "missing.txt"),
        (["crawl", URL, "--filter", "no.such.module:Filter"], "no.such.module:Filter"),
        (["crawl", URL, "--filter", "nocolon"], "nocolon"),
        (["crawl", URL, "--order", "random"], "random"),
        (["crawl", URL, "--include", "re:("], "re:("),
        (["crawl", URL, "--dns-server", "no-address"], "no-address"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_refused_with_one_sentence_and_code_2(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = Finished(*arguments, cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert words in done.errors
    assert os.listdir(tmp_path) == []  # nothing was begun


def test_an_unknown_flag_is_refused_with_code_2(tmp_path: Path) -> None:
    done = Finished("crawl", URL, "--dephts", "3", cwd=tmp_path)
    assert done.code == 2
    assert "--dephts" in done.errors


def test_resume_of_what_is_no_crawl_folder_is_refused_with_code_6(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        done = Finished("resume", folder, cwd=tmp_path)
        assert done.code == 6
        assert_is_one_sentence(done)
        assert folder in done.errors
    assert os.listdir(tmp_path) == ["empty"]
    assert os.listdir(tmp_path / "empty") == []


def test_a_folder_that_cannot_be_made_is_refused_with_code_6(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = Finished("crawl", URL, "-o", "file", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
