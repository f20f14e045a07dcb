"""`weft shell`: a page, or the pages of a crawl, at hand; a script on standard input works, too."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.one_page_site import OnePageSite, one_page_site
from tests.pipeline.engine_process import weft_command
from weft.cli.exits import Exit
from weft.simweb import SimProcess, WebSpec

from .running import WITHIN_S, Finished, assert_is_one_sentence, own_environment


@pytest.fixture(scope="module")
def site() -> Iterator[OnePageSite]:
    with one_page_site() as site:
        yield site


@pytest.fixture(scope="module")
def crawled(site: OnePageSite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a crawl of two pages lies, in the folder `crawl`."""
    folder = tmp_path_factory.mktemp("shell")
    seeds = (site.url("/"), site.url("/latin?2"))
    flags = ("--depth", "0", "--delay", "0", "--workers", "1", "--allow-private", "--quiet")
    done = Finished("crawl", *seeds, "-o", "crawl", *flags, cwd=folder)
    assert done.code == Exit.DONE, done.errors
    return folder


def shell(what: str, script: str, cwd: Path) -> Finished:
    return Finished("shell", what, "--allow-private", cwd=cwd, stdin=script)


def test_a_page_and_others_are_at_hand(site: OnePageSite, tmp_path: Path) -> None:
    script = f"""
print(page.status, page.title)
other = get({site.url("/shift_jis")!r})
print(other.charset, isinstance(other, weft.Page))
try:
    get({site.url("/private/x")!r})
except weft.GetFailed as error:
    print(error.reason)
def twice(text):
    return text * 2
print([twice(letter) for letter in "ab"], __name__)
print(get("/shift_jis").url == get("./shift_jis").url == other.url)
"""
    done = shell(site.url("/"), script, tmp_path)
    assert (done.code, done.errors) == (Exit.DONE, "")
    assert done.out.splitlines() == ["200 Grüße", "shift_jis True", "robots", "['aa', 'bb'] __main__", "True"]


def test_the_pages_of_a_crawl_are_at_hand_as_often_as_they_are_asked_for(crawled: Path) -> None:
    script = "print(page.title, len(list(pages)), sorted(p.url.rpartition('/')[2] for p in pages), pages)"
    done = shell("crawl", script, crawled)
    assert (done.code, done.errors) == (Exit.DONE, "")
    assert done.out == "Grüße 2 ['', 'latin?2'] <the pages of crawl: for page in pages>\n"


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("1 / 1\n\n1 / 0", Exit.FAILED, "line 3 of the script: ZeroDivisionError: division by zero"),
        (
            "def f():\n  raise ValueError('two\\nlines')\nf()",
            Exit.FAILED,
            "line 2 of the script: ValueError: two lines",
        ),
        ("print(page.nothing)", Exit.FAILED, "AttributeError"),
        ("get('mailto:me@example.org')", Exit.FAILED, "BadUrl"),
        ("a b c", Exit.BAD_INPUT, "line 1 of the script: invalid syntax"),
        ("eval('a b')", Exit.FAILED, "line 1 of the script: "),
    ],
)
def test_a_script_that_fails_is_told_in_a_sentence(
    site: OnePageSite, tmp_path: Path, script: str, code: Exit, words: str
) -> None:
    done = shell(site.url("/"), script, tmp_path)
    assert_is_one_sentence(done)
    assert words in done.errors
    assert done.code == code


def test_a_script_says_how_it_ends(site: OnePageSite, tmp_path: Path) -> None:
    assert shell(site.url("/"), "raise SystemExit(42)", tmp_path).code == 42
    assert shell(site.url("/"), "import sys; sys.exit()", tmp_path).code == Exit.DONE
    assert shell(site.url("/"), "", tmp_path).code == Exit.DONE


def test_where_there_is_nothing_to_look_at_a_sentence_says_so(site: OnePageSite, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for what, code in [
        (site.url("/private/x"), Exit.SEEDS_FAILED),
        ("mailto:me@example.org", Exit.BAD_INPUT),
        ("empty", Exit.FOLDER),
    ]:
        done = shell(what, "print(page)", tmp_path)
        assert_is_one_sentence(done)
        assert done.code == code


def test_a_name_that_is_neither_a_folder_nor_a_host_is_told_as_both(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim:
        flags = ("--allow-private", "--dns-server", sim.dns)
        done = Finished("shell", "crawl-mistyped.invalid", *flags, cwd=tmp_path, stdin="print(page)")
    assert_is_one_sentence(done)
    assert "crawl-mistyped.invalid: there is no such folder, and no such host" in done.errors
    assert done.code == Exit.SEEDS_FAILED


def test_what_get_raises_does_not_show_the_inside_of_weft(crawled: Path, site: OnePageSite) -> None:
    script = f"""
import traceback
try:
    get({site.url("/private/x")!r})
except weft.GetFailed:
    print(len(traceback.format_exc().splitlines()) < 10, "direct cause" in traceback.format_exc())
"""
    assert shell("crawl", script, crawled).out == "True False\n"


def test_a_page_with_an_error_as_its_status_can_be_looked_at(site: OnePageSite, tmp_path: Path) -> None:
    assert shell(site.url("/nowhere"), "print(page.status)", tmp_path).out == "404\n"


def test_a_reader_that_goes_away_ends_it_quietly(site: OnePageSite) -> None:
    command = weft_command("shell", site.url("/long"), "--allow-private")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=own_environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"print(page.html)")
        process.stdin.close()
        assert process.stdout.read(9) == b"begins so"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(WITHIN_S) == Exit.DONE


FAKE_IPYTHON = """
def start_ipython(argv, user_ns):
    print("IPython has", *sorted(user_ns))
"""


@pytest.mark.parametrize("has_ipython", [False, True], ids=["plain", "ipython"])
def test_at_a_terminal_it_is_ipython_or_python_s_own(site: OnePageSite, tmp_path: Path, has_ipython: bool) -> None:
    (tmp_path / "IPython.py").write_text(FAKE_IPYTHON if has_ipython else "raise ImportError")
    ours, theirs = pty.openpty()
    environment = own_environment() | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "TERM": "dumb"}
    command = weft_command("shell", site.url("/"), "--allow-private")
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=tmp_path
    ) as process:
        os.close(theirs)
        os.write(ours, b"print(page.title + '!')\nexit()\n")
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:
            pass  # the session has ended
        os.close(ours)
        assert process.wait(WITHIN_S) == Exit.DONE
    said = shown.decode()
    assert f"<Page {site.url('/')} 200>" in said
    assert ("IPython has get page weft" in said) == has_ipython
    assert ("Grüße!" in said) != has_ipython
