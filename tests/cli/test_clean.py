"""`weft clean` as a person uses it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.clean.bulk.databases import Place, assert_all_cleaned, small_pages, sqlite_place
from tests.pipeline.engine_process import await_others, weft_command, weft_environment
from tests.warm_weft import start_program

from .running import WITHIN_S, Finished, assert_is_one_sentence, closed_port

PAGE = "<html lang=en><head><title>Home</title></head><body><nav>menu</nav><p class=ad>buy</p><p>Some words.</body>"


@pytest.fixture
def queue(tmp_path: Path) -> Place:
    place = Place(f"sqlite:///{tmp_path / 'pages.db'}")
    place.fill([("http://site.test/", PAGE)])
    return place


def content_of(tmp_path: Path) -> str:
    return Place(f"sqlite:///{tmp_path / 'out.db'}").cleaned()["http://site.test/"]


def test_pages_of_an_sqlite_file_go_into_another_one(queue: Place, tmp_path: Path) -> None:
    done = Finished("clean", "pages.db", "out.db", cwd=tmp_path)
    assert done.code == 0, done.errors
    assert "Done. The pages are in out.db." in done.out
    assert "Some words." in content_of(tmp_path)
    assert "title" not in content_of(tmp_path)


def test_json_is_the_last_line_and_has_the_figures(queue: Place, tmp_path: Path) -> None:
    done = Finished("clean", "pages.db", "out.db", "--json", cwd=tmp_path)
    summary = done.summary()
    assert (summary["pages"], summary["cleaned"], summary["set_aside"], summary["exit"]) == (1, 1, 0, "done")
    assert summary["bytes"] == len(PAGE)
    assert summary["cpu_s"] > 0
    assert summary["peak_rss_bytes"] > 0


@pytest.mark.parametrize(
    ("flags", "has", "has_not"),
    [
        (["--to", "text"], "Some words.", "<p"),
        (["--drop", ".ad", "--keep", "nav"], "menu", "buy"),
        (["--preset", "article"], "Some words.", "menu"),
        (["--rules", "rules.toml"], "buy", "Some words."),
    ],
)
def test_rules_and_forms_are_chosen_by_flags(
    queue: Place, tmp_path: Path, flags: list[str], has: str, has_not: str
) -> None:
    (tmp_path / "rules.toml").write_text('preset = "paper"\ndrop = ["p:not(.ad)"]\n')
    assert Finished("clean", "pages.db", "out.db", *flags, cwd=tmp_path).code == 0
    assert has in content_of(tmp_path)
    assert has_not not in content_of(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.db", "out.db"], "there is no file missing.db"),
        (["nothing", "out.jsonl"], "'nothing' is no crawl folder, and no database"),
        (["pages.db", "out.txt"], "'out.txt' is no database"),
        (["pages.db", "nowhere/out.db"], "there is no folder"),
        (["mysql://localhost/x", "out.db"], "mysql is no database that weft knows"),
        (["sqlite://", "out.db"], "must be a file"),
        (["notes.db", "out.db"], "file is not a database"),
        (["pages.db", "out.db", "--in-table", "page"], "did you mean pages?"),
        (["pages.db", "out.db", "--in-columns", "content=html"], "has no column html"),
        (["pages.db", "out.db", "--in-columns", "html"], "'html' is no column's name"),
        (["pages.db", "out.db", "--out-columns", "body=x"], "there is no column 'body' to name"),
        (["pages.db", "out.db", "--preset", "papper"], "did you mean 'paper'?"),
        (["pages.db", "out.db", "--rules", "missing.toml"], "cannot read missing.toml"),
        (["pages.db", "out.db", "--rules", "notes.db"], "is no TOML"),
        (["pages.db", "out.db", "--drop", "p["], "p["),
        (["pages.db", "out.db", "--force"], "--force has no meaning for tables"),
        (["pages.db", "out.db", "--workers", "0"], "--workers must be a whole number of at least 1"),
        ([".", "out.jsonl", "--queue", "take"], "--queue has no meaning for a crawl folder"),
        ([".", "out.db"], "a crawl folder is cleaned into a file"),
    ],
)
def test_bad_input_is_told_in_one_sentence(queue: Place, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "notes.db").write_text("[[no database " * 100)
    done = Finished("clean", *arguments, cwd=tmp_path)
    assert done.code == 2, done.errors
    assert_is_one_sentence(done)
    assert words in done.errors


def test_an_unreachable_server_is_told_in_one_sentence_without_its_password(tmp_path: Path) -> None:
    url = f"postgresql://me:secret@127.0.0.1:{closed_port()}/web"
    done = Finished("clean", url, url, cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
    assert "cannot reach postgresql" in done.errors
    assert "secret" not in done.errors


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_may_not_be_written_is_told_in_one_sentence(queue: Place, tmp_path: Path) -> None:
    (tmp_path / "pages.db").chmod(0o400)
    done = Finished("clean", "pages.db", "pages.db", cwd=tmp_path)
    assert_is_one_sentence(done)


def test_ctrl_c_finishes_what_is_in_hand_and_the_same_command_goes_on(tmp_path: Path) -> None:
    queue, out = sqlite_place(tmp_path), sqlite_place(tmp_path)
    pages = small_pages(3000, padding_chars=20_000)
    queue.fill(pages)
    out.run("CREATE TABLE cleaned (url text PRIMARY KEY, content text)")
    command = weft_command("clean", queue.url, out.url, "--workers", "1", "--buffer-blocks", "1")
    process = start_program(
        command,
        env=weft_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        await_others(lambda: len(out.rows("SELECT url FROM cleaned LIMIT 1")) > 0, "some pages")
        os.killpg(process.pid, signal.SIGINT)
        said, errors = process.communicate(timeout=WITHIN_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, errors
    assert "finishing what is under way" in errors
    assert "Stopped. The same command goes on." in said
    assert 0 < len(out.cleaned()) < 3000
    assert subprocess.run(command, env=weft_environment(), capture_output=True, timeout=WITHIN_S).returncode == 0
    assert_all_cleaned(out, pages)


def test_importing_the_command_line_loads_no_database_library(tmp_path: Path) -> None:
    code = "import sys, weft.cli.clean; print({'sqlalchemy', 'psycopg', 'pyarrow'} & {*sys.modules})"
    done = subprocess.run(
        [weft_command()[0], "-c", code], env=weft_environment(), capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.stdout.strip() == "set()", done.stderr
