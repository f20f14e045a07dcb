"""What a person gets wrong, and the one sentence that says so."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.engine_process import prepare_folder
from weft.config import CrawlConfig

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment

URL = "http://127.0.0.1:9/"  # never asked for


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl"], "nothing to crawl"),
        (["crawl", "not a url"], "not a url"),
        (["crawl", "gopher://example.test/"], "gopher"),
        (["crawl", URL, "--scope", "planet"], "planet"),
        (["crawl", URL, "--header", "nonsense"], "nonsense"),
        (["crawl", URL, "--header", "X-Bad: a\r\nInjected: b"], "header"),
        (["crawl", URL, "--seeds", "missing.txt"], "missing.txt"),
        (["crawl", URL, "--filter", "no.such.module:Filter"], "no.such.module:Filter"),
        (["crawl", URL, "--filter", "nocolon"], "nocolon"),
        (["crawl", URL, "--filter", "mine.py:no_zip"], "mine.py with the filter 'no_zip'"),
        (["extract"], "DIR or MODULE:NAME is missing: `weft extract --help` tells more"),
        (["extract", "crawl"], "DIR or MODULE:NAME is missing: `weft extract --help` tells more"),
        (["control", "crawl", "block", "a", "b"], "asks for HOST, not for 2 values\n"),
        (["control", "crawl", "delay", "a"], "asks for HOST TIME, not for 1 value\n"),
        (["help"], "help is a flag: `weft --help`"),
        (["crawl", URL, "--order", "random"], "random"),
        (["crawl", URL, "--include", "re:("], "re:("),
        (["crawl", URL, "--dns-server", "no-address"], "no-address"),
        (
            ["crawl", URL, "--bind", "eth0"],
            "--bind: connections are made from an IP address of this machine, and 'eth0'",
        ),
        (["crawl", URL, "--bind", "127.0.0.1:80"], "and '127.0.0.1:80' is none"),
        (["crawl", URL, "--bind", "192.0.2.1"], "192.0.2.1 cannot be used: Cannot assign requested address"),
        (["crawl", URL, "--bind", "2001:db8::1"], "2001:db8::1 cannot be used: Cannot assign requested address"),
        (["crawl", URL, "--extract"], "--extract needs a value"),
        (["crawl", URL, "--depth", "deep"], "--depth must be a whole number of at least 0, not 'deep'"),
        (["crawl", URL, "--max-pages", "0"], "--max-pages must be a whole number of at least 1, not 0"),
        (["crawl", URL, "--delay", "nan"], "--delay must be a number of at least 0"),
        (["crawl", URL, "--config", "missing.toml"], "missing.toml"),
        (["crawl", URL, "--auth", "nonsense"], "example.org=user:password"),
        (["crawl", URL, "--dephts", "3"], "there is no flag --dephts; did you mean --depth?"),
        (["crawl", URL, "--xyzzy"], "there is no flag --xyzzy"),
        (["get", URL, "--delay", "0"], "there is no flag --delay of `weft get`: it is one of `weft crawl`"),
        (["get", URL, "--hepl"], "there is no flag --hepl; did you mean --help?"),
        (["get", URL, "--yelp"], "there is no flag --yelp\n"),
        (["crawl", URL, "--user-agent", "Mozilla/5.0 (X11; Linux x86_64)"], "--robots-agent NAME"),
        (["crawl", URL, "--robots-agent", "two words"], "two words"),
        (["resume"], "DIR"),
        (["resume"], "weft resume --help"),
        (["export", "crawl"], "--to is missing: `weft export --help` tells more"),
        (["demo", "--hosts", "0"], "--hosts must be a whole number of at least 1, not 0"),
        (["demo", "--pages", "many"], "--pages must be a whole number of at least 1, not 'many'"),
        (["report", "crawl", "--hosts", "0"], "--hosts must be a whole number of at least 1, not 0"),
        (["serve", "mirror", "--port", "-1"], "--port must be a whole number of at least 0, not -1"),
        (["crawl", URL, "--quiet=yes"], "--quiet takes no value"),
        (["repair", "crawl", "another"], "unexpected argument another: `weft repair --help` tells more"),
        (["crwal", URL], "there is no command crwal; did you mean crawl?"),
        (["xyzzy"], "there is no command xyzzy; `weft --help` lists them"),
        (["example.org"], "did you mean `weft crawl https://example.org`?"),
        ([URL], f"did you mean `weft crawl {URL}`?"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_refused_with_one_sentence_and_code_2(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = Finished(*arguments, cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert words in done.errors
    assert os.listdir(tmp_path) == []  # nothing was begun


def test_without_a_command_the_commands_are_listed_with_code_2(tmp_path: Path) -> None:
    done = Finished(cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "resume" in done.errors


def test_python_m_weft_is_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "weft", "crawl", "not a url"]
    done = subprocess.run(
        command, env=own_environment(), cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("weft: 'not a url' is not a URL")


def test_a_bad_seed_is_named_with_file_and_line(tmp_path: Path) -> None:
    lines = f"# seeds\n\n{URL}\nexample.org\n"
    (tmp_path / "seeds.txt").write_text(lines)
    from_file = Finished("crawl", "--seeds", "seeds.txt", "-o", "crawl", cwd=tmp_path)
    from_input = Finished("crawl", "--seeds", "-", "-o", "crawl", cwd=tmp_path, stdin=lines)
    for done, name in ((from_file, "seeds.txt"), (from_input, "standard input")):
        assert done.code == 2
        assert_is_one_sentence(done)
        assert f"{name}, line 4: 'example.org' is not a URL" in done.errors
    assert os.listdir(tmp_path) == ["seeds.txt"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.txt", "No such file"),
        ("folder", "Is a directory"),
        ("latin", "utf-8"),
        ("file/seeds", "Not a directory"),
        ("empty", "empty holds no URL"),
    ],
)
def test_a_seeds_file_that_cannot_be_used_is_named_with_the_reason(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin").write_bytes(b"http://example.test/caf\xe9\n")
    (tmp_path / "file").write_text(URL)
    (tmp_path / "empty").write_text("# nothing yet\n")
    done = Finished("crawl", "--seeds", name, cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert name in done.errors
    assert words in done.errors


def test_resume_of_what_is_no_crawl_folder_is_refused_with_code_6(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        done = Finished("resume", folder, cwd=tmp_path)
        assert done.code == 6
        assert_is_one_sentence(done)
        assert folder in done.errors
    assert os.listdir(tmp_path) == ["empty"]
    assert os.listdir(tmp_path / "empty") == []


@pytest.mark.parametrize("folder", ["file", "file/below", "/proc/crawl", "/dev/null"])
def test_a_folder_that_cannot_be_made_or_written_to_is_refused_with_code_6(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = Finished("crawl", URL, "-o", folder, cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert f"cannot use {folder}: " in done.errors


def test_a_folder_of_another_version_is_refused_with_code_6(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "crawl", CrawlConfig(seeds=(URL,)))
    file = tmp_path / "crawl" / "state" / "config.json"
    stored = json.loads(file.read_text())
    file.write_text(json.dumps(stored | {"format": 999}))
    done = Finished("resume", "crawl", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)
    assert "crawl was made by another version of weft (format 999" in done.errors


def test_settings_of_a_folder_that_cannot_be_read_are_refused_with_code_6(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "crawl", CrawlConfig(seeds=(URL,)))
    (tmp_path / "crawl" / "state" / "config.json").write_text("{")
    done = Finished("resume", "crawl", cwd=tmp_path)
    assert done.code == 6
    assert_is_one_sentence(done)


def test_a_folder_that_is_gone_is_no_place_to_start_weft_in(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-m", "weft", "crawl", URL])
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && exec {command}"],
        env=own_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    assert done.returncode == 6
    assert done.stderr == "weft: the folder in which weft was started is gone\n"


def test_a_library_that_is_missing_is_named_with_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "rocksdict.py").write_text("raise ModuleNotFoundError(name='rocksdict')")
    shadowed = {"PYTHONPATH": f"{tmp_path}:{own_environment()['PYTHONPATH']}"}
    done = Finished("report", str(tmp_path), cwd=tmp_path, environment=shadowed)
    assert done.code == 1
    assert_is_one_sentence(done)
    assert "the library rocksdict is missing: " in done.errors
    assert " install rocksdict" in done.errors
